//! Accepting components of the product: sets of states in which runs stay for ever and are accepted.

use volvelle_automata::Pair;
use volvelle_solver::graph::end_components;
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Kind, components};

use super::product::Product;
use crate::strategy::Policy;

/// The states of the product that a run has to reach to be accepted (by some scheduler): accepting bottom components of a
/// chain; for an MDP end components in which some scheduler is accepted.
pub fn accepting(context: &Context, product: &Product) -> Result<BitSet, CheckError> {
    let mut target = product.accepted.clone();
    if context.space.kind != Kind::Mdp {
        bottom_components(context, product, &mut target);
        return Ok(target);
    }
    each_component(context, product, &mut target, |_, _, _| {})?;
    Ok(target)
}

/// Finds the end components of an MDP in which some scheduler is accepted by a pair, and adds them to `target`; `visit` is
/// told of each, with the choices by which its states are connected.
fn each_component(
    context: &Context,
    product: &Product,
    target: &mut BitSet,
    mut visit: impl FnMut(&[u32], &Pair, &BitSet),
) -> Result<(), CheckError> {
    let open = product.open();
    for pair in product.pairs()? {
        context.control.check()?;
        let mut inside = open.clone();
        for s in open.iter() {
            // States that are accepting already need no second look.
            if product.has_mark(s, pair.avoid) || target.contains(s) {
                inside.remove(s);
            }
        }
        if inside.count() == 0 {
            continue;
        }
        let found = end_components(context.space, &inside, |_| true);
        for members in found.iter() {
            if meets_all(product, members, &pair.meet) {
                visit(members, pair, &found.staying);
                members.iter().for_each(|&s| {
                    target.insert(s as usize);
                });
            }
        }
    }
    Ok(())
}

/// The states of the product of an MDP that a run has to reach, and a policy that is accepted from there on: it stays in the
/// component and visits what has to be visited again and again.
pub fn accepting_policy(context: &Context, product: &Product) -> Result<(BitSet, Policy), CheckError> {
    let mut target = product.accepted.clone();
    let mut policy = Policy::first(context.space);
    let predecessors = context.predecessors();
    each_component(context, product, &mut target, |members, pair, staying| {
        let stays = |choice: usize| staying.contains(choice);
        match pair.meet.as_slice() {
            [] => policy.stay(context.space, members, stays),
            [mark] => {
                policy.stay(context.space, members, stays);
                let marked = members.iter().copied().filter(|&s| product.has_mark(s as usize, *mark));
                policy.lead(&predecessors, marked, stays);
            }
            _ => policy.roam(context.space, members, stays),
        }
    })?;
    Ok((target, policy))
}

fn bottom_components(context: &Context, product: &Product, target: &mut BitSet) {
    let space = context.space;
    let n = space.num_states();
    let found = components(n, |s| space.successors(s), |_| true);
    let mut component_of = vec![0u32; n];
    for (c, members) in found.iter().enumerate() {
        members.iter().for_each(|&s| component_of[s as usize] = c as u32);
        let stays = |&s: &u32| {
            space.columns[space.row(s as usize)].iter().all(|&t| component_of[t as usize] == c as u32)
        };
        if !members.iter().all(stays) || product.rejected.contains(members[0] as usize) {
            continue;
        }
        let mut met: Vec<u32> = members.iter().map(|&s| product.marks[s as usize]).collect();
        met.sort_unstable();
        met.dedup();
        if product.accepts(&met) {
            members.iter().for_each(|&s| {
                target.insert(s as usize);
            });
        }
    }
}

/// States of the product on cycles that are accepted, whatever their probability.
pub fn on_some_path(context: &Context, product: &Product) -> Result<BitSet, CheckError> {
    let space = context.space;
    let n = space.num_states();
    let mut target = product.accepted.clone();
    let open = product.open();
    for pair in product.pairs()? {
        context.control.check()?;
        let inside = |s: usize| open.contains(s) && !product.has_mark(s, pair.avoid);
        let found = components(n, |s| space.successors(s), inside);
        for members in found.iter() {
            let is_cycle = members.len() > 1 || space.successors(members[0] as usize).contains(&members[0]);
            if is_cycle && meets_all(product, members, &pair.meet) {
                members.iter().for_each(|&s| {
                    target.insert(s as usize);
                });
            }
        }
    }
    Ok(target)
}

fn meets_all(product: &Product, members: &[u32], marks: &[u32]) -> bool {
    marks.iter().all(|&mark| members.iter().any(|&s| product.has_mark(s as usize, mark)))
}
