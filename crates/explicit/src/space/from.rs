//! A model from what exploration gives.

mod automaton;

use super::DEADLOCK;
use crate::model::{
    Actions, Control, Entity, Label, Measure, Model, Numbers, Reward, Rows, Time, Valuations, Variable,
};
use automaton::Automaton;
use dashu_ratio::RBig;
use volvelle_space::{BitSet, ExactSpace, Kind, Ratios, RatiosBuilder, Space, Values};

impl Model {
    /// The model of a state space, with rationals where they are known, and the values of variables in every state.
    pub fn from_space(space: &Space, exact: Option<&ExactSpace>, variables: Vec<Variable>) -> Self {
        let states = space.num_states();
        if let (Kind::MarkovAutomaton, Some(choices)) = (space.kind, &space.choices) {
            return Automaton::new(space, choices).model(exact, variables);
        }
        let (time, control) = match space.kind {
            Kind::Dtmc => (Time::Discrete, Control::Chance),
            Kind::Ctmc => (Time::Stochastic, Control::Chance),
            Kind::Mdp | Kind::MarkovAutomaton => (Time::Discrete, Control::Nondeterminism),
        };
        let choices = match &space.choices {
            Some(choices) => Rows::from_starts(choices.start.clone()),
            None => Rows::OneEach(states as u32),
        };
        let branches = Rows::from_starts(space.row_start.clone());
        let mut model = Model::new(time, control, choices, branches, space.columns.clone());
        model.values = Some(match exact {
            Some(exact) => Numbers::Exact(exact.values.clone()),
            None => Numbers::Double(space.values.to_vec()),
        });
        if space.kind == Kind::Ctmc {
            model.measure = Measure::Rates;
        }
        model.attach_states(space, variables);
        if let Some(choices) = space.choices.as_ref().filter(|_| space.actions.len() > 1) {
            model.choice_actions = Some(Actions { names: space.actions.clone(), of: choices.action.clone() });
        }
        for (i, vectors) in space.rewards.iter().enumerate() {
            let exact = exact.map(|exact| &exact.rewards[i]);
            let states = match exact {
                Some(exact) => exact.state.clone().map(Numbers::Exact),
                None => vectors.state.as_ref().map(doubles),
            };
            let choices = match exact {
                Some(exact) => exact.choice.as_ref().map(|rewards| exact_choices(space, rewards, &model)),
                None => vectors.choice.as_ref().map(|rewards| choice_rewards(space, rewards)),
            };
            let name = vectors.name.clone();
            model.rewards.push(Reward { name, description: None, states, choices, branches: None });
        }
        model
    }

    /// Copies what belongs to states: which are initial, labels, values of variables.
    fn attach_states(&mut self, space: &Space, variables: Vec<Variable>) {
        for state in &space.initial {
            self.initial.insert(state.0 as usize);
        }
        let named = |(name, states): &(String, BitSet)| Label {
            name: name.clone(),
            description: None,
            states: states.clone(),
        };
        self.labels = space.labels.iter().map(named).collect();
        if space.deadlocks.count() > 0 {
            self.labels.push(named(&(DEADLOCK.to_owned(), space.deadlocks.clone())));
        }
        if !variables.is_empty() {
            self.valuations.push(Valuations { on: Entity::States, unique: true, variables });
        }
    }
}

fn doubles(values: &Values) -> Numbers {
    Numbers::Double(values.to_vec())
}

/// Rewards per choice; those of a CTMC, which are per unit of time, per jump.
fn choice_rewards(space: &Space, rewards: &Values) -> Numbers {
    if space.kind != Kind::Ctmc {
        return doubles(rewards);
    }
    let per_jump = rewards.iter().enumerate().map(|(state, reward)| {
        let exit_rate: f64 = space.transitions(state).map(|(_, rate)| rate).sum();
        if reward == 0.0 { 0.0 } else { reward / exit_rate }
    });
    Numbers::Double(per_jump.collect())
}

fn exact_choices(space: &Space, rewards: &Ratios, model: &Model) -> Numbers {
    let Some(Numbers::Exact(rates)) = model.values.as_ref().filter(|_| space.kind == Kind::Ctmc) else {
        return Numbers::Exact(rewards.clone());
    };
    let mut per_jump = RatiosBuilder::default();
    for (state, reward) in rewards.iter().enumerate() {
        if reward.is_zero() {
            per_jump.push(RBig::ZERO);
            continue;
        }
        let exit_rate = space.row(state).fold(RBig::ZERO, |sum, i| sum + rates.get(i));
        per_jump.push(reward / exit_rate);
    }
    Numbers::Exact(per_jump.finish())
}
