//! Distances by their definition: all candidates, and the greatest fixpoint at each of them.

use dashu_ratio::RBig;
use std::collections::BTreeSet;
use volvelle_space::WeightedStructure;
use volvelle_weighted::distance::{Distance, Kind};

/// Whether a weight answers a step at the bound `e = top / bottom`.
fn answers(kind: Kind, weight: u64, answer: u64, (top, bottom): (u64, u64)) -> bool {
    let apart = match kind {
        Kind::Ebd => answer.saturating_sub(weight),
        Kind::Wbd => answer.abs_diff(weight),
    };
    bottom * apart <= top * weight
}

/// The relation at a bound: by first, then by second state.
pub fn relation(structure: &WeightedStructure, kind: Kind, e: (u64, u64)) -> Vec<Vec<bool>> {
    let states = structure.num_states();
    let same = |s: usize, t: usize| structure.valuation_of(s as u32) == structure.valuation_of(t as u32);
    let mut related: Vec<Vec<bool>> =
        (0..states).map(|s| (0..states).map(|t| same(s, t)).collect()).collect();
    loop {
        let mut changed = false;
        for s in 0..states {
            for t in 0..states {
                let steps = structure.outgoing(s as u32);
                if related[s][t]
                    && steps.iter().any(|step| !is_answered(structure, kind, e, &related, s, step, t))
                {
                    related[s][t] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return related;
        }
    }
}

fn is_answered(
    structure: &WeightedStructure,
    kind: Kind,
    e: (u64, u64),
    related: &[Vec<bool>],
    s: usize,
    step: &volvelle_space::WeightedStep,
    t: usize,
) -> bool {
    let highest = step.weight + step.weight * e.0 / e.1;
    let mut seen = BTreeSet::from([(t, 0u64)]);
    let mut open = vec![(t, 0u64)];
    while let Some((state, weight)) = open.pop() {
        if related[step.target as usize][state] && answers(kind, step.weight, weight, e) {
            return true;
        }
        if related[s][state] {
            for next in structure.outgoing(state as u32) {
                let reached = (next.target as usize, weight + next.weight);
                if reached.1 <= highest && seen.insert(reached) {
                    open.push(reached);
                }
            }
        }
    }
    false
}

/// All numbers that may be distances, in increasing order.
fn candidates(structure: &WeightedStructure) -> Vec<(u64, u64)> {
    let largest = structure.largest_weight() * (structure.num_states() as u64 + 1);
    let weights: BTreeSet<u64> =
        structure.steps().iter().map(|step| step.weight).filter(|&w| w > 0).collect();
    let mut all = vec![(0, 1)];
    all.extend(weights.iter().flat_map(|&w| (0..=largest).map(move |answer| (answer.abs_diff(w), w))));
    all.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    all.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
    all
}

/// The distances of all pairs.
pub fn distances(structure: &WeightedStructure, kind: Kind) -> Vec<Vec<Distance>> {
    let all = candidates(structure);
    let states = structure.num_states();
    let mut least = vec![vec![Distance::Infinite; states]; states];
    let mut relations: Vec<Option<Vec<Vec<bool>>>> = vec![None; all.len()];
    for s in 0..states {
        for t in 0..states {
            // The least candidate at which they are related.
            let (mut low, mut high) = (0, all.len());
            while low < high {
                let middle = (low + high) / 2;
                let related = relations[middle].get_or_insert_with(|| relation(structure, kind, all[middle]));
                if related[s][t] { high = middle } else { low = middle + 1 }
            }
            if let Some(&(top, bottom)) = all.get(low) {
                least[s][t] = Distance::Finite(RBig::from_parts(top.into(), bottom.into()));
            }
        }
    }
    least
}
