//! One state for all that differ by an exchange of interchangeable processes.
//!
//! Successors are replaced by the state in which these processes are sorted (`volvelle_explore::Sorter`). Runs from the one and from the
//! other differ by the same exchange, and goal, cost and parameters are the same in both: so are the costs with which they
//! reach the goal, their ends without it, and the sites at which their steps fail. Any successors may be replaced and others not.

use super::states::hash;
use rustc_hash::FxHashSet;
use volvelle_explore::{Exchange, Sorter};
use volvelle_model::{NetworkLayout, Program};

/// Sorts states, as long as that makes fewer of them.
pub(super) struct Sorting<'s> {
    sorter: Sorter<'s>,
    sorted: Vec<u64>,
    /// In a trial: hashes of the states as they are, and sorted.
    before: FxHashSet<u64>,
    after: FxHashSet<u64>,
    /// States until a trial begins or ends, and whether they are sorted.
    left: u32,
    is_trial: bool,
    is_worthwhile: bool,
}

/// States that are looked at to decide whether to go on, one of how many has to become another one, and states until the next trial.
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

    /// Begins with another search: what is done does not depend on those before.
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

    /// Begins or ends a trial. All of it is counted, so that runs are alike.
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
