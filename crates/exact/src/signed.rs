//! Rewards of both signs of an MDP over rationals: the counterpart of [`volvelle_solver::signed_reward`].
//!
//! Policies need no shaping of rewards: it is enough that the first one arrives, and that no end component has a negative least average.
//! Then every switch to a strictly better choice arrives, too: in a closed set the mean of what is earned would be negative for a
//! minimum, or positive for a maximum, and such end components are excluded. Where the least average is zero, the minimum is minus
//! infinity if gains and losses differ by chance: a scheduler waits until it has lost as much as it likes (Baier, Bertrand, Dubslaff,
//! Gburek and Sankur, LICS 2018: *gambling* end components). Otherwise what a cycle gains it loses.

use crate::average_reward::{LeastAverage, least_average};
use crate::model::Model;
use crate::policy::Task;
use crate::reach::{ExactValues, guide, solved};
use dashu_ratio::RBig;
use std::cmp::Ordering;
use volvelle_logic::{Optimum, Ratio, RewardId};
use volvelle_solver::CheckError;
use volvelle_solver::graph::{EndComponents, members};
use volvelle_solver::reach::prob01_until;
use volvelle_solver::signed_reward::{self, Arrivals, Balance, Ends, ends};
use volvelle_space::BitSet;

/// Expected reward of any sign, accumulated until `target`; `reward` per choice and visit.
pub fn reachability(
    model: &Model<'_>,
    reward: &[RBig],
    target: &BitSet,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let mut arrivals = Arrivals::new(context, target, optimum);
    let losing = arrivals.losing(|choice| reward[choice] < RBig::ZERO, context.space);
    let mut lost = Vec::new();
    for members in losing.iter() {
        let LeastAverage { sign, by_chance, .. } = least_average(model, &losing, members, reward)?;
        if sign == Ordering::Less || by_chance {
            lost.extend_from_slice(members);
        }
    }
    let endless = arrivals.leave_out(context, &lost);
    let Arrivals { finite, unknown, allowed, .. } = &arrivals;
    let rough =
        || signed_reward::reachability(context, RewardId(u32::MAX), &doubles(reward), target, optimum);
    let guide = if lost.is_empty() { guide(model, rough)? } else { None };
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
    Ok(with_endless(solved(&task, Some(&finite.complement()))?, &endless))
}

/// Expected reward of any sign for ever; `None` where sums may have no limit.
pub fn total(
    model: &Model<'_>,
    reward: &[RBig],
    optimum: Optimum,
) -> Result<Option<ExactValues>, CheckError> {
    if optimum == Optimum::Max {
        let negated: Vec<RBig> = reward.iter().map(|r| -r.clone()).collect();
        let Some((values, method)) = total(model, &negated, Optimum::Min)? else { return Ok(None) };
        return Ok(Some((values.into_iter().map(negative).collect(), method)));
    }
    let context = model.context;
    let space = context.space;
    let n = space.num_states();
    let balance = |open: &EndComponents, _: &EndComponents| -> Result<Vec<Balance>, CheckError> {
        let of = |members| {
            let LeastAverage { sign, lasting, .. } = least_average(model, open, members, reward)?;
            Ok(match sign {
                Ordering::Less => Balance::Losing,
                Ordering::Equal if lasting.iter().any(|choice| !reward[choice].is_zero()) => Balance::Neither,
                _ => Balance::Gaining,
            })
        };
        open.iter().map(of).collect()
    };
    let sign = |choice: usize| reward[choice].cmp(&RBig::ZERO);
    let Some(Ends { free, endless }) = ends(context, sign, balance)? else { return Ok(None) };
    let ends = members(n, free.iter());
    let mut unknown = match endless.count() {
        0 => prob01_until(context, &BitSet::full(n), &ends, Optimum::Max).one,
        _ => BitSet::full(n),
    };
    unknown.subtract(&endless);
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
    Ok(Some(with_endless(solved(&task, Some(&unknown.complement()))?, &endless)))
}

/// Values with those that are minus infinity.
fn with_endless((mut values, method): ExactValues, endless: &BitSet) -> ExactValues {
    endless.iter().for_each(|s| values[s] = Ratio::MinusInfinity);
    (values, method)
}

fn negative(value: Ratio) -> Ratio {
    match value {
        Ratio::Finite(value) => Ratio::Finite(-value),
        Ratio::Infinity => Ratio::MinusInfinity,
        Ratio::MinusInfinity => Ratio::Infinity,
    }
}

fn doubles(numbers: &[RBig]) -> Vec<f64> {
    numbers.iter().map(|r| r.to_f64().value()).collect()
}
