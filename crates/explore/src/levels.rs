//! A limit on the number of steps from the initial states.
//!
//! States are numbered in breadth-first order, so the states of a level (at the same distance from the
//! initial states) have consecutive numbers. The end of a level is known once all states before it are
//! expanded.

use crate::assemble::Assembler;
use crate::batch::Batch;
use crate::rows::{RowShape, Rows};
use volvelle_model::kernels::StepKernel;

/// Number of states that get their rows at once.
const AT_ONCE: usize = 4096;

/// The limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLimit {
    /// States at this distance from the initial ones are found, but not expanded,
    pub steps: u64,
    /// unless there are at most this many states so far: in a small space, the limit gains nothing.
    pub spared: usize,
}

/// The progress of exploration by levels, and its limit.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    end: usize,
    left: u64,
    spared: usize,
}

impl Levels {
    /// Begins at the initial states.
    pub fn new(limit: StepLimit) -> Self {
        Levels { end: 0, left: limit.steps, spared: limit.spared }
    }

    /// The first state after the level that is expanded.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Goes to the next level, which ends before state `known`, if it is to be expanded.
    pub fn go_on(&mut self, known: usize) {
        if self.left > 0 || known <= self.spared {
            *self = Levels { end: known, left: self.left.saturating_sub(1), ..*self };
        }
    }
}

/// Appends the rows of states that were found but not expanded: each is a loop. `false` if there is no room.
#[must_use]
pub fn append_unexpanded(matrix: &mut Assembler, states: usize, step: &StepKernel, shape: &RowShape) -> bool {
    if matrix.states == states {
        return true;
    }
    let (mut batch, mut rows) = (Batch::new(step), Rows::new(false));
    while matrix.states < states {
        let first = matrix.states;
        batch.state_ends.clear();
        batch.state_ends.resize(AT_ONCE.min(states - first), 0);
        rows.clear();
        rows.add(shape, &batch, first);
        if !matrix.append(&rows) {
            return false;
        }
    }
    true
}
