//! Control of long work: limits, cancellation, and a receiver of progress.
//!
//! Engines read neither the clock nor the environment. They ask [`Control::check`] now and then and
//! stop cleanly on request; they report through [`Progress`], which the command line draws.

pub mod amounts;
mod barrier;
mod monitor;
pub mod rounds;
pub mod tasks;

pub use barrier::{Barrier, BarrierGuard};
pub use monitor::{Monitor, MonitorGuard};
pub use tasks::{TaskQueue, TaskSharing};

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

/// Why work ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// The time limit passed.
    Timeout,
    /// The memory limit would be passed.
    Memory,
    /// The limit on the number of states was reached.
    States,
    /// The user asked to stop.
    Cancelled,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Timeout => "time limit",
            Stop::Memory => "memory limit",
            Stop::States => "state limit",
            Stop::Cancelled => "cancelled",
        })
    }
}

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

/// The states that a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// They are states of a product: pairs of a state of the model and one of an automaton.
    pub is_product: bool,
    /// The search is depth first: what it has not finished is a stack.
    pub is_depth_first: bool,
}

/// A report on the progress of long work, shown as one line.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgressEvent {
    /// Exploration or search: states stored, transitions found, states still to expand, bytes held.
    Exploring {
        /// What is counted and what is pending.
        counted: Counted,
        /// States stored so far.
        states: u64,
        /// Transitions found so far.
        transitions: u64,
        /// States whose successors are not known yet; of a depth-first search the states on its stack.
        frontier: u64,
        /// Bytes held.
        bytes: u64,
    },
    /// A run that violates a property was found, and the search goes on for a shorter one.
    Counterexample {
        /// The property, by its name.
        property: String,
        /// What is wrong with the run.
        reason: String,
        /// Its length.
        steps: u64,
        /// Whether it is the first run that violates this property.
        is_first: bool,
    },
    /// The answer for a property, while other properties are still under work.
    Answer {
        /// The property, by its name.
        property: String,
        /// Whether it holds.
        holds: bool,
        /// Steps of the run that shows it, where there is one.
        steps: Option<u64>,
    },
    /// Properties answered, of how many; and again for each state space of an experiment.
    Answered {
        /// Answered so far.
        done: u64,
        /// The number of properties for this state space.
        total: u64,
    },
    /// An experiment: progress on the points of its grid.
    Points {
        /// Done so far.
        done: u64,
        /// All points of the grid.
        total: u64,
    },
    /// A simulation.
    Sampling {
        /// Paths so far.
        paths: u64,
        /// The number of paths to sample, 0 where unknown.
        total: u64,
        /// Steps a second.
        steps_per_second: f64,
        /// The current estimate of the mean, for a single property.
        interval: Option<[f64; 2]>,
    },
    /// Refinement of a partition of states: classes found, of how many states, after how many rounds.
    Refining {
        /// Rounds done.
        rounds: u64,
        /// Classes so far.
        classes: u64,
        /// States.
        states: u64,
    },
    /// Programs that are executed, or traces and streams that are gone through: by all passes together.
    Executing {
        /// What is counted: `instructions`, `outcomes`, `accesses`.
        what: &'static str,
        /// How many so far.
        done: u64,
        /// The share of all work that is done, from 0 to 1; none where the length of a pass is not known before its end.
        share: Option<f64>,
        /// Passes that have ended, of how many.
        passes: [u64; 2],
    },
    /// Bodies in motion.
    Moving {
        /// Where their time began, where it is now, and where it ends.
        times: [f64; 3],
        /// Steps since the beginning.
        steps: u64,
    },
    /// An iterative solver: steps done, of how many (0 = unknown), current error or distance.
    Solving {
        /// The method, e.g. `interval iteration`.
        what: &'static str,
        /// Steps done.
        done: u64,
        /// Steps in all, 0 where unknown.
        total: u64,
        /// Current error bound or difference between iterates.
        error: f64,
    },
}

/// Receives reports on progress; called a few times a second at most per engine thread.
pub trait Progress: Sync {
    /// Shows an event; must return quickly.
    fn report(&self, event: ProgressEvent);
}

/// Ignores all reports.
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _: ProgressEvent) {}
}

const CANCELLED: u8 = 1;
const EXHAUSTED: u8 = 2;

/// Asked to stop from outside (a signal handler, another thread), or because the process has no more memory to take.
#[derive(Debug, Default)]
pub struct Cancel(AtomicU8);

impl Cancel {
    /// Creates a flag that is not raised.
    pub const fn new() -> Self {
        Cancel(AtomicU8::new(0))
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.fetch_or(CANCELLED, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) & CANCELLED != 0
    }

    /// Says whether the process holds more memory than it may.
    pub fn set_exhausted(&self, exhausted: bool) {
        match exhausted {
            true => self.0.fetch_or(EXHAUSTED, Ordering::Relaxed),
            false => self.0.fetch_and(!EXHAUSTED, Ordering::Relaxed),
        };
    }

    /// Whether it does.
    pub fn is_exhausted(&self) -> bool {
        self.0.load(Ordering::Relaxed) & EXHAUSTED != 0
    }
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

/// A fact about the work of an engine, for `--explain`: which method, with what numbers, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Its subject: `uniformisation rate`.
    pub what: Cow<'static, str>,
    /// The action or finding.
    pub value: FactValue,
    /// Why; empty where it goes without saying.
    pub why: String,
}

/// A number or a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FactValue {
    /// A number of things.
    Count(u64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Fact {
    /// A text.
    pub fn text(what: &'static str, value: impl Into<String>) -> Self {
        Fact { what: Cow::Borrowed(what), value: FactValue::Text(value.into()), why: String::new() }
    }

    /// A number of things.
    pub fn count(what: &'static str, value: u64) -> Self {
        Fact { what: Cow::Borrowed(what), value: FactValue::Count(value), why: String::new() }
    }

    /// A number.
    pub fn number(what: &'static str, value: f64) -> Self {
        Fact { what: Cow::Borrowed(what), value: FactValue::Number(value), why: String::new() }
    }

    /// The same with a reason.
    #[must_use]
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }
}
