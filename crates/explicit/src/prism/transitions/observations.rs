//! The observations of the states of a POMDP: lines give those of targets and of initial states.

use super::header::Header;
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::model::{Entity, Model, Observations};
use crate::text::Script;
use std::ops::Range;
use volvelle_diagnostics::codes;

/// Stands for an observation that no line gives.
const UNKNOWN: u32 = u32::MAX;

/// Deals with states whose observation no line gives, once initial states are known: an initial one is refused, others
/// are not reached and get observation 0.
pub(in crate::prism) fn settle_observations(
    script: Script<'_>,
    range: Range<usize>,
    model: &mut Model,
    remarks: &mut Vec<Finding>,
) -> Result<(), Finding> {
    let Some(observations) = &mut model.observations else { return Ok(()) };
    let mut unknown = 0;
    for (state, seen) in observations.of.iter_mut().enumerate().filter(|(_, seen)| **seen == UNKNOWN) {
        if model.initial.contains(state) {
            let message = format!("no line gives the observation of the initial state {state}");
            let at = script.cursor(range).rest_of_line();
            let finding = script.refuse(codes::EXPLICIT_STRUCTURE, at, message);
            return Err(finding.help(format!("give it after the first line: `- - {state} - OBSERVATION`")));
        }
        *seen = 0;
        unknown += 1;
    }
    if unknown > 0 {
        let at = script.cursor(range).rest_of_line();
        let message = format!("no line gives the observations of {unknown} unreachable states");
        remarks.push(script.warn(at, message));
    }
    Ok(())
}

/// The observation of every state, from those of targets and of initial states.
pub(super) fn observations(
    script: Script<'_>,
    header: &Header,
    model: &Model,
    count: u32,
    of_targets: &[u32],
    allowance: &Allowance<'_>,
) -> Result<Observations, Finding> {
    let mut of: Vec<u32> = allowance.vec(model.num_states())?;
    of.resize(model.num_states(), UNKNOWN);
    let initial = header.initial.iter().map(|&(state, seen)| (state, seen.unwrap_or(UNKNOWN)));
    for (state, seen) in initial.chain(model.targets.iter().copied().zip(of_targets.iter().copied())) {
        let known = &mut of[state as usize];
        if *known != UNKNOWN && *known != seen {
            let message = format!("state {state} has two observations, {known} and {seen}");
            return Err(script.refuse(codes::EXPLICIT_STRUCTURE, header.transitions.1.clone(), message));
        }
        *known = seen;
    }
    Ok(Observations { count, on: Entity::States, of, distribution: None })
}
