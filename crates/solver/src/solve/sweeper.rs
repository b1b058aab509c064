//! Sweeps towards a fixpoint, on a thread or on a device. Verified iteration takes their result for a guess only.

use volvelle_control::Stop;

use super::block::Block;
use super::jacobi::{Jacobi, Rule, jacobi};
use crate::context::Context;
use crate::scheduling::is_for_device;

/// The thread or the device that makes the sweeps.
pub enum Sweeper<'a> {
    /// A thread: each unknown is computed from the newest values, so that fewer sweeps are needed.
    GaussSeidel,
    /// A device: many unknowns at once.
    Jacobi(Box<Jacobi<'a>>),
}

impl<'a> Sweeper<'a> {
    /// Begins with these values. A device that has failed is not replaced by Gauss–Seidel sweeps: these have other bits.
    pub fn new(context: &'a Context<'a>, block: &'a Block<'a>, x: &[f64]) -> Self {
        match is_for_device(context, block.len) {
            true => Sweeper::Jacobi(Box::new(jacobi(context, block, Rule::Pair, x))),
            false => Sweeper::GaussSeidel,
        }
    }

    /// Sweeps of a step.
    pub fn sweeps(&self) -> u64 {
        match self {
            Sweeper::GaussSeidel => 1,
            Sweeper::Jacobi(_) => Rule::Pair.sweeps(),
        }
    }

    /// Makes a step; the largest relative change. The values may be the newest only after [`Sweeper::fetch`].
    ///
    /// # Errors
    /// The work is to stop.
    pub fn step(&mut self, block: &Block, x: &mut [f64]) -> Result<f64, Stop> {
        match self {
            Sweeper::GaussSeidel => Ok(block.sweep(x)),
            Sweeper::Jacobi(jacobi) => jacobi.step(x),
        }
    }

    /// Brings the values up to date.
    ///
    /// # Errors
    /// The work is to stop.
    pub fn fetch(&mut self, x: &mut [f64]) -> Result<(), Stop> {
        match self {
            Sweeper::GaussSeidel => Ok(()),
            Sweeper::Jacobi(jacobi) => jacobi.fetch(x),
        }
    }

    /// Goes on from these values.
    pub fn put(&mut self, x: &[f64]) {
        match self {
            Sweeper::GaussSeidel => {}
            Sweeper::Jacobi(jacobi) => jacobi.put(x),
        }
    }
}
