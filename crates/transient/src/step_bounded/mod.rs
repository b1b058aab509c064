//! Step-bounded analysis of MDPs: value iteration over the steps that the bound allows.
//!
//! Exact up to rounding: all numbers are non-negative, so after k steps the relative error is at most k
//! times that of one step.
//!
//! A pass that is interrupted still gives bounds. Values that rose in the first step rise in every other,
//! because a step is monotone, and so do values that fell; and an average of values stays within their range, except for
//! the reward that the remaining steps may add.
//!
//! Steps are made by a thread or on a device, with the same bits ([`volvelle_solver::scheduling`] decides which of them).

mod bundles;
mod device;
mod rule;
mod steps;
#[cfg(test)]
mod tests;

use volvelle_control::{Control, Fact, ProgressEvent, Stop};
use volvelle_logic::{Optimum, StopReason};
use volvelle_space::BitSet;

use rule::Rule;
use steps::Steps;
use volvelle_solver::horizon_cache::{Bounds, Key, Reached};
use volvelle_solver::rounding::{TINY, U, relative};
use volvelle_solver::{CheckError, Context, MethodUse, Numbers};

/// A backward pass: the values that it starts from, and the rule of its steps; see [`StepBounded::back`].
pub struct Pass<'a> {
    /// Values after the last step.
    pub start: Vec<f64>,
    /// Where values move.
    pub inside: Option<&'a BitSet>,
    /// Where they are kept.
    pub keep: Option<&'a BitSet>,
    /// Gains of the choices.
    pub reward: Option<&'a [f64]>,
    /// Values are probabilities.
    pub probability: bool,
}

impl Pass<'_> {
    /// The values `count` steps before the last. Where other numbers of steps will be requested (the context has a
    /// [`HorizonCache`](volvelle_solver::horizon_cache::HorizonCache)), one pass serves them all: values on the way are those of
    /// shorter passes.
    pub fn run(&self, context: &Context, optimum: Optimum, count: f64) -> Result<Numbers, CheckError> {
        // From nothing values rise: where the pass ends at a fixpoint, the steps that were made bound it from below.
        let kept = |s: usize| self.keep.is_some_and(|keep| keep.contains(s));
        let is_rising = self.start.iter().enumerate().all(|(s, &v)| v == 0.0 || kept(s));
        let begin =
            || StepBounded { is_rising, ..StepBounded::new(context, optimum, self.start.clone(), 0.0) };
        let back =
            |steps: &mut StepBounded, n: f64| steps.back(n as u64, self.inside, self.keep, self.reward);
        let companions = context.horizons().and_then(|c| c.companions(count, context.states(), true));
        let (Some(cache), Some(mut times)) = (context.horizons(), companions) else {
            let mut steps = begin();
            back(&mut steps, count)?;
            return Ok(steps.finish(self.probability));
        };
        let key = Key::Steps(
            optimum,
            self.start.clone(),
            self.inside.cloned(),
            self.keep.cloned(),
            self.reward.map(<[f64]>::to_vec),
        );
        let numbers = |r: Reached| Numbers {
            bounds: r.bounds.expand(context.states()),
            method: method(r.steps),
            stop: r.stop,
        };
        if let Some(reached) = cache.find(&key, count) {
            return Ok(numbers(reached));
        }
        times.sort_unstable_by(f64::total_cmp);
        let why =
            "they differ only in their step bounds, and intermediate values are those of smaller bounds";
        context.note(Fact::count("horizons in one pass", times.len() as u64).because(why));
        let (mut steps, mut done) = (begin(), 0.0);
        let mut results = Vec::with_capacity(times.len());
        for &time in &times {
            back(&mut steps, time - done)?;
            done = time;
            let values = steps.clone();
            let taken = values.steps;
            let Numbers { bounds, stop, .. } = values.finish(self.probability);
            let bounds = Bounds::All(bounds);
            results.push((
                time,
                Reached { bounds, steps: taken, stop, stopped_at: None, solved: 0, squarings: 0 },
            ));
        }
        let found = results.iter().find(|r| r.0 == count).map(|r| r.1.clone());
        cache.keep(key, results.into_iter());
        found.map(numbers).ok_or(CheckError::EmptyFilter)
    }
}

fn method(steps: u64) -> String {
    format!("value iteration ({steps} steps)")
}

/// One backward pass over an MDP.
#[derive(Clone)]
pub struct StepBounded<'a, 'b> {
    context: &'a Context<'b>,
    optimum: Optimum,
    value: Vec<f64>,
    /// Bounds of the values once the pass was stopped.
    between: Option<Vec<[f64; 2]>>,
    steps: u64,
    asked: u64,
    longest: usize,
    start_error: f64,
    /// Whether the exact values never fall from step to step.
    is_rising: bool,
    /// Whether a product may have left the range of doubles.
    underflow: bool,
}

impl<'a, 'b> StepBounded<'a, 'b> {
    /// Starts from the values after the last step. `start_error`: their relative error.
    pub fn new(context: &'a Context<'b>, optimum: Optimum, value: Vec<f64>, start_error: f64) -> Self {
        context.note_method(MethodUse::StepByStep);
        let space = context.space;
        let longest = (0..space.num_choices()).map(|c| space.row(c).len()).max().unwrap_or(0);
        let tiny = |v: f64| v > 0.0 && v < 1e-50;
        let underflow = match space.values.distinct() {
            Some(distinct) => distinct.iter().any(|&v| tiny(v)),
            None => space.values.iter().any(tiny),
        };
        StepBounded {
            context,
            optimum,
            value,
            between: None,
            steps: 0,
            asked: 0,
            longest,
            start_error,
            is_rising: false,
            underflow,
        }
    }

    /// `count` steps backwards with `x = opt over choices (reward + P x)` in the states of `inside`; the
    /// other states keep their value where `keep` holds it fixed, or become zero.
    pub fn back(
        &mut self,
        count: u64,
        inside: Option<&BitSet>,
        keep: Option<&BitSet>,
        reward: Option<&[f64]>,
    ) -> Result<(), CheckError> {
        let context = self.context;
        let control: &Control = context.control;
        self.asked += count;
        let gain = reward.map_or(0.0, |r| r.iter().copied().fold(0.0, f64::max));
        if let Some(between) = &mut self.between {
            // The work has been stopped: bounds that follow without steps.
            let highest = between.iter().map(|b| b[1]).fold(0.0, f64::max) + count as f64 * gain;
            between.fill([0.0, highest]);
            return Ok(());
        }
        let rule = Rule { inside, keep, reward };
        let mut steps = Steps::new(context, self.optimum, rule, std::mem::take(&mut self.value));
        let (mut rises, mut falls) = (true, true);
        let mut k = 0;
        while k < count {
            match control.check() {
                Err(Stop::Timeout | Stop::Cancelled) => {
                    self.value = steps.into_values();
                    let known = [k > 0 && rises, k > 0 && falls && gain == 0.0];
                    self.leave(known, (count - k) as f64 * gain);
                    return Ok(());
                }
                other => other?,
            }
            control.progress.report(ProgressEvent::Solving {
                what: "value iteration",
                done: k,
                total: count,
                error: 0.0,
            });
            let made = steps.advance(count - k);
            if k == 0 {
                (rises, falls) = (made.rises, made.falls);
            }
            self.underflow |= made.underflow;
            self.steps += made.steps;
            k += made.steps;
            if made.is_fixed {
                // A fixpoint, bit for bit: further steps change nothing. The exact values may still creep,
                // within the error bound of all steps.
                break;
            }
        }
        self.value = steps.into_values();
        Ok(())
    }

    /// Ends the pass early. `known`: whether the values are lower, and upper, bounds of the final ones; these are at most
    /// `gain` larger.
    fn leave(&mut self, known: [bool; 2], gain: f64) {
        let highest = self.value.iter().copied().fold(0.0, f64::max) + gain;
        let between = |&v: &f64| [if known[0] { v } else { 0.0 }, if known[1] { v } else { highest }];
        self.between = Some(self.value.iter().map(between).collect());
    }

    /// The values with their bounds.
    pub fn finish(self, probability: bool) -> Numbers {
        let step = self.context.options.input + (self.longest + 4) as f64 * U;
        let error = relative(self.start_error + self.asked as f64 * step);
        let made = if self.is_rising { self.steps.min(self.asked) } else { self.asked };
        let error_below = relative(self.start_error + made as f64 * step);
        if let Some(between) = self.between {
            let highest = if probability { 1.0 } else { f64::INFINITY };
            let outwards = |[lo, hi]: [f64; 2]| {
                [(lo * (1.0 - error) - TINY).max(0.0), (hi * (1.0 + error) + TINY).min(highest)]
            };
            let bounds = between.into_iter().map(outwards).collect();
            return Numbers { bounds, method: method(self.steps), stop: StopReason::Interrupted };
        }
        let bounds = self
            .value
            .iter()
            .map(|&v| {
                if v == 0.0 {
                    // A sum of products of zeros, unless there was underflow.
                    return [0.0, if self.underflow { TINY } else { 0.0 }];
                }
                if self.asked == 0 && self.start_error == 0.0 {
                    return [v, v];
                }
                let hi = v * (1.0 + error) + TINY;
                [(v * (1.0 - error_below) - TINY).max(0.0), if probability { hi.min(1.0) } else { hi }]
            })
            .collect();
        Numbers { bounds, method: method(self.steps), stop: StopReason::StepsDone }
    }
}
