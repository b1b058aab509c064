//! Options of `simulate` that act only beside others.

use volvelle_console::given::GivenOptions;
use volvelle_console::question::{LOG_AXES, Need};

fn is_test(given: &GivenOptions) -> bool {
    match given.value("method") {
        Some("sprt" | "bayes") => true,
        Some("auto") | None => given.has("indifference"),
        Some(_) => false,
    }
}

fn has_interval(given: &GivenOptions) -> bool {
    !matches!(given.value("method"), Some("sprt" | "bayes"))
}

/// The table.
pub const NEEDS: &[Need] = &[
    Need {
        options: &[("alpha", "--alpha"), ("beta", "--beta")],
        acts: is_test,
        why: "it belongs to tests of properties with a bound",
        help: "request a test of P>=0.9 [ ... ]: --indifference 0.01, or --method bayes; intervals have --confidence 0.99",
    },
    Need {
        options: &[("beta", "--beta"), ("indifference", "--indifference")],
        acts: |given| matches!(given.value("method"), None | Some("auto" | "sprt")),
        why: "it belongs to the sequential probability ratio test",
        help: "choose that test: --method sprt",
    },
    Need {
        options: &[("confidence", "--confidence"), ("width", "--width"), ("relative", "--relative")],
        acts: has_interval,
        why: "a test gives no interval",
        help: "its errors are --alpha and --beta; for an interval choose --method ci",
    },
    Need {
        options: &[
            ("samples", "--samples"),
            ("confidence", "--confidence"),
            ("width", "--width"),
            ("relative", "--relative"),
            ("alpha", "--alpha"),
            ("beta", "--beta"),
            ("indifference", "--indifference"),
            ("method", "--method"),
            ("rare", "--rare"),
            ("tier", "--tier"),
            ("csv", "--csv"),
            ("plot", "--plot"),
            ("html", "--html"),
            ("explain", "--explain"),
            ("shard", "--shard"),
            ("checkpoint", "--checkpoint"),
            ("json", "--json"),
        ],
        acts: |given| !given.has("print_code"),
        why: "--print-code prints code, and runs no path",
        help: "leave one of them out",
    },
    Need {
        options: &[("rng", "--rng"), ("tier", "--tier"), ("device", "--device")],
        acts: |given| !given.has("rare"),
        why: "importance splitting has one way to run paths",
        help: "leave it out",
    },
    LOG_AXES,
];
