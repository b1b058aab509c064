//! A chain: a transition system that was read, closed, and freed of its vanishing states, with numeric rates.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_space::{ExactSpace, Lts, Space};

use crate::generator::Generator;
use crate::interval::Bounds;
use crate::kinds::Kinds;
use crate::options::{Choices, Options, Values};
use crate::problem::Problem;
use crate::structure::{NONE, Structure};

/// Whether all positive numbers of a space are normal as doubles: none has become zero, infinite or denormal.
pub(crate) fn are_normal(space: &Space) -> bool {
    space.values.iter().all(f64::is_normal)
}

/// Options for numbers outside the range of doubles: only bounds can then be known.
pub(crate) fn without_digits(options: volvelle_markov::Options) -> volvelle_markov::Options {
    options.with_input(f64::INFINITY)
}

/// An interactive Markov chain, ready for analyses.
#[derive(Clone, Debug)]
pub struct Chain<'a> {
    pub(crate) lts: &'a Lts,
    pub(crate) kinds: Kinds,
    pub(crate) options: Options,
    /// The options of numerical analyses as given. Those in `options` account for rates outside the range of
    /// doubles.
    given: volvelle_markov::Options,
    pub(crate) structure: Structure,
    /// The chain with numbers; `None` if choices are left.
    pub(crate) generator: Option<Generator>,
}

impl<'a> Chain<'a> {
    /// Reads a transition system.
    ///
    /// # Errors
    /// A label without meaning, time that never passes, a choice that matters and is not kept, or a limit.
    pub fn from_lts(lts: &'a Lts, options: &Options, control: &Control) -> Result<Self, Problem> {
        let mut occurs = vec![false; lts.labels.len()];
        lts.edges().iter().for_each(|edge| occurs[edge.label as usize] = true);
        let kinds = Kinds::read(&lts.labels, &occurs, &options.measured)?;
        let keeps = options.choices == Choices::Keep;
        // Before the states, so that a missing value is reported at once.
        kinds.rates(&options.values)?;
        let structure = Structure::new(lts, &kinds, None, keeps, control)?;
        let options = options.clone();
        let given = options.numerical;
        let mut chain = Chain { lts, kinds, options, given, structure, generator: None };
        chain.evaluate()?;
        Ok(chain)
    }

    /// Changes the values of names of rates. The states and their structure stay.
    ///
    /// # Errors
    /// A name without a value, a value without a name, or a value that is not positive. The chain then stays
    /// unchanged.
    pub fn set_values(&mut self, values: &Values) -> Result<(), Problem> {
        self.kinds.rates(values)?;
        self.options.values = values.clone();
        self.evaluate()
    }

    fn evaluate(&mut self) -> Result<(), Problem> {
        let rates = self.kinds.rates(&self.options.values)?;
        self.generator = (!self.structure.outcomes.has_choices())
            .then(|| Generator::new(&self.structure, &self.kinds.measured, &rates));
        let holds = |rate: &RBig| rate.to_f64().value().is_normal();
        let has_values = self.generator.as_ref().is_none_or(|generator| are_normal(&generator.space));
        self.options.numerical = match has_values && rates.iter().flatten().all(holds) {
            true => self.given,
            false => without_digits(self.given),
        };
        Ok(())
    }

    /// The chain with numbers.
    pub(crate) fn generator(&self, what: &'static str) -> Result<&Generator, Problem> {
        self.generator.as_ref().ok_or(Problem::NeedsResolution { what })
    }

    /// The actions that are measured, in the order of the labels.
    pub fn actions(&self) -> &[String] {
        &self.kinds.actions
    }

    /// The names of rates, in the order of the labels.
    pub fn names(&self) -> &[String] {
        &self.kinds.names
    }

    /// The text of a label.
    pub fn label(&self, label: u32) -> &str {
        self.lts.labels.text(label)
    }

    /// The number of transitions between tangible states.
    ///
    /// # Errors
    /// There are choices that matter.
    pub fn num_transitions(&self) -> Result<usize, Problem> {
        Ok(self.generator("the chain")?.space.num_transitions())
    }

    /// Whether choices are left that matter.
    pub fn has_choices(&self) -> bool {
        self.structure.outcomes.has_choices()
    }

    /// The reachable states in which time passes, as states of the system. Results about states have this
    /// order.
    pub fn tangible(&self) -> &[u32] {
        &self.structure.tangible
    }

    /// The index of a state of the system in [`Chain::tangible`]; `None` if it is not reachable, or
    /// vanishing.
    pub fn place(&self, state: u32) -> Option<usize> {
        let number = self.structure.number.get(state as usize).copied().filter(|&number| number != NONE);
        number.map(|number| number as usize)
    }

    /// The continuous-time Markov chain over the tangible states, in their order, with the exact numbers of
    /// its doubles. Each measured action has a reward structure with its name: its rate in each state. If the
    /// initial state is vanishing and leads to several tangible states, one more state comes last: the
    /// initial one, which is left after a mean time of one.
    ///
    /// # Errors
    /// There are choices that matter.
    pub fn space(&self) -> Result<(Space, ExactSpace), Problem> {
        Ok(self.generator("the chain")?.with_rewards(&self.kinds.actions))
    }
}

/// How often an action happens, per unit of time or in total, in expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// The action.
    pub action: String,
    /// Bounds of the amount.
    pub bounds: Bounds,
}
