//! Jacobi's iteration over one component: every unknown of a sweep is computed from the values before it, so that a device
//! can compute all of them at once.
//!
//! A device and a thread do the same operations in the same order for every unknown, and so have the same bits.

mod device;

use super::block::Block;
use super::difference::difference;
use crate::context::Context;
use crate::sweeps::{Here, Relay};
use device::OnDevice;

/// What a step is, and what of it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Two sweeps, and the largest change over both, relative to the newer value. After a single sweep the values of a
    /// component with a period swing from side to side, and their changes say nothing of how far it still is.
    Pair,
    /// One sweep, of which every unknown goes `weight` times the way; the largest change, relative to the newer value or not.
    Relaxed {
        /// One: Jacobi's method; other weights: over-relaxation.
        weight: f64,
        /// Whether changes are relative.
        relative: bool,
    },
}

impl Rule {
    /// Sweeps of a step.
    pub fn sweeps(self) -> u64 {
        match self {
            Rule::Pair => 2,
            Rule::Relaxed { .. } => 1,
        }
    }

    /// From `old`, the value of before this sweep, to `image`, the best right side of the equation there.
    fn move_to(self, old: f64, image: f64) -> f64 {
        match self {
            Rule::Pair => image,
            Rule::Relaxed { weight, .. } => old + weight * (image - old),
        }
    }

    fn change(self, before: f64, new: f64) -> f64 {
        match self {
            Rule::Pair if new == before => 0.0,
            Rule::Pair => (new - before).abs() / new.max(f64::MIN_POSITIVE),
            Rule::Relaxed { relative, .. } => difference(before, new, relative),
        }
    }
}

/// An iteration over the values of all unknowns of the system, of which those of the block change.
pub type Jacobi<'a> = Relay<'a, OnThread<'a>, OnDevice>;

/// From these values on; on the device that somebody asked for, if there is one and the component is large enough.
pub fn jacobi<'a>(context: &'a Context<'a>, block: &'a Block<'a>, rule: Rule, x: &[f64]) -> Jacobi<'a> {
    let here = OnThread { block, rule, other: Vec::new() };
    Relay::new(context, here, block.len, |sweeps| OnDevice::new(sweeps, block, rule, x))
}

/// Steps of a thread.
pub struct OnThread<'a> {
    block: &'a Block<'a>,
    rule: Rule,
    /// One value for each unknown of the block: those of the sweep before.
    other: Vec<f64>,
}

impl Here for OnThread<'_> {
    /// What changed most.
    type Told = f64;

    fn step(&mut self, x: &mut [f64]) -> f64 {
        self.other.resize(self.block.len, 0.0);
        for _ in 1..self.rule.sweeps() {
            self.sweep(x);
        }
        self.sweep(x)
    }

    fn work(&self) -> u64 {
        self.rule.sweeps() * self.block.work()
    }
}

impl OnThread<'_> {
    fn sweep(&mut self, x: &mut [f64]) -> f64 {
        let (block, rule) = (self.block, self.rule);
        let mut most = 0.0;
        for i in block.range() {
            let other = &mut self.other[i - block.first];
            let new = rule.move_to(x[i], block.best(i, x));
            let before = if rule == Rule::Pair { *other } else { x[i] };
            let change = rule.change(before, new);
            if change > most {
                most = change;
            }
            *other = new;
        }
        x[block.range()].swap_with_slice(&mut self.other);
        most
    }
}

#[cfg(test)]
mod tests;
