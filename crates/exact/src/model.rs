//! A space with its exact numbers, in the form that analyses take: probabilities, also of a CTMC.

use dashu_ratio::RBig;
use std::borrow::Cow;
use volvelle_logic::RewardId;
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, ExactSpace, Kind, Ratios};

/// The input of all exact analyses.
pub struct Model<'a> {
    /// The space, options, control and graph.
    pub context: &'a Context<'a>,
    /// Exact numbers.
    pub exact: &'a ExactSpace,
    /// Probabilities of the transitions: for a CTMC, of its jumps.
    pub probabilities: Cow<'a, Ratios>,
    /// CTMC: the rate at which each state is left, its self-loop included.
    pub exit: Option<Cow<'a, [RBig]>>,
    /// The states whose values are requested; `None`: all. Values of others may come out as 0.
    pub focus: Option<&'a BitSet>,
}

impl<'a> Model<'a> {
    /// The model of a space and its exact numbers.
    pub fn new(context: &'a Context<'a>, exact: &'a ExactSpace) -> Self {
        let space = context.space;
        if space.kind != Kind::Ctmc {
            let probabilities = Cow::Borrowed(&exact.values);
            return Model { context, exact, probabilities, exit: None, focus: None };
        }
        let sum = |s| space.row(s).fold(RBig::ZERO, |sum, i| sum + exact.values.get(i));
        let exit: Vec<RBig> = (0..space.num_states()).map(sum).collect();
        let jumps = exit
            .iter()
            .enumerate()
            .flat_map(|(s, rate)| space.row(s).map(move |i| exact.values.get(i) / rate));
        let probabilities = Cow::Owned(jumps.collect());
        Model { context, exact, probabilities, exit: Some(Cow::Owned(exit)), focus: None }
    }

    /// The same, with other states that are requested.
    pub fn focused<'b>(&'b self, focus: Option<&'b BitSet>) -> Model<'b> {
        Model {
            context: self.context,
            exact: self.exact,
            probabilities: Cow::Borrowed(&self.probabilities),
            exit: self.exit.as_deref().map(Cow::Borrowed),
            focus,
        }
    }

    /// Whether the value of a state is requested.
    pub fn is_needed(&self, state: usize) -> bool {
        self.focus.is_none_or(|focus| focus.contains(state))
    }

    /// The transitions of a choice: target and probability.
    pub fn transitions(&self, choice: usize) -> impl Iterator<Item = (usize, &RBig)> {
        let space = self.context.space;
        space.row(choice).map(move |i| (space.columns[i] as usize, self.probabilities.get(i)))
    }

    /// The probability that a choice leads to a state, by one or several transitions.
    pub fn probability(&self, choice: u32, target: u32) -> RBig {
        let there = self.transitions(choice as usize).filter(|&(t, _)| t == target as usize);
        there.fold(RBig::ZERO, |sum, (_, p)| sum + p)
    }

    /// Mean time that a state takes: 1 for steps.
    pub fn sojourn(&self, state: usize) -> RBig {
        self.exit.as_ref().map_or(RBig::ONE, |exit| RBig::ONE / &exit[state])
    }

    fn rewards(&self, id: RewardId) -> Result<&volvelle_space::ExactRewards, CheckError> {
        self.exact.rewards.get(id.index()).ok_or_else(|| CheckError::MissingObservation {
            what: format!("reward structure number {}", id.0),
        })
    }

    /// Reward of every choice for each visit of its state: over the time that the visit takes, for a CTMC.
    pub fn visit_rewards(&self, id: RewardId) -> Result<Vec<RBig>, CheckError> {
        let rewards = self.rewards(id)?;
        let space = self.context.space;
        let mut result = match &rewards.choice {
            Some(choice) => choice.iter().cloned().collect(),
            None => vec![RBig::ZERO; space.num_choices()],
        };
        for s in 0..space.num_states() {
            for choice in space.choices_of(s) {
                if let Some(state) = &rewards.state {
                    result[choice] += state.get(s);
                }
                if let Some(exit) = &self.exit {
                    result[choice] = &result[choice] / &exit[s];
                }
            }
        }
        Ok(result)
    }

    /// The state part of a reward structure.
    pub fn state_rewards(&self, id: RewardId) -> Result<Vec<RBig>, CheckError> {
        let rewards = self.rewards(id)?;
        Ok(match &rewards.state {
            Some(state) => state.iter().cloned().collect(),
            None => vec![RBig::ZERO; self.context.states()],
        })
    }

    /// Refuses rewards below zero.
    pub fn check_not_negative(&self, id: RewardId, rewards: &[RBig]) -> Result<(), CheckError> {
        let space = self.context.space;
        for s in 0..space.num_states() {
            if let Some(choice) = space.choices_of(s).find(|&c| rewards[c] < RBig::ZERO) {
                return Err(CheckError::NegativeReward {
                    rewards: space.rewards.get(id.index()).map(|r| r.name.clone()).unwrap_or_default(),
                    state: s as u32,
                    value: rewards[choice].to_f64().value(),
                });
            }
        }
        Ok(())
    }
}
