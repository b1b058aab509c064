//! The k most probable paths to a target, loops included.
//!
//! Best-first search over paths (Hart, Nilsson and Raphael 1968), ordered by the probability of a path so far times that of its most
//! probable continuation, which Dijkstra's algorithm gave for all states. As that estimate is the truth, paths come out by falling
//! probability, and no state has to be continued more than k times: k paths over it are at least as probable as any later one
//! (Jimenez and Marzal 1999, *Computing the k shortest paths*, who avoid even that by recursion).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use volvelle_control::{Control, Stop};
use volvelle_space::{BitSet, Space};

use super::path::{Best, Scaled};

/// Paths that are extended between two looks at the clock.
const BATCH: usize = 1 << 16;

/// A path, by its last step.
struct Node {
    state: u32,
    /// The path without that step; itself where it begins.
    before: u32,
    probability: Scaled,
}

/// A path as the states on it, with its probability.
pub(super) type States = (Vec<u32>, Scaled);

/// At most `count` paths from `start` through `via` to `target`, by falling probability. `onwards` has the most probable paths to
/// the target.
#[expect(clippy::too_many_arguments, reason = "one caller; a chain, a set of paths over it, and limits")]
pub(super) fn most_probable(
    chain: &Space,
    probability: &[f64],
    start: u32,
    via: &BitSet,
    target: &BitSet,
    onwards: &Best,
    count: usize,
    control: &Control,
) -> Result<Vec<States>, Stop> {
    let mut nodes = vec![Node { state: start, before: 0, probability: Scaled::ONE }];
    let mut heap = BinaryHeap::new();
    let rank = |node: &Node| node.probability.times(onwards.probability[node.state as usize]);
    if rank(&nodes[0]) > Scaled::ZERO {
        heap.push((rank(&nodes[0]).key(), Reverse(0u32)));
    }
    let mut continued = vec![0usize; chain.num_states()];
    let mut found = Vec::new();
    let mut rounds = 0usize;
    while let Some((_, Reverse(number))) = heap.pop() {
        rounds += 1;
        if rounds.is_multiple_of(BATCH) {
            control.check()?;
            control.check_memory((64 * nodes.len()) as u64)?;
        }
        let (state, so_far) = (nodes[number as usize].state, nodes[number as usize].probability);
        let s = state as usize;
        if target.contains(s) {
            found.push((states(&nodes, number), so_far));
            if found.len() == count {
                break;
            }
            continue;
        }
        if continued[s] == count || !via.contains(s) {
            continue;
        }
        continued[s] += 1;
        for i in chain.row(s) {
            let node = Node {
                state: chain.columns[i],
                before: number,
                probability: so_far.times(Scaled::new(probability[i])),
            };
            let rank = rank(&node);
            if rank > Scaled::ZERO && nodes.len() < u32::MAX as usize {
                heap.push((rank.key(), Reverse(nodes.len() as u32)));
                nodes.push(node);
            }
        }
    }
    // Rounding may have swapped paths of nearly the same probability.
    found.sort_by_key(|path: &States| Reverse(path.1.key()));
    Ok(found)
}

/// The states of a path, from its start.
fn states(nodes: &[Node], mut number: u32) -> Vec<u32> {
    let mut states = vec![nodes[number as usize].state];
    while number != 0 {
        number = nodes[number as usize].before;
        states.push(nodes[number as usize].state);
    }
    states.reverse();
    states
}

#[cfg(test)]
mod tests {
    use super::super::path::{backwards, probabilities};
    use super::*;
    use volvelle_reference::*;
    use volvelle_solver::graph::Predecessors;
    use volvelle_space::Kind;

    /// All paths of at most so many steps, by brute force.
    fn all(space: &Space, via: &BitSet, target: &BitSet, steps: usize) -> Vec<f64> {
        let mut open = vec![(0usize, 1.0f64)];
        let mut done = Vec::new();
        for _ in 0..=steps {
            let mut next = Vec::new();
            for (s, p) in open {
                if target.contains(s) {
                    done.push(p);
                } else if via.contains(s) {
                    next.extend(space.transitions(s).filter(|e| e.1 > 0.0).map(|(t, v)| (t, p * v)));
                }
            }
            // Far less probable than the paths that are compared.
            next.retain(|(_, p)| *p > 1e-7);
            open = next;
        }
        done.sort_by(|a, b| b.total_cmp(a));
        done
    }

    #[test]
    fn brute_force_finds_the_same() {
        let mut random = Random(77);
        let mut compared = 0;
        for round in 0..150 {
            let n = 3 + random.below(4);
            let space = space(Kind::Dtmc, &random_rows(&mut random, n, 1));
            let target = random_set(&mut random, n, 3);
            let mut via = BitSet::full(n);
            if random.one_in(3) {
                via.subtract(&random_set(&mut random, n, 5));
            }
            via.subtract(&target);
            let probability = probabilities(&space);
            let onwards = backwards(&space, &Predecessors::new(&space), &probability, &target, &via);
            let count = 1 + random.below(12);
            let control = Control::unlimited();
            let found =
                most_probable(&space, &probability, 0, &via, &target, &onwards, count, &control).unwrap();
            let expected = all(&space, &via, &target, 24);
            for (i, (states, p)) in found.iter().enumerate() {
                let of_states: f64 = states
                    .windows(2)
                    .map(|pair| {
                        space.transitions(pair[0] as usize).find(|e| e.0 == pair[1] as usize).unwrap().1
                    })
                    .product();
                assert!((of_states - p.value()).abs() <= 1e-12 * of_states);
                if p.value() > 1e-5 {
                    assert!((p.value() - expected[i]).abs() <= 1e-9 * expected[i], "round {round} path {i}");
                    compared += 1;
                }
            }
            let likely = expected.iter().take(count).filter(|p| **p > 1e-5).count();
            assert!(found.len() >= likely, "round {round}: {} of {likely}", found.len());
            let mut distinct: Vec<&Vec<u32>> = found.iter().map(|f| &f.0).collect();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), found.len());
        }
        assert!(compared > 100, "{compared}");
    }
}
