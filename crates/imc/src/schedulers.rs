//! The least and the greatest values over all ways to resolve choices.
//!
//! For long-run throughputs, means of passages and probabilities to reach a target at all, schedulers that decide by the
//! state alone are as good as any others, so that these bounds hold for all. For probabilities within a time they are
//! not: a good scheduler looks at the clock. These, and transient probabilities, are not bounded here.

use volvelle_control::Control;
use volvelle_logic::{Optimum, RewardQuery, StopReason};

use crate::chain::Chain;
use crate::decisions::{Step, process};
use crate::interval::Bounds;
use crate::options::Choices;
use crate::passage::Target;
use crate::problem::Problem;
use crate::question::{expected, probability, reward, reward_until};

const OPTIMA: [Optimum; 2] = [Optimum::Min, Optimum::Max];

/// The least and the greatest value over all schedulers, each with bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Extremes {
    /// Bounds of the least value.
    pub least: Bounds,
    /// Bounds of the greatest value.
    pub greatest: Bounds,
}

/// Throughputs over all schedulers.
#[derive(Clone, Debug, PartialEq)]
pub struct ThroughputExtremes {
    /// One for each measured action ([`Chain::actions`]). The expectation of the long-run average, if runs end in
    /// different components.
    pub throughputs: Vec<(String, Extremes)>,
    /// The method, for users.
    pub method: String,
    /// The reason why the numerical engine stopped.
    pub stop: StopReason,
}

/// A first passage over all schedulers.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageExtremes {
    /// The mean time; infinite for a scheduler under which the target may never be reached.
    pub mean: Extremes,
    /// The probability that the target is ever reached.
    pub ever: Extremes,
    /// The method, for users.
    pub method: String,
    /// The reason why the numerical engine stopped.
    pub stop: StopReason,
}

impl Chain<'_> {
    /// The least and the greatest long-run throughputs over all schedulers. Each is optimised on its own: no scheduler need
    /// attain several of them.
    ///
    /// # Errors
    /// A limit. The chain has choices only if [`Options::choices`](crate::Options) keeps them.
    pub fn throughput_extremes(&self, control: &Control) -> Result<ThroughputExtremes, Problem> {
        let rates = self.kinds.rates(&self.options.values)?;
        let space = process(&self.structure, &self.kinds, &rates, Step::Uniform, control)?;
        let initial = [(space.initial[0].0, [1.0; 2])];
        let mut result = ThroughputExtremes {
            throughputs: Vec::new(),
            method: "graph analysis".to_owned(),
            stop: StopReason::Computed,
        };
        for (action, name) in self.kinds.actions.iter().enumerate() {
            let questions = OPTIMA.map(|optimum| reward(action as u32, RewardQuery::LongRun, Some(optimum)));
            let found = expected(&space, &initial, &questions, &self.options.numerical, control)?;
            let extremes = Extremes { least: found[0].bounds, greatest: found[1].bounds };
            result.throughputs.push((name.clone(), extremes));
            result.method.clone_from(&found[1].method);
            result.stop = found.iter().fold(result.stop, |stop, found| stop.max(found.stop));
        }
        Ok(result)
    }

    /// The least and the greatest mean time and probability of a first passage over all schedulers.
    ///
    /// # Errors
    /// A target that does not exist, or a limit.
    pub fn passage_extremes(&self, target: &Target, control: &Control) -> Result<PassageExtremes, Problem> {
        let (kinds, structure) = self.passage_structure(target, Choices::Keep, control)?;
        let certain = |value: f64| Extremes { least: [value; 2], greatest: [value; 2] };
        if structure.end.is_none() {
            return Ok(PassageExtremes {
                mean: certain(f64::INFINITY),
                ever: certain(0.0),
                method: "graph analysis".to_owned(),
                stop: StopReason::Computed,
            });
        }
        let rates = kinds.rates(&self.options.values)?;
        let space = process(&structure, &kinds, &rates, Step::Jump, control)?;
        let initial = [(space.initial[0].0, [1.0; 2])];
        let questions =
            OPTIMA.map(|optimum| [reward_until(0, Some(optimum)), probability(None, Some(optimum))]);
        let found = expected(&space, &initial, questions.as_flattened(), &self.options.numerical, control)?;
        let bounds = |i: usize| found[i].bounds;
        Ok(PassageExtremes {
            mean: Extremes { least: bounds(0), greatest: bounds(2) },
            ever: Extremes { least: bounds(1), greatest: bounds(3) },
            method: found[0].method.clone(),
            stop: found.iter().map(|found| found.stop).max().unwrap_or(StopReason::Computed),
        })
    }
}
