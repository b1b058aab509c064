//! The estimation of one property: its stopping rule, and its status.

use crate::stopping::StoppingRule;
use volvelle_simulate::error::Failure;
use volvelle_simulate::sample::{Sampled, Summary};

/// The statistics of the paths of a property.
#[derive(Clone, Debug)]
pub struct PathStatistics {
    /// Number of paths.
    pub paths: u64,
    /// Steps on all of them.
    pub steps: u64,
    /// Values of the measure.
    pub summary: Summary,
}

impl PathStatistics {
    /// The summary of the measure with this index.
    pub(crate) fn of(all: &Sampled, place: usize) -> Self {
        PathStatistics { paths: all.paths, steps: all.steps, summary: all.summaries[place].clone() }
    }
}

/// The estimation of one property.
pub struct EstimationTask {
    /// Index into the measures of the estimation.
    pub measure: usize,
    /// Decides when there are enough paths.
    pub rule: StoppingRule,
    /// The status of the estimation.
    pub status: PropertyStatus,
}

/// The status of a property during and after an estimation.
#[derive(Clone, Debug)]
pub enum PropertyStatus {
    /// More paths are needed.
    Open,
    /// The stopping rule was satisfied.
    Finished(PathStatistics),
    /// Sampling ended before the stopping rule was satisfied.
    Interrupted(PathStatistics),
    /// The path with this number does not decide the property within the step limit.
    Undecided(u64),
    /// A path failed.
    Failed(Failure),
}

impl EstimationTask {
    /// A task that has no paths yet.
    pub fn new(measure: usize, rule: StoppingRule) -> Self {
        EstimationTask { measure, rule, status: PropertyStatus::Open }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.status, PropertyStatus::Open)
    }

    /// The number of paths that the rule will probably need, if sampling ended too early.
    pub fn forecast(&self) -> Option<u64> {
        match &self.status {
            PropertyStatus::Interrupted(known) => self.rule.forecast(known.paths, &known.summary),
            _ => None,
        }
    }
}

/// The number of paths that the rules of tasks will need together, if known for all.
pub fn most(tasks: &[EstimationTask]) -> Option<u64> {
    tasks.iter().map(|task| task.rule.most()).max_by_key(|most| most.unwrap_or(u64::MAX)).flatten()
}
