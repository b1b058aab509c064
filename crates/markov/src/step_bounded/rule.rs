//! One step of value iteration on a Markov decision process, in main memory.

use std::ops::Range;
use volvelle_logic::Optimum;
use volvelle_space::{BitSet, Space, View};

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

/// Models with at most that many entries are multiplied by plain numbers: these stay in the cache, and need no table.
const DECODED: usize = 1 << 16;

/// Rows of a matrix, to be multiplied by values.
trait Rows {
    /// The product of a row, given by its entries, and values.
    fn product(&self, row: Range<usize>, value: &[f64]) -> f64;
}

/// Rows whose numbers stand beside their columns.
struct Plain<'a> {
    columns: &'a [u32],
    weights: &'a [f64],
}

/// Rows with places in a table of numbers beside their columns.
struct Coded<'a, C> {
    columns: &'a [u32],
    codes: &'a [C],
    table: &'a [f64],
}

impl Rows for Plain<'_> {
    #[inline(always)]
    fn product(&self, row: Range<usize>, value: &[f64]) -> f64 {
        let entries = self.columns[row.clone()].iter().zip(&self.weights[row]);
        entries.map(|(&t, v)| v * value[t as usize]).sum()
    }
}

impl<C: Copy + Into<usize>> Rows for Coded<'_, C> {
    #[inline(always)]
    fn product(&self, row: Range<usize>, value: &[f64]) -> f64 {
        let entries = self.columns[row.clone()].iter().zip(&self.codes[row]);
        entries.map(|(&t, &code)| self.table[code.into()] * value[t as usize]).sum()
    }
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
        let decoded: Vec<f64>;
        let view = match space.values.view() {
            View::Plain(values) => View::Plain(values),
            _ if space.values.len() <= DECODED && count > 1 => {
                decoded = space.values.iter().collect();
                View::Plain(&decoded)
            }
            coded => coded,
        };
        let columns = &space.columns[..];
        match view {
            View::Plain(weights) => {
                self.steps_by(space, optimum, value, next, count, &Plain { columns, weights })
            }
            View::Byte(codes, table) => {
                self.steps_by(space, optimum, value, next, count, &Coded { columns, codes, table })
            }
            View::Short(codes, table) => {
                self.steps_by(space, optimum, value, next, count, &Coded { columns, codes, table })
            }
        }
    }

    /// The same by the rows of a matrix.
    fn steps_by(
        &self,
        space: &Space,
        optimum: Optimum,
        value: &mut Vec<f64>,
        next: &mut Vec<f64>,
        count: u64,
        rows: &impl Rows,
    ) -> BatchOutcome {
        match (optimum, self.reward) {
            (Optimum::Min, None) => self.make::<true, false>(space, value, next, count, rows),
            (Optimum::Min, Some(_)) => self.make::<true, true>(space, value, next, count, rows),
            (Optimum::Max, None) => self.make::<false, false>(space, value, next, count, rows),
            (Optimum::Max, Some(_)) => self.make::<false, true>(space, value, next, count, rows),
        }
    }

    /// The same for an optimum that the compiler knows, with or without rewards.
    fn make<const MINIMUM: bool, const REWARDS: bool>(
        &self,
        space: &Space,
        value: &mut Vec<f64>,
        next: &mut Vec<f64>,
        count: u64,
        rows: &impl Rows,
    ) -> BatchOutcome {
        let mut made = BatchOutcome { steps: 0, is_fixed: false, rises: true, falls: true, underflow: false };
        if count == 0 {
            return made;
        }
        let best = |s: usize, value: &[f64]| self.best::<MINIMUM, REWARDS>(space, s, value, rows);
        // The first step tells where values move, and in which direction.
        let mut moving: Vec<u32> = Vec::new();
        let mut changed = false;
        for (s, new) in next.iter_mut().enumerate() {
            *new = if self.keep.is_some_and(|k| k.contains(s)) {
                value[s]
            } else if self.inside.is_none_or(|i| i.contains(s)) {
                if count > 1 {
                    moving.push(s as u32);
                }
                best(s, value)
            } else {
                0.0
            };
            changed |= *new != value[s];
            made.rises &= *new >= value[s];
            made.falls &= *new <= value[s];
            made.underflow |= *new > 0.0 && *new < TINY_VALUE;
        }
        std::mem::swap(value, next);
        made.steps = 1;
        made.is_fixed = !changed;
        if count > 1 {
            // Elsewhere both vectors hold what stays.
            next.copy_from_slice(value);
        }
        while made.steps < count && !made.is_fixed {
            let (mut changed, mut least) = (false, f64::INFINITY);
            let (from, to) = (&value[..], &mut next[..]);
            for &s in &moving {
                let s = s as usize;
                let new = self.best::<MINIMUM, REWARDS>(space, s, from, rows);
                changed |= new != from[s];
                least = if new > 0.0 && new < least { new } else { least };
                to[s] = new;
            }
            made.underflow |= least < TINY_VALUE;
            std::mem::swap(value, next);
            made.steps += 1;
            made.is_fixed = !changed;
        }
        made
    }

    /// The optimal one-step value of a state.
    #[inline(always)]
    fn best<const MINIMUM: bool, const REWARDS: bool>(
        &self,
        space: &Space,
        s: usize,
        value: &[f64],
        rows: &impl Rows,
    ) -> f64 {
        let mut best = if MINIMUM { f64::INFINITY } else { f64::NEG_INFINITY };
        for choice in space.choices_of(s) {
            let mut sum = rows.product(space.row(choice), value);
            if REWARDS && let Some(reward) = self.reward {
                sum += reward[choice];
            }
            let is_better = if MINIMUM { sum < best } else { sum > best };
            best = if is_better { sum } else { best };
        }
        if best.is_finite() { best } else { 0.0 }
    }
}
