//! `volvelle simulate`

mod run;
mod sampling;

use super::{Opening, open, refuse, refused_targets};
use crate::applicable::{GivenOptions, Task};
use crate::args::Simulate;
use crate::output::Output;
use std::time::Instant;
use volvelle_verify::Analysis;

pub use sampling::generator;

/// Samples paths of a model, or runs one step by step, whichever the model allows.
pub fn run(args: &Simulate, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let opening = Opening {
        properties: &args.asked.properties,
        defines: &args.run.define,
        limits: Some(&args.limits),
        ..Opening::default()
    };
    let session = match open(&args.model, opening) {
        Ok(session) => session,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let refusal = session.refusal(Analysis::Sampling);
    let task = if refusal.is_some() && session.allows(Analysis::Run) { Task::Run } else { Task::Sample };
    let mut refusals = given.refusals(task, &session);
    if refusals.is_empty() {
        let targets = [&args.csv, &args.plot].into_iter().flatten();
        refusals = refused_targets(targets, &args.model.model);
    }
    match refusal {
        Some(diagnostic) if task == Task::Sample => refuse(&[diagnostic], args.output.json, output),
        _ if !refusals.is_empty() => refuse(&refusals, args.output.json, output),
        None => sampling::run(args, session, start, output),
        Some(_) => run::run(args, session, output),
    }
}
