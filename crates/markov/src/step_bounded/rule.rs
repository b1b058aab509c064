//! One step of value iteration on a Markov decision process, in main memory.

use volvelle_logic::Optimum;
use volvelle_space::{BitSet, Space};

/// Positive values below this may be wrong by more than rounding.
pub const TINY_VALUE: f64 = 1e-250;

/// The rule by which values move in a step.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    /// The states where values move.
    pub inside: Option<&'a BitSet>,
    /// The states where values are kept; elsewhere they become zero.
    pub keep: Option<&'a BitSet>,
    /// Rewards of the choices.
    pub reward: Option<&'a [f64]>,
}

/// The result of a batch of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchOutcome {
    /// Number of steps, with the one in which nothing changed.
    pub steps: u64,
    /// The last of them changed nothing.
    pub is_fixed: bool,
    /// No value fell in the first.
    pub rises: bool,
    /// No value rose in the first.
    pub falls: bool,
    /// Some value got so small that products may have left the range of doubles.
    pub underflow: bool,
}

impl Rule<'_> {
    /// Up to `count` steps; fewer where nothing changes any more. Each goes from `value` to `next` and exchanges the two.
    pub fn steps(
        &self,
        space: &Space,
        optimum: Optimum,
        value: &mut Vec<f64>,
        next: &mut Vec<f64>,
        count: u64,
    ) -> BatchOutcome {
        let mut made = BatchOutcome { steps: 0, is_fixed: false, rises: true, falls: true, underflow: false };
        while made.steps < count && !made.is_fixed {
            let mut changed = false;
            for (s, new) in next.iter_mut().enumerate() {
                *new = if self.keep.is_some_and(|k| k.contains(s)) {
                    value[s]
                } else if self.inside.is_none_or(|i| i.contains(s)) {
                    best(space, s, value, optimum, self.reward)
                } else {
                    0.0
                };
                changed |= *new != value[s];
                if made.steps == 0 {
                    made.rises &= *new >= value[s];
                    made.falls &= *new <= value[s];
                }
                made.underflow |= *new > 0.0 && *new < TINY_VALUE;
            }
            std::mem::swap(value, next);
            made.steps += 1;
            made.is_fixed = !changed;
        }
        made
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
