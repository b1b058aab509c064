//! The quotient by a bisimulation.

use super::{Options, Partition};
use crate::Failure;
use crate::paths::{Edge, Method, STAY, Walks, exact};
use volvelle_control::Control;
use volvelle_space::{WeightedBuilder, WeightedStep, WeightedStructure, components_by};

/// A structure whose states are the classes of a partition that [`bisimulation`](super::bisimulation) gave
/// with the same options: state `c` is related to all states of class `c`. Two kinds of steps are omitted.
/// Steps of weight 0 inside a class (but with divergence, a class that diverges by a cycle has a loop of
/// weight 0). And steps implied by loops of the class together with a lighter step: if l1, l2, .. are weights
/// of loops and (w, B) is a step, a step (w + n1 l1 + n2 l2 + .., B) is answered by a path that stays in the
/// class until its last step.
///
/// # Errors
/// A limit was reached.
pub fn quotient(
    structure: &WeightedStructure,
    partition: &Partition,
    options: Options,
    control: &Control,
) -> Result<WeightedStructure, Failure> {
    let block = |state: u32| partition.block_of[state as usize];
    let mut steps: Vec<(u32, WeightedStep)> = Vec::with_capacity(structure.num_steps());
    let mut least = vec![u32::MAX; partition.count];
    for state in (0..structure.num_states() as u32).rev() {
        let own = block(state);
        least[own as usize] = state;
        for step in structure.outgoing(state) {
            let step = WeightedStep { weight: step.weight, target: block(step.target) };
            if (step.weight, step.target) != (0, own) {
                steps.push((own, step));
            }
        }
    }
    steps.sort_unstable_by_key(|&(own, step)| (own, step.target, step.weight));
    steps.dedup();
    let diverging =
        if options.divergence { diverging(structure, partition) } else { vec![false; partition.count] };
    let mut builder = WeightedBuilder::new();
    let mut rest = steps.as_slice();
    for own in 0..partition.count as u32 {
        if own.is_multiple_of(1 << 12) {
            control.check()?;
        }
        let count = rest.iter().take_while(|&&(source, _)| source == own).count();
        let mut kept = generators(own, &rest[..count], control)?;
        rest = &rest[count..];
        if diverging[own as usize] {
            kept.push(WeightedStep { weight: 0, target: own });
        }
        builder.state(structure.valuation(least[own as usize]).iter().copied(), kept);
    }
    let (unit, propositions) = (structure.unit.clone(), structure.propositions.clone());
    Ok(builder.finish(block(structure.initial), unit, propositions))
}

/// The steps of a class that are not implied by others.
fn generators(
    own: u32,
    steps: &[(u32, WeightedStep)],
    control: &Control,
) -> Result<Vec<WeightedStep>, Failure> {
    let mut loops: Vec<u64> = Vec::new();
    let all = steps.iter().map(|&(_, step)| step);
    for step in all.clone().filter(|step| step.target == own) {
        if !sum_of(&loops, &[0], step.weight, control)? {
            loops.push(step.weight);
        }
    }
    let mut kept: Vec<WeightedStep> =
        loops.iter().map(|&weight| WeightedStep { weight, target: own }).collect();
    let mut same: Vec<u64> = Vec::new();
    let mut target = own;
    for step in all.filter(|step| step.target != own) {
        if step.target != target {
            target = step.target;
            same.clear();
        }
        // Lighter steps come first.
        if loops.is_empty() || !sum_of(&loops, &same, step.weight, control)? {
            same.push(step.weight);
            kept.push(step);
        }
    }
    Ok(kept)
}

/// Whether a weight is the sum of one of `ends` and any number of loops.
fn sum_of(loops: &[u64], ends: &[u64], weight: u64, control: &Control) -> Result<bool, Failure> {
    if loops.is_empty() || ends.is_empty() {
        return Ok(ends.contains(&weight));
    }
    if weight == u64::MAX {
        return Ok(false);
    }
    let edge = |node: u32| move |&weight: &u64| (0, Edge { weight, node, state: STAY });
    let edges: Vec<(u32, Edge)> = loops.iter().map(edge(0)).chain(ends.iter().map(edge(1))).collect();
    let walks = Walks::new(vec![0], &edges);
    Ok(exact(&walks, weight, weight, Method::Automatic, control)?[0])
}

/// The classes with a cycle of weight 0 inside.
fn diverging(structure: &WeightedStructure, partition: &Partition) -> Vec<bool> {
    let inert = |state: u32, step: &WeightedStep| {
        step.weight == 0 && partition.block_of[step.target as usize] == partition.block_of[state as usize]
    };
    let states = structure.num_states();
    let mut starts = vec![0u32];
    let mut targets: Vec<u32> = Vec::new();
    for state in 0..states as u32 {
        let steps = structure.outgoing(state).iter();
        targets.extend(steps.filter(|step| inert(state, step)).map(|step| step.target));
        starts.push(targets.len() as u32);
    }
    let successors = |v: usize| &targets[starts[v] as usize..starts[v + 1] as usize];
    let found = components_by(states, |v, place| successors(v).get(place).copied(), |_| true);
    let mut is = vec![false; partition.count];
    for members in found.iter() {
        let first = members[0];
        is[partition.block_of[first as usize] as usize] |=
            members.len() > 1 || successors(first as usize).contains(&first);
    }
    is
}
