//! Symmetry: one state stands for all that differ by a permutation of interchangeable processes.
//!
//! A successor is replaced by the state in which these processes are sorted (`volvelle_explore::Sorter`).
//! Runs from both states differ by the permutation alone. Goal, cost and parameters do not depend on it; so
//! both have the same costs of reaching the goal, the same ends without it, and failures at the same sites.
//! It is safe to replace only some successors.

use super::states::hash;
use rustc_hash::FxHashSet;
use volvelle_explore::{Exchange, Sorter};
use volvelle_model::{NetworkLayout, Program};

/// Sorts states, as long as this reduces their number.
pub(super) struct Sorting<'s> {
    sorter: Sorter<'s>,
    sorted: Vec<u64>,
    /// During a trial: hashes of the states before and after sorting.
    before: FxHashSet<u64>,
    after: FxHashSet<u64>,
    /// Number of states until a trial begins or ends, and whether states are sorted.
    left: u32,
    is_trial: bool,
    is_worthwhile: bool,
}

/// A trial examines `TRIAL` states; one in `PAYS` must coincide with another after sorting. The next trial
/// begins `BETWEEN` states later.
const TRIAL: u32 = 1 << 12;
const PAYS: usize = 32;
const BETWEEN: u32 = 16 * TRIAL;

impl<'s> Sorting<'s> {
    pub fn new(program: &'s Program, layout: &'s NetworkLayout, exchange: &'s Exchange) -> Self {
        let sorter = Sorter::new(program, layout, exchange);
        let (before, after) = (FxHashSet::default(), FxHashSet::default());
        Sorting {
            sorter,
            sorted: Vec::new(),
            before,
            after,
            left: TRIAL,
            is_trial: true,
            is_worthwhile: true,
        }
    }

    /// Begins another search, independently of earlier ones.
    pub fn start(&mut self) {
        self.before.clear();
        self.after.clear();
        (self.left, self.is_trial, self.is_worthwhile) = (TRIAL, true, true);
    }

    /// The state that stands for a state.
    pub fn sort<'t>(&'t mut self, state: &'t [u64]) -> &'t [u64] {
        if self.left == 0 {
            self.decide();
        }
        self.left -= 1;
        if !self.is_trial && !self.is_worthwhile {
            return state;
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(state);
        self.sorter.sort(&mut self.sorted);
        if self.is_trial {
            self.before.insert(hash(state));
            self.after.insert(hash(&self.sorted));
        }
        &self.sorted
    }

    /// Begins or ends a trial. The decision rests on counts alone, so that repeated runs agree.
    fn decide(&mut self) {
        if self.is_trial {
            let fewer = self.before.len() - self.after.len().min(self.before.len());
            self.is_worthwhile = fewer * PAYS >= self.before.len();
            self.before.clear();
            self.after.clear();
        }
        self.is_trial = !self.is_trial;
        self.left = if self.is_trial { TRIAL } else { BETWEEN };
    }
}
