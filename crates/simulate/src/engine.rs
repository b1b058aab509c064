//! Engines: the code that workers run paths with, one piece or several that take turns.
//!
//! All code for a plan gives the same bits on the same path, so that an engine is free to run each range of paths with whatever
//! it has by then; the results do not depend on that. It may run other code for other workers, and compile code while paths run.

use crate::error::Failure;
use crate::runner::{Paths, Runner};
use crate::summary::Sampled;
use std::ops::Range;

/// Steps from which on a path is long: such paths are run in pieces, with a check of limits and cancellation in between.
pub(crate) const LONG: u32 = 1 << 14;

/// Runs paths of a plan, for many workers at once.
pub trait Engine: Sync {
    /// Runs paths into `out`.
    ///
    /// # Errors
    /// The first path that failed.
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure>;

    /// Called before a worker claims paths: the engine may use its thread, for example to compile better code. It returns
    /// shortly after `is_needed` has become false, when nothing is left to run or the result is no longer needed.
    fn between(&self, is_needed: &dyn Fn() -> bool) {
        let _ = is_needed;
    }
}

/// The result of some blocks.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All paths ended: a summary of each block.
    Ended(Vec<Sampled>),
    /// A path failed or was given up; which one, is found by running them one by one.
    Undecided,
}

/// Runs whole blocks of paths outside of the threads and sums them up: a device, driven by one thread.
pub trait Remote: Sync {
    /// Waits until it can run paths; gives whether it ever can. Returns shortly after `is_needed` has become false.
    fn is_ready(&self, is_needed: &dyn Fn() -> bool) -> bool;

    /// Whether it ends paths early by itself, where the engine does. What does not gets no paths then: long ones would keep it busy.
    fn terminates_early(&self) -> bool {
        false
    }

    /// The number of blocks that it can run next.
    fn wanted(&self) -> u64;

    /// The number of blocks that are worth a run where few are left for all.
    fn least(&self) -> u64 {
        self.wanted() / 8
    }

    /// Runs paths and sums up each block; `None` where the device failed. Then, and where a path is undecided, it gets no more paths,
    /// and threads run these.
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32) -> Option<Outcome>;
}

impl Engine for Runner {
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure> {
        Runner::run(self, seed, paths, max_steps, out)
    }
}
