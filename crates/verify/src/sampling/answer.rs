//! What paths say, as an answer.

use super::Sampling;
use super::choices::Choices;
use super::complaints;
use super::statistics::Statistics;
use std::time::Duration;
use volvelle_control::Stop;
use volvelle_diagnostics::Diagnostic;
use volvelle_estimate::PathStatistics;
use volvelle_estimate::stopping::{self, StoppingRule};
use volvelle_logic::{Answer, Bound, Guarantee, StopReason, Value};
use volvelle_simulate::measure::PropertyMeasure;
use volvelle_simulate::sample::Summary;
use volvelle_statistics::{Confidence, Decision};

/// What was found for a property.
pub struct Found<'a> {
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

impl Found<'_> {
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

/// The answer, or why there is none.
pub fn answer(found: &Found<'_>) -> Result<Answer, Diagnostic> {
    if found.known.paths == 0 {
        return Err(complaints::of_nothing(found.stop));
    }
    let estimate =
        found.rule.stopped().map_or_else(|| stopping::estimate(found.summary()), |(estimate, _)| estimate);
    let interval = found.interval();
    let guarantee = Guarantee::Statistical {
        interval,
        confidence: found.sampling.confidence,
        samples: found.known.paths,
    };
    let stop = match found.stop {
        Some(_) => StopReason::Interrupted,
        None => StopReason::SamplesDone,
    };
    let answer = |value: Value, compared: Option<f64>| Answer {
        value,
        guarantee: guarantee.clone(),
        compared,
        exact: Vec::new(),
        method: method(found),
        stop,
        initially: None,
    };
    let Some(bound) = found.asked.bound else { return Ok(answer(Value::Number(estimate), None)) };
    match decided(found, bound, interval) {
        Some(truth) => Ok(answer(Value::Bool(truth), Some(estimate))),
        None => Err(complaints::of_undecided(found, bound, interval)),
    }
}

/// Whether the mean meets a bound, as far as the paths tell.
fn decided(found: &Found<'_>, bound: Bound, interval: Option<[f64; 2]>) -> Option<bool> {
    if let Some(decision) = found.rule.decision() {
        return match decision {
            Decision::Holds => Some(true),
            Decision::Fails => Some(false),
            Decision::Undecided => None,
        };
    }
    if stopping::estimate(found.summary()) == f64::INFINITY {
        // A single infinite path makes the mean infinite.
        return Some(stopping::compared(bound.comparison).wants_large());
    }
    let [lo, hi] = interval?;
    let holds = |mean: f64| stopping::compared(bound.comparison).holds(mean, bound.threshold);
    (holds(lo) == holds(hi)).then(|| holds(lo))
}

fn method(found: &Found<'_>) -> String {
    let paths = crate::limits::counted(found.known.paths, "path");
    let how = match found.rule {
        StoppingRule::Sprt(_) => "; sequential probability ratio test",
        StoppingRule::Bayes(_) => "; Bayes factor test",
        _ => "",
    };
    let choices = match found.choices {
        Choices::Unresolved => String::new(),
        choices => format!("; {choices}"),
    };
    format!("simulation of {paths}{how}{choices}")
}

/// The numbers beside the answer.
pub fn statistics(found: &Found<'_>, time: Duration) -> Statistics {
    let (successes, deviation) = match found.summary() {
        Summary::Tally(tally) => (Some(tally.successes()), None),
        Summary::Moments { moments, .. } => (None, moments.variance().map(f64::sqrt)),
    };
    Statistics {
        samples: found.known.paths,
        steps: found.known.steps,
        seed: found.sampling.seed,
        generator: found.sampling.generator.to_string(),
        confidence: found.sampling.confidence,
        interval: found.interval(),
        successes,
        deviation,
        tier: found.engine.to_owned(),
        time,
        rare: None,
    }
}
