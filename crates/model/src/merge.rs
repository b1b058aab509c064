//! Merges statements: steps between which no other process can interfere happen together.
//!
//! A location is *quiet* if its only transition is always possible, uses nothing that others may use, and
//! begins no atomic sequence. A process that reaches a quiet location gets exclusive control
//! ([`crate::Outcome::then_exclusive`]), so the state in between need not be stored. No cycle of the control
//! flow consists of quiet locations only: others would never get a turn there.
//!
//! This preserves deadlocks, errors, and formulas that do not count steps.

use crate::ids::LocationId;
use crate::independence::is_waiting_noticed;
use crate::program::Program;
use volvelle_kernel::Stmt;

/// Merges the statements of a program of processes.
pub fn merge(program: &mut Program) {
    let network = &program.network;
    // With priority classes, the moves of other processes decide who continues.
    let is_watched = network.has_remote_reads || network.last.is_some() || network.priority.is_some();
    if is_watched || network.owner.is_none() {
        return;
    }
    let noticed = is_waiting_noticed(network);
    let mut quiet: Vec<bool> = (0..program.network.locations.len())
        .map(|l| is_quiet(program, LocationId(l as u32), noticed))
        .collect();
    break_cycles(program, &mut quiet);
    for location in &mut program.network.locations {
        for alternative in location.alternatives_mut() {
            if !alternative.gives() && quiet[alternative.target().index()] {
                alternative.outcomes.iter_mut().for_each(|outcome| outcome.then_exclusive = true);
            }
        }
    }
}

/// Whether a location is quiet. `noticed`: other processes can notice where a process waits to receive.
fn is_quiet(program: &Program, location: LocationId, noticed: bool) -> bool {
    let network = &program.network;
    let info = &network.locations[location.index()];
    if info.is_end || info.is_accepting || info.is_progress || info.is_observed {
        return false;
    }
    let mut alternatives = info.alternatives();
    let (Some(only), None) = (alternatives.next(), alternatives.next()) else { return false };
    let has_guard = network.type_of(location).is_some_and(|t| network.types[t].guard.is_some());
    let always = program.exprs.as_const(only.guard).and_then(|c| c.as_bool()) == Some(true);
    only.offer.is_none()
        && always
        && !has_guard
        && only.accesses.is_empty()
        && only.creates.is_empty()
        && only.target() != LocationId::NOWHERE
        // Others may move before the beginning of an atomic sequence, but not after it.
        && !only.then_exclusive()
        && !(noticed && network.locations[only.target().index()].alternatives().any(|a| a.takes()))
        && !only.effect().iter().any(may_fail_or_loop)
}

/// Errors of merged steps are still found, but a step with a loop is not quiet.
fn may_fail_or_loop(statement: &Stmt) -> bool {
    matches!(statement, Stmt::For { .. } | Stmt::Machine { .. })
}

/// Removes the first location from every cycle of quiet ones. Each has one way out, so these form chains and
/// rings.
fn break_cycles(program: &Program, quiet: &mut [bool]) {
    let mut state = vec![0u32; quiet.len()];
    for start in 0..quiet.len() {
        let round = start as u32 + 1;
        let mut at = start;
        while quiet[at] && state[at] == 0 {
            state[at] = round;
            let mut alternatives = program.network.locations[at].alternatives();
            let Some(target) = alternatives.next().map(|a| a.target().index()) else { break };
            at = target;
        }
        if quiet[at] && state[at] == round {
            quiet[at] = false;
        }
    }
}
