//! One step of value iteration on a Markov decision process, in main memory.

use std::ops::Range;
use volvelle_logic::Optimum;
use volvelle_space::{BitSet, Space, View};

use super::bundles::{Bundles, Made};

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
    /// No value fell in the first, if this batch is the first.
    pub rises: bool,
    /// No value rose in the first, if this batch is the first.
    pub falls: bool,
    /// Some value got so small that products may have left the range of doubles.
    pub underflow: bool,
}

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
    /// Up to `count` steps; fewer where nothing changes any more. Each goes from `value` to `next` and exchanges the two. `moving` keeps
    /// the states whose values move from one call to the next, of which `left` steps are expected in all.
    pub fn steps(
        &self,
        space: &Space,
        optimum: Optimum,
        [value, next]: [&mut Vec<f64>; 2],
        moving: &mut Option<Bundles>,
        count: u64,
        left: u64,
    ) -> BatchOutcome {
        let columns = &space.columns[..];
        let mut by = By { rule: self, space, optimum, value, next, moving, count, left };
        match space.values.view() {
            View::Plain(weights) => by.rows(&Plain { columns, weights }),
            View::Byte(codes, table) => by.rows(&Coded { columns, codes, table }),
            View::Short(codes, table) => by.rows(&Coded { columns, codes, table }),
        }
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

/// A batch of steps to be made.
struct By<'a> {
    rule: &'a Rule<'a>,
    space: &'a Space,
    optimum: Optimum,
    value: &'a mut Vec<f64>,
    next: &'a mut Vec<f64>,
    moving: &'a mut Option<Bundles>,
    count: u64,
    left: u64,
}

impl By<'_> {
    /// The batch by the rows of a matrix.
    fn rows(&mut self, rows: &impl Rows) -> BatchOutcome {
        match (self.optimum, self.rule.reward) {
            (Optimum::Min, None) => self.make::<true, false>(rows),
            (Optimum::Min, Some(_)) => self.make::<true, true>(rows),
            (Optimum::Max, None) => self.make::<false, false>(rows),
            (Optimum::Max, Some(_)) => self.make::<false, true>(rows),
        }
    }

    /// The same for an optimum that the compiler knows, with or without rewards.
    fn make<const MINIMUM: bool, const REWARDS: bool>(&mut self, rows: &impl Rows) -> BatchOutcome {
        let mut made = BatchOutcome { steps: 0, is_fixed: false, rises: true, falls: true, underflow: false };
        if self.count == 0 {
            return made;
        }
        if self.moving.is_none() {
            let moving = self.first::<MINIMUM, REWARDS>(&mut made, rows);
            *self.moving = Some(Bundles::new(self.space, moving, self.rule.reward, self.left - 1));
        }
        let Some(moving) = &*self.moving else { return made };
        while made.steps < self.count && !made.is_fixed {
            let (from, to) = (&self.value[..], &mut self.next[..]);
            let Made { mut changed, mut least } = moving.step::<MINIMUM, REWARDS>(from, to);
            for &s in &moving.others {
                let s = s as usize;
                let new = self.rule.best::<MINIMUM, REWARDS>(self.space, s, from, rows);
                changed |= new != from[s];
                least = if new > 0.0 && new < least { new } else { least };
                to[s] = new;
            }
            made.underflow |= least < TINY_VALUE;
            std::mem::swap(self.value, self.next);
            made.steps += 1;
            made.is_fixed = !changed;
        }
        made
    }

    /// The first step, which tells in which direction values move; and where.
    fn first<const MINIMUM: bool, const REWARDS: bool>(
        &mut self,
        made: &mut BatchOutcome,
        rows: &impl Rows,
    ) -> Vec<u32> {
        let mut moving = Vec::new();
        let mut changed = false;
        for (s, new) in self.next.iter_mut().enumerate() {
            let old = self.value[s];
            *new = if self.rule.keep.is_some_and(|k| k.contains(s)) {
                old
            } else if self.rule.inside.is_none_or(|i| i.contains(s)) {
                moving.push(s as u32);
                self.rule.best::<MINIMUM, REWARDS>(self.space, s, self.value, rows)
            } else {
                0.0
            };
            changed |= *new != old;
            made.rises &= *new >= old;
            made.falls &= *new <= old;
            made.underflow |= *new > 0.0 && *new < TINY_VALUE;
        }
        std::mem::swap(self.value, self.next);
        made.steps = 1;
        made.is_fixed = !changed;
        // Elsewhere both vectors hold what stays.
        self.next.copy_from_slice(self.value);
        moving
    }
}
