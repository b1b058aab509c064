//! Numbers for all states, and what every analysis needs.

use std::cell::OnceCell;

use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason};
use volvelle_space::{BitSet, Kind, Space};

use crate::error::CheckError;
use crate::graph::Predecessors;
use crate::options::Options;
use crate::solve::{NONE, Solution, System};

/// The space under analysis, with options, control and what is computed once.
pub struct Context<'a> {
    /// The space.
    pub space: &'a Space,
    /// Options.
    pub options: Options,
    /// Limits, cancellation, progress.
    pub control: &'a Control<'a>,
    predecessors: OnceCell<Predecessors>,
}

impl<'a> Context<'a> {
    /// For a space.
    pub fn new(space: &'a Space, options: Options, control: &'a Control<'a>) -> Self {
        Context { space, options, control, predecessors: OnceCell::new() }
    }

    /// The graph backwards.
    pub fn predecessors(&self) -> &Predecessors {
        self.predecessors.get_or_init(|| Predecessors::new(self.space))
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.space.num_states()
    }

    /// Whether there is no nondeterminism.
    pub fn is_chain(&self) -> bool {
        self.space.kind != Kind::Mdp
    }

    /// The optimum to use: any for a chain, the given one for an MDP.
    pub fn optimum(&self, given: Option<Optimum>) -> Result<Optimum, CheckError> {
        match given {
            Some(optimum) => Ok(optimum),
            None if self.is_chain() => Ok(Optimum::Max),
            None => Err(CheckError::NeedsOptimum),
        }
    }
}

/// Bounds of a number for every state, and how they came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// Lower and upper bound per state; equal where the value is known exactly.
    pub bounds: Vec<[f64; 2]>,
    /// How.
    pub method: String,
    /// Why the engine stopped.
    pub stop: StopReason,
}

impl Numbers {
    /// From a solved system of equations; `value` gives the bounds of the states that are not in it.
    pub fn solved(system: &System, solution: &Solution, value: impl Fn(usize) -> [f64; 2]) -> Self {
        let bounds = system.unknown_of.iter().enumerate().map(|(s, &unknown)| match unknown {
            NONE => value(s),
            unknown => solution.bounds[unknown as usize],
        });
        let bounds = bounds.collect();
        let statistics = &solution.statistics;
        let stop = if statistics.classical > 0 {
            if statistics.unfinished > 0 { StopReason::SmallChangeMissed } else { StopReason::SmallChange }
        } else if statistics.unfinished > 0 {
            StopReason::IterationLimit
        } else if statistics.iterated + statistics.policies > 0 {
            StopReason::Converged
        } else {
            StopReason::Computed
        };
        Numbers { bounds, method: statistics.describe(), stop }
    }

    /// Known exactly, from a graph algorithm.
    pub fn exact(values: impl Iterator<Item = f64>, method: &str) -> Self {
        Numbers {
            bounds: values.map(|v| [v, v]).collect(),
            method: method.to_string(),
            stop: StopReason::Computed,
        }
    }

    /// One for members, zero for others.
    pub fn indicator(set: &BitSet) -> Self {
        Numbers::exact((0..set.len()).map(|s| f64::from(u8::from(set.contains(s)))), "graph analysis")
    }

    /// `1 - x` for probabilities.
    #[must_use]
    pub fn complement(mut self) -> Self {
        for b in &mut self.bounds {
            *b = if b[0] == b[1] && (b[0] == 0.0 || b[0] == 1.0) {
                [1.0 - b[0], 1.0 - b[0]]
            } else {
                [(1.0 - b[1]).next_down().clamp(0.0, 1.0), (1.0 - b[0]).next_up().clamp(0.0, 1.0)]
            };
        }
        self
    }
}
