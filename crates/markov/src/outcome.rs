//! Numbers for all states, and what every analysis needs.

use std::cell::RefCell;
use std::rc::Rc;

use volvelle_control::{Control, Fact};
use volvelle_logic::{Optimum, StopReason};
use volvelle_runtime::Error;
use volvelle_space::{BitSet, Kind, Space};

use crate::error::CheckError;
use crate::graph::Predecessors;
use crate::options::{Method, Options};
use crate::solve::{NONE, Solution, System};
use crate::sweeps::Sweeps;
use crate::transient::Shared;

/// Transitions of a space whose reversed graph is not kept while equations are solved.
const LARGE: usize = 500_000;

/// The space under analysis, with options, control and what is computed once.
pub struct Context<'a> {
    /// The space.
    pub space: &'a Space,
    /// Options.
    pub options: Options,
    /// Limits, cancellation, progress.
    pub control: &'a Control<'a>,
    predecessors: RefCell<Option<Rc<Predecessors>>>,
    shared: Option<&'a Shared>,
    sweeps: Option<&'a Sweeps>,
    facts: RefCell<Vec<Fact>>,
}

impl<'a> Context<'a> {
    /// For a space.
    pub fn new(space: &'a Space, options: Options, control: &'a Control<'a>) -> Self {
        let facts = RefCell::default();
        let predecessors = RefCell::default();
        Context { space, options, control, predecessors, shared: None, sweeps: None, facts }
    }

    /// The same, with a device for sweeps.
    pub fn with_sweeps(self, sweeps: Option<&'a Sweeps>) -> Self {
        Context { sweeps, ..self }
    }

    /// The device for sweeps, if there is one.
    pub fn sweeps(&self) -> Option<&'a Sweeps> {
        self.sweeps
    }

    /// The same, with times that belong together.
    pub fn sharing(self, shared: Option<&'a Shared>) -> Self {
        Context { shared, ..self }
    }

    /// Times that belong together, if some do.
    pub fn shared(&self) -> Option<&'a Shared> {
        self.shared
    }

    /// Keeps something that was done, for those who ask.
    pub fn note(&self, fact: Fact) {
        let mut facts = self.facts.borrow_mut();
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }

    /// Gives up the device for sweeps, and keeps that where somebody asked for it.
    pub fn give_up_device(&self, error: Error) {
        if let Some(sweeps) = self.sweeps {
            sweeps.give_up(error);
            self.note_failed_device();
        }
    }

    /// Keeps that the device which somebody asked for makes sweeps.
    pub fn note_asked_device(&self) {
        if let Some(sweeps) = self.sweeps {
            self.note(Fact::text("sweeps", sweeps.name()).because("asked for"));
        }
    }

    /// Keeps that the device which somebody asked for has failed.
    pub fn note_failed_device(&self) {
        if let Some(sweeps) = self.sweeps.filter(|sweeps| sweeps.is_asked()) {
            self.note(Fact::text("sweeps", "threads").because(format!("{} failed", sweeps.name())));
        }
    }

    /// Keeps how a system of equations was solved.
    pub fn note_solution(&self, system: &System, solution: &Solution) {
        let statistics = &solution.statistics;
        let known = self.states().saturating_sub(system.len());
        self.note(Fact::count("unknowns", system.len() as u64));
        if known > 0 {
            let why = "their value follows from the graph";
            self.note(Fact::count("states without equations", known as u64).because(why));
        }
        let components = Fact::count("components", statistics.components as u64);
        self.note(components.because(format!("the largest has {} unknowns", statistics.largest)));
        let solver = |what, count: usize, why: &str| {
            if count > 0 {
                self.note(Fact::count(what, count as u64).because(why));
            }
        };
        let asked = match self.options.method {
            Method::Auto => "few unknowns, or little fill-in",
            _ => "asked for",
        };
        solver("components eliminated", statistics.eliminated, asked);
        let asked = match self.options.method {
            Method::Auto => "too large to eliminate cheaply, or with choices",
            _ => "asked for",
        };
        let sweeps = format!("{asked}; at most {} sweeps", statistics.sweeps);
        solver("components iterated", statistics.iterated, &sweeps);
        solver("components by policy iteration", statistics.policies, "choices, where iteration is slow");
        let asked = format!("asked for; at most {} iterations", statistics.sweeps);
        solver("components by a classical method", statistics.classical, &asked);
        solver("components left in the middle", statistics.interrupted, "the work was stopped");
        solver("components with wider bounds", statistics.unfinished, "a limit was reached");
    }

    /// What was noted.
    pub fn facts(&self) -> Vec<Fact> {
        self.facts.borrow().clone()
    }

    /// The graph backwards, which is kept until [`Context::forget_predecessors`].
    pub fn predecessors(&self) -> Rc<Predecessors> {
        let make = || Rc::new(Predecessors::new(self.space));
        self.predecessors.borrow_mut().get_or_insert_with(make).clone()
    }

    /// Frees the graph backwards before numbers need the memory, where it is large. Making it again costs little
    /// beside solving equations of that size.
    pub fn forget_predecessors(&self) {
        if self.space.columns.len() >= LARGE {
            self.predecessors.take();
        }
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
