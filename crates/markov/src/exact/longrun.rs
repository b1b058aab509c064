//! Long-run averages of chains over rationals.
//!
//! In a bottom component the average is the mean reward between two visits of one state over the mean time between
//! them (renewal theorem; Ross, *Stochastic Processes*, section 3.6). Both are sums until that state is reached, for
//! which there are equations. The average of a transient state is the expected average of the component that it ends in.

use super::linear::{Equations, add_product};
use super::model::Model;
use super::reach::{Found, terminal};
use crate::error::CheckError;
use crate::graph::components;
use dashu_ratio::RBig;
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
            let average = average(model, members, reward)?;
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
fn average(model: &Model<'_>, members: &[u32], reward: &[RBig]) -> Result<RBig, CheckError> {
    if members.iter().all(|&s| reward[s as usize].is_zero()) {
        return Ok(RBig::ZERO);
    }
    let home = members[0] as usize;
    let earned = between_visits(model, members, home, |s| reward[s].clone())?;
    let taken = between_visits(model, members, home, |s| model.sojourn(s))?;
    Ok(earned / taken)
}

/// Expected sum of a number of each visited state, from a visit of `home` until before the next one.
fn between_visits(
    model: &Model<'_>,
    members: &[u32],
    home: usize,
    of: impl Fn(usize) -> RBig,
) -> Result<RBig, CheckError> {
    let mut place = std::collections::HashMap::new();
    for &s in members.iter().filter(|&&s| s as usize != home) {
        place.insert(s as usize, place.len() as u32);
    }
    let mut equations = Equations::default();
    for &s in members.iter().filter(|&&s| s as usize != home) {
        let s = s as usize;
        let row = model.transitions(s).filter_map(|(t, p)| Some((*place.get(&t)?, p.clone())));
        let mut row: Vec<(u32, RBig)> = row.collect();
        row.sort_unstable_by_key(|e| e.0);
        equations.rows.push(row);
        equations.constants.push(of(s));
    }
    let sums = equations.solve(model.context.control)?;
    let mut total = of(home);
    for (t, p) in model.transitions(home).filter(|&(t, _)| t != home) {
        add_product(&mut total, p, &sums[place[&t] as usize]);
    }
    Ok(total)
}
