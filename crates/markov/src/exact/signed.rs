//! Rewards of both signs of an MDP over rationals: the counterpart of [`crate::signed_reward`].
//!
//! Policies need no shaping of rewards: it is enough that the first one arrives, and that nothing is lost again and again. Then
//! every switch to a strictly better choice arrives, too: in a closed set the mean of what is earned would be negative
//! for a minimum, or positive for a maximum, and such end components are excluded.

use super::model::Model;
use super::policy::Task;
use super::reach::{ExactValues, guide, solved};
use crate::error::CheckError;
use crate::evaluate::path::opposite;
use crate::graph::{end_components, members};
use crate::reach::prob01_until;
use crate::reward::paying;
use crate::signed_reward::{self, Arrivals};
use dashu_ratio::RBig;
use volvelle_logic::{Optimum, RewardId};
use volvelle_space::BitSet;

/// Expected reward of any sign, accumulated until `target`; `reward` per choice and visit of the structure `id`.
///
/// # Errors
/// Some scheduler may lose again and again without arriving: [`CheckError::EndlessLoss`].
pub fn reachability(
    model: &Model<'_>,
    id: RewardId,
    reward: &[RBig],
    target: &BitSet,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let arrivals = Arrivals::new(context, target, optimum);
    arrivals.check_no_endless_loss(context, id, |choice| reward[choice] < RBig::ZERO)?;
    let Arrivals { finite, unknown, allowed, .. } = &arrivals;
    let guide = guide(model, || signed_reward::reachability(context, id, &doubles(reward), target, optimum))?;
    let task = Task {
        model,
        unknown,
        allowed: Some(allowed),
        may_stop: None,
        reward: Some(reward),
        known: &|_| RBig::ZERO,
        optimum,
        guide,
    };
    solved(&task, Some(&finite.complement()))
}

/// Expected reward of any sign for ever; `None` where something can be lost again and again.
pub fn total(
    model: &Model<'_>,
    reward: &[RBig],
    optimum: Optimum,
) -> Result<Option<ExactValues>, CheckError> {
    let context = model.context;
    let space = context.space;
    let n = space.num_states();
    let everywhere = BitSet::full(n);
    let found = end_components(space, &everywhere, |_| true);
    if found.staying.iter().any(|choice| reward[choice] < RBig::ZERO) {
        return Ok(None);
    }
    // In an end component without pay a run may stay: it has ended there.
    let free = end_components(space, &everywhere, |choice| reward[choice].is_zero());
    let ends = members(n, free.iter());
    let unknown = match optimum {
        Optimum::Min => prob01_until(context, &everywhere, &ends, opposite(optimum)).one,
        Optimum::Max => {
            let paying = paying(context, &found, |choice| !reward[choice].is_zero());
            context.predecessors().reach(&paying, None).complement()
        }
    };
    let within =
        |choice: &usize| space.columns[space.row(*choice)].iter().all(|&t| unknown.contains(t as usize));
    let allowed = BitSet::of(
        space.num_choices(),
        unknown.iter().flat_map(|s| space.choices_of(s)).filter(within).collect::<Vec<_>>(),
    );
    let task = Task {
        model,
        unknown: &unknown,
        allowed: Some(&allowed),
        may_stop: Some((&ends, &|_| RBig::ZERO)),
        reward: Some(reward),
        known: &|_| RBig::ZERO,
        optimum,
        guide: None,
    };
    solved(&task, Some(&unknown.complement())).map(Some)
}

fn doubles(numbers: &[RBig]) -> Vec<f64> {
    numbers.iter().map(|r| r.to_f64().value()).collect()
}
