//! Distribution of work to workers of different speeds, so that all finish at about the same time and no work
//! is lost if some fail.
//!
//! Work is a range of numbers. Chunks shrink: a worker gets half of its share of the remaining work, by the speeds measured so
//! far, and a small chunk before its speed is known. That is guided self-scheduling (C. Polychronopoulos and D. Kuck, *Guided
//! self-scheduling: a practical scheduling scheme for parallel supercomputers*, IEEE Trans. Computers 36, 1987) with weights, as
//! in S. Hummel, J. Schmidt, R. Uma and J. Wein, *Load-sharing in heterogeneous systems via weighted factoring*, SPAA 1996;
//! here weights follow the measurements, and chunks of failed workers are distributed again.
//!
//! [`Balance`] is the data structure: it has no threads and no clock. [`drive()`] runs a closure for each chunk on threads.

mod drive;

pub(crate) use drive::caught;
pub use drive::{Drive, Failure, Report, Share, Stranded, drive};

use std::ops::Range;

impl Default for Chunks {
    fn default() -> Self {
        Chunks { grain: 1, smallest: 1, first: u64::MAX, largest: u64::MAX }
    }
}

/// A worker of unknown speed gets this fraction of an equal share: it may be a hundred times slower
/// than the others, which would wait for it at the end.
const UNMEASURED: f64 = 32.0;

impl Balance {
    /// Work for `workers` workers.
    ///
    /// # Panics
    /// If the grain is zero.
    pub fn new(work: Range<u64>, workers: usize, chunks: Chunks) -> Self {
        assert!(chunks.grain > 0, "chunks are multiples of the grain, which is not zero");
        let left = work.end.saturating_sub(work.start);
        let open = if left > 0 { vec![work] } else { Vec::new() };
        Balance { chunks, open, workers: vec![Worker::default(); workers], left }
    }

    /// The next chunk for an idle worker; `None` if no chunk is left. A chunk may become available again when
    /// another worker fails.
    ///
    /// # Panics
    /// If the worker still has a chunk, or has failed.
    pub fn take(&mut self, worker: usize) -> Option<Range<u64>> {
        let state = &self.workers[worker];
        assert!(
            state.has.is_none() && !state.failed,
            "worker {worker} takes a chunk while it has one, or failed"
        );
        let most = self.size(worker);
        let open = self.open.last_mut()?;
        let end = if open.end - open.start <= most { open.end } else { open.start + most };
        let chunk = open.start..end;
        open.start = end;
        if open.is_empty() {
            self.open.pop();
        }
        self.workers[worker].has = Some(chunk.clone());
        Some(chunk)
    }

    /// The ideal size of a worker's next chunk: a multiple of the grain.
    fn size(&self, worker: usize) -> u64 {
        let open: u64 = self.open.iter().map(|range| range.end - range.start).sum();
        let live = || self.workers.iter().filter(|worker| !worker.failed);
        let measured: Vec<f64> = live().filter_map(Worker::speed).collect();
        // A worker that has not been measured counts as average.
        let average = match measured.len() {
            0 => 1.0,
            n => measured.iter().sum::<f64>() / n as f64,
        };
        let all: f64 = live().map(|worker| worker.speed().unwrap_or(average)).sum();
        let own = self.workers[worker].speed();
        let share = own.unwrap_or(average) / all;
        let part = if own.is_some() { 2.0 } else { UNMEASURED };
        let size = (open as f64 * share / part) as u64;
        let size = if own.is_none() { size.min(self.chunks.first) } else { size };
        let size = size.max(self.chunks.smallest).min(self.chunks.largest);
        // Rounded down, except for chunks of less than a grain.
        (size / self.chunks.grain).max(1).saturating_mul(self.chunks.grain)
    }

    /// Records that a worker finished its chunk after some seconds.
    ///
    /// # Panics
    /// If it has no chunk.
    pub fn finish(&mut self, worker: usize, seconds: f64) -> Range<u64> {
        let state = &mut self.workers[worker];
        let chunk = state.has.take().expect("a worker finishes a chunk that it has");
        let work = chunk.end - chunk.start;
        self.left -= work;
        let seconds = if seconds.is_finite() && seconds > 0.0 { seconds } else { 0.0 };
        let (before, took) = state.recent.unwrap_or((0.0, 0.0));
        state.recent = Some((before / 2.0 + work as f64, took / 2.0 + seconds));
        chunk
    }

    /// Records that a worker failed: its chunk, if any, becomes unassigned, and it gets no more work.
    pub fn fail(&mut self, worker: usize) {
        let state = &mut self.workers[worker];
        state.failed = true;
        self.open.extend(state.has.take());
    }

    /// Whether a worker failed.
    pub fn has_failed(&self, worker: usize) -> bool {
        self.workers[worker].failed
    }

    /// The state of the work.
    pub fn progress(&self) -> Progress {
        match self.left {
            0 => Progress::Done,
            left if self.workers.iter().all(|worker| worker.failed) => Progress::Stranded(left),
            _ => Progress::Working,
        }
    }

    /// Work per second of a worker, once it has finished a chunk.
    pub fn speed(&self, worker: usize) -> Option<f64> {
        self.workers[worker].speed()
    }
}

mod progress;
#[cfg(test)]
mod tests;

use progress::Worker;
pub use progress::{Balance, Chunks, Progress};
