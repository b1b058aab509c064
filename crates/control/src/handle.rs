//! The handle that engines get: limits, cancellation, progress, and other processes that share tasks.

use crate::cancel::Cancel;
use crate::progress::{Progress, Silent};
use crate::stop::Stop;
use std::time::Instant;

/// Limits of a run; `None` is unlimited.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Bytes that the data of an engine may take.
    pub memory_bytes: Option<u64>,
    /// States that exploration may store.
    pub states: Option<u64>,
    /// Moment at which to give up.
    pub deadline: Option<Instant>,
}

/// The handle that engines get.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Limits of this run.
    pub limits: Limits,
    /// Raised when the user wants to stop.
    pub cancel: &'a Cancel,
    /// Receives reports on progress.
    pub progress: &'a dyn Progress,
    /// Threads that the work may use (at least 1).
    pub threads: usize,
    /// Other processes that compute tasks of this work, where it has some that can be shared.
    pub sharing: Option<&'a dyn TaskSharing>,
}

static NEVER: Cancel = Cancel::new();

impl Control<'static> {
    /// No limits, no receiver of progress, one thread.
    pub fn unlimited() -> Self {
        Control { limits: Limits::default(), cancel: &NEVER, progress: &Silent, threads: 1, sharing: None }
    }
}

impl Control<'_> {
    /// Fails if the run was cancelled, its time is over, or the process holds too much memory. Costs a clock read: call it per batch or sweep, not per
    /// state.
    pub fn check(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if self.cancel.is_exhausted() {
            return Err(Stop::Memory);
        }
        match self.limits.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::Timeout),
            _ => Ok(()),
        }
    }

    /// Whether holding `bytes` in all is within the memory limit.
    pub fn check_memory(&self, bytes: u64) -> Result<(), Stop> {
        match self.limits.memory_bytes {
            Some(limit) if bytes > limit => Err(Stop::Memory),
            _ => Ok(()),
        }
    }
}

/// Where workers get tasks from, and where they deliver results.
pub trait TaskQueue: Sync {
    /// The next task; none when all are done, or the work is to end. Waits as long as others may give tasks back.
    fn next(&self) -> Option<u64>;

    /// Delivers the result of a task; none where a limit was reached.
    fn deliver(&self, task: u64, result: Option<Vec<u8>>);

    /// Whether tasks that have begun are completed whatever limit is reached.
    fn completes(&self) -> bool {
        false
    }
}

/// Processes that compute tasks together, one of which is this one.
pub trait TaskSharing: Sync {
    /// Runs workers on `threads` threads of every process until `tasks`, the queue of the process that leads, has no more. The queues of
    /// the other processes are not asked.
    fn share(
        &self,
        tasks: &dyn TaskQueue,
        threads: usize,
        control: &Control<'_>,
        worker: &(dyn Fn(&dyn TaskQueue) + Sync),
    );

    /// Gives all processes the bytes of the one that leads; none where that is gone.
    fn announce(&self, bytes: Vec<u8>) -> Option<Vec<u8>>;
}
