//! Total rewards of both signs of an MDP: what is earned for ever.
//!
//! A maximum is a minimum of the negated rewards. A run ends in an end component where nothing is paid, or earns or loses infinitely
//! much. The sums of a run that stays in an end component have a limit, minus infinity, if something is lost there and nothing gained, or if
//! the least average is negative; plus infinity if the least average is positive. Otherwise they may swing for ever, and the
//! question is refused; so it is where a run may have to choose by chance between infinite gains and infinite losses.
//! End components without pay are collapsed to states in which a run may end, and what is left is a reward until it ends.

use volvelle_logic::{Optimum, RewardId, StopReason};
use volvelle_space::{BitSet, Space};

use super::level::{averages, balanced};
use super::reachability;
use crate::collapsed::{Collapsed, Kept};
use crate::context::Context;
use crate::error::CheckError;
use crate::graph::{EndComponents, end_components};
use crate::interval::Interval;
use crate::numbers::Numbers;
use crate::reach::prob01_until;
use crate::rounding::U;

/// Where the minimum of a total reward is finite.
pub struct Ends {
    /// End components without pay, where a run may end.
    pub free: EndComponents,
    /// The states with a minimum of minus infinity.
    pub endless: BitSet,
}

/// What is known of an end component in which something is lost and something gained.
pub enum Balance {
    /// Losses outweigh for some scheduler.
    Losing,
    /// They do not.
    Gaining,
    /// Sums may have no limit.
    Neither,
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

/// Where runs end with the least total reward, whose signs are given per choice; `balance` judges end components in which signs
/// differ, given those and the ones without pay.
/// `None` where sums may have no limit.
pub fn ends(
    context: &Context,
    sign: impl Fn(usize) -> std::cmp::Ordering,
    balance: impl FnOnce(&EndComponents, &EndComponents) -> Result<Vec<Balance>, CheckError>,
) -> Result<Option<Ends>, CheckError> {
    let space = context.space;
    let n = context.states();
    let everywhere = BitSet::full(n);
    let all = end_components(space, &everywhere, |_| true);
    let occurs = |members: &[u32], wanted| {
        let mut choices = members.iter().flat_map(|&s| space.choices_of(s as usize));
        choices.any(|choice| all.staying.contains(choice) && sign(choice) == wanted)
    };
    let mut losing = BitSet::new(n);
    let mut lose = |members: &[u32]| {
        for &s in members {
            losing.insert(s as usize);
        }
    };
    let mut open = EndComponents { states: Vec::new(), start: vec![0], staying: all.staying.clone() };
    for members in all.iter().filter(|members| occurs(members, std::cmp::Ordering::Less)) {
        if occurs(members, std::cmp::Ordering::Greater) {
            open.states.extend_from_slice(members);
            open.start.push(open.states.len() as u32);
        } else {
            lose(members);
        }
    }
    let free = end_components(space, &everywhere, |choice| sign(choice) == std::cmp::Ordering::Equal);
    for (members, balance) in open.iter().zip(balance(&open, &free)?) {
        match balance {
            Balance::Losing => lose(members),
            Balance::Gaining => {}
            Balance::Neither => return Ok(None),
        }
    }
    if losing.count() == 0 {
        return Ok(Some(Ends { free, endless: losing }));
    }
    let mut target = losing.clone();
    for &s in &free.states {
        target.insert(s as usize);
    }
    // Elsewhere a run may have to earn infinitely much.
    if prob01_until(context, &everywhere, &target, Optimum::Max).one.count() < n {
        return Ok(None);
    }
    let endless = context.predecessors().reach(&losing, None);
    Ok(Some(Ends { free, endless }))
}

/// The optimal expected reward for ever, of any sign, of an MDP; `None` where sums may have no limit.
pub fn total(
    context: &Context,
    id: RewardId,
    reward: &[f64],
    optimum: Optimum,
) -> Result<Option<Numbers>, CheckError> {
    if optimum == Optimum::Max {
        let negated: Vec<f64> = reward.iter().map(|r| -r).collect();
        let Some(mut numbers) = total(context, id, &negated, Optimum::Min)? else { return Ok(None) };
        numbers.bounds.iter_mut().for_each(|bounds| *bounds = [-bounds[1], -bounds[0]]);
        return Ok(Some(numbers));
    }
    let balance = |open: &EndComponents, free: &EndComponents| -> Result<Vec<Balance>, CheckError> {
        let of = |(members, ([lo, hi], _)): (&[u32], (Interval, Vec<f64>))| match () {
            () if hi < 0.0 => Ok(Balance::Losing),
            () if lo > 0.0 => Ok(Balance::Gaining),
            // It is looked at again when what costs nothing is collapsed, and a run may end there.
            () if free.states.iter().any(|s| members.contains(s)) => Ok(Balance::Gaining),
            () => Err(balanced(context, id, members[0])),
        };
        open.iter().zip(averages(context, open, reward)?).map(of).collect()
    };
    let sign = |choice: usize| reward[choice].partial_cmp(&0.0).unwrap_or(std::cmp::Ordering::Equal);
    let Some(Ends { free: found, endless }) = ends(context, sign, balance)? else { return Ok(None) };
    let n = context.states();
    let keep = endless.complement();
    let mut numbers = Numbers {
        bounds: vec![[f64::NEG_INFINITY; 2]; n],
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
    let options =
        context.options.with_input(context.options.input + 2.0 * longest_row(context.space) as f64 * U);
    let inner = context.inner(&collapsed.space, options, context.control);
    let last = collapsed.space.num_states() - 1;
    let target = BitSet::of(last + 1, [last]);
    let ended = reachability(&inner, id, &collapsed.reward, &target, Optimum::Min)?;
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

fn longest_row(space: &Space) -> usize {
    (0..space.num_choices()).map(|choice| space.row(choice).len()).max().unwrap_or(0)
}
