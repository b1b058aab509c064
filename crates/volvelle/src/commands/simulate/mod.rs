//! `volvelle simulate`

mod run;
mod sampling;

use super::processes;
use crate::args::Simulate;

pub use sampling::generator;

/// Samples paths of a model of probabilities, or runs a model of processes.
pub fn run(args: &Simulate) -> u8 {
    if processes::is_one(&args.model) { run::run(args) } else { sampling::run(args) }
}
