//! Numbers beside an answer that was simulated.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Numbers beside an answer that was simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Paths.
    pub samples: u64,
    /// Steps on all of them.
    pub steps: u64,
    /// Seed of all paths.
    pub seed: u64,
    /// Generator of random numbers.
    pub generator: String,
    /// Confidence of the interval.
    pub confidence: f64,
    /// The interval; `None` where all paths gave the same number, or there are too few.
    pub interval: Option<[f64; 2]>,
    /// Paths that satisfied the property, for probabilities.
    pub successes: Option<u64>,
    /// Standard deviation of single paths, for rewards.
    pub deviation: Option<f64>,
    /// The code that ran most of the paths.
    pub tier: String,
    /// For all properties of the run together.
    pub time: Duration,
    /// Where rare events were sought by splitting.
    pub rare: Option<SplittingStatistics>,
}

/// Numbers of importance splitting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplittingStatistics {
    /// A readable description of the importance of states.
    pub importance: String,
    /// By how much each level is more important than the initial state, increasing; the target itself is not among them.
    pub levels: Vec<i32>,
    /// Independent repetitions.
    pub replications: u64,
    /// Paths that have to reach the next level, in each stage of a repetition.
    pub successes: u64,
    /// Repetitions that did not reach the target.
    pub zeros: u64,
    /// Paths of each stage, of all repetitions: up to each level, then up to the target.
    pub stages: Vec<u64>,
}
