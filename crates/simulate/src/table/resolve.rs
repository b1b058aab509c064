//! Explicit models without nondeterminism: the choices of an MDP are made by chance, or by a scheduler.

use super::{States, Table};
use crate::error::{Mismatch, MismatchKind, Unsupported};
use crate::scheduler::{Decision, Resolution};
use rustc_hash::FxHashMap;
use std::ops::Range;
use volvelle_model::{ActionId, Kind as ProgramKind};
use volvelle_space::{BitSet, Choices, Kind, RewardVectors, Space, Values, ValuesBuilder};

/// The chain of a space whose choices are resolved. Decisions refer to values of the first `fields` fields.
///
/// # Errors
/// Nothing resolves the choices, there are no choices, or decisions do not fit.
pub fn resolve(
    space: Space,
    states: Box<dyn States>,
    fields: usize,
    resolution: &Resolution,
) -> Result<Table, Unsupported> {
    match (space.kind, resolution) {
        (Kind::Dtmc | Kind::Ctmc, Resolution::Model) => Ok(Table::of_chain(space, Vec::new(), None, states)),
        (Kind::Dtmc | Kind::Ctmc, _) => Err(Unsupported::NoChoices),
        (Kind::MarkovAutomaton, _) => Err(Unsupported::Nondeterministic(ProgramKind::MarkovAutomaton)),
        (Kind::Mdp, Resolution::Model) => Err(Unsupported::Nondeterministic(ProgramKind::Mdp)),
        (Kind::Mdp, Resolution::Uniform) => {
            let Resolved { chain, actions } = resolved(space, |_, choices| choices);
            Ok(Table::of_chain(chain, actions, None, states))
        }
        (Kind::Mdp, Resolution::Scheduler(decisions)) => {
            let known = Known::new(&space, &*states, fields, decisions)?;
            let Resolved { chain, actions } = resolved(space, |state, choices| known.taken(state, choices));
            let undecided = Some(known.undecided).filter(|states| states.count() > 0);
            Ok(Table::of_chain(chain, actions, undecided, states))
        }
    }
}

/// The decisions of a scheduler, by state.
struct Known {
    /// By state: its choice.
    of_states: FxHashMap<u32, u32>,
    /// States with several choices but no decision of the scheduler.
    undecided: BitSet,
}

impl Known {
    fn new(
        space: &Space,
        states: &dyn States,
        fields: usize,
        decisions: &[Decision],
    ) -> Result<Self, Unsupported> {
        let mismatch = |decision, why| Err(Unsupported::Mismatch(Mismatch { decision, why }));
        let mut by_values: FxHashMap<&[i64], usize> = FxHashMap::default();
        for (index, decision) in decisions.iter().enumerate() {
            by_values.entry(&decision.state).or_insert(index);
        }
        let mut known = Known { of_states: FxHashMap::default(), undecided: BitSet::new(space.num_states()) };
        let mut values = Vec::with_capacity(fields);
        // States of equal values cannot be distinguished, so a second decision for them is an error.
        let is_twice = |index: usize| by_values[decisions[index].state.as_slice()] != index;
        for state in 0..space.num_states() {
            let choices = space.choices_of(state);
            if choices.len() < 2 {
                continue;
            }
            values.clear();
            values.extend((0..fields).map(|f| states.value(state, volvelle_model::FieldId(f as u32))));
            let Some(&index) = by_values.get(values.as_slice()) else {
                known.undecided.insert(state);
                continue;
            };
            let decision = &decisions[index];
            if decision.choice as usize >= choices.len() {
                return mismatch(index, MismatchKind::NoSuchChoice(choices.len()));
            }
            let action =
                space.choices.as_ref().map_or(0, |all| all.action[choices.start + decision.choice as usize]);
            let name = space.actions.get(action as usize).map_or("", String::as_str);
            if name != decision.action {
                return mismatch(index, MismatchKind::OtherAction(ActionId(action)));
            }
            known.of_states.insert(state as u32, decision.choice);
        }
        match (0..decisions.len()).find(|&index| is_twice(index)) {
            Some(index) => mismatch(index, MismatchKind::Twice),
            None => Ok(known),
        }
    }

    /// The choice taken in a state. If it is unknown, paths fail before they take one.
    fn taken(&self, state: usize, choices: Range<usize>) -> Range<usize> {
        let chosen = self.of_states.get(&(state as u32)).copied().unwrap_or(0);
        let first = choices.start + chosen as usize;
        first..first + 1
    }
}

/// A chain, with the action of every transition.
struct Resolved {
    chain: Space,
    actions: Vec<u32>,
}

/// Keeps these choices of each state, all equally likely.
fn resolved(space: Space, taken: impl Fn(usize, Range<usize>) -> Range<usize>) -> Resolved {
    let count = space.num_states();
    let mut row_start = Vec::with_capacity(count + 1);
    let (mut columns, mut actions, mut values) = (Vec::new(), Vec::new(), ValuesBuilder::new());
    let mut by_step: Vec<Option<ValuesBuilder>> =
        space.rewards.iter().map(|reward| reward.choice.as_ref().map(|_| ValuesBuilder::new())).collect();
    row_start.push(0);
    let mut several = false;
    for state in 0..count {
        let choices = taken(state, space.choices_of(state));
        let share = 1.0 / choices.len() as f64;
        several |= choices.len() > 1;
        for choice in choices.clone() {
            let action = space.choices.as_ref().map_or(0, |Choices { action, .. }| action[choice]);
            for (target, probability) in space.transitions(choice) {
                columns.push(target as u32);
                actions.push(action);
                values.push(probability * share);
            }
        }
        row_start.push(columns.len() as u32);
        for (built, reward) in by_step.iter_mut().zip(&space.rewards) {
            if let (Some(built), Some(choice)) = (built, &reward.choice) {
                built.push(choice.range(choices.clone()).sum::<f64>() * share);
            }
        }
    }
    let rewards = space.rewards.iter().zip(by_step).map(|(reward, by_step)| RewardVectors {
        name: reward.name.clone(),
        state: reward.state.clone(),
        choice: by_step.map(ValuesBuilder::finish),
        accuracy: reward.accuracy.clone(),
        // Of one choice in every state, the reward is that of the choice.
        mixed: reward.mixed || several,
    });
    let rewards = rewards.collect();
    let values: Values = values.finish();
    let chain = Space { kind: Kind::Dtmc, choices: None, row_start, columns, values, rewards, ..space };
    Resolved { chain, actions }
}
