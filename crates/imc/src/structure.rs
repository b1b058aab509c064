//! The tangible states with what leads from each to the next: all that does not depend on the numbers of rates.

use volvelle_control::Control;
use volvelle_space::Lts;

use crate::eliminate::{Outcome, Outcomes, eliminate};
use crate::kinds::Kinds;
use crate::numbers::Numbers;
use crate::problem::Problem;
use crate::system::{Goal, System};

/// No tangible state that is reached.
pub(crate) const NONE: u32 = u32::MAX;

/// A transition with a rate, from a tangible state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delay {
    /// Its label.
    pub label: u32,
    /// The state of the system that it leads to, or the end of the passage.
    pub target: u32,
}

/// Tangible states, numbered in breadth-first order, and their delays.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    /// The state of the system behind each tangible state that is reached.
    pub tangible: Vec<u32>,
    /// The number of each state of the system, and of the end of the passage, among the tangible ones; [`NONE`] elsewhere.
    pub number: Vec<u32>,
    /// Delays of each: `starts[s]..starts[s + 1]`.
    pub starts: Vec<u32>,
    pub delays: Vec<Delay>,
    /// What follows the entry of each state of the system.
    pub outcomes: Outcomes,
    /// Probabilities and counts.
    pub numbers: Numbers,
    /// The state where runs start; perhaps a vanishing one.
    pub initial: u32,
    /// The number of the state that stands for the end of the passage, where it can be reached.
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

    /// What follows the entry of a state, on a chain.
    pub fn outcome(&self, state: u32) -> Outcome {
        self.outcomes.of(state)[0]
    }

    /// The tangible states that follow the entry of a state, by their numbers, with the places of probabilities.
    pub fn reaches(&self, outcome: Outcome) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.outcomes.arena.reaches(outcome).map(|(state, code)| (self.number[state as usize], code))
    }
}
