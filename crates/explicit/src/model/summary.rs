//! Sizes and names of a model, for people and reports.

use super::{Entity, Model, NumberType, Numbers};

/// Kind, sizes and names of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The kind by name: `MDP`.
    pub kind: String,
    /// How probabilities and rates are written down; `None` in models without any.
    pub number_type: Option<NumberType>,
    /// How many states there are.
    pub states: usize,
    /// How many choices there are.
    pub choices: usize,
    /// How many branches there are.
    pub branches: usize,
    /// How many initial states there are.
    pub initial: usize,
    /// States without a branch.
    pub deadlocks: usize,
    /// Markovian states of a Markov automaton.
    pub markovian: Option<usize>,
    /// Names of players.
    pub players: Vec<String>,
    /// How many observations there are.
    pub observations: usize,
    /// How many actions choices have, that without a name included.
    pub choice_actions: usize,
    /// How many actions branches have.
    pub branch_actions: usize,
    /// Names of labels.
    pub labels: Vec<String>,
    /// Reward structures.
    pub rewards: Vec<RewardSummary>,
    /// Variables of states.
    pub variables: Vec<VariableSummary>,
    /// Groups and names of further annotations.
    pub annotations: Vec<(String, String)>,
    /// Names of parameters.
    pub parameters: Vec<String>,
    /// Bytes that the arrays hold.
    pub bytes: u64,
}

/// A reward structure by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewardSummary {
    /// The name; may be empty.
    pub name: String,
    /// Where it has rewards.
    pub on: Vec<Entity>,
}

/// A variable by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableSummary {
    /// The name.
    pub name: String,
    /// The type: `int`.
    pub type_name: &'static str,
}

impl Model {
    /// Kind, sizes and names of the model.
    pub fn summary(&self) -> Summary {
        let rewarded = [Entity::States, Entity::Choices, Entity::Branches];
        Summary {
            kind: self.kind().name(),
            number_type: self.values.as_ref().map(Numbers::number_type),
            states: self.num_states(),
            choices: self.num_choices(),
            branches: self.num_branches(),
            initial: self.initial.count(),
            deadlocks: self.deadlocks().count(),
            markovian: self.markovian.as_ref().map(|set| set.count()),
            players: self.players.as_ref().map_or_else(Vec::new, |p| p.names.clone()),
            observations: self.count(Entity::Observations),
            choice_actions: self.choice_actions.as_ref().map_or(0, |a| a.names.len()),
            branch_actions: self.branch_actions.as_ref().map_or(0, |a| a.names.len()),
            labels: self.labels.iter().map(|label| label.name.clone()).collect(),
            rewards: (self.rewards.iter())
                .map(|reward| RewardSummary {
                    name: reward.name.clone(),
                    on: rewarded.into_iter().filter(|&entity| reward.of(entity).is_some()).collect(),
                })
                .collect(),
            variables: (self.variables(Entity::States).iter())
                .map(|v| VariableSummary { name: v.name.clone(), type_name: v.values.type_name() })
                .collect(),
            annotations: self.annotations.iter().map(|a| (a.group.clone(), a.name.clone())).collect(),
            parameters: self.parameters.clone(),
            bytes: self.bytes(),
        }
    }
}
