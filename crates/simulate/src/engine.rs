//! What workers run paths with: one piece of code, or several that take turns.
//!
//! All code for a plan gives the same bits on the same path, so that an engine is free to run each range of paths with whatever
//! it has by then; nobody can tell from the results. It may run other code for other workers, and make code while paths run.

use crate::error::Failure;
use crate::runner::{Paths, Runner};
use crate::summary::Sampled;
use std::ops::Range;

/// A path with more steps is long: then paths are run in pieces, with a look at the user in between.
pub(crate) const LONG: u32 = 1 << 14;

/// Runs paths of a plan, for many workers at once.
pub trait Engine: Sync {
    /// Runs paths into `out`.
    ///
    /// # Errors
    /// The first path that failed.
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure>;

    /// A worker is about to claim paths: the engine may have its thread first, to make better code say. It gives the thread back
    /// shortly after `is_needed` has become false: then there is nothing left to run, or nobody waits for it.
    fn between(&self, is_needed: &dyn Fn() -> bool) {
        let _ = is_needed;
    }
}

/// What became of some blocks.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All paths came to their ends: a summary of each block.
    Ended(Vec<Sampled>),
    /// A path failed, or was given up: whoever wants to know more runs them one by one.
    Undecided,
}

/// Runs whole blocks of paths away from the threads, and sums them up: a device, asked by one thread.
pub trait Remote: Sync {
    /// Waits until it can run paths; gives whether it ever can. Returns shortly after `is_needed` has become false.
    fn is_ready(&self, is_needed: &dyn Fn() -> bool) -> bool;

    /// How many blocks it would like to run next.
    fn wanted(&self) -> u64;

    /// Runs paths and sums up each block; `None` where the device failed. Then, and where a path is undecided, it is not asked again,
    /// and others run these paths.
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32) -> Option<Outcome>;
}

impl Engine for Runner {
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure> {
        Runner::run(self, seed, paths, max_steps, out)
    }
}
