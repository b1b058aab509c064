//! Options of `check` that act only beside others.

use volvelle_console::given::GivenOptions;
use volvelle_console::question::{LOG_AXES, Need};

/// Methods that stop when two iterates are close.
const CLASSICAL: &[&str] =
    &["value-iteration", "power", "jacobi", "jor", "gauss-seidel", "sor", "policy-iteration"];

/// Whether values are computed that have no bounds.
fn stops_early(given: &GivenOptions) -> bool {
    given.value("method").is_some_and(|method| CLASSICAL.contains(&method))
        || given.value("steady_state_detection") == Some("prism")
}

/// Whether nothing is computed by a numerical method; [`volvelle_console::applicable`] says what applies then.
fn is_of_other_engine(given: &GivenOptions) -> bool {
    ["mcl", "wctl", "ltl", "safety"].iter().any(|name| given.has(name))
}

fn is_distribution(given: &GivenOptions) -> bool {
    given.has("transient") || given.has("steady_state")
}

/// The table.
pub const NEEDS: &[Need] = &[
    Need {
        options: &[
            ("such_that", "--such-that"),
            ("greatest", "--greatest"),
            ("every_value", "--every-value"),
        ],
        acts: |given| given.has("find"),
        why: "it is about a value that is sought",
        help: "name the constant, and leave --prop out: --find N=1:1000",
    },
    Need {
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
    },
    Need {
        options: &[("epsilon", "--epsilon")],
        acts: |given| stops_early(given) || is_of_other_engine(given),
        why: "methods with bounds stop when their interval is narrow",
        help: "give its width: --precision 1e-9; or choose a classical method: --method gauss-seidel",
    },
    Need {
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
    },
    Need {
        options: &[
            ("verify", "--verify"),
            ("bisimulation", "--bisimulation"),
            ("full_space", "--full-space"),
            ("reduce", "--reduce"),
            ("symmetry", "--symmetry"),
        ],
        acts: |given| !is_distribution(given),
        why: "a distribution is that over all states, each for itself, and has bounds",
        help: "leave it out",
    },
    LOG_AXES,
];
