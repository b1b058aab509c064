//! Options that act only beside others.

use volvelle_console::given::GivenOptions;
use volvelle_console::needs::{LOG_AXES, Need};

/// Methods that stop when two iterates are close.
const CLASSICAL: &[&str] =
    &["value-iteration", "power", "jacobi", "jor", "gauss-seidel", "sor", "policy-iteration"];

/// Whether values are computed that have no bounds.
fn stops_early(given: &GivenOptions) -> bool {
    given.value("method").is_some_and(|method| CLASSICAL.contains(&method))
        || given.value("steady_state_detection") == Some("prism")
}

const VERIFICATION: Need = Need {
    options: &[
        ("verify_time", "--verify-time"),
        ("verify_samples", "--verify-samples"),
        ("verify_width", "--verify-width"),
        ("verify_repair", "--verify-repair"),
        ("verify_seed", "--verify-seed"),
    ],
    acts: |given| match given.value("verify") {
        Some("never") => false,
        Some("early-stop") | None => stops_early(given),
        Some(_) => true,
    },
    why: "no value is verified with simulated paths: their methods have bounds, or --verify never says so",
    help: "request it: --verify always",
};

const EPSILON: Need = Need {
    options: &[("epsilon", "--epsilon")],
    acts: stops_early,
    why: "methods with bounds stop when their interval is narrow",
    help: "give its width: --precision 1e-9; or choose a classical method: --method gauss-seidel",
};

const ITERATIONS: Need = Need {
    options: &[
        ("strict_precision", "--strict-precision"),
        ("max_iterations", "--max-iterations"),
        ("steady_state_detection", "--steady-state-detection"),
        ("bisimulation", "--bisimulation"),
        ("verify", "--verify"),
    ],
    acts: |given| !given.has("exact"),
    why: "exact fractions come from elimination, without iterations and without rounding",
    help: "leave it out, or --exact",
};

/// Of computed properties.
pub const COMPUTED: &[Need] = &[VERIFICATION, EPSILON, ITERATIONS, LOG_AXES];

/// Of thresholds.
pub const THRESHOLDS: &[Need] = &[VERIFICATION, EPSILON, ITERATIONS];

/// Of distributions.
pub const DISTRIBUTIONS: &[Need] = &[EPSILON];

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

/// Of sampled paths.
pub const SAMPLING: &[Need] = &[
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
