//! Distributions of a Markov chain over its states, or over classes of them: at given times ([`transient`]), and in the
//! long run ([`long_run`](fn@long_run)).
//!
//! A run starts in one of the initial states, each of which is equally likely. Every probability has bounds of its own; those of a
//! class are the sums of those of its members, rounded outwards.

mod flows;
mod iterated;
mod long_run;
mod sparse;
mod stationary;
mod transient;

pub use long_run::{long_run_distribution, long_run_weights};
pub use transient::transient_distributions;

use volvelle_logic::StopReason;
use volvelle_logic::gate::{self, Range};
use volvelle_solver::rounding::{SUM_ERROR, Sum, above, below};

/// The distribution over classes of states.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// Bounds of the probability of each class; equal where it is known exactly.
    pub bounds: Vec<[f64; 2]>,
    /// The method, for users.
    pub method: String,
    /// The reason why the engine stopped.
    pub stop: StopReason,
}

impl Distribution {
    /// The distribution as it leaves the engine. Where it `is_normal`, rows sum to one by what is computed, so that probabilities do.
    fn admitted(mut self, is_normal: bool) -> Self {
        let is_flawed = match is_normal {
            true => gate::admit_distribution(&mut self.bounds),
            false => Range::PROBABILITY.admit_all(&mut self.bounds) > 0,
        };
        if is_flawed {
            self.method.push_str("; some numbers left the range of doubles, and have no bounds");
        }
        self
    }
}

/// Which states are counted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The class of each state.
    pub class_of: Vec<u32>,
    /// Number of classes.
    pub count: usize,
}

impl Classes {
    /// A class for each state.
    pub fn single(states: usize) -> Self {
        Classes { class_of: (0..states as u32).collect(), count: states }
    }

    /// Bounds of the probabilities of classes from those of states.
    fn sums(&self, of_states: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let mut sums = vec![[Sum::default(); 2]; self.count];
        let mut members = vec![0u32; self.count];
        let mut only = vec![[0.0; 2]; self.count];
        for (&class, &[lo, hi]) in self.class_of.iter().zip(of_states) {
            let class = class as usize;
            // What is zero for certain does not make a sum inexact.
            if hi > 0.0 {
                members[class] += 1;
                only[class] = [lo, hi];
                sums[class][0].add(lo);
                sums[class][1].add(hi);
            }
        }
        let bounds = sums.into_iter().zip(members).zip(only).map(|(([lo, hi], members), only)| {
            let is_point = lo.value() == hi.value() && lo.is_exact() && hi.is_exact();
            match members {
                0 | 1 => only,
                _ if is_point => [lo.value(), hi.value()],
                _ => [below(lo.value(), SUM_ERROR), above(hi.value(), SUM_ERROR).min(1.0)],
            }
        });
        bounds.collect()
    }
}

#[cfg(test)]
mod attack_tests;
#[cfg(test)]
mod iterated_tests;
#[cfg(test)]
mod tests;
