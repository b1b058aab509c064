//! Claims of blocks of paths: workers take them in order, and return those that they could not run.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The blocks that are left.
pub struct Claims {
    state: Mutex<State>,
}

struct State {
    /// Blocks that are not claimed yet.
    rest: Range<u64>,
    /// Returned blocks.
    returned: Vec<Range<u64>>,
}

impl Claims {
    /// Blocks from 0 on.
    pub fn new(blocks: u64) -> Self {
        Claims { state: Mutex::new(State { rest: 0..blocks, returned: Vec::new() }) }
    }

    /// Takes the first remaining blocks, at most `most`. With several `sharers`, takes few enough to leave
    /// work for the others, but at least `least`.
    pub fn take(&self, most: u64, least: u64, sharers: u64) -> Option<Range<u64>> {
        let mut state = self.lock();
        if let Some(range) = state.returned.pop() {
            let end = range.end.min(range.start + most);
            if end < range.end {
                state.returned.push(end..range.end);
            }
            return Some(range.start..end);
        }
        let left = state.rest.end - state.rest.start;
        let fair = if sharers > 1 { left.div_ceil(2 * sharers).max(least) } else { left };
        let count = most.min(fair.max(1)).min(left);
        let start = state.rest.start;
        state.rest.start += count;
        (count > 0).then_some(start..start + count)
    }

    /// Returns blocks that a worker could not run.
    pub fn give_back(&self, range: Range<u64>) {
        if !range.is_empty() {
            let mut state = self.lock();
            state.returned.push(range);
            // Blocks are merged in order: the first are wanted first.
            state.returned.sort_by_key(|range| std::cmp::Reverse(range.start));
        }
    }

    /// Whether no blocks are left.
    pub fn are_gone(&self) -> bool {
        let state = self.lock();
        state.rest.is_empty() && state.returned.is_empty()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Each change is complete in itself.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
