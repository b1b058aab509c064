//! `volvelle simulate`

mod run;
mod sampling;

use super::{open, refuse};
use crate::args::Simulate;
use crate::output::Output;
use std::time::Instant;
use volvelle_verify::Analysis;

pub use sampling::generator;

/// Samples paths of a model, or runs one step by step, whichever the model allows.
pub fn run(args: &Simulate) -> u8 {
    let start = Instant::now();
    let output = Output::new();
    let session = match open(&args.model, &args.asked.properties, &args.run.define) {
        Ok(session) => session,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, &output),
    };
    if session.allows(Analysis::Sampling) {
        sampling::run(args, session, start, &output)
    } else {
        run::run(args, session, &output)
    }
}
