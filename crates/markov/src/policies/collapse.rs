//! From policies on an MDP whose end components are collapsed to policies on the MDP itself.

use volvelle_logic::{Optimum, RewardId};
use volvelle_objectives::scheduler::{Objective, optimal};
use volvelle_objectives::strategy::Policy;
use volvelle_solver::collapsed::{Collapsed, Kept};
use volvelle_solver::signed_reward::shape;
use volvelle_solver::{CheckError, Context};
use volvelle_space::BitSet;

/// Chooses between remaining in end components and going on, as good as there is. The policy already remains where it is in a
/// component; now it goes on where that is better.
pub fn go_on_or_remain(
    context: &Context,
    kept: &Kept<'_>,
    optimum: Optimum,
    start: &BitSet,
    policy: &mut Policy,
) -> Result<(), CheckError> {
    let (keep, found) = (kept.states, kept.found);
    if keep.count() == 0 {
        return Ok(());
    }
    let collapsed = Collapsed::new(context.space, kept);
    let last = collapsed.space.num_states() - 1;
    let inner = context.inner(&collapsed.space, context.options, context.control);
    let mut from = BitSet::new(last + 1);
    for s in start.iter().filter(|&s| keep.contains(s)) {
        from.insert(collapsed.class_of[s] as usize);
    }
    let right = BitSet::of(last + 1, [last]);
    let reward = match collapsed.reward.iter().any(|&r| r < 0.0) {
        true => {
            let shaped = shape(&inner, RewardId(0), &collapsed.reward, &right, optimum)?;
            if let Some(state) = start
                .iter()
                .find(|&s| keep.contains(s) && shaped.endless.contains(collapsed.class_of[s] as usize))
            {
                return Err(CheckError::EndlessLoss { rewards: String::new(), state: state as u32 });
            }
            shaped.most
        }
        false => collapsed.reward,
    };
    let objective = Objective {
        optimum,
        left: BitSet::full(last + 1),
        right,
        reward: Some(reward),
        negated: false,
        bound: None,
        start: from,
    };
    let taken = optimal(&inner, &objective)?.choices;
    let staying = |choice: usize| found.staying.contains(choice);
    let (class_of, choice_of) = (&collapsed.class_of, &collapsed.choice_of);
    policy.leave_classes(&context.predecessors(), class_of, &taken, choice_of, staying);
    Ok(())
}
