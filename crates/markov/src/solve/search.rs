//! The search for a fixpoint, which verified iteration only guesses: sweep by sweep, by whoever makes them.

use volvelle_control::Stop;

use super::iteration::Block;
use super::jacobi::{Jacobi, Rule, jacobi};
use crate::outcome::Context;
use crate::sweeps::is_for_device;

/// Who makes the sweeps.
pub enum Search<'a> {
    /// A thread, by Gauss and Seidel: a sweep sees what it has computed before, and so needs fewer.
    InPlace,
    /// A device, by Jacobi: many unknowns at once.
    AtOnce(Box<Jacobi<'a>>),
}

impl<'a> Search<'a> {
    /// From these values on. Whether the device has failed does not matter: other sweeps have other bits.
    pub fn new(context: &'a Context<'a>, block: &'a Block<'a>, x: &[f64]) -> Self {
        match is_for_device(context, block.len) {
            true => Search::AtOnce(Box::new(jacobi(context, block, Rule::Pair, x))),
            false => Search::InPlace,
        }
    }

    /// Sweeps of a step.
    pub fn sweeps(&self) -> u64 {
        match self {
            Search::InPlace => 1,
            Search::AtOnce(_) => Rule::Pair.sweeps(),
        }
    }

    /// Makes a step; the largest relative change. The values may be the newest only after [`Search::fetch`].
    ///
    /// # Errors
    /// The work is to stop.
    pub fn step(&mut self, block: &Block, x: &mut [f64]) -> Result<f64, Stop> {
        match self {
            Search::InPlace => Ok(block.sweep(x)),
            Search::AtOnce(jacobi) => jacobi.step(x),
        }
    }

    /// Brings the values up to date.
    ///
    /// # Errors
    /// The work is to stop.
    pub fn fetch(&mut self, x: &mut [f64]) -> Result<(), Stop> {
        match self {
            Search::InPlace => Ok(()),
            Search::AtOnce(jacobi) => jacobi.fetch(x),
        }
    }

    /// Goes on from these values.
    pub fn put(&mut self, x: &[f64]) {
        match self {
            Search::InPlace => {}
            Search::AtOnce(jacobi) => jacobi.put(x),
        }
    }
}
