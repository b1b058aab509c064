//! What workers share of a balanced run.

use std::ops::Range;

/// How chunks are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// Chunks are multiples of it, except for the last of all; not zero.
    pub grain: u64,
    /// The smallest chunk, unless less work is left: large enough to amortise the cost of a launch.
    pub smallest: u64,
    /// The largest chunk of a worker whose speed has not been measured.
    pub first: u64,
    /// The largest chunk.
    pub largest: u64,
}

/// The state of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Some chunks are not finished, and workers are left for them.
    Working,
    /// All is finished.
    Done,
    /// This amount is left, and no worker.
    Stranded(u64),
}

/// Work that is distributed to some workers, numbered from 0.
#[derive(Clone, Debug)]
pub struct Balance {
    pub(super) chunks: Chunks,
    /// Unassigned ranges: those of failed workers, and, as first entry, the range that was never assigned.
    pub(super) open: Vec<Range<u64>>,
    pub(super) workers: Vec<Worker>,
    /// The amount of unfinished work.
    pub(super) left: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Worker {
    pub(super) failed: bool,
    /// The chunk it works on.
    pub(super) has: Option<Range<u64>>,
    /// Work finished and the seconds that it took; chunks of long ago count less.
    pub(super) recent: Option<(f64, f64)>,
}

impl Worker {
    /// Work per second, if it is known.
    pub(super) fn speed(&self) -> Option<f64> {
        // A chunk may take less than the resolution of the clock; that must not give an infinite speed.
        self.recent.map(|(work, seconds)| work / seconds.max(1e-9))
    }
}
