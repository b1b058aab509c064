//! Step-bounded analysis of MDPs: value iteration over the steps that the bound allows.
//!
//! Exact up to rounding: all numbers are non-negative, so after k steps the relative error is at most k
//! times that of one step.

use volvelle_control::{Control, Fact, News};
use volvelle_logic::{Optimum, StopReason};
use volvelle_space::{BitSet, Space};

use crate::error::CheckError;
use crate::outcome::{Context, Numbers};
use crate::rounding::{INPUT, TINY, U, relative};
use crate::transient::{Bounds, Key, Reached};

/// What a backward pass starts from and how it goes; see [`Stepwise::back`].
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
    /// The values `count` steps before the last. Where other numbers of steps will be asked for (`Shared` of the context), one pass
    /// serves them all: values on the way are those of shorter passes.
    pub fn run(&self, context: &Context, optimum: Optimum, count: f64) -> Result<Numbers, CheckError> {
        let begin = || Stepwise::new(context, optimum, self.start.clone(), 0.0);
        let back = |steps: &mut Stepwise, n: f64| steps.back(n as u64, self.inside, self.keep, self.reward);
        let companions = context.shared().and_then(|s| s.companions(count, context.states(), true));
        let (Some(shared), Some(mut times)) = (context.shared(), companions) else {
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
        if let Some(reached) = shared.find(&key, count) {
            return Ok(numbers(reached));
        }
        times.sort_unstable_by(f64::total_cmp);
        let why = "they differ in their steps only, and values on the way are those of fewer steps";
        context.note(Fact::count("horizons in one pass", times.len() as u64).because(why));
        let (mut steps, mut done) = (begin(), 0.0);
        let mut results = Vec::with_capacity(times.len());
        for &time in &times {
            back(&mut steps, time - done)?;
            done = time;
            let values = steps.clone();
            let taken = values.steps;
            let bounds = Bounds::All(values.finish(self.probability).bounds);
            let stop = StopReason::StepsDone;
            results.push((time, Reached { bounds, steps: taken, stop, stopped_at: None }));
        }
        let found = results.iter().find(|r| r.0 == count).map(|r| r.1.clone());
        shared.keep(key, results.into_iter());
        found.map(numbers).ok_or(CheckError::EmptyFilter)
    }
}

fn method(steps: u64) -> String {
    format!("value iteration ({steps} steps)")
}

/// One backward pass over an MDP.
#[derive(Clone)]
pub struct Stepwise<'a, 'b> {
    context: &'a Context<'b>,
    optimum: Optimum,
    value: Vec<f64>,
    steps: u64,
    asked: u64,
    longest: usize,
    start_error: f64,
    /// Whether a product may have left the range of doubles.
    underflow: bool,
}

impl<'a, 'b> Stepwise<'a, 'b> {
    /// Starts from the values after the last step. `start_error`: their relative error.
    pub fn new(context: &'a Context<'b>, optimum: Optimum, value: Vec<f64>, start_error: f64) -> Self {
        let space = context.space;
        let longest = (0..space.num_choices()).map(|c| space.row(c).len()).max().unwrap_or(0);
        let tiny = |v: f64| v > 0.0 && v < 1e-50;
        let underflow = match space.values.distinct() {
            Some(distinct) => distinct.iter().any(|&v| tiny(v)),
            None => space.values.iter().any(tiny),
        };
        Stepwise { context, optimum, value, steps: 0, asked: 0, longest, start_error, underflow }
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
        let space = self.context.space;
        let control: &Control = self.context.control;
        let mut next = vec![0.0; self.value.len()];
        let every = (4_000_000 / space.num_transitions().max(1) as u64).max(1);
        self.asked += count;
        for k in 0..count {
            if k % every == 0 {
                control.check()?;
                control.progress.news(News::Solving {
                    what: "value iteration",
                    done: k,
                    total: count,
                    error: 0.0,
                });
            }
            let mut changed = false;
            for (s, new) in next.iter_mut().enumerate() {
                *new = if keep.is_some_and(|k| k.contains(s)) {
                    self.value[s]
                } else if inside.is_none_or(|i| i.contains(s)) {
                    best(space, s, &self.value, self.optimum, reward)
                } else {
                    0.0
                };
                changed |= *new != self.value[s];
                self.underflow |= *new > 0.0 && *new < 1e-250;
            }
            std::mem::swap(&mut self.value, &mut next);
            self.steps += 1;
            if !changed {
                // A fixpoint, bit for bit: further steps change nothing. The exact values may still creep,
                // within the error bound of all steps.
                break;
            }
        }
        Ok(())
    }

    /// The values with their bounds.
    pub fn finish(self, probability: bool) -> Numbers {
        let step = INPUT + (self.longest + 4) as f64 * U;
        let error = relative(self.start_error + self.asked as f64 * step);
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
                [(v * (1.0 - error) - TINY).max(0.0), if probability { hi.min(1.0) } else { hi }]
            })
            .collect();
        Numbers { bounds, method: method(self.steps), stop: StopReason::StepsDone }
    }
}

/// The optimal one-step value of a state.
fn best(space: &Space, s: usize, value: &[f64], optimum: Optimum, reward: Option<&[f64]>) -> f64 {
    let mut best = match optimum {
        Optimum::Min => f64::INFINITY,
        Optimum::Max => f64::NEG_INFINITY,
    };
    for choice in space.choices_of(s) {
        let sum: f64 = space.transitions(choice).map(|(t, v)| v * value[t]).sum();
        let sum = sum + reward.map_or(0.0, |r| r[choice]);
        best = match optimum {
            Optimum::Min => best.min(sum),
            Optimum::Max => best.max(sum),
        };
    }
    if best.is_finite() { best } else { 0.0 }
}
