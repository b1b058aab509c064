//! Solutions of systems of equations, and statistics about how they were found.

use volvelle_control::Fact;
use volvelle_logic::StopReason;

use super::classes::NONE;
use super::system::System;
use crate::context::Context;
use crate::numbers::Numbers;
use crate::options::{Method, MethodUse};

/// Statistics about how a system was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Strongly connected components.
    pub components: usize,
    /// Unknowns of the largest one.
    pub largest: usize,
    /// Components solved by elimination.
    pub eliminated: usize,
    /// Components solved by verified iteration.
    pub iterated: usize,
    /// Components solved by policy iteration.
    pub policies: usize,
    /// Sweeps over the component that took most.
    pub sweeps: u64,
    /// Components solved by a classical method, without bounds.
    pub classical: usize,
    /// The name of that method.
    pub classical_name: &'static str,
    /// Components whose bounds are wider than requested.
    pub unfinished: usize,
    /// Components whose iteration was stopped, and those that were not begun after that.
    pub interrupted: usize,
}

impl Statistics {
    /// How the method that was asked for was used; `None` if there was nothing to use one for.
    pub fn method_use(&self, method: Method) -> Option<MethodUse> {
        let (used, others) = match method {
            Method::Auto => return None,
            Method::Classical(_) => (self.classical > 0, false),
            Method::Iteration => (self.iterated > 0 || self.sweeps > 0, false),
            Method::Elimination => (self.eliminated + self.policies > 0, self.iterated > 0),
        };
        match (used, others) {
            (true, _) => Some(MethodUse::Used),
            (false, true) => Some(MethodUse::Replaced),
            (false, false) => None,
        }
    }

    /// A description for users: `elimination (3 components), verified iteration (1 component, at most 120 sweeps)`.
    pub fn describe(&self) -> String {
        let counted = |count: usize| match count {
            1 => "1 component".to_string(),
            _ => format!("{count} components"),
        };
        let mut parts = Vec::new();
        if self.eliminated > 0 {
            parts.push(format!("state elimination ({})", counted(self.eliminated)));
        }
        if self.iterated > 0 {
            parts.push(format!(
                "verified iteration ({}, at most {} sweeps)",
                counted(self.iterated),
                self.sweeps
            ));
        }
        if self.classical > 0 {
            let what = counted(self.classical);
            let (name, sweeps) = (self.classical_name, self.sweeps);
            parts.push(format!("classical iteration by {name} ({what}, at most {sweeps} iterations)"));
        }
        if self.policies > 0 {
            parts.push(format!("policy iteration ({})", counted(self.policies)));
        }
        if parts.is_empty() {
            parts.push("substitution in topological order".to_string());
        }
        parts.join(", ")
    }
}

/// Bounds of all unknowns.
#[derive(Debug)]
pub struct Solution {
    /// Lower and upper bound of each unknown.
    pub bounds: Vec<[f64; 2]>,
    /// Statistics about how they were found.
    pub statistics: Statistics,
}

impl Solution {
    /// The values of all states; `value` gives the bounds of those that are not in the system.
    pub fn numbers(&self, system: &System, value: impl Fn(usize) -> [f64; 2]) -> Numbers {
        let bounds = system.unknown_of.iter().enumerate().map(|(s, &unknown)| match unknown {
            NONE => value(s),
            unknown => self.bounds[unknown as usize],
        });
        let bounds = bounds.collect();
        let statistics = &self.statistics;
        let stop = if statistics.interrupted > 0 && statistics.classical == 0 {
            StopReason::Interrupted
        } else if statistics.classical > 0 {
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

    /// Notes in the context how the system was solved.
    pub fn note(&self, system: &System, context: &Context) {
        let statistics = &self.statistics;
        let known = context.states().saturating_sub(system.unknowns());
        context.note(Fact::count("unknowns", system.unknowns() as u64));
        if known > 0 {
            let why = "their value follows from the graph";
            context.note(Fact::count("states without equations", known as u64).because(why));
        }
        let components = Fact::count("components", statistics.components as u64);
        context.note(components.because(format!("the largest has {} unknowns", statistics.largest)));
        let solver = |what, count: usize, why: &str| {
            if count > 0 {
                context.note(Fact::count(what, count as u64).because(why));
            }
        };
        let asked = match context.options.method {
            Method::Auto => "few unknowns, or little fill-in",
            _ => "requested",
        };
        solver("components eliminated", statistics.eliminated, asked);
        let asked = match context.options.method {
            Method::Auto => "too large to eliminate cheaply, or with choices",
            _ => "requested",
        };
        let sweeps = format!("{asked}; at most {} sweeps", statistics.sweeps);
        solver("components iterated", statistics.iterated, &sweeps);
        solver("components by policy iteration", statistics.policies, "iteration is slow with choices");
        let asked = format!("requested; at most {} iterations", statistics.sweeps);
        solver("components by a classical method", statistics.classical, &asked);
        solver("components left unfinished", statistics.interrupted, "the work was stopped");
        solver("components with wider bounds", statistics.unfinished, "a limit was reached");
    }
}
