//! A shortest trace that one system has and the other has not.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use volvelle_space::Lts;

/// Pairs of a state and a set of states that are looked at.
const MOST: usize = 50_000;

/// States in a set, all sets together.
const MOST_STATES: usize = 4_000_000;

/// A shortest sequence of labels that leads on from `left` and not from `right`; `None` if there is none, or none was found. With `weak`,
/// internal transitions leave no trace.
pub(super) fn trace(lts: &Lts, left: u32, right: u32, weak: bool) -> Option<Vec<u32>> {
    let start = (left, closed(lts, vec![right], weak));
    let mut numbers: FxHashMap<(u32, Vec<u32>), usize> = FxHashMap::default();
    // By pair: the pair before it and the label; the first has none.
    let mut before: Vec<Option<(usize, Option<u32>)>> = vec![None];
    let mut queue = VecDeque::from([start.clone()]);
    numbers.insert(start, 0);
    let mut held = 0;
    let mut pair = 0;
    while let Some((state, others)) = queue.pop_front() {
        for edge in lts.outgoing(state) {
            let (next, label) = if weak && edge.is_internal() {
                (others.clone(), None)
            } else {
                let steps = others.iter().flat_map(|&other| lts.outgoing(other));
                let next =
                    steps.filter(|other| other.label == edge.label).map(|other| other.target).collect();
                (closed(lts, next, weak), Some(edge.label))
            };
            if next.is_empty() {
                return Some(labels(&before, pair, label));
            }
            held += next.len();
            let number = before.len();
            let next = (edge.target, next);
            if let std::collections::hash_map::Entry::Vacant(vacant) = numbers.entry(next.clone()) {
                vacant.insert(number);
                before.push(Some((pair, label)));
                queue.push_back(next);
            }
            if number > MOST || held > MOST_STATES {
                return None;
            }
        }
        pair += 1;
    }
    None
}

/// The labels on the way to a pair, and one more.
fn labels(before: &[Option<(usize, Option<u32>)>], mut pair: usize, last: Option<u32>) -> Vec<u32> {
    let mut labels: Vec<u32> = last.into_iter().collect();
    while let Some((previous, label)) = before[pair] {
        labels.extend(label);
        pair = previous;
    }
    labels.reverse();
    labels
}

/// The sorted states that internal transitions reach, or the states themselves.
fn closed(lts: &Lts, mut states: Vec<u32>, weak: bool) -> Vec<u32> {
    states.sort_unstable();
    states.dedup();
    if !weak {
        return states;
    }
    let mut met: rustc_hash::FxHashSet<u32> = states.iter().copied().collect();
    let mut next = 0;
    while let Some(&state) = states.get(next) {
        next += 1;
        for edge in lts.outgoing(state).iter().filter(|edge| edge.is_internal()) {
            if met.insert(edge.target) {
                states.push(edge.target);
            }
        }
    }
    states.sort_unstable();
    states
}
