//! Engines: the code with which workers run paths, one variant or several in turns.
//!
//! All code for a plan gives the same bits for the same path. So an engine may run each range of paths with
//! whatever code it has, use different code for different workers, and compile code while paths run.

use crate::error::Failure;
use crate::runner::{Paths, Runner};
use crate::summary::Sampled;
use std::ops::Range;

/// Number of steps from which on a path is long. Long paths are run in pieces, with checks of limits in
/// between.
pub(crate) const LONG: u32 = 1 << 14;

/// Runs paths of a plan, for many workers at once.
pub trait Engine: Sync {
    /// Runs paths into `out`.
    ///
    /// # Errors
    /// The first path that failed.
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure>;

    /// Called before a worker claims paths; the engine may use its thread, for example to compile better
    /// code. Returns shortly after `is_needed` becomes false, when no paths are left or the result is no
    /// longer needed.
    fn between(&self, is_needed: &dyn Fn() -> bool) {
        let _ = is_needed;
    }
}

/// The result of some blocks.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All paths ended: a summary of each block.
    Ended(Vec<Sampled>),
    /// A path failed or was given up. Running the paths one by one finds which one.
    Undecided,
}

/// Runs whole blocks of paths outside of the threads and sums them up: a device, driven by one thread.
pub trait Remote: Sync {
    /// Waits until it can run paths. Returns whether it ever can, at the latest shortly after `is_needed`
    /// becomes false.
    fn is_ready(&self, is_needed: &dyn Fn() -> bool) -> bool;

    /// Whether it ends paths early by itself if the engine does. Otherwise it gets no paths then: long ones
    /// would keep it busy.
    fn terminates_early(&self) -> bool {
        false
    }

    /// The number of blocks that it can run next.
    fn wanted(&self) -> u64;

    /// The number of blocks that are worth a run when few are left.
    fn least(&self) -> u64 {
        self.wanted() / 8
    }

    /// Runs paths and sums up each block; `None` if the device failed. After that, or after an undecided
    /// path, it gets no more paths, and threads run these.
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32) -> Option<Outcome>;
}

impl Engine for Runner {
    fn run(&self, seed: u64, paths: Range<u64>, max_steps: u32, out: &mut Paths) -> Result<(), Failure> {
        Runner::run(self, seed, paths, max_steps, out)
    }
}
