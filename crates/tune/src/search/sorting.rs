//! One state for all that differ by an exchange of interchangeable processes.
//!
//! Successors are replaced by the state in which these processes are sorted (`volvelle_explore::Sorter`). Runs from the one and from the
//! other differ by the same exchange, and goal, cost and parameters are the same in both: so are the costs with which they
//! reach the goal, their ends without it, and the sites at which their steps fail. Any successors may be replaced and others not.

use volvelle_explore::{Exchange, Sorter};
use volvelle_model::{NetworkLayout, Program};

/// Sorts states, as long as that changes some of them.
pub(super) struct Sorting<'s> {
    sorter: Sorter<'s>,
    sorted: Vec<u64>,
    /// Since it was last decided: states that were looked at, and those that were changed.
    tried: u32,
    changed: u32,
    /// States that are left as they are before the next are looked at.
    pause: u32,
}

/// States after which it is decided whether to go on, one of how many has to change, and how long a pause is.
const TRIAL: u32 = 1 << 12;
const PAYS: u32 = 32;
const PAUSE: u32 = 16 * TRIAL;

impl<'s> Sorting<'s> {
    pub fn new(program: &'s Program, layout: &'s NetworkLayout, exchange: &'s Exchange) -> Self {
        let sorter = Sorter::new(program, layout, exchange);
        Sorting { sorter, sorted: Vec::new(), tried: 0, changed: 0, pause: 0 }
    }

    /// Begins with another search: what is done does not depend on those before.
    pub fn start(&mut self) {
        (self.tried, self.changed, self.pause) = (0, 0, 0);
    }

    /// The state that stands for a state.
    pub fn sort<'t>(&'t mut self, state: &'t [u64]) -> &'t [u64] {
        if self.pause > 0 {
            self.pause -= 1;
            return state;
        }
        if self.tried == TRIAL {
            self.pause = if self.changed * PAYS < self.tried { PAUSE } else { 0 };
            (self.tried, self.changed) = (0, 0);
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(state);
        self.tried += 1;
        self.changed += u32::from(self.sorter.sort(&mut self.sorted).is_some());
        &self.sorted
    }
}
