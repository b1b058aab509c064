//! Names and values attached to a model: labels, rewards, actions, observations, valuations, annotations.

use super::columns::{Column, Distribution, Entity};
use super::numbers::Numbers;
use volvelle_space::BitSet;

/// An atomic proposition: the states in which it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The name; `init` and `deadlock` are not labels ([`Model::initial`](super::Model::initial) and
    /// [`Model::deadlocks`](super::Model::deadlocks) say which states these are).
    pub name: String,
    /// The description of it in the file.
    pub description: Option<String>,
    /// Where it holds.
    pub states: BitSet,
}

/// A reward structure. Every array may be absent, which is zero everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reward {
    /// The name; may be empty.
    pub name: String,
    /// The description of it in the file.
    pub description: Option<String>,
    /// Rewards of states: per unit of time where the model has time that passes (CTMC, Markov automaton), per visit
    /// otherwise.
    pub states: Option<Numbers>,
    /// Rewards of choices, earned when the choice is taken.
    pub choices: Option<Numbers>,
    /// Rewards of branches, earned when the branch is taken.
    pub branches: Option<Numbers>,
}

impl Reward {
    /// The rewards of an entity that can have them.
    pub fn of(&self, entity: Entity) -> Option<&Numbers> {
        match entity {
            Entity::States => self.states.as_ref(),
            Entity::Choices => self.choices.as_ref(),
            Entity::Branches => self.branches.as_ref(),
            Entity::Observations | Entity::Players => None,
        }
    }
}

/// Actions: names, and the action of every choice (or of every branch).
#[derive(Clone, Debug, PartialEq)]
pub struct Actions {
    /// Names; the empty one stands for no action.
    pub names: Vec<String>,
    /// Places in `names`, by position.
    pub of: Vec<u32>,
}

impl Actions {
    /// The name at a position.
    pub fn name(&self, i: usize) -> &str {
        &self.names[self.of[i] as usize]
    }
}

/// The player of every state of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Players {
    /// Names of the players, two at least.
    pub names: Vec<String>,
    /// Places in `names`, by state.
    pub of: Vec<u32>,
}

/// Partial observation: an observation for every state, or for every branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Observations {
    /// How many observations there are.
    pub count: u32,
    /// Whether states or branches are observed.
    pub on: Entity,
    /// Observations by position; of a distribution, by its entries.
    pub of: Vec<u32>,
    /// Where observations are drawn.
    pub distribution: Option<Distribution>,
}

/// Values attached to an entity that are neither labels nor rewards.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// Group: a word of lower-case letters, digits, `_` and `-`.
    pub group: String,
    /// The name within its group.
    pub name: String,
    /// The description of it in the file.
    pub description: Option<String>,
    /// The entity it belongs to.
    pub on: Entity,
    /// The values; of a distribution, by its entries.
    pub values: Column,
    /// Where values are drawn.
    pub distribution: Option<Distribution>,
}

/// The values of variables for every member of an entity, as columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Valuations {
    /// The entity.
    pub on: Entity,
    /// Whether no two members have the same values.
    pub unique: bool,
    /// The variables.
    pub variables: Vec<Variable>,
}

/// A variable with its value for every member of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The values; 0, `false` or the empty text where the variable has none.
    pub values: Column,
    /// The members for which it has a value; `None` is all of them.
    pub present: Option<BitSet>,
    /// Bounds that the file declares for an integer.
    pub bounds: Option<(i64, i64)>,
}
