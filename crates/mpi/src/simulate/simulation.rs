//! What is simulated, and what becomes of it.

use crate::system::{MarkId, Mistake, NodeId, ProcessId, VariableId};
use volvelle_coherence::TransferId;

/// Most events without a passing of the mark: behind them nobody waits for it.
pub(super) const MOST_EVENTS: u64 = 100_000_000;

/// Most steps of a process at one moment: behind them time does not go on.
pub(super) const MOST_STEPS: u64 = 10_000_000;

/// What is simulated, and how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulation {
    /// The mark at which a round begins.
    pub mark: MarkId,
    /// Whose passing counts.
    pub process: ProcessId,
    /// Rounds of a replication that are measured; at least 1.
    pub rounds: u64,
    /// Rounds before them that are not.
    pub warm_up: u64,
    /// Independent replications; at least 2 for intervals.
    pub replications: u32,
    /// With the number of a replication, it decides everything random.
    pub seed: u64,
    /// The probability with which an interval contains what it is about, between 0 and 1.
    pub confidence: f64,
    /// How long transfers take.
    pub latencies: Sampled,
    /// Threads; at least 1.
    pub threads: usize,
}

/// How long transfers and delays take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sampled {
    /// Stages take exponentially distributed times.
    PhaseType,
    /// All take their mean. At stations that they share they take longer.
    Deterministic,
}

/// A mean with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over replications.
    pub mean: f64,
    /// Half of the width of the interval: 0 where all replications gave the same, infinite where there was only one.
    pub half_width: f64,
}

impl Estimate {
    /// Whether a number lies in the interval; rounding errors of the mean are forgiven.
    pub fn contains(&self, value: f64) -> bool {
        (value - self.mean).abs() <= self.half_width + 1e-9 * value.abs()
    }
}

/// How often a process accesses a variable in a round, by the kind of transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accesses {
    /// Who.
    pub process: ProcessId,
    /// What.
    pub variable: VariableId,
    /// The kind of transfer.
    pub transfer: TransferId,
    /// Its distance, up to the last one with a latency of its own; 0 where none counts.
    pub distance: u32,
    /// How often in a round of the process that is measured.
    pub per_round: Estimate,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The time of a round, in the unit of latencies.
    pub round: Estimate,
    /// Accesses, in the order of processes, variables, transfers and distances; only those that occurred.
    pub accesses: Vec<Accesses>,
    /// By process, the accesses in a round for which a line had to come.
    pub misses: Vec<Estimate>,
    /// Steps that were simulated.
    pub events: u64,
    /// Choices that were made at random, each way with the same probability.
    pub choices: u64,
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mistaken {
    /// A process made a mistake.
    Mistake {
        /// Who.
        process: ProcessId,
        /// At which step.
        node: NodeId,
        /// What.
        mistake: Mistake,
        /// When.
        time: f64,
    },
    /// The process does not pass the mark any more, or has not done so for a very long time.
    NoRound {
        /// How often it has passed it.
        passed: u64,
        /// When that was found.
        time: f64,
    },
    /// A process never comes to a step that takes time.
    Endless {
        /// Who.
        process: ProcessId,
        /// When.
        time: f64,
    },
    /// `stop` said so.
    Stopped,
}
