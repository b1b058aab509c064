//! Answers from estimates.

use super::diagnostics;
use super::estimate::Estimate;
use std::time::Duration;
use volvelle_diagnostics::Diagnostic;
use volvelle_estimate::stopping::{self, StoppingRule};
use volvelle_logic::{Answer, Bound, StopReason, Value, gate};
use volvelle_session::choices::Choices;
use volvelle_session::statistics::Statistics;
use volvelle_simulate::sample::Summary;
use volvelle_statistics::Decision;

/// The answer, or why there is none.
pub fn answer(estimate: &Estimate<'_>) -> Result<Answer, Diagnostic> {
    if estimate.known.paths == 0 {
        return Err(diagnostics::of_nothing(estimate.stop));
    }
    let mean =
        estimate.rule.stopped().map_or_else(|| stopping::estimate(estimate.summary()), |(mean, _)| mean);
    let interval = estimate.interval();
    let guarantee = gate::sampled(interval, estimate.sampling.confidence, estimate.known.paths);
    let stop = match estimate.stop {
        Some(_) => StopReason::Interrupted,
        None => StopReason::SamplesDone,
    };
    let answer = |value: Value, compared: Option<f64>| Answer {
        value,
        guarantee: guarantee.clone(),
        compared,
        exact: Vec::new(),
        method: method(estimate),
        stop,
        initially: None,
    };
    let Some(bound) = estimate.asked.bound else { return Ok(answer(Value::Number(mean), None)) };
    match decided(estimate, bound, interval) {
        Some(truth) => Ok(answer(Value::Bool(truth), Some(mean))),
        None => Err(diagnostics::of_undecided(estimate, bound, interval)),
    }
}

/// Whether the mean meets a bound, as far as the paths tell.
fn decided(estimate: &Estimate<'_>, bound: Bound, interval: Option<[f64; 2]>) -> Option<bool> {
    if let Some(decision) = estimate.rule.decision() {
        return match decision {
            Decision::Holds => Some(true),
            Decision::Fails => Some(false),
            Decision::Undecided => None,
        };
    }
    if stopping::estimate(estimate.summary()) == f64::INFINITY {
        // A single infinite path makes the mean infinite.
        return Some(stopping::compared(bound.comparison).wants_large());
    }
    let [lo, hi] = interval?;
    let holds = |mean: f64| stopping::compared(bound.comparison).holds(mean, bound.threshold);
    (holds(lo) == holds(hi)).then(|| holds(lo))
}

fn method(estimate: &Estimate<'_>) -> String {
    let paths = volvelle_session::limits::counted(estimate.known.paths, "path");
    let how = match estimate.rule {
        StoppingRule::Sprt(_) => "; sequential probability ratio test",
        StoppingRule::Bayes(_) => "; Bayes factor test",
        _ => "",
    };
    let choices = match estimate.choices {
        Choices::Unresolved => String::new(),
        choices => format!("; {choices}"),
    };
    format!("simulation of {paths}{how}{choices}")
}

/// The numbers beside the answer.
pub fn statistics(estimate: &Estimate<'_>, time: Duration) -> Statistics {
    let (successes, deviation) = match estimate.summary() {
        Summary::Tally(tally) => (Some(tally.successes()), None),
        Summary::Moments { moments, .. } => (None, moments.variance().map(f64::sqrt)),
    };
    Statistics {
        samples: estimate.known.paths,
        steps: estimate.known.steps,
        seed: estimate.sampling.seed,
        generator: estimate.sampling.generator.to_string(),
        confidence: estimate.sampling.confidence,
        interval: estimate.interval(),
        successes,
        deviation,
        tier: estimate.engine.to_owned(),
        time,
        rare: None,
    }
}
