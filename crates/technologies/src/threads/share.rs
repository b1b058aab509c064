//! Distribution of ranges of lanes to threads, in shrinking pieces.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Lanes of a launch that threads take from.
pub(super) struct Share {
    lanes: Range<u64>,
    /// Pieces are multiples of it, except for the last.
    quantum: u64,
    threads: u64,
    /// Lanes that were taken.
    taken: AtomicU64,
    stopped: AtomicBool,
}

impl Share {
    pub(super) fn new(lanes: Range<u64>, quantum: u64, threads: u64) -> Self {
        Share { lanes, quantum, threads, taken: AtomicU64::new(0), stopped: AtomicBool::new(false) }
    }

    /// The next piece: about half of each thread's share of the rest, so that threads finish together.
    pub(super) fn take(&self) -> Option<Range<u64>> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let count = self.lanes.end - self.lanes.start;
        let piece = |taken: u64| {
            let left = count - taken;
            let quanta = (left / (2 * self.threads) / self.quantum).max(1);
            left.min(quanta * self.quantum)
        };
        let advance = |taken: u64| (taken < count).then(|| taken + piece(taken));
        let taken = self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance).ok()?;
        let start = self.lanes.start + taken;
        Some(start..start + piece(taken))
    }

    /// Stops the distribution.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(lanes: Range<u64>, quantum: u64, threads: u64) -> Vec<Range<u64>> {
        let share = Share::new(lanes, quantum, threads);
        std::iter::from_fn(|| share.take()).collect()
    }

    #[test]
    fn pieces_follow_one_another_and_shrink() {
        for (lanes, quantum, threads) in [
            (0..1, 1, 1),
            (5..1005, 1, 3),
            (0..4096, 16, 2),
            (7..100, 16, 8),
            (u64::MAX - 90..u64::MAX, 16, 2),
        ] {
            let pieces = pieces(lanes.clone(), quantum, threads);
            let mut next = lanes.start;
            for (i, piece) in pieces.iter().enumerate() {
                assert_eq!(piece.start, next);
                let length = piece.end - piece.start;
                assert!(i + 1 == pieces.len() || length % quantum == 0, "{pieces:?}");
                assert!(i == 0 || length <= pieces[i - 1].end - pieces[i - 1].start, "{pieces:?}");
                next = piece.end;
            }
            assert_eq!(next, lanes.end);
        }
        assert!(pieces(3..3, 1, 2).is_empty());
    }

    #[test]
    fn nothing_after_stopping() {
        let share = Share::new(0..100, 1, 2);
        assert!(share.take().is_some());
        share.stop();
        assert!(share.take().is_none());
    }
}
