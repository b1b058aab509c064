//! What the paths of a property tell, with how they were drawn.

use super::Sampling;
use super::choices::Choices;
use volvelle_control::Stop;
use volvelle_estimate::PathStatistics;
use volvelle_estimate::stopping::{self, StoppingRule};
use volvelle_simulate::measure::PropertyMeasure;
use volvelle_simulate::sample::Summary;
use volvelle_statistics::Confidence;

/// What the paths of a property tell.
pub struct Estimate<'a> {
    /// What was asked.
    pub asked: &'a PropertyMeasure,
    /// When it was enough, or would have been.
    pub rule: &'a StoppingRule,
    /// What is known.
    pub known: &'a PathStatistics,
    /// How it was sampled.
    pub sampling: &'a Sampling,
    /// What made choices.
    pub choices: &'a Choices,
    /// What ran the paths.
    pub engine: &'a str,
    /// What ended it before it was enough.
    pub stop: Option<Stop>,
}

impl Estimate<'_> {
    /// The paths of the property.
    pub fn summary(&self) -> &Summary {
        &self.known.summary
    }

    fn confidence(&self) -> Option<Confidence> {
        Confidence::new(self.sampling.confidence).ok()
    }

    /// The interval for the mean.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let interval = match self.rule.stopped() {
            Some((_, interval)) => interval,
            None => stopping::interval_of(self.summary(), self.confidence()?)?,
        };
        Some([interval.lo, interval.hi])
    }
}
