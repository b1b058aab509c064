//! Programs of message-passing primitives: what the program of the waist does is what the reference semantics says, in every view.

mod machines;
mod systems;

pub use machines::{protocol, random_machine, simple_machine};
pub use systems::random_system;

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use volvelle_control::{Control, Limits};
use volvelle_explore::{ExploreError, Options, explore};
use volvelle_kernel::interp::Interpreter as Kernels;
use volvelle_lts::{ReduceOptions, Relation, compare, of_space};
use volvelle_mpi::interpret::{Interpreter, Names, State};
use volvelle_mpi::lower::{Lowered, View, lower};
use volvelle_mpi::machine::Machine;
use volvelle_mpi::system::System;
use volvelle_space::{Labels, Lts};

/// All views.
pub const VIEWS: [View; 5] = [
    View::Timed { ordered: true },
    View::Timed { ordered: false },
    View::Interleaved,
    View::Untimed { tracks_copies: false },
    View::Untimed { tracks_copies: true },
];

/// The states that the interpreter reaches, breadth first; `None` if there are more than so many.
pub fn interpreted(interpreter: &Interpreter<'_>, names: Names<'_>, most: usize) -> Option<Lts> {
    let mut labels = Labels::new();
    let initial = interpreter.initial();
    let mut numbers: FxHashMap<State, u32> = FxHashMap::from_iter([(initial.clone(), 0)]);
    let mut queue = VecDeque::from([initial]);
    let mut transitions = Vec::new();
    let mut source = 0;
    while let Some(state) = queue.pop_front() {
        for step in interpreter.steps(&state) {
            let (label, after) = interpreter.successor(&state, step);
            let label = labels.number(&interpreter.text(&label, names));
            let fresh = numbers.len() as u32;
            let target = *numbers.entry(after).or_insert_with_key(|after| {
                queue.push_back(after.clone());
                fresh
            });
            transitions.push((source, label, target));
        }
        if numbers.len() > most {
            return None;
        }
        source += 1;
    }
    Some(Lts::from_transitions(numbers.len() as u32, 0, labels, &distinct(transitions)))
}

fn distinct(mut transitions: Vec<(u32, u32, u32)>) -> Vec<(u32, u32, u32)> {
    transitions.sort_unstable();
    transitions.dedup();
    transitions
}

/// The states of a lowered system.
///
/// # Errors
/// What exploring says.
pub fn explored(lowered: &Lowered, most: usize) -> Result<Lts, ExploreError> {
    let limits = Limits { states: Some(most as u64), ..Limits::default() };
    let control = Control { limits, ..Control::unlimited() };
    let explored = explore(&lowered.program, &Kernels, &Options::default(), &control)?;
    let lts = of_space(&explored.space, &Control::unlimited()).expect("steps are neither random nor many");
    let transitions = distinct(lts.transitions().collect());
    Ok(Lts::from_transitions(lts.num_states() as u32, lts.initial, lts.labels, &transitions))
}

/// Explores a system in a view in both ways; gives the number of states, or `None` if there are more than so many.
///
/// # Errors
/// Text that says what is different.
pub fn compare_with_interpreter(
    system: &System,
    machine: &Machine,
    view: View,
    most: usize,
) -> Result<Option<(usize, usize)>, String> {
    let lowered = lower(system, machine, view);
    let names = Names { journeys: &lowered.journeys, mistakes: &lowered.mistakes };
    let interpreter = Interpreter::new(system, machine, view);
    let Some(reference) = interpreted(&interpreter, names, most) else { return Ok(None) };
    let lts = explored(&lowered, 4 * most + 100).map_err(|error| format!("{view:?}: {error:?}"))?;
    let sizes = |lts: &Lts| (lts.num_states(), lts.num_transitions());
    let (wanted, found) = (sizes(&reference), sizes(&lts));
    let compared = compare(reference, lts, ReduceOptions::from(Relation::Strong), &Control::unlimited())
        .map_err(|error| format!("{view:?}: {error:?}"))?;
    if !compared.equivalent {
        let trace = compared.trace.map(|trace| (trace.is_of_first, trace.labels));
        return Err(format!("{view:?}: not bisimilar to the interpreter; (only there, trace): {trace:?}"));
    }
    if wanted != found {
        return Err(format!("{view:?}: {found:?} states and transitions, and {wanted:?} by the interpreter"));
    }
    Ok(Some(found))
}
