//! Explicit chains: the form of explicit models whose paths are simulated.
//!
//! In: a [`Space`] and the values of its states, with choices resolved before ([`resolve`]). Out: a
//! [`Table`], from which a step takes one random number, whatever the number of transitions: alias tables (M.
//! D. Vose, *A Linear Algorithm For Generating Random Numbers With a Given Distribution*, IEEE Transactions
//! on Software Engineering 17(9), 1991). [`Rows`] is a table as a plan needs it: with the values of its
//! conditions in every state.
//!
//! Rewards of transitions count with their mean over the steps out of a state, since a [`Space`] only has
//! that mean. The mean over paths is the same.

pub mod alias;
mod resolve;
mod rows;
mod states;

use states::RowRewards;
pub use states::{States, Table};

pub use resolve::resolve;
pub use rows::{Earns, Rows};
pub(crate) use rows::{STAYS, UNDECIDED};

use crate::error::Unsupported;
use alias::Aliases;
use volvelle_model::{ActionId, FieldId};
use volvelle_space::{Kind, RewardVectors, Space, Values};

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({} states, {} transitions)", self.space.num_states(), self.space.num_transitions())
    }
}

impl Table {
    /// Prepares a chain. Its rows may mention a state several times; `actions` has the action of every
    /// transition, or is empty.
    fn of_chain(
        space: Space,
        actions: Vec<u32>,
        undecided: Option<volvelle_space::BitSet>,
        states: Box<dyn States>,
    ) -> Self {
        let aliases = Aliases::new(&space);
        let sum = |state: usize| space.transitions(state).map(|(_, value)| value).sum();
        let rates = match space.kind {
            Kind::Ctmc => (0..space.num_states()).map(sum).collect(),
            _ => Vec::new(),
        };
        let rewards = space.rewards.iter().map(RowRewards::of).collect();
        Table { space, states, actions, undecided, aliases, rates, rewards }
    }

    /// The chain.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The only initial state.
    ///
    /// # Errors
    /// There are several, or none.
    pub fn initial(&self) -> Result<u32, Unsupported> {
        match self.space.initial.as_slice() {
            [state] => Ok(state.0),
            states => Err(Unsupported::InitialStates(states.len())),
        }
    }

    /// Values of the first `fields` fields in a state.
    pub fn values(&self, state: u32, fields: usize) -> Vec<i64> {
        (0..fields).map(|field| self.states.value(state as usize, FieldId(field as u32))).collect()
    }

    /// The transitions of a state, as numbers.
    pub fn row(&self, state: u32) -> std::ops::Range<usize> {
        self.space.row(state as usize)
    }

    /// The state that a transition leads to.
    pub fn target(&self, transition: usize) -> u32 {
        self.space.columns[transition]
    }

    /// Probability or rate of a transition.
    pub fn weight(&self, transition: usize) -> f64 {
        self.space.values.get(transition)
    }

    /// The action of a transition: an index into the actions of the space.
    pub fn action(&self, transition: usize) -> ActionId {
        ActionId(self.actions.get(transition).copied().unwrap_or(0))
    }

    /// The transition that a number of the unit interval draws in a state.
    pub fn draw(&self, state: u32, unit: impl FnOnce() -> f64) -> usize {
        let row = self.row(state);
        if row.len() == 1 { row.start } else { self.aliases.draw(row, unit()) }
    }

    /// The exit rate of a state; 1 in discrete time.
    pub fn rate(&self, state: u32) -> f64 {
        self.rates.get(state as usize).copied().unwrap_or(1.0)
    }

    /// Whether a state had no transitions before it was given a self-loop.
    pub fn is_deadlock(&self, state: u32) -> bool {
        self.space.deadlocks.contains(state as usize)
    }

    /// Whether all transitions lead back to their state.
    pub fn is_loop(&self, state: u32) -> bool {
        self.space.columns[self.row(state)].iter().all(|&target| target == state)
    }

    /// The reward of a structure in a state.
    pub fn reward(&self, structure: usize, what: Earns, state: u32) -> f64 {
        self.vector(structure, what).map_or(0.0, |vector| vector[state as usize])
    }

    fn vector(&self, structure: usize, what: Earns) -> Option<&[f64]> {
        let rewards = self.rewards.get(structure)?;
        match what {
            Earns::State => rewards.state.as_deref(),
            Earns::Stay => rewards.earned.as_deref().or(rewards.state.as_deref()),
        }
    }
}

impl RowRewards {
    fn of(vectors: &RewardVectors) -> Self {
        let state = vectors.state.as_ref().map(Values::to_vec);
        let earned = vectors.choice.as_ref().map(|choice| {
            let sum = |(i, by_step): (usize, f64)| state.as_ref().map_or(0.0, |state| state[i]) + by_step;
            choice.iter().enumerate().map(sum).collect()
        });
        RowRewards { state, earned }
    }
}
