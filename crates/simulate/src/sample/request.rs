//! What is sampled, and how it ends: what the caller and all workers share.

use crate::early_termination::EarlyTermination;
use crate::engine::Remote;
use crate::error::Failure;
use crate::monitor::Monitors;
use crate::runner::Runner;
use crate::summary::Sampled;
use volvelle_control::Stop;

/// Has what runs one path at a time fast, or makes it when it is first asked for: only long paths need it.
pub trait SinglePath: Sync {
    /// The code; `None` if there is none to be had.
    fn runner(&self) -> Option<&Runner>;
}

/// Which paths are sampled, and how.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Seed of all streams.
    pub seed: u64,
    /// First path.
    pub first: u64,
    /// Paths at most.
    pub paths: u64,
    /// Steps at which a path is given up.
    pub max_steps: u32,
    /// Says what is measured, and how what paths tell is read.
    pub monitors: &'a Monitors,
    /// What is known of states, where that is needed to end paths.
    pub early_termination: Option<&'a EarlyTermination<'a>>,
    /// Runs one path at a time fast, where there are long ones and what runs paths is slow at that.
    pub single_path: Option<&'a dyn SinglePath>,
    /// Devices that run paths as well, each asked by a thread of its own.
    pub remotes: &'a [&'a dyn Remote],
    /// Whether threads run paths where there are devices, besides what devices could not run.
    pub threads_too: bool,
}

impl<'a> Request<'a> {
    /// Paths that nobody looks ahead for.
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

/// Why sampling ended before anybody had enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A path failed.
    Failed(Failure),
    /// A path was given up before it decided these measures. What is known does not include its block.
    Undecided(Undecided),
    /// Time is over, or somebody wants to stop.
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

/// What workers hand in: the number of the first block, a summary of each, and why there are no more.
pub(super) type Claim = (u64, Vec<Sampled>, Option<Ended>);
