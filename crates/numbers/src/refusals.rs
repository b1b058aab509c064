//! Options and properties that are refused before anything is computed.

use crate::beside::no_witness;
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_session::explore::kind_name;
use volvelle_session::pending::Pending;
use volvelle_session::{Model, Settings};

/// Refusals of options that mean nothing for this kind of model.
pub fn without_effect(model: &Model, settings: &Settings) -> Vec<Diagnostic> {
    let Some(program) = model.program() else { return Vec::new() };
    let kind = program.kind();
    let refused = |option: &str, why: &str| {
        let message = format!("{option} has no effect on a {}", kind_name(program));
        Diagnostic::error(codes::BAD_USAGE, message).note(why.to_owned()).help("leave it out")
    };
    let mut diagnostics = Vec::new();
    if settings.reduce && kind != volvelle_model::Kind::Mdp {
        diagnostics.push(refused("--reduce", "it leaves out choices of an mdp for which others stand"));
    }
    if settings.numeric.detection != volvelle_markov::Detection::default()
        && kind != volvelle_model::Kind::Ctmc
    {
        let why = "it is about the steps of a ctmc up to a time";
        diagnostics.push(refused("--steady-state-detection", why));
    }
    diagnostics
}

/// Refusals of properties whose schedulers are asked for, but cannot be written.
pub fn without_scheduler(model: &Model, pending: &[Pending]) -> Vec<Diagnostic> {
    let Some(program) = model.program() else { return Vec::new() };
    let kind = volvelle_explore::kind_of_space(program.kind());
    let refused = pending.iter().filter_map(|p| {
        let why = volvelle_markov::has_strategy(kind, p.property.as_ref().ok()?).err()?;
        Some(no_witness(Severity::Error, "scheduler", &why).at(p.place, ""))
    });
    refused.collect()
}
