//! The input of every analysis: a space with options, limits and devices, and what is computed once for all of them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use volvelle_control::{Control, Fact};
use volvelle_logic::Optimum;
use volvelle_runtime::Error;
use volvelle_space::{Kind, Space, Values, View};

use crate::cost_cache::CostCache;
use crate::error::CheckError;
use crate::graph::Predecessors;
use crate::horizon_cache::HorizonCache;
use crate::options::{MethodUse, Options};
use crate::sweeps::Sweeps;

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
    horizons: Option<&'a HorizonCache>,
    costs: Option<&'a CostCache>,
    sweeps: Option<&'a Sweeps>,
    facts: RefCell<Vec<Fact>>,
    /// Shared with contexts of products and quotients.
    method_use: Rc<Cell<MethodUse>>,
}

/// The numbers of a space, each of them at least once.
fn numbers(values: &Values) -> &[f64] {
    let (View::Byte(_, numbers) | View::Short(_, numbers) | View::Plain(numbers)) = values.view();
    numbers
}

impl<'a> Context<'a> {
    /// The context of a space, without device and cache.
    pub fn new(space: &'a Space, options: Options, control: &'a Control<'a>) -> Self {
        // Denormal numbers have few digits: their relative errors have no bound to speak of.
        let options = match numbers(&space.values).iter().any(|v| v.is_subnormal()) {
            true => options.with_input(f64::INFINITY),
            false => options,
        };
        let facts = RefCell::default();
        let predecessors = RefCell::default();
        let method_use = Rc::default();
        Context {
            space,
            options,
            control,
            predecessors,
            horizons: None,
            costs: None,
            sweeps: None,
            facts,
            method_use,
        }
    }

    /// The context of another space, a product or a quotient, whose values are part of the same analysis.
    pub fn inner<'b>(&self, space: &'b Space, options: Options, control: &'b Control<'b>) -> Context<'b>
    where
        'a: 'b,
    {
        let context = Context::new(space, options, control).with_sweeps(self.sweeps);
        Context { method_use: self.method_use.clone(), ..context }
    }

    /// Notes a use of the method that was asked for.
    pub fn note_method(&self, how: MethodUse) {
        self.method_use.set(self.method_use.get().max(how));
    }

    /// How the method that was asked for was used.
    pub fn method_use(&self) -> MethodUse {
        self.method_use.get()
    }

    /// The same, with a device for sweeps.
    pub fn with_sweeps(self, sweeps: Option<&'a Sweeps>) -> Self {
        Context { sweeps, ..self }
    }

    /// The device for sweeps, if there is one.
    pub fn sweeps(&self) -> Option<&'a Sweeps> {
        self.sweeps
    }

    /// The same, with a cache for the results of several horizons.
    pub fn with_horizons(self, horizons: Option<&'a HorizonCache>) -> Self {
        Context { horizons, ..self }
    }

    /// The cache for the results of several horizons, if there are several.
    pub fn horizons(&self) -> Option<&'a HorizonCache> {
        self.horizons
    }

    /// The same, with a cache for several amounts of bounds on rewards.
    pub fn with_costs(self, costs: Option<&'a CostCache>) -> Self {
        Context { costs, ..self }
    }

    /// The cache for several amounts of bounds on rewards, if there are several.
    pub fn costs(&self) -> Option<&'a CostCache> {
        self.costs
    }

    /// Notes a fact about the computation, once.
    pub fn note(&self, fact: Fact) {
        let mut facts = self.facts.borrow_mut();
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }

    /// Gives up the device for sweeps, and records that if it was requested.
    pub(crate) fn give_up_device(&self, error: Error) {
        if let Some(sweeps) = self.sweeps {
            sweeps.give_up(error);
            self.note_failed_device();
        }
    }

    /// Notes that the requested device makes sweeps.
    pub(crate) fn note_asked_device(&self) {
        if let Some(sweeps) = self.sweeps {
            self.note(Fact::text("sweeps", sweeps.name()).because("requested"));
        }
    }

    /// Notes that the requested device has failed.
    pub(crate) fn note_failed_device(&self) {
        if let Some(sweeps) = self.sweeps.filter(|sweeps| sweeps.is_asked()) {
            self.note(Fact::text("sweeps", "threads").because(format!("{} failed", sweeps.name())));
        }
    }

    /// The facts that were noted.
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

    /// Refuses the kinds of models that no engine of this crate computes values of, and numbers that are none. Every way in asks this
    /// first.
    pub fn require_engine(space: &Space) -> Result<(), CheckError> {
        if numbers(&space.values).iter().any(|v| !v.is_finite()) {
            return Err(CheckError::NotFinite { what: "a probability or rate".to_owned() });
        }
        match space.kind {
            Kind::Dtmc | Kind::Ctmc | Kind::Mdp => Ok(()),
            Kind::MarkovAutomaton => Err(CheckError::NoEngine { kind: space.kind.name() }),
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

    /// The optimum to use: any for a chain and for an MDP in which there is nothing to choose, else the given one.
    pub fn optimum(&self, given: Option<Optimum>) -> Result<Optimum, CheckError> {
        match given {
            Some(optimum) => Ok(optimum),
            None if self.is_chain() || self.space.num_choices() == self.states() => Ok(Optimum::Max),
            None => Err(CheckError::NeedsOptimum),
        }
    }
}
