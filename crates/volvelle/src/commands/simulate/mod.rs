//! `volvelle simulate`

mod run;
mod sampling;

use super::{Opening, open, refuse};
use crate::args::Simulate;
use crate::output::Output;
use std::time::Instant;
use volvelle_verify::Analysis;

pub use sampling::generator;

/// Samples paths of a model, or runs one step by step, whichever the model allows.
pub fn run(args: &Simulate) -> u8 {
    let start = Instant::now();
    let output = Output::new();
    let opening = Opening {
        properties: &args.asked.properties,
        defines: &args.run.define,
        limits: Some(&args.limits),
        ..Opening::default()
    };
    let session = match open(&args.model, opening) {
        Ok(session) => session,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, &output),
    };
    match session.refusal(Analysis::Sampling) {
        None => sampling::run(args, session, start, &output),
        Some(_) if session.allows(Analysis::Run) => run::run(args, session, &output),
        Some(diagnostic) => refuse(&[diagnostic], args.output.json, &output),
    }
}
