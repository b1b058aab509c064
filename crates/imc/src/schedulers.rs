//! The least and the greatest values over all ways to resolve choices.
//!
//! For long-run throughputs, mean passage times and probabilities of ever reaching a target, memoryless
//! schedulers are as good as any others, so these bounds hold for all schedulers. For probabilities within a
//! time they are not: a good scheduler looks at the clock. Such probabilities of passages are bounded from
//! both sides ([`volvelle_markov::timed_reachability`]); transient probabilities and throughputs are not
//! bounded here.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::gate::Range;
use volvelle_logic::{Optimum, RewardQuery, StopReason};
use volvelle_markov::{CheckError, steps_within, timed_reachability};
use volvelle_space::Space;

use crate::chain::{Chain, are_normal, without_digits};
use crate::decisions::{Step, process};
use crate::interval::{Bounds, meet};
use crate::kinds::Kinds;
use crate::options::Choices;
use crate::passage::Target;
use crate::problem::Problem;
use crate::question::{expected, probability, reward, reward_until};
use crate::structure::Structure;

/// Limit of entries read by one pass over all steps: some seconds.
const MOST_WORK: u64 = 1_000_000_000;

/// The limit for the first pass, without which there is no answer: some minutes.
const MOST_WORK_AT_FIRST: u64 = 100_000_000_000;

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
    /// The mean time; infinite if under some scheduler the target may never be reached.
    pub mean: Extremes,
    /// The probability that the target is ever reached.
    pub ever: Extremes,
    /// The probability that it is reached within each of the times, also over schedulers that depend on time.
    pub within: Vec<Extremes>,
    /// The method, for users.
    pub method: String,
    /// The reason why the numerical engine stopped.
    pub stop: StopReason,
}

impl Chain<'_> {
    /// The least and the greatest long-run throughputs over all schedulers. Each is optimised separately; a
    /// single scheduler need not attain several of them.
    ///
    /// # Errors
    /// A limit. The chain has choices only if [`Options::choices`](crate::Options) keeps them.
    pub fn throughput_extremes(&self, control: &Control) -> Result<ThroughputExtremes, Problem> {
        let rates = self.kinds.rates(&self.options.values)?;
        let (space, _) = process(&self.structure, &self.kinds, &rates, Step::Uniform, control)?;
        let numerical = self.numerical(&space);
        let initial = [(space.initial[0].0, [1.0; 2])];
        let mut result = ThroughputExtremes {
            throughputs: Vec::new(),
            method: "graph analysis".to_owned(),
            stop: StopReason::Computed,
        };
        for (action, name) in self.kinds.actions.iter().enumerate() {
            let questions = OPTIMA.map(|optimum| reward(action as u32, RewardQuery::LongRun, Some(optimum)));
            let found = expected(&space, &initial, &questions, &numerical, control)?;
            let [least, greatest] = [0, 1].map(|i| Range::AMOUNT.admit_or_whole(found[i].bounds));
            let extremes = Extremes { least, greatest };
            result.throughputs.push((name.clone(), extremes));
            result.method.clone_from(&found[1].method);
            result.stop = found.iter().fold(result.stop, |stop, found| stop.max(found.stop));
        }
        Ok(result)
    }

    /// The least and the greatest values over all schedulers of a first passage: its mean time, its
    /// probability, and the probabilities that it ends within given times.
    ///
    /// # Errors
    /// A target that does not exist, a time that makes no sense, or a limit.
    pub fn passage_extremes(
        &self,
        target: &Target,
        times: &[f64],
        control: &Control,
    ) -> Result<PassageExtremes, Problem> {
        if let Some(&time) = times.iter().find(|time| !(0.0..f64::INFINITY).contains(*time)) {
            return Err(CheckError::Undefined { what: format!("the probability within time {time}") }.into());
        }
        let (kinds, structure) = self.passage_structure(target, Choices::Keep, control)?;
        let certain = |value: f64| Extremes { least: [value; 2], greatest: [value; 2] };
        if structure.end.is_none() {
            return Ok(PassageExtremes {
                mean: certain(f64::INFINITY),
                ever: certain(0.0),
                within: times.iter().map(|_| certain(0.0)).collect(),
                method: "graph analysis".to_owned(),
                stop: StopReason::Computed,
            });
        }
        let rates = kinds.rates(&self.options.values)?;
        let (space, _) = process(&structure, &kinds, &rates, Step::Jump, control)?;
        let initial = [(space.initial[0].0, [1.0; 2])];
        let questions =
            OPTIMA.map(|optimum| [reward_until(0, Some(optimum)), probability(None, Some(optimum))]);
        let found = expected(&space, &initial, questions.as_flattened(), &self.numerical(&space), control)?;
        let admitted = |i: usize, range: Range| range.admit_or_whole(found[i].bounds);
        let mean = [0, 2].map(|i| admitted(i, Range::AMOUNT));
        let ever = [1, 3].map(|i| admitted(i, Range::PROBABILITY));
        let ever = Extremes { least: ever[0], greatest: ever[1] };
        let mut stop = found.iter().map(|found| found.stop).max().unwrap_or(StopReason::Computed);
        let (within, are_narrow) = match structure.delays.is_empty() {
            // The target is reached without any passage of time, so it is reached within any time or never.
            true => (vec![ever.clone(); times.len()], true),
            false => self.within_extremes(&structure, &kinds, &rates, times, control)?,
        };
        if !are_narrow {
            stop = stop.max(StopReason::IterationLimit);
        }
        Ok(PassageExtremes {
            mean: Extremes { least: mean[0], greatest: mean[1] },
            ever,
            within,
            method: found[0].method.clone(),
            stop,
        })
    }

    /// The options for a decision process, whose probabilities may exceed the range of doubles.
    fn numerical(&self, process: &Space) -> volvelle_markov::Options {
        match are_normal(process) {
            true => self.options.numerical,
            false => without_digits(self.options.numerical),
        }
    }

    /// The least and the greatest probabilities that a passage ends within times, and whether all bounds are
    /// as narrow as requested.
    fn within_extremes(
        &self,
        structure: &Structure,
        kinds: &Kinds,
        rates: &[Option<RBig>],
        times: &[f64],
        control: &Control,
    ) -> Result<(Vec<Extremes>, bool), Problem> {
        let whole = Extremes { least: [0.0, 1.0], greatest: [0.0, 1.0] };
        let mut within = vec![whole; times.len()];
        if times.is_empty() {
            return Ok((within, true));
        }
        let options = &self.options.numerical;
        let accepted = |all: &[Extremes]| {
            all.iter()
                .all(|e| [e.least, e.greatest].iter().all(|bounds| options.accepts(bounds[0], bounds[1])))
        };
        let longest = times.iter().copied().fold(0.0, f64::max);
        let mut refined = 1;
        loop {
            let (space, pace) = process(structure, kinds, rates, Step::Timed(refined), control)?;
            let pace = pace.to_f64().value();
            if !are_normal(&space) {
                return Ok((within, false));
            }
            let cost = |pace: f64| {
                let steps = steps_within(pace, longest);
                (steps, steps.saturating_mul((times.len() + 1) as u64 * space.num_transitions() as u64))
            };
            let (steps, work) = cost(pace);
            if work > MOST_WORK_AT_FIRST {
                return Ok((within, false));
            }
            let before = within.clone();
            let [least, greatest] =
                OPTIMA.map(|optimum| timed_reachability(&space, pace, times, optimum, control));
            for (extremes, (least, greatest)) in within.iter_mut().zip(least?.into_iter().zip(greatest?)) {
                extremes.least = meet(extremes.least, least);
                extremes.greatest = meet(extremes.greatest, greatest);
            }
            if accepted(&within) {
                return Ok((within, true));
            }
            // The cost of twice as many steps for each time. They are useless if there are no more steps, or
            // if bounds did not change.
            let (more_steps, more_work) = cost(2.0 * pace);
            let is_vain = more_steps <= steps || (refined > 1 && within == before);
            if is_vain || more_steps > options.max_iterations || more_work > MOST_WORK {
                return Ok((within, false));
            }
            refined *= 2;
        }
    }
}
