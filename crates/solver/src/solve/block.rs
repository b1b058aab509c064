//! The equations of one strongly connected component, with the values of lower components substituted, and sweeps over them.

use volvelle_logic::Optimum;
use volvelle_space::{Values, View};

use super::elimination::Elimination;
use super::system::{Intervals, System};
use crate::wide::Number;

/// One component with the values of lower components substituted.
pub struct Block<'a> {
    /// The equations.
    pub system: &'a System,
    /// Unknowns `first..first + len`.
    pub first: usize,
    /// Number of unknowns.
    pub len: usize,
    /// Constant part of the choices of the block.
    pub constant: &'a Intervals,
    /// Weight with which the choices of the block leave it.
    pub exit: &'a Values,
    /// Values are probabilities: never above one.
    pub probability: bool,
    /// No value solves the equations that is above this: for probabilities, one and what rounded weights may add.
    pub highest: f64,
}

impl Block<'_> {
    fn choices(&self, i: usize) -> std::ops::Range<usize> {
        self.system.choice_start[i] as usize..self.system.choice_start[i + 1] as usize
    }

    /// The unknowns.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }

    /// Number of the first choice of the block.
    pub fn first_choice(&self) -> usize {
        self.system.choice_start[self.first] as usize
    }

    /// Places of the entries of a choice within the block.
    pub fn inner(&self, choice: usize) -> std::ops::Range<usize> {
        self.system.row_start[choice] as usize..self.system.inner_end[choice] as usize
    }

    fn better(&self, a: f64, b: f64) -> bool {
        match self.system.optimum {
            Optimum::Min => a < b,
            Optimum::Max => a > b,
        }
    }

    fn worst(&self) -> f64 {
        match self.system.optimum {
            Optimum::Min => f64::INFINITY,
            Optimum::Max => f64::NEG_INFINITY,
        }
    }

    /// Number of choices of all states; at least one.
    pub fn choices_in_all(&self) -> u64 {
        (self.system.choice_start[self.first + self.len] as usize - self.first_choice()) as u64
    }

    /// Whether there is nothing to choose.
    pub fn is_chain(&self) -> bool {
        self.choices_in_all() == self.len as u64
    }

    /// Entries of the rows of the block.
    pub fn work(&self) -> u64 {
        let (begin, end) = (self.first_choice(), self.system.choice_start[self.first + self.len] as usize);
        u64::from(self.system.row_start[end] - self.system.row_start[begin])
    }

    /// Largest number of entries in a row within the block.
    pub fn longest(&self) -> usize {
        let end = self.system.choice_start[self.first + self.len] as usize;
        (self.first_choice()..end).map(|c| self.inner(c).len()).max().unwrap_or(0)
    }

    /// Right side of the equation of a choice at `x`, with constants from the middle of their bounds.
    pub fn value(&self, choice: usize, x: &[f64]) -> f64 {
        self.value_by(choice, x, &|at| self.system.values.get(at))
    }

    fn value_by(&self, choice: usize, x: &[f64], weight: &impl Fn(usize) -> f64) -> f64 {
        let [lo, hi] = self.constant.get(choice - self.first_choice());
        let row = self.inner(choice);
        let columns = &self.system.columns[row.clone()];
        let sum: f64 = columns.iter().zip(row).map(|(&j, at)| weight(at) * x[j as usize]).sum();
        sum + 0.5 * (lo + hi)
    }

    /// The optimal right side of the equation of an unknown at `x`.
    pub fn best(&self, i: usize, x: &[f64]) -> f64 {
        self.best_by(i, x, &|at| self.system.values.get(at))
    }

    fn best_by(&self, i: usize, x: &[f64], weight: &impl Fn(usize) -> f64) -> f64 {
        let mut best = self.worst();
        for choice in self.choices(i) {
            let value = self.value_by(choice, x, weight);
            if self.better(value, best) {
                best = value;
            }
        }
        best
    }

    /// One Gauss–Seidel sweep; the largest relative change.
    pub fn sweep(&self, x: &mut [f64]) -> f64 {
        match self.system.values.view() {
            View::Byte(codes, table) => self.sweep_by(x, &|at| table[codes[at] as usize]),
            View::Short(codes, table) => self.sweep_by(x, &|at| table[codes[at] as usize]),
            View::Plain(values) => self.sweep_by(x, &|at| values[at]),
        }
    }

    fn sweep_by(&self, x: &mut [f64], weight: &impl Fn(usize) -> f64) -> f64 {
        let mut change = 0.0f64;
        for i in self.first..self.first + self.len {
            let new = self.best_by(i, x, weight);
            let old = x[i];
            if new != old {
                change = change.max((new - old).abs() / new.max(f64::MIN_POSITIVE));
                x[i] = new;
            }
        }
        change
    }

    /// One Gauss–Seidel sweep over the equations of a policy; the largest relative change.
    pub fn sweep_policy(&self, x: &mut [f64], policy: &[u32]) -> f64 {
        match self.system.values.view() {
            View::Byte(codes, table) => self.sweep_policy_by(x, policy, &|at| table[codes[at] as usize]),
            View::Short(codes, table) => self.sweep_policy_by(x, policy, &|at| table[codes[at] as usize]),
            View::Plain(values) => self.sweep_policy_by(x, policy, &|at| values[at]),
        }
    }

    fn sweep_policy_by(&self, x: &mut [f64], policy: &[u32], weight: &impl Fn(usize) -> f64) -> f64 {
        let mut change = 0.0f64;
        for (i, &choice) in self.range().zip(policy) {
            let new = self.value_by(choice as usize, x, weight);
            if new != x[i] {
                change = change.max((new - x[i]).abs() / new.max(f64::MIN_POSITIVE));
                x[i] = new;
            }
        }
        change
    }

    /// One sweep over both bounds, rounded outwards, in either order of the unknowns.
    pub fn sweep_bounds(&self, bounds: &mut [[f64; 2]], down: f64, up: f64, forward: bool) {
        match self.system.values.view() {
            View::Byte(codes, table) => {
                self.sweep_bounds_by(bounds, down, up, forward, &|at| table[codes[at] as usize]);
            }
            View::Short(codes, table) => {
                self.sweep_bounds_by(bounds, down, up, forward, &|at| table[codes[at] as usize]);
            }
            View::Plain(values) => self.sweep_bounds_by(bounds, down, up, forward, &|at| values[at]),
        }
    }

    fn sweep_bounds_by(
        &self,
        bounds: &mut [[f64; 2]],
        down: f64,
        up: f64,
        forward: bool,
        weight: &impl Fn(usize) -> f64,
    ) {
        let [first, end] = [self.first, self.first + self.len];
        if forward {
            (first..end).for_each(|i| bounds[i] = self.bound(i, bounds, down, up, weight));
        } else {
            (first..end).rev().for_each(|i| bounds[i] = self.bound(i, bounds, down, up, weight));
        }
    }

    fn bound(
        &self,
        i: usize,
        bounds: &[[f64; 2]],
        down: f64,
        up: f64,
        weight: &impl Fn(usize) -> f64,
    ) -> [f64; 2] {
        let base = self.first_choice();
        let mut new = [self.worst(); 2];
        for choice in self.choices(i) {
            let mut value = self.constant.get(choice - base);
            let row = self.inner(choice);
            for (&j, at) in self.system.columns[row.clone()].iter().zip(row) {
                let ([lo, hi], v) = (bounds[j as usize], weight(at));
                value[0] += v * lo;
                value[1] += v * hi;
            }
            if self.better(value[0], new[0]) {
                new[0] = value[0];
            }
            if self.better(value[1], new[1]) {
                new[1] = value[1];
            }
        }
        [new[0] * down, (new[1] * up).min(self.highest)]
    }

    /// Among the choices of every unknown that are within the relative `width` of the best at `x`, moves `policy` to
    /// one that weighs too much for the weights `w = x + P w` of the policy before, and raises the weights on the way
    /// (one sweep). Returns how many changed.
    pub fn lengthen(&self, x: &[f64], weight: &mut [f64], width: f64, policy: &mut [u32]) -> usize {
        let mut changes = 0;
        for (i, kept) in self.range().zip(policy.iter_mut()) {
            if self.choices(i).len() == 1 {
                continue;
            }
            let best = self.best(i, x);
            // Half of the slack that the weights leave may be used up.
            let mut most = weight[i - self.first] - 0.5 * x[i];
            let before = *kept;
            for choice in self.choices(i).filter(|&c| c != before as usize) {
                if (self.value(choice, x) - best).abs() > width * best {
                    continue;
                }
                let row = self.inner(choice);
                let columns = &self.system.columns[row.clone()];
                let image: f64 = columns
                    .iter()
                    .zip(self.system.values.range(row))
                    .map(|(&j, v)| v * weight[j as usize - self.first])
                    .sum();
                if image > most {
                    most = image;
                    *kept = choice as u32;
                    weight[i - self.first] = image + x[i];
                }
            }
            changes += usize::from(*kept != before);
        }
        changes
    }

    /// The best choice of every unknown at `x`; a choice of `policy` is kept unless another is better by
    /// the relative amount `margin`. Returns how many changed.
    pub fn improve(&self, x: &[f64], policy: &mut [u32], margin: f64) -> usize {
        let mut changes = 0;
        for (i, kept) in (self.first..self.first + self.len).zip(policy.iter_mut()) {
            let mut best = self.value(*kept as usize, x);
            best = match self.system.optimum {
                Optimum::Min => best * (1.0 - margin),
                Optimum::Max => best * (1.0 + margin),
            };
            let before = *kept;
            for choice in self.choices(i) {
                let value = self.value(choice, x);
                if self.better(value, best) {
                    best = value;
                    *kept = choice as u32;
                }
            }
            changes += usize::from(*kept != before);
        }
        changes
    }

    /// Loads the equations of a policy into the direct solver.
    pub fn load_policy<N: Number>(
        &self,
        elimination: &mut Elimination<N>,
        policy: impl Iterator<Item = u32>,
        right_side: impl Fn(usize, usize) -> [f64; 2],
    ) {
        let (system, base) = (self.system, self.first_choice());
        elimination.begin(self.len);
        for (i, choice) in (self.first..).zip(policy) {
            let choice = choice as usize;
            let inner = system.row_start[choice] as usize..system.inner_end[choice] as usize;
            let entries = system.columns[inner.clone()]
                .iter()
                .zip(system.values.range(inner))
                .map(|(&j, v)| (j - self.first as u32, N::of(v)));
            let exit = N::of(self.exit.get(choice - base));
            elimination.row(entries, exit, right_side(i, choice).map(N::of));
        }
    }
}
