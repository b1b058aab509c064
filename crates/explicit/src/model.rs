//! An explicit model: states, choices and branches in flat arrays, and everything that is attached to them.
//!
//! A state has choices, a choice has branches, a branch has a target and, in most kinds of models, a probability. Numbers
//! of states, choices and branches have 32 bits. The kind of a model is not stored but derived from what it has
//! ([`Model::kind`]), so that the two cannot disagree. The model can hold everything that a UMB file says.

mod attached;
mod columns;
mod facts;
mod kind;
mod numbers;
mod rows;
mod summary;

pub use attached::{Actions, Annotation, Label, Observations, Players, Reward, Valuations, Variable};
pub use columns::{Column, Distribution, Entity, Integers};
pub use facts::Facts;
pub use kind::{Control, Kind, Time};
pub use numbers::{Number, NumberType, Numbers, Texts, TextsBuilder};
pub use rows::Rows;
pub use summary::{RewardSummary, Summary, VariableSummary};

use volvelle_space::BitSet;

/// The meaning of the values on branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Probabilities: those of a choice sum to 1. Continuous time passes at [`Model::exit_rates`].
    Probabilities,
    /// Rates (CTMC only): they sum to the exit rate of their state.
    Rates,
}

/// An explicit model.
///
/// Shapes: n states, m choices, b branches.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// How time passes.
    pub time: Time,
    /// How choices are selected.
    pub control: Control,
    /// Choices of every state: n rows with m entries.
    pub choices: Rows,
    /// Branches of every choice: m rows with b entries.
    pub branches: Rows,
    /// Targets of branches; length b. Not sorted, and a choice may name a target several times.
    pub targets: Vec<u32>,
    /// The meaning of `values`.
    pub measure: Measure,
    /// Probabilities or rates of branches, length b; `None` in models without any (LTS).
    pub values: Option<Numbers>,
    /// Exit rates of states, length n. In a Markov automaton those of states that are not Markovian have no meaning;
    /// absent where time is discrete, and where values are rates unless the file repeats them.
    pub exit_rates: Option<Numbers>,
    /// States of a Markov automaton in which time passes; `None` in other kinds.
    pub markovian: Option<BitSet>,
    /// The player of every state of a game; `None` in other kinds.
    pub players: Option<Players>,
    /// The observations of states, in models whose states are hidden.
    pub observations: Option<Observations>,
    /// Initial states.
    pub initial: BitSet,
    /// Actions of choices.
    pub choice_actions: Option<Actions>,
    /// Actions of branches.
    pub branch_actions: Option<Actions>,
    /// Atomic propositions.
    pub labels: Vec<Label>,
    /// Reward structures.
    pub rewards: Vec<Reward>,
    /// Further values.
    pub annotations: Vec<Annotation>,
    /// Values of variables, one for each entity at most.
    pub valuations: Vec<Valuations>,
    /// Names of parameters that values are expressions over.
    pub parameters: Vec<String>,
    /// Facts that the file states about itself.
    pub facts: Facts,
}

impl Model {
    /// A model of this shape with nothing attached to it, whose values are probabilities.
    pub fn new(time: Time, control: Control, choices: Rows, branches: Rows, targets: Vec<u32>) -> Self {
        let states = choices.len();
        Model {
            time,
            control,
            choices,
            branches,
            targets,
            measure: Measure::Probabilities,
            values: None,
            exit_rates: None,
            markovian: None,
            players: None,
            observations: None,
            initial: BitSet::new(states),
            choice_actions: None,
            branch_actions: None,
            labels: Vec::new(),
            rewards: Vec::new(),
            annotations: Vec::new(),
            valuations: Vec::new(),
            parameters: Vec::new(),
            facts: Facts::default(),
        }
    }

    /// The kind of the model.
    pub fn kind(&self) -> Kind {
        let types = [&self.values, &self.exit_rates].map(|n| n.as_ref().map(Numbers::number_type));
        Kind {
            time: self.time,
            control: self.control,
            probabilistic: self.values.is_some(),
            interval: types.iter().flatten().any(|t| t.is_interval()),
            parametric: types.iter().flatten().any(|&t| t == NumberType::Symbolic),
            observations: self.observations.is_some(),
        }
    }

    /// Whether probabilities and exit rates are rationals.
    pub fn is_exact(&self) -> bool {
        self.values.iter().chain(&self.exit_rates).all(|n| n.number_type().is_exact())
    }

    /// n.
    pub fn num_states(&self) -> usize {
        self.choices.len()
    }

    /// m.
    pub fn num_choices(&self) -> usize {
        self.branches.len()
    }

    /// b.
    pub fn num_branches(&self) -> usize {
        self.targets.len()
    }

    /// How many members an entity has.
    pub fn count(&self, entity: Entity) -> usize {
        match entity {
            Entity::States => self.num_states(),
            Entity::Choices => self.num_choices(),
            Entity::Branches => self.num_branches(),
            Entity::Observations => self.observations.as_ref().map_or(0, |o| o.count as usize),
            Entity::Players => self.players.as_ref().map_or(0, |p| p.names.len()),
        }
    }

    /// Whether a state has no branch: no choice, or only empty ones.
    pub fn is_deadlock(&self, state: usize) -> bool {
        self.choices.range(state).all(|choice| self.branches.range(choice).is_empty())
    }

    /// States without a branch.
    pub fn deadlocks(&self) -> BitSet {
        let mut set = BitSet::new(self.num_states());
        for state in 0..self.num_states() {
            if self.is_deadlock(state) {
                set.insert(state);
            }
        }
        set
    }

    /// The label of this name.
    pub fn label(&self, name: &str) -> Option<&Label> {
        self.labels.iter().find(|label| label.name == name)
    }

    /// The reward structure of this name.
    pub fn reward(&self, name: &str) -> Option<&Reward> {
        self.rewards.iter().find(|reward| reward.name == name)
    }

    /// The variables of an entity; empty where there are none.
    pub fn variables(&self, entity: Entity) -> &[Variable] {
        self.valuations.iter().find(|v| v.on == entity).map_or(&[], |v| &v.variables)
    }

    /// Bytes held by the arrays.
    pub fn bytes(&self) -> u64 {
        let bits = |set: &BitSet| 8 * set.words().len() as u64;
        let numbers = |n: &Option<Numbers>| n.as_ref().map_or(0, Numbers::bytes);
        let actions = |a: &Option<Actions>| a.as_ref().map_or(0, |a| 4 * a.of.capacity() as u64);
        let rewards = |r: &Reward| numbers(&r.states) + numbers(&r.choices) + numbers(&r.branches);
        let variables = self.valuations.iter().flat_map(|v| &v.variables);
        self.choices.bytes()
            + self.branches.bytes()
            + 4 * self.targets.capacity() as u64
            + numbers(&self.values)
            + numbers(&self.exit_rates)
            + self.markovian.as_ref().map_or(0, bits)
            + self.players.as_ref().map_or(0, |p| 4 * p.of.capacity() as u64)
            + self.observations.as_ref().map_or(0, |o| 4 * o.of.capacity() as u64)
            + bits(&self.initial)
            + actions(&self.choice_actions)
            + actions(&self.branch_actions)
            + self.labels.iter().map(|label| bits(&label.states)).sum::<u64>()
            + self.rewards.iter().map(rewards).sum::<u64>()
            + self.annotations.iter().map(|a| a.values.bytes()).sum::<u64>()
            + variables.map(|v| v.values.bytes()).sum::<u64>()
    }
}
