//! The tangible states and the delays between them: everything that does not depend on the numbers of rates.

use volvelle_control::Control;
use volvelle_space::Lts;

use crate::eliminate::{Outcome, Outcomes, eliminate};
use crate::kinds::Kinds;
use crate::numbers::Numbers;
use crate::problem::Problem;
use crate::system::{Goal, System};

/// Marks states that are not tangible or not reachable.
pub(crate) const NONE: u32 = u32::MAX;

/// A transition with a rate, from a tangible state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delay {
    /// Its label.
    pub label: u32,
    /// Its target state in the system, or the end of the passage.
    pub target: u32,
}

/// Tangible states, numbered in breadth-first order, and their delays.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    /// The state of the system for each reachable tangible state.
    pub tangible: Vec<u32>,
    /// By state of the system (and end of the passage): its number among the tangible ones, or [`NONE`].
    pub number: Vec<u32>,
    /// Delays of each tangible state `s`: `delays[starts[s]..starts[s + 1]]`.
    pub starts: Vec<u32>,
    pub delays: Vec<Delay>,
    /// The outcome of entering each state of the system.
    pub outcomes: Outcomes,
    /// Probabilities and counts.
    pub numbers: Numbers,
    /// The state in which runs start; it may be vanishing.
    pub initial: u32,
    /// The number of the state for the end of the passage, if it is reachable.
    pub end: Option<u32>,
}

impl Structure {
    /// Eliminates the vanishing states of a system.
    pub fn new(
        lts: &Lts,
        kinds: &Kinds,
        goal: Option<&Goal>,
        keeps_choices: bool,
        control: &Control,
    ) -> Result<Self, Problem> {
        let system = System::new(lts, kinds, goal);
        let (order, reached) = system.reachable();
        let mut numbers = Numbers::new();
        let outcomes = eliminate(&system, &reached, keeps_choices, &mut numbers, control)?;
        let is_tangible = |state: &u32| !system.is_vanishing(*state);
        let tangible: Vec<u32> = order.into_iter().filter(is_tangible).collect();
        let mut number = vec![NONE; lts.num_states() + 1];
        let mut starts = Vec::with_capacity(tangible.len() + 1);
        starts.push(0);
        let mut delays = Vec::new();
        for (&state, place) in tangible.iter().zip(0..) {
            number[state as usize] = place;
            let steps = system.steps(state);
            delays.extend(steps.map(|edge| Delay { label: edge.label, target: system.target(edge) }));
            starts.push(delays.len() as u32);
        }
        let end = system.has_goal().then(|| number[system.end() as usize]).filter(|&end| end != NONE);
        let initial = system.initial();
        Ok(Structure { tangible, number, starts, delays, outcomes, numbers, initial, end })
    }

    /// The number of tangible states.
    pub fn num_states(&self) -> usize {
        self.tangible.len()
    }

    /// The delays of a tangible state.
    pub fn delays_of(&self, state: usize) -> &[Delay] {
        &self.delays[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// The outcome of entering a state, in a structure without choices.
    pub fn outcome(&self, state: u32) -> Outcome {
        self.outcomes.of(state)[0]
    }

    /// The tangible states that an outcome reaches, as their numbers, each with the code of its probability.
    pub fn reaches(&self, outcome: Outcome) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.outcomes.arena.reaches(outcome).map(|(state, code)| (self.number[state as usize], code))
    }
}
