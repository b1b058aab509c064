//! Data for simulation of a chain, besides its states ([`Chain::space`]): initial distributions, and the
//! chains of passages.

use volvelle_control::Control;
use volvelle_space::Space;

use crate::chain::Chain;
use crate::generator::Generator;
use crate::passage::{Target, passage_space};
use crate::problem::Problem;

/// A chain in which a first passage ends.
#[derive(Clone, Debug)]
pub struct PassageChain {
    /// The chain. Its only label, `end`, holds at the end of the passage (nowhere if that is not reachable).
    /// Its only reward is the time until the end.
    pub space: Space,
    /// The states in which runs start, with probabilities.
    pub start: Vec<(u32, f64)>,
}

impl Chain<'_> {
    /// The tangible states in which runs start, with their probabilities.
    ///
    /// # Errors
    /// There are choices that matter.
    pub fn start(&self) -> Result<Vec<(u32, f64)>, Problem> {
        Ok(starts(self.generator("the start")?))
    }

    /// How often each measured action ([`Chain::actions`]) is expected before time first passes.
    ///
    /// # Errors
    /// There are choices that matter.
    pub fn counts_at_once(&self) -> Result<Vec<f64>, Problem> {
        let generator = self.generator("the start")?;
        let doubles = generator.numbers.doubles();
        let mut counts = vec![0.0; self.kinds.actions.len()];
        for &(action, code) in &generator.at_once {
            counts[action as usize] += doubles[code as usize];
        }
        Ok(counts)
    }

    /// The chain of a first passage.
    ///
    /// # Errors
    /// As [`Chain::first_passage`].
    pub fn passage_chain(&self, target: &Target, control: &Control) -> Result<PassageChain, Problem> {
        let (_, generator, end) = self.passage(target, control)?;
        let space = passage_space(&generator, end.unwrap_or(u32::MAX));
        Ok(PassageChain { space, start: starts(&generator) })
    }
}

/// The tangible states in which runs start, with their probabilities.
fn starts(generator: &Generator) -> Vec<(u32, f64)> {
    let doubles = generator.numbers.doubles();
    generator.initial.iter().map(|&(state, code)| (state, doubles[code as usize])).collect()
}
