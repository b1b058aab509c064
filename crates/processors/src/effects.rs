//! Keys of machines that options set and that have no effect on what is asked.

use crate::options::{MulticorePart, SimulateMulticore};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_multicore::{Form, KEYS};
use volvelle_session::constants;

/// Keys that matter where there are only accesses.
const OF_ACCESSES: [&str; 7] =
    ["cores", "protocol", "caches", "l1d.size", "l1d.ways", "l1d.block", "l1d.policy"];
/// Where there are only outcomes.
const OF_OUTCOMES: [&str; 2] = ["group", "history"];
/// Where tasks are predicted without cycles.
const OF_PREDICTIONS: [&str; 10] = [
    "cores",
    "tasks_per_core",
    "task_length",
    "selection",
    "mode",
    "group",
    "history",
    "training",
    "targets",
    "returns",
];

/// What is wrong with keys of `--const`.
pub fn without_effect(args: &SimulateMulticore, form: Option<Form>) -> Vec<Diagnostic> {
    let (known, what): (&[&str], &str) = match (form, args.only) {
        (Some(Form::Accesses), _) => (&OF_ACCESSES, "a stream of accesses"),
        (Some(Form::Outcomes), _) => (&OF_OUTCOMES, "a stream of outcomes"),
        (_, Some(MulticorePart::Predictors)) => (&OF_PREDICTIONS, "predictions without cycles"),
        (_, Some(MulticorePart::Program)) => (&[], "what a program executes"),
        _ => return Vec::new(),
    };
    let (given, _) = constants::parse_parameters(&args.constants);
    let keys = given.iter().map(|given| given.name.as_str());
    let idle = keys.filter(|key| KEYS.contains(key) && !known.contains(key));
    let wrong = |key: &str| {
        let found = Diagnostic::error(codes::BAD_USAGE, format!("`{key}` has no effect on {what}"));
        found.help(match known.is_empty() {
            true => "leave it out".to_owned(),
            false => format!("leave it out; `{}` have one", known.join("`, `")),
        })
    };
    idle.map(wrong).collect()
}
