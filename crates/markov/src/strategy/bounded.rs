//! Strategies for bounds on rewards and steps: a memoryless policy on the model unfolded by what is left.

use volvelle_logic::{CostBound, Optimum};
use volvelle_space::BitSet;

use super::policy::Policy;
use super::tabulate::{Tabulation, View};
use super::{Memory, Strategy};
use crate::context::Context;
use crate::error::WitnessError;
use crate::evaluate::Objective;
use crate::reward_bounded::{LOST, Unfolded, unfolded};
use crate::witness::optimal;

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
        let mut control = *context.control;
        if let Some(memory) = &mut control.limits.memory_bytes {
            *memory = memory.saturating_sub(unfolded.bytes());
        }
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
