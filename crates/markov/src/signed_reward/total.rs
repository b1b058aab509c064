//! Total rewards of both signs of an MDP: what is earned for ever.
//!
//! A sum has a limit if nothing is lost again and again: if no choice with a negative reward belongs to an end component. Then a run
//! ends in an end component where nothing is paid, or earns infinitely much. End components without pay are collapsed to states in which a
//! run may end, and what is left is a reward until it ends.

use volvelle_logic::{Optimum, RewardId, StopReason};
use volvelle_space::BitSet;

use super::reachability;
use crate::collapsed::{Collapsed, Kept};
use crate::context::Context;
use crate::error::CheckError;
use crate::graph::{EndComponents, end_components};
use crate::numbers::Numbers;
use crate::reward::paying;
use crate::rounding::U;

/// Where runs with a finite sum may end.
struct Ends {
    /// End components without pay.
    found: EndComponents,
    /// The states from which the maximum is infinite.
    infinite: BitSet,
}

/// Whether something can be lost again and again.
pub fn loses_forever(context: &Context, reward: &[f64]) -> bool {
    if reward.iter().all(|&r| r >= 0.0) {
        return false;
    }
    let space = context.space;
    let found = end_components(space, &BitSet::full(context.states()), |_| true);
    (0..space.num_choices()).any(|choice| reward[choice] < 0.0 && found.staying.contains(choice))
}

/// Where runs end; `None` where something can be lost again and again.
fn ends(context: &Context, reward: &[f64], optimum: Optimum) -> Option<Ends> {
    if loses_forever(context, reward) {
        return None;
    }
    let space = context.space;
    let everywhere = BitSet::full(context.states());
    let found = end_components(space, &everywhere, |_| true);
    if optimum == Optimum::Min {
        let found = end_components(space, &everywhere, |choice| reward[choice] == 0.0);
        return Some(Ends { found, infinite: BitSet::new(context.states()) });
    }
    let paying = paying(context, &found, |choice| reward[choice] > 0.0);
    let infinite = context.predecessors().reach(&paying, None);
    Some(Ends { found, infinite })
}

/// The optimal expected reward for ever, of any sign, of an MDP; `None` where something can be lost again and again.
pub fn total(
    context: &Context,
    id: RewardId,
    reward: &[f64],
    optimum: Optimum,
) -> Result<Option<Numbers>, CheckError> {
    let Some(Ends { found, infinite }) = ends(context, reward, optimum) else { return Ok(None) };
    let n = context.states();
    let keep = infinite.complement();
    let mut numbers = Numbers {
        bounds: vec![[f64::INFINITY; 2]; n],
        method: "graph analysis".to_string(),
        stop: StopReason::Computed,
    };
    if keep.count() == 0 {
        return Ok(Some(numbers));
    }
    let remain = vec![0.0; found.iter().count()];
    let kept = Kept { states: &keep, found: &found, remain: &remain, reward: &|choice| reward[choice] };
    let collapsed = Collapsed::new(context.space, &kept);
    context.control.check_memory(collapsed.space.bytes() + 8 * collapsed.reward.len() as u64)?;
    // Probabilities of a row that lead to the same class were added.
    let longest = (0..context.space.num_choices()).map(|c| context.space.row(c).len()).max().unwrap_or(0);
    let options = context.options.with_input(context.options.input + 2.0 * longest as f64 * U);
    let inner = context.inner(&collapsed.space, options, context.control);
    let last = collapsed.space.num_states() - 1;
    let target = BitSet::of(last + 1, [last]);
    let ended = reachability(&inner, id, &collapsed.reward, &target, optimum)?;
    for fact in inner.facts() {
        context.note(fact);
    }
    for s in keep.iter() {
        numbers.bounds[s] = ended.bounds[collapsed.class_of[s] as usize];
    }
    numbers.method = ended.method;
    numbers.stop = ended.stop;
    Ok(Some(numbers))
}
