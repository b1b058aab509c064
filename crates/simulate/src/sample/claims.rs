//! Claims of blocks of paths: workers take them in order, and return those that they could not run.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The blocks that are left.
pub(super) struct Claims {
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

#[cfg(test)]
mod tests {
    use super::Claims;

    #[test]
    fn every_block_is_taken_once_whatever_comes_back() {
        let mut random = volvelle_random::Random(5);
        for _ in 0..200 {
            let blocks = random.below(300) as u64;
            let claims = Claims::new(blocks);
            let mut run = vec![0; blocks as usize];
            let mut number = |below| random.below(below) as u64;
            while let Some(range) = claims.take(1 + number(40), number(10), 1 + number(4)) {
                if number(3) == 0 {
                    claims.give_back(range);
                } else {
                    range.for_each(|block| run[block as usize] += 1);
                }
            }
            assert!(claims.are_gone() && run.iter().all(|&times| times == 1));
        }
    }

    #[test]
    fn claims_shrink_where_there_are_others() {
        let claims = Claims::new(1000);
        let mut sizes = Vec::new();
        while let Some(range) = claims.take(400, 50, 2) {
            sizes.push(range.end - range.start);
        }
        assert_eq!(sizes[0], 250);
        assert!(sizes.windows(2).all(|w| w[1] <= w[0]), "{sizes:?}");
        assert!(*sizes.last().unwrap() <= 50);
        assert_eq!(sizes.iter().sum::<u64>(), 1000);
        // Where little is enough, the last claims are small.
        let claims = Claims::new(1000);
        let last = std::iter::from_fn(|| claims.take(400, 2, 2)).last().expect("there are some");
        assert!(last.end - last.start <= 2, "{last:?}");
    }

    #[test]
    fn what_came_back_goes_first_the_earliest_first() {
        let claims = Claims::new(100);
        let (a, b) = (claims.take(10, 1, 1).unwrap(), claims.take(10, 1, 1).unwrap());
        claims.give_back(b);
        claims.give_back(a);
        assert_eq!(claims.take(4, 1, 1), Some(0..4));
        assert_eq!(claims.take(40, 1, 1), Some(4..10));
        assert_eq!(claims.take(40, 1, 1), Some(10..20));
        assert_eq!(claims.take(40, 1, 1), Some(20..60));
    }
}
