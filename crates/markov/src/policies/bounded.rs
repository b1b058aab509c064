//! Strategies for bounds on rewards and steps: a memoryless policy on the model unfolded by what is left.
//!
//! Of a reward that is accumulated within budgets a choice earns its share where it keeps within all of them, so that the
//! reward is a total one on the unfolded model.

use volvelle_control::Control;
use volvelle_logic::{CostBound, Optimum};
use volvelle_objectives::reward_bounded::{LOST, Unfolded, unfolded, unfolded_by_budgets};
use volvelle_objectives::scheduler::{Objective, optimal};
use volvelle_objectives::strategy::{Memory, Policy, Strategy, Tabulation, View};
use volvelle_solver::{Context, WitnessError};
use volvelle_space::BitSet;

use super::total::total_policy;

/// `left U right` within bounds.
pub struct Bounded {
    /// States that may be passed.
    pub left: BitSet,
    /// States to be reached.
    pub right: BitSet,
    /// The bounds.
    pub bounds: Vec<CostBound>,
    /// Whether the probability is to be large or small.
    pub optimum: Optimum,
}

impl Bounded {
    /// The strategy from some states, with bounds of its value in each of them, in their order.
    ///
    /// # Errors
    /// It has too many decisions, or a limit was reached.
    pub fn strategy(
        &self,
        context: &Context,
        start: &BitSet,
    ) -> Result<(Strategy, Vec<[f64; 2]>), WitnessError> {
        let Bounded { left, right, bounds, optimum } = self;
        let unfolded = unfolded(context, (left, right), bounds, *optimum, start)?;
        let Some(unfolded) = unfolded else {
            // No path satisfies the bounds.
            let strategy = Strategy::memoryless(Policy::first(context.space).into_choices());
            return Ok((strategy, vec![[0.0; 2]; start.count()]));
        };
        let control = remaining(context, unfolded.bytes());
        let inner = context.inner(&unfolded.space, context.options, &control);
        let n = unfolded.space.num_states();
        let objective = Objective {
            optimum: *optimum,
            left: BitSet::full(n),
            right: unfolded.won.clone(),
            reward: None,
            negated: false,
            bound: None,
            start: BitSet::of(n, unfolded.start.iter().map(|&p| p as usize)),
        };
        let scheduler = optimal(&inner, &objective)?;
        let values = unfolded.start.iter().map(|&p| scheduler.value[p as usize]).collect();
        Ok((tabulated(context, &unfolded, &Policy::of_choices(scheduler.choices))?, values))
    }
}

/// A reward within budgets.
pub struct Budgeted {
    /// The reward of each choice, not negative.
    pub reward: Vec<f64>,
    /// The budgets: upper bounds.
    pub bounds: Vec<CostBound>,
    /// Whether the reward is to be large or small.
    pub optimum: Optimum,
}

impl Budgeted {
    /// The strategy from some states.
    ///
    /// # Errors
    /// It has too many decisions, or a limit was reached.
    pub fn strategy(&self, context: &Context, start: &BitSet) -> Result<Strategy, WitnessError> {
        let Budgeted { reward, bounds, optimum } = self;
        let Some(unfolded) = unfolded_by_budgets(context, reward, bounds, start)? else {
            // Nothing may be spent: nothing is earned.
            return Ok(Strategy::memoryless(Policy::first(context.space).into_choices()));
        };
        let earned = unfolded.earned(reward);
        let control = remaining(context, unfolded.bytes() + 8 * earned.len() as u64);
        let inner = context.inner(&unfolded.space, context.options, &control);
        let begin = BitSet::of(unfolded.space.num_states(), unfolded.start.iter().map(|&p| p as usize));
        let policy = total_policy(&inner, &earned, *optimum, &begin)?;
        tabulated(context, &unfolded, &policy)
    }
}

/// The limits where so many bytes are held.
fn remaining<'c>(context: &Context<'c>, bytes: u64) -> Control<'c> {
    let mut control = *context.control;
    if let Some(memory) = &mut control.limits.memory_bytes {
        *memory = memory.saturating_sub(bytes);
    }
    control
}

fn tabulated(context: &Context, unfolded: &Unfolded, policy: &Policy) -> Result<Strategy, WitnessError> {
    let view = View {
        space: &unfolded.space,
        state_of: &|p| unfolded.state_of[p],
        choice_of: &unfolded.choice_of,
        memory_of: &|p| unfolded.epoch_of[p],
        is_over: &|p| unfolded.over.contains(p),
    };
    let mut table = Tabulation::idling(unfolded.idle.clone(), LOST);
    let initial = table.memory(0, 0);
    table.walk(context, &view, 0, policy, unfolded.start.iter().map(|&p| p as usize))?;
    let epochs: Vec<(u32, u32)> = table.memories_of(0).collect();
    let mut strategy = table.finish(context, Memory::Amounts, initial)?;
    strategy.amounts = Some(unfolded.amounts(strategy.memories() as usize, epochs.into_iter()));
    Ok(strategy)
}
