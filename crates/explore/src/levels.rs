//! A limit on the number of steps from the initial states.
//!
//! States are numbered in the order in which a breadth-first search finds them, so those of a level, at the same distance from
//! the initial states, have consecutive numbers. Where a level ends is known once all states before it are expanded.

use crate::assemble::Assembler;
use crate::batch::Batch;
use crate::rows::{RowShape, Rows};
use volvelle_model::kernels::StepKernel;

/// States that get their rows at once.
const AT_ONCE: usize = 4096;

/// The limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLimit {
    /// States that many steps away from the initial ones are found, but not expanded,
    pub steps: u64,
    /// unless there are no more than this many states so far: in a small space nothing is to be gained.
    pub spared: usize,
}

/// How far exploration has come, and how far it is to go.
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

    /// Goes on to the next level, which ends before state `known`, if there is one to expand.
    pub fn go_on(&mut self, known: usize) {
        if self.left > 0 || known <= self.spared {
            *self = Levels { end: known, left: self.left.saturating_sub(1), ..*self };
        }
    }
}

/// Appends the rows of the states that were found and not expanded: they stay where they are. `false` where there is no
/// room for them.
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
