//! The results of the paths of a property, and how they were drawn.

use super::Sampling;
use volvelle_control::Stop;
use volvelle_estimate::PathStatistics;
use volvelle_estimate::stopping::{self, StoppingRule};
use volvelle_session::choices::Choices;
use volvelle_simulate::measure::PropertyMeasure;
use volvelle_simulate::sample::Summary;
use volvelle_statistics::Confidence;

/// The results of the paths of a property, and how they were drawn.
pub struct Estimate<'a> {
    /// The measure of the property.
    pub asked: &'a PropertyMeasure,
    /// The rule that says when there are enough paths.
    pub rule: &'a StoppingRule,
    /// Statistics of the paths.
    pub known: &'a PathStatistics,
    /// The options of sampling.
    pub sampling: &'a Sampling,
    /// How choices were resolved.
    pub choices: &'a Choices,
    /// The code that ran the paths.
    pub engine: &'a str,
    /// The limit that ended sampling before there were enough paths.
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
