//! Jacobi's iteration over one component: every unknown of a sweep is computed from the values before it, so that a device
//! can compute all of them at once.
//!
//! A device and a thread do the same operations in the same order for every unknown, and so have the same bits.

mod device;
mod rule;

use super::block::Block;
use crate::context::Context;
use crate::scheduling::{Fallback, HostSteps};
use device::OnDevice;

pub use rule::Rule;

/// An iteration over the values of all unknowns of the system, of which those of the block change.
pub type Jacobi<'a> = Fallback<'a, OnThread<'a>, OnDevice>;

/// Begins with these values; on the requested device, if there is one and the component is large enough.
pub fn jacobi<'a>(context: &'a Context<'a>, block: &'a Block<'a>, rule: Rule, x: &[f64]) -> Jacobi<'a> {
    let host = OnThread { block, rule, other: Vec::new() };
    Fallback::new(context, host, block.len, |sweeps| OnDevice::new(sweeps, block, rule, x))
}

/// Steps of a thread.
pub struct OnThread<'a> {
    block: &'a Block<'a>,
    rule: Rule,
    /// One value for each unknown of the block: those of the sweep before.
    other: Vec<f64>,
}

impl HostSteps for OnThread<'_> {
    /// The largest change.
    type Outcome = f64;

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
