//! The model of a Markov automaton.
//!
//! Files say of a state whether it is Markovian, and a Markovian state has one choice. In a state space, the rates of a
//! state are one choice among others. Where there are other choices, these happen at once and the rates never take effect
//! (maximal progress): the model leaves such rates out.

use crate::model::{Actions, Control, Model, Numbers, Reward, Rows, Time, Variable};
use dashu_ratio::RBig;
use std::ops::Range;
use volvelle_space::{BitSet, Choices, ExactSpace, Ratios, RatiosBuilder, Space, Values};

/// A space with the choices that happen.
pub struct Automaton<'s> {
    space: &'s Space,
    of: &'s Choices,
    /// The choices that happen.
    kept: Vec<usize>,
    /// Those of each state, as places in `kept`.
    starts: Vec<u32>,
    /// The state of each.
    states: Vec<usize>,
    markovian: BitSet,
}

impl<'s> Automaton<'s> {
    /// Looks at every state of a Markov automaton.
    pub fn new(space: &'s Space, of: &'s Choices) -> Self {
        let n = space.num_states();
        let (mut kept, mut starts, mut states) = (Vec::new(), vec![0], Vec::new());
        let mut markovian = BitSet::new(n);
        for state in 0..n {
            let choices = space.choices_of(state);
            let has_others = choices.clone().any(|choice| !of.is_markovian(choice));
            for choice in choices.filter(|&choice| !(has_others && of.is_markovian(choice))) {
                kept.push(choice);
                states.push(state);
                if !has_others {
                    markovian.insert(state);
                }
            }
            starts.push(kept.len() as u32);
        }
        Automaton { space, of, kept, starts, states, markovian }
    }

    /// The model, with rationals where they are known.
    pub fn model(self, exact: Option<&ExactSpace>, variables: Vec<Variable>) -> Model {
        let space = self.space;
        let mut ends = vec![0];
        let mut columns = Vec::with_capacity(space.num_transitions());
        for row in self.rows() {
            columns.extend_from_slice(&space.columns[row]);
            ends.push(columns.len() as u32);
        }
        let (choices, branches) = (Rows::from_starts(self.starts.clone()), Rows::from_starts(ends));
        let mut model =
            Model::new(Time::UrgentStochastic, Control::Nondeterminism, choices, branches, columns);
        let (values, exit_rates) = match exact {
            Some(exact) => self.exact_numbers(&exact.values),
            None => self.numbers(),
        };
        model.values = Some(values);
        model.exit_rates = Some(exit_rates);
        if space.actions.len() > 1 {
            let of = self.kept.iter().map(|&choice| self.of.action[choice]).collect();
            model.choice_actions = Some(Actions { names: space.actions.clone(), of });
        }
        model.attach_states(space, variables);
        for (i, vectors) in space.rewards.iter().enumerate() {
            let (states, choices) = match exact.map(|exact| &exact.rewards[i]) {
                Some(exact) => {
                    let rates = model.exit_rates.as_ref();
                    let choices = exact.choice.as_ref().zip(rates);
                    let choices = choices.map(|(rewards, rates)| self.exact_rewards(rewards, rates));
                    (exact.state.clone().map(Numbers::Exact), choices)
                }
                None => (
                    vectors.state.as_ref().map(|values| Numbers::Double(values.to_vec())),
                    vectors.choice.as_ref().map(|rewards| self.rewards(rewards)),
                ),
            };
            let name = vectors.name.clone();
            model.rewards.push(Reward { name, description: None, states, choices, branches: None });
        }
        model.markovian = Some(self.markovian);
        model
    }

    /// The transitions of the choices that happen.
    fn rows(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.kept.iter().map(|&choice| self.space.row(choice))
    }

    fn is_markovian(&self, kept: usize) -> bool {
        self.markovian.contains(self.states[kept])
    }

    /// Probabilities, and exit rates of states: 0 where no time passes.
    fn numbers(&self) -> (Numbers, Numbers) {
        let (mut values, mut exit_rates) = (Vec::new(), vec![0.0; self.space.num_states()]);
        for (at, row) in self.rows().enumerate() {
            let of = |i: usize| self.space.values.get(i);
            if self.is_markovian(at) {
                let exit_rate: f64 = row.clone().map(of).sum();
                values.extend(row.map(|i| of(i) / exit_rate));
                exit_rates[self.states[at]] = exit_rate;
            } else {
                values.extend(row.map(of));
            }
        }
        (Numbers::Double(values), Numbers::Double(exit_rates))
    }

    fn exact_numbers(&self, of: &Ratios) -> (Numbers, Numbers) {
        let (mut values, mut exit_rates) =
            (RatiosBuilder::default(), vec![RBig::ZERO; self.space.num_states()]);
        for (at, row) in self.rows().enumerate() {
            if self.is_markovian(at) {
                let exit_rate = row.clone().fold(RBig::ZERO, |sum, i| sum + of.get(i));
                row.for_each(|i| values.push(of.get(i) / &exit_rate));
                exit_rates[self.states[at]] = exit_rate;
            } else {
                row.for_each(|i| values.push(of.get(i).clone()));
            }
        }
        let exit_rates: Ratios = exit_rates.into_iter().collect();
        (Numbers::Exact(values.finish()), Numbers::Exact(exit_rates))
    }

    /// Rewards per choice; those of rates, which are per unit of time, per jump.
    fn rewards(&self, rewards: &Values) -> Numbers {
        let per_jump = self.rows().enumerate().map(|(at, row)| {
            let reward = rewards.get(self.kept[at]);
            if reward == 0.0 || !self.is_markovian(at) {
                return reward;
            }
            reward / row.map(|i| self.space.values.get(i)).sum::<f64>()
        });
        Numbers::Double(per_jump.collect())
    }

    fn exact_rewards(&self, rewards: &Ratios, exit_rates: &Numbers) -> Numbers {
        let mut per_jump = RatiosBuilder::default();
        for (at, &choice) in self.kept.iter().enumerate() {
            let reward = rewards.get(choice);
            match exit_rates {
                Numbers::Exact(rates) if self.is_markovian(at) => {
                    per_jump.push(reward / rates.get(self.states[at]));
                }
                _ => per_jump.push(reward.clone()),
            }
        }
        Numbers::Exact(per_jump.finish())
    }
}
