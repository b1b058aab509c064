//! Long-run averages of chains over rationals.
//!
//! In a bottom component the average is the mean reward between two visits of one state over the mean time between
//! them (renewal theorem; Ross, *Stochastic Processes*, section 3.6), which follow from the mean numbers of visits of
//! the other states. The average of a transient state is the expected average of the component that it ends in.

use super::linear::solve_sparse;
use super::model::Model;
use super::reach::{Found, terminal};
use crate::error::CheckError;
use crate::graph::components;
use dashu_ratio::RBig;
use std::collections::HashMap;
use volvelle_space::BitSet;

/// Long-run average of `reward` (per visit of a state) per unit of time, for every state of a chain.
pub fn long_run(model: &Model<'_>, reward: &[RBig]) -> Result<Found, CheckError> {
    let space = model.context.space;
    let n = space.num_states();
    let found = components(n, |s| space.row(s), &space.columns, |_| true);
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

/// The average of a bottom component.
///
/// The expected numbers of visits between two visits of one state, `home`, fulfil `v = v P` with `v[home] = 1`: without
/// `home`, a regular system of equations. All its unknowns have one denominator, which cancels.
fn average(model: &Model<'_>, members: &[u32], reward: &[RBig]) -> Result<RBig, CheckError> {
    let home = members[0] as usize;
    let mut place = HashMap::new();
    for &s in &members[1..] {
        place.insert(s as usize, place.len() as u32);
    }
    // Row t of the matrix: v[t] - Σ v[s] P(s, t) = P(home, t).
    let mut rows: Vec<Vec<(u32, RBig)>> = (0..place.len()).map(|t| vec![(t as u32, RBig::ONE)]).collect();
    let mut right = vec![RBig::ZERO; place.len()];
    for &s in members {
        for (t, p) in model.transitions(s as usize) {
            let Some(&row) = place.get(&t) else { continue };
            match place.get(&(s as usize)) {
                None => right[row as usize] += p,
                Some(&column) if column == row => rows[row as usize][0].1 -= p,
                Some(&column) => rows[row as usize].push((column, -p.clone())),
            }
        }
    }
    let visits = solve_sparse(rows, right, model.context.control)?;
    let one = RBig::from(visits.denominator.clone());
    let sum = |of: &dyn Fn(usize) -> RBig| {
        let others = members[1..].iter().zip(&visits.numerators);
        others.fold(of(home) * &one, |sum, (&s, v)| sum + of(s as usize) * RBig::from(v.clone()))
    };
    let earned = sum(&|s| reward[s].clone());
    Ok(earned / sum(&|s| model.sojourn(s)))
}
