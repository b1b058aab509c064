//! The model unfolded by what is left of bounds, as a scheduler has to know it: the value needs no product, but decisions that
//! depend on what is left are a table of its size.
//!
//! In: sets of states and bounds. Out: an MDP of pairs of a state and an epoch, as far as they are reached, in which the states
//! where the right side counts have won, and those from which it cannot be reached any more, or can be avoided for ever, are over.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use volvelle_logic::{CostBound, Optimum};
use volvelle_solver::graph::plain_space;
use volvelle_solver::reach::prob01_until;
use volvelle_solver::{CheckError, Context, NoWitness, WitnessError};
use volvelle_space::{BitSet, Choices, Kind, Space, ValuesBuilder};

use super::costs::Costs;
use super::{Keys, require_discrete};
use crate::strategy::{Amounts, Remaining};

/// The most pairs: decisions for more of them are refused.
pub const MOST_PAIRS: usize = if cfg!(test) { 1 << 16 } else { 1 << 22 };

/// The number of the epochs in which a budget was exceeded.
pub const LOST: u32 = u32::MAX;

/// Pairs between two looks at limits.
const BATCH: usize = 4096;

/// The unfolded model.
pub struct Unfolded {
    /// Pairs of a state and an epoch, without labels and rewards.
    pub space: Space,
    /// For every pair the state.
    pub state_of: Vec<u32>,
    /// For every pair the number of the epoch; that of the beginning is 0.
    pub epoch_of: Vec<u32>,
    /// For every choice that of the model.
    pub choice_of: Vec<u32>,
    /// The pairs at the beginning, in the order of their states.
    pub start: Vec<u32>,
    /// The pairs in which the right side counts.
    pub won: BitSet,
    /// The pairs after which the bounds do not matter; those in which it counts included.
    pub over: BitSet,
    /// For every state of the model the choice where a pair is over, and from then on.
    pub idle: Vec<u32>,
    /// What is left in each epoch, in units.
    epochs: Vec<Vec<u32>>,
    /// What is counted.
    remaining: Vec<Remaining>,
}

/// Pairs and epochs found so far.
struct Found<'c> {
    costs: &'c Costs,
    key: Keys,
    numbers: FxHashMap<(u32, u32), u32>,
    state_of: Vec<u32>,
    epoch_of: Vec<u32>,
    known: FxHashMap<u64, u32>,
    epochs: Vec<Vec<u32>>,
}

impl Found<'_> {
    fn pair(&mut self, state: u32, epoch: u32) -> Result<u32, WitnessError> {
        match self.numbers.entry((state, epoch)) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(place) => {
                if self.state_of.len() == MOST_PAIRS {
                    return Err(NoWitness::TooManyAmounts(MOST_PAIRS).into());
                }
                let number = self.state_of.len() as u32;
                self.state_of.push(state);
                self.epoch_of.push(epoch);
                Ok(*place.insert(number))
            }
        }
    }

    fn epoch(&mut self, left: &[u32]) -> u32 {
        let next = self.epochs.len() as u32;
        match self.known.entry(self.key.of(left)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                self.epochs.push(left.to_vec());
                *place.insert(next)
            }
        }
    }

    /// The epoch after a choice.
    fn after(&mut self, epoch: u32, met: u32, choice: usize, rest: &mut Vec<u32>) -> u32 {
        let step = self.costs.step_of[choice];
        if !self.costs.counts(step, met) {
            return epoch;
        }
        let before = &self.epochs[epoch as usize];
        rest.resize(before.len(), 0);
        match self.costs.after(before, step, rest) {
            true => self.epoch(rest),
            false => LOST,
        }
    }
}

/// Unfolds `left U right` within bounds from some states; `None` where no path satisfies the bounds.
///
/// # Errors
/// There are too many pairs, or costs that are no amounts.
pub fn unfolded(
    context: &Context,
    (left, right): (&BitSet, &BitSet),
    bounds: &[CostBound],
    optimum: Optimum,
    start: &BitSet,
) -> Result<Option<Unfolded>, WitnessError> {
    let zero = prob01_until(context, left, right, optimum).zero;
    let mut relevant = left.clone();
    relevant.subtract(&zero);
    unfold(context, &relevant, (right, &zero), bounds, start)
}

/// Unfolds what matters to a reward within budgets; `None` where a budget is negative. Nothing is won: pairs are over once a
/// budget is exceeded, and where nothing is earned any more.
///
/// # Errors
/// As [`unfolded`].
pub fn unfolded_by_budgets(
    context: &Context,
    reward: &[f64],
    budgets: &[CostBound],
    start: &BitSet,
) -> Result<Option<Unfolded>, WitnessError> {
    let (space, n) = (context.space, context.states());
    let earns = |s: &usize| space.choices_of(*s).any(|choice| reward[choice] > 0.0);
    let earning = BitSet::of(n, (0..n).filter(earns));
    let relevant = context.predecessors().reach(&earning, None);
    unfold(context, &relevant, (&BitSet::new(n), &BitSet::new(n)), budgets, start)
}

/// Unfolds the relevant states. Pairs in a state of `right` are won where all demands are met; in `zero`, a scheduler may
/// remain once they are over.
fn unfold(
    context: &Context,
    relevant: &BitSet,
    (right, zero): (&BitSet, &BitSet),
    bounds: &[CostBound],
    start: &BitSet,
) -> Result<Option<Unfolded>, WitnessError> {
    require_discrete(context)?;
    let space = context.space;
    let costs = Costs::new(context, &[bounds], relevant, None)?;
    let Some(begin) = costs.start(bounds) else { return Ok(None) };
    let key = Keys::new(&costs);
    if !key.fit() {
        return Err(NoWitness::TooManyAmounts(MOST_PAIRS).into());
    }
    let mut found = Found {
        costs: &costs,
        key,
        numbers: FxHashMap::default(),
        state_of: Vec::new(),
        epoch_of: Vec::new(),
        known: FxHashMap::default(),
        epochs: Vec::new(),
    };
    let first = found.epoch(&begin);
    let begin = start.iter().map(|s| found.pair(s as u32, first)).collect::<Result<Vec<u32>, _>>()?;
    let mut choices = Choices::new(vec![0], Vec::new());
    let (mut row_start, mut columns, mut values) = (vec![0u32], Vec::new(), ValuesBuilder::new());
    let (mut choice_of, mut won, mut over) = (Vec::new(), Vec::new(), Vec::new());
    let mut row: Vec<(u32, f64)> = Vec::new();
    let mut rest = Vec::new();
    let mut next = 0;
    while next < found.state_of.len() {
        if next % BATCH == 0 {
            context.control.check()?;
            let pairs = 40 * found.state_of.len() + 64 * found.epochs.len();
            let rows = 4 * (columns.capacity() + 3 * choice_of.capacity());
            context.control.check_memory((pairs + rows) as u64 + values.so_far().bytes())?;
        }
        let (state, epoch) = (found.state_of[next] as usize, found.epoch_of[next]);
        let met = if epoch == LOST { 0 } else { costs.met(&found.epochs[epoch as usize]) };
        let wins = epoch != LOST && costs.accepts(met) && right.contains(state);
        if wins || epoch == LOST || !relevant.contains(state) {
            if wins {
                won.push(next);
            }
            over.push(next);
            columns.push(next as u32);
            values.push(1.0);
            row_start.push(columns.len() as u32);
            choice_of.push(space.choices_of(state).start as u32);
        } else {
            for choice in space.choices_of(state) {
                let after = found.after(epoch, met, choice, &mut rest);
                row.clear();
                for (t, v) in space.transitions(choice) {
                    row.push((found.pair(t as u32, after)?, v));
                }
                row.sort_unstable_by_key(|entry| entry.0);
                columns.extend(row.iter().map(|entry| entry.0));
                row.iter().for_each(|entry| values.push(entry.1));
                row_start.push(u32::try_from(columns.len()).map_err(|_| too_many())?);
                choice_of.push(choice as u32);
            }
        }
        choices.start.push(choice_of.len() as u32);
        next += 1;
    }
    let Found { state_of, epoch_of, epochs, .. } = found;
    // Where a scheduler can avoid the right side whatever is left, it does.
    let avoids =
        |choice: &usize| space.columns[space.row(*choice)].iter().all(|&t| zero.contains(t as usize));
    let idle = (0..context.states()).map(|s| {
        let mut choices = space.choices_of(s);
        let first = choices.start;
        choices.find(|choice| zero.contains(s) && avoids(choice)).unwrap_or(first) as u32
    });
    let idle = idle.collect();
    choices.action = vec![0; choice_of.len()];
    let n = state_of.len();
    let remaining = costs.dimensions.iter().map(|dimension| Remaining {
        counted: bounds[dimension.bound].counted,
        upper: dimension.upper,
        unit: [dimension.unit.numerator().to_f64().value(), dimension.unit.denominator().to_f64().value()],
    });
    let remaining = remaining.collect();
    let space = plain_space(Kind::Mdp, Some(choices), row_start, columns, values.finish());
    let [won, over] = [won, over].map(|set| BitSet::of(n, set));
    let start = begin;
    Ok(Some(Unfolded { space, state_of, epoch_of, choice_of, start, won, over, idle, epochs, remaining }))
}

fn too_many() -> WitnessError {
    CheckError::TooLarge { what: "transitions of a model with amounts that are left of bounds".to_string() }
        .into()
}

impl Unfolded {
    /// What each choice earns of a reward of the model: nothing where it exceeds a budget.
    pub fn earned(&self, reward: &[f64]) -> Vec<f64> {
        let pairs = (0..self.space.num_states()).filter(|&p| !self.over.contains(p));
        let mut earned = vec![0.0; self.choice_of.len()];
        for choice in pairs.flat_map(|p| self.space.choices_of(p)) {
            // All successors are in one epoch.
            let after = self.space.columns[self.space.row_start[choice] as usize] as usize;
            if self.epoch_of[after] != LOST {
                earned[choice] = reward[self.choice_of[choice] as usize];
            }
        }
        earned
    }

    /// What is left with each memory, of some that stand for epochs.
    pub fn amounts(&self, memories: usize, epoch_of: impl Iterator<Item = (u32, u32)>) -> Amounts {
        let mut left: Vec<Option<Box<[u32]>>> = vec![None; memories];
        for (memory, epoch) in epoch_of.filter(|(_, epoch)| *epoch != LOST) {
            left[memory as usize] = self.epochs.get(epoch as usize).map(|left| left.as_slice().into());
        }
        Amounts { of: self.remaining.clone(), left }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let pairs = 8 * self.state_of.len() + 4 * self.choice_of.len();
        let epochs = self.epochs.len() * (24 + 4 * self.remaining.len());
        self.space.bytes() + (pairs + epochs) as u64
    }
}
