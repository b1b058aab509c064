//! Long-run averages of chains over rationals.
//!
//! In a bottom component the average is the mean reward between two visits of one state over the mean time between
//! them (renewal theorem; Ross, *Stochastic Processes*, section 3.6), which follow from the mean times that are spent
//! in the other states meanwhile. The average of a transient state is the expected average of the component that it ends in.

use crate::linear::{common_denominator, solve_sparse};
use crate::model::Model;
use crate::reach::{ExactValues, terminal};
use dashu_int::IBig;
use dashu_ratio::RBig;
use std::collections::HashMap;
use volvelle_logic::Ratio;
use volvelle_solver::CheckError;
use volvelle_solver::longrun::{UNDEFINED, bottom_components};
use volvelle_space::{BitSet, components};

/// Long-run average of `reward` (per visit of a state) per unit of time, for every state of a chain.
pub fn long_run(model: &Model<'_>, reward: &[RBig]) -> Result<ExactValues, CheckError> {
    let space = model.context.space;
    let n = space.num_states();
    let found = components(n, |s| space.successors(s), |_| true);
    let mut component_of = vec![u32::MAX; n];
    let mut averages = vec![RBig::ZERO; n];
    let mut transient = BitSet::full(n);
    for (c, members) in found.iter().enumerate() {
        members.iter().for_each(|&s| component_of[s as usize] = c as u32);
        let bottom =
            members.iter().all(|&s| space.transitions(s as usize).all(|(t, _)| component_of[t] == c as u32));
        if bottom {
            let all_zero = members.iter().all(|&s| reward[s as usize].is_zero());
            let average = if all_zero { RBig::ZERO } else { average(model, members, reward)? };
            for &s in members {
                averages[s as usize] = average.clone();
                transient.remove(s as usize);
            }
        }
    }
    let (values, _) = terminal(model, &transient, &|s| averages[s].clone())?;
    Ok((values, "rational arithmetic".to_string()))
}

/// Long-run ratio of `reward` over `divisor`, not negative, both per visit of a state, for every state of a chain: in a bottom
/// component that of the averages.
pub fn ratio(model: &Model<'_>, reward: &[RBig], divisor: &[RBig]) -> Result<ExactValues, CheckError> {
    let context = model.context;
    if !context.is_chain() {
        let what = "a long-run ratio of rewards of an mdp".to_string();
        return Err(CheckError::NotYetEvaluated { what });
    }
    let n = context.states();
    let everywhere = model.focused(None);
    let ((above, _), (below, method)) = (long_run(&everywhere, reward)?, long_run(&everywhere, divisor)?);
    let (bottom, mut unknown) = bottom_components(context.space);
    let mut values = vec![RBig::ZERO; n];
    let (mut infinite, mut undefined) = (BitSet::new(n), BitSet::new(n));
    for members in &bottom {
        let first = members[0] as usize;
        let (Ratio::Finite(a), Ratio::Finite(b)) = (&above[first], &below[first]) else { continue };
        for s in members.iter().map(|&s| s as usize) {
            match (a.is_zero(), b.is_zero()) {
                (_, false) => values[s] = a / b,
                (false, true) => _ = infinite.insert(s),
                (true, true) => _ = undefined.insert(s),
            }
        }
    }
    let [infinite, undefined] = [infinite, undefined].map(|set| context.predecessors().reach(&set, None));
    if undefined.iter().any(|s| model.is_needed(s)) {
        return Err(CheckError::Undefined { what: UNDEFINED.to_string() });
    }
    unknown.subtract(&infinite);
    unknown.subtract(&undefined);
    let (found, _) = terminal(model, &unknown, &|s| values[s].clone())?;
    let value = |(s, value)| if infinite.contains(s) { Ratio::Infinity } else { value };
    Ok((found.into_iter().enumerate().map(value).collect(), method))
}

/// The average of a bottom component.
///
/// The mean times `u` that are spent in the states between two visits of one of them, the reference state, balance: `u(t) exit(t)` is
/// the sum of `u(s) rate(s, t)`. Without the reference state, this is a regular system of equations; the unknowns are `u(s)` over
/// the common denominator of the rates of `s`, so that its entries are small integers. All unknowns have one
/// denominator, which cancels.
fn average(model: &Model<'_>, members: &[u32], reward: &[RBig]) -> Result<RBig, CheckError> {
    let space = model.context.space;
    let mut place = HashMap::new();
    for &s in &members[1..] {
        place.insert(s as usize, place.len() as u32);
    }
    let rates = |s: usize| space.row(s).map(|i| (space.columns[i] as usize, model.exact.values.get(i)));
    let scale = |s: usize| RBig::from(common_denominator(rates(s).map(|(_, rate)| rate)));
    let exit = |s: usize| model.exit.as_ref().map_or(RBig::ONE, |exit| exit[s].clone());
    let mut rows: Vec<Vec<(u32, RBig)>> = members[1..]
        .iter()
        .enumerate()
        .map(|(i, &s)| vec![(i as u32, exit(s as usize) * scale(s as usize))])
        .collect();
    let mut right = vec![RBig::ZERO; rows.len()];
    for &s in members {
        let scale = scale(s as usize);
        for (t, rate) in rates(s as usize) {
            let Some(&row) = place.get(&t) else { continue };
            let entry = rate * &scale;
            match place.get(&(s as usize)) {
                None => right[row as usize] += entry,
                Some(&column) if column == row => rows[row as usize][0].1 -= entry,
                Some(&column) => rows[row as usize].push((column, -entry)),
            }
        }
    }
    let times = solve_sparse(rows, right, model.context.control)?;
    let (mut earned, mut taken) = (RBig::ZERO, RBig::ZERO);
    let at_reference = IBig::from(times.denominator);
    for (&s, time) in members.iter().zip([at_reference].into_iter().chain(times.numerators)) {
        let time = RBig::from(time) * scale(s as usize);
        if !reward[s as usize].is_zero() {
            earned += &time * exit(s as usize) * &reward[s as usize];
        }
        taken += time;
    }
    Ok(earned / taken)
}
