//! Requests for samples, and how they end: data shared by the caller and all workers.

use crate::early_termination::EarlyTermination;
use crate::engine::Remote;
use crate::error::Failure;
use crate::monitor::Monitors;
use crate::runner::Runner;
use crate::summary::Sampled;
use volvelle_control::Stop;

/// Provides a fast runner for one path at a time, compiled on the first use: only long paths need it.
pub trait SinglePath: Sync {
    /// The runner; `None` if it does not compile.
    fn runner(&self) -> Option<&Runner>;
}

/// The paths to sample, and the engines that run them.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Seed of all streams.
    pub seed: u64,
    /// First path.
    pub first: u64,
    /// Limit of paths.
    pub paths: u64,
    /// Step limit of a path.
    pub max_steps: u32,
    /// The monitors of the measures, which say how to read the results of paths.
    pub monitors: &'a Monitors,
    /// Terminates paths early, if needed.
    pub early_termination: Option<&'a EarlyTermination<'a>>,
    /// Runs one path at a time, for long paths when the engine runs many at once.
    pub single_path: Option<&'a dyn SinglePath>,
    /// Devices that run paths as well, each driven by a separate thread.
    pub remotes: &'a [&'a dyn Remote],
    /// Whether threads always run paths, too, rather than only those that devices could not run.
    pub threads_too: bool,
}

impl<'a> Request<'a> {
    /// Paths without early termination and without devices.
    pub fn new(seed: u64, first: u64, paths: u64, max_steps: u32, monitors: &'a Monitors) -> Self {
        Request {
            seed,
            first,
            paths,
            max_steps,
            monitors,
            early_termination: None,
            single_path: None,
            remotes: &[],
            threads_too: true,
        }
    }
}

/// Why sampling ended before there were enough paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A path failed.
    Failed(Failure),
    /// A path was given up before it decided some measures. The summaries do not include its block.
    Undecided(Undecided),
    /// A limit was reached, or the user asked to stop.
    Stopped(Stop),
}

/// A path that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Its number.
    pub path: u64,
    /// Indices of the measures that it does not decide.
    pub measures: Vec<usize>,
}

/// A result of a worker: the number of the first block, a summary of each block, and the reason for ending.
pub(super) type Claim = (u64, Vec<Sampled>, Option<Ended>);
