//! Values that cannot be read are refused before any file is, wherever an option is accepted.

use crate::amounts;
use crate::given::GivenOptions;
use volvelle_diagnostics::Diagnostic;

/// Reads a value, and says what is wrong with it.
pub type Read = fn(&str) -> Result<(), Diagnostic>;

/// What values are, by the names of the fields of options.
pub type Values = &'static [(&'static str, Read)];

fn count(value: &str, what: &str, example: &str) -> Result<(), Diagnostic> {
    amounts::count(value, what, example).map(|_| ())
}

/// What the values of options are that mean the same wherever they are.
pub const VALUES: Values = &[
    ("precision", |value| amounts::precision(value, "--precision 1e-6").map(|_| ())),
    ("omega", |value| amounts::relaxation(value).map(|_| ())),
    ("max_iterations", |value| count(value, "a number of iterations", "--max-iterations 1e6")),
    ("verify_time", |value| amounts::time(value, "--verify-time 1.5").map(|_| ())),
    ("verify_samples", |value| count(value, "a number of paths", "--verify-samples 1e5")),
    ("verify_width", |value| amounts::width(value, "--verify-width 1e-2").map(|_| ())),
    ("confidence", |value| amounts::probability(value, "--confidence").map(|_| ())),
    ("alpha", |value| amounts::probability(value, "--alpha").map(|_| ())),
    ("beta", |value| amounts::probability(value, "--beta").map(|_| ())),
    ("indifference", |value| amounts::probability(value, "--indifference").map(|_| ())),
    ("samples", |value| count(value, "a number of paths", "--samples 1e6")),
    ("max_path_length", |value| count(value, "a number of steps", "--max-path-length 1e6")),
    ("steps", |value| count(value, "a number of steps", "--steps 500")),
    ("timeout", |value| amounts::time(value, "--timeout 10").map(|_| ())),
    ("max_memory", |value| amounts::memory(value).map(|_| ())),
    ("max_states", |value| count(value, "a number of states", "--max-states 1e7")),
    ("threads", |value| count(value, "a number of threads", "--threads 2")),
];

/// What is wrong with values, and the names of their options. Values of a question's `own` are read as it says.
pub fn refusals(given: &GivenOptions, own: &[Values]) -> (Vec<Diagnostic>, Vec<&'static str>) {
    let (mut diagnostics, mut told) = (Vec::new(), Vec::new());
    for (name, read) in own.iter().copied().flatten().chain(VALUES) {
        if told.contains(name) {
            continue;
        }
        if let Some(Err(diagnostic)) = given.value(name).map(read) {
            diagnostics.push(diagnostic);
            told.push(*name);
        }
    }
    (diagnostics, told)
}
