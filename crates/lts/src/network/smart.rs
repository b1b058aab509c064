//! Which members to put together next.
//!
//! After Crouzen and Lang (*Smart Reduction*, FASE 2011, doi:10.1007/978-3-642-19811-3_9): best is a product of which many transitions can be
//! hidden, and few are of one member alone. Their measures are ratios of estimated numbers of transitions; here the numbers
//! themselves are compared, so that of two products that are alike the smaller one is taken.

use super::flat::Vector;
use volvelle_space::{Labels, Lts};

/// What is known of two members.
#[derive(Clone, Copy, Default)]
struct Shared {
    /// Transitions of the first, and of the second, in vectors in which both take part.
    own: [f64; 2],
    /// Common transitions in the product.
    common: f64,
    /// Those that are internal as soon as the two are put together.
    hidden: f64,
}

/// The two members to put together next; `None` where there is only one. Members without a common vector only when there is no other pair.
pub(super) fn best_pair(members: &[Option<Lts>], vectors: &[Vector]) -> Option<[u32; 2]> {
    let there = (0u32..).zip(members).filter_map(|(member, lts)| Some((member, lts.as_ref()?)));
    let (alive, systems): (Vec<u32>, Vec<&Lts>) = there.unzip();
    let count = alive.len();
    if count < 2 {
        return None;
    }
    let occurrences: Vec<Vec<u32>> = systems.iter().map(|lts| occurrences(lts)).collect();
    // Transitions of each member in all vectors, and those that are internal without others.
    let (mut all, mut internal) = (vec![0.0; count], vec![0.0; count]);
    let mut pairs = vec![Shared::default(); count * count];
    let mut parts: Vec<(usize, f64)> = Vec::new();
    for vector in vectors {
        parts.clear();
        parts.extend(vector.parts.iter().map(|&(member, label)| {
            let place = alive.binary_search(&member).expect("vectors are over members that are there");
            (place, f64::from(occurrences[place][label as usize]))
        }));
        parts.sort_unstable_by_key(|&(place, _)| place);
        for (k, &(a, of_a)) in parts.iter().enumerate() {
            all[a] += of_a;
            for &(b, of_b) in &parts[k + 1..] {
                let pair = &mut pairs[a * count + b];
                pair.own[0] += of_a;
                pair.own[1] += of_b;
                pair.common += of_a * of_b;
                if parts.len() == 2 && vector.result == Labels::INTERNAL {
                    pair.hidden += of_a * of_b;
                }
            }
        }
        if let ([(a, of_a)], Labels::INTERNAL) = (&parts[..], vector.result) {
            internal[*a] += of_a;
        }
    }
    let mut best: Option<(bool, f64, [u32; 2])> = None;
    for a in 0..count {
        for b in a + 1..count {
            let shared = pairs[a * count + b];
            let states = [systems[a].num_states() as f64, systems[b].num_states() as f64];
            let alone = (all[a] - shared.own[0]) * states[1] + (all[b] - shared.own[1]) * states[0];
            let hidden = shared.hidden + internal[a] * states[1] + internal[b] * states[0];
            let total = alone + shared.common;
            let (is_apart, cost) = (shared.own == [0.0; 2], total + alone - hidden);
            let is_better = best.is_none_or(|(apart, least, _)| (is_apart, cost) < (apart, least));
            if is_better {
                best = Some((is_apart, cost, [alive[a], alive[b]]));
            }
        }
    }
    best.map(|(.., pair)| pair)
}

/// How many transitions have each label.
fn occurrences(lts: &Lts) -> Vec<u32> {
    let mut counts = vec![0; lts.labels.len()];
    lts.edges().iter().for_each(|edge| counts[edge.label as usize] += 1);
    counts
}
