//! Exact weights by residues: the method for large weights.
//!
//! Let a closed walk through a node x have weight a > 0. A walk that passes x can be extended by a any number
//! of times. So, for each residue modulo a, the weights of walks from t through x are a least one and that
//! plus all multiples of a. This generalises the Apéry set of a numerical semigroup (R. Apéry, *Sur les
//! branches superlinéaires des courbes algébriques*, C. R. Acad. Sci. Paris 222, 1946). Dijkstra's algorithm
//! on pairs of a node and a residue finds these least weights. Walks that avoid x are walks of the graph
//! without x. So x is removed, and so on, until no closed walk has positive weight; then finitely many sums
//! are left. Cf. M. Nykänen, E. Ukkonen, *The exact path length problem*, J. Algorithms 42(1), 2002,
//! doi:10.1006/jagm.2001.1201.

use super::ends::{BATCH, NONE, least_to};
use super::radix_heap::RadixHeap;
use super::walks::{Edge, Walks};
use crate::Failure;
use volvelle_control::Control;

/// A closed walk of positive weight.
#[derive(Debug)]
pub(crate) struct Cycle {
    /// Its weight.
    pub weight: u64,
    /// Its edges, starting at `at`.
    pub edges: Vec<Edge>,
    /// The node at which it starts and ends.
    pub at: u32,
}

/// Limit of edges that are tried as the heaviest part of a closed walk.
const TRIALS: usize = 64;

/// A closed walk through alive nodes of small positive weight; the lightest one, if there are few edges to
/// try.
pub(crate) fn light_cycle(
    walks: &Walks,
    alive: &[bool],
    control: &Control,
) -> Result<Option<Cycle>, Failure> {
    let found = walks.components(alive);
    let component = found.component_of(walks.num_nodes());
    let mut candidates: Vec<(u64, u32, Edge)> = Vec::new();
    for node in (0..walks.num_nodes() as u32).filter(|&node| alive[node as usize]) {
        let inside = |edge: &&Edge| {
            edge.weight > 0
                && alive[edge.node as usize]
                && component[edge.node as usize] == component[node as usize]
        };
        candidates.extend(walks.outgoing(node).iter().filter(inside).map(|&edge| (edge.weight, node, edge)));
    }
    candidates.sort_unstable_by_key(|&(weight, node, edge)| (weight, node, edge.node));
    let mut best: Option<Cycle> = None;
    for (weight, node, edge) in candidates.into_iter().take(TRIALS) {
        let bound = best.as_ref().map_or(NONE - 1, |cycle| cycle.weight - 1);
        if weight > bound {
            break;
        }
        let (weights, first) = least_to(walks, node, alive, bound - weight, control)?;
        if weights[edge.node as usize] == NONE {
            continue;
        }
        let mut edges = vec![edge];
        let mut at = edge.node;
        while at != node {
            let Some(next) = first[at as usize] else { break };
            edges.push(next);
            at = next.node;
        }
        best = Some(Cycle { weight: weight + weights[edge.node as usize], edges, at: node });
    }
    // The node with most edges in its component: removing it leaves fewest closed walks.
    Ok(best.map(|mut cycle| {
        let internal = |node: u32| {
            let same = |edge: &&Edge| {
                alive[edge.node as usize] && component[edge.node as usize] == component[node as usize]
            };
            walks.outgoing(node).iter().filter(same).count()
                * walks.incoming(node).iter().filter(same).count()
        };
        let sources: Vec<u32> = std::iter::once(cycle.at)
            .chain(cycle.edges.iter().map(|edge| edge.node))
            .take(cycle.edges.len())
            .collect();
        let turn = (0..sources.len()).max_by_key(|&place| (internal(sources[place]), usize::MAX - place));
        let turn = turn.unwrap_or(0);
        cycle.at = sources[turn];
        cycle.edges.rotate_left(turn);
        cycle
    }))
}

/// The least weights of walks through a node, by residue.
#[derive(Debug)]
pub(crate) struct Residues {
    modulus: u64,
    /// The node through which walks pass.
    at: u32,
    /// By node: the row of walks that need not pass `at`; `u32::MAX` if the node cannot be reached from it.
    after: Vec<u32>,
    /// By node: the row of walks that pass `at`.
    before: Vec<u32>,
    /// By row and residue.
    weights: Vec<u64>,
    /// The second node of each walk, if walks are requested.
    next: Vec<u32>,
}

/// Limit of bytes that [`residues`] needs.
pub(crate) fn bytes(nodes: usize, modulus: u64, with_walks: bool) -> u64 {
    (2 * nodes as u64).saturating_mul(modulus).saturating_mul(if with_walks { 12 } else { 8 })
}

/// Computes residues, up to a bound, of walks from alive nodes through the node of a cycle.
pub(crate) fn residues(
    walks: &Walks,
    cycle: &Cycle,
    alive: &[bool],
    high: u64,
    with_walks: bool,
    control: &Control,
) -> Result<Residues, Failure> {
    let modulus = cycle.weight;
    let (mut rows, mut nodes) = (0u32, Vec::new());
    let mut number = |inside: Vec<bool>, nodes: &mut Vec<u32>| -> Vec<u32> {
        let row = |(node, is): (usize, &bool)| {
            if !is {
                return u32::MAX;
            }
            nodes.push(node as u32);
            rows += 1;
            rows - 1
        };
        inside.iter().enumerate().map(row).collect()
    };
    let after = number(walks.reachable(&[cycle.at], alive), &mut nodes);
    let afterwards = nodes.len() as u32;
    let mut reaching = walks.reaching(&[cycle.at], alive);
    // For the node itself, walks that pass it are all walks from it.
    reaching[cycle.at as usize] = false;
    let mut before = number(reaching, &mut nodes);
    let own = after[cycle.at as usize];
    before[cycle.at as usize] = own;
    let size = usize::try_from(modulus).ok().and_then(|modulus| modulus.checked_mul(nodes.len()));
    let size = size.ok_or(Failure::Overflow)?;
    control.check_memory(bytes(nodes.len(), modulus, with_walks) / 2)?;
    let mut weights = vec![NONE; size];
    let mut next = vec![u32::MAX; if with_walks { size } else { 0 }];
    let place = |row: u32, weight: u64| row as usize * modulus as usize + (weight % modulus) as usize;
    let mut heap = RadixHeap::new();
    let start = after[walks.sink() as usize];
    if start != u32::MAX {
        weights[place(start, 0)] = 0;
        heap.push(0, start);
    }
    let mut taken = 0usize;
    while let Some((weight, row)) = heap.pop() {
        taken += 1;
        if taken.is_multiple_of(BATCH) {
            control.check()?;
        }
        if weight > weights[place(row, weight)] {
            continue;
        }
        let node = nodes[row as usize];
        for edge in walks.incoming(node) {
            let Some(sum) = weight.checked_add(edge.weight).filter(|&sum| sum <= high) else { continue };
            let mut reach = |source: u32| {
                if source != u32::MAX {
                    let place = place(source, sum);
                    if sum < weights[place] {
                        weights[place] = sum;
                        if with_walks {
                            next[place] = node;
                        }
                        heap.push(sum, source);
                    }
                }
            };
            let source = edge.node as usize;
            if row < afterwards {
                reach(after[source]);
            }
            if (row >= afterwards || row == own) && edge.node != cycle.at {
                reach(before[source]);
            }
        }
    }
    Ok(Residues { modulus, at: cycle.at, after, before, weights, next })
}

impl Residues {
    /// The least weight in an interval of a walk from a node through the node of the cycle, and its number of
    /// repetitions of the cycle.
    pub fn first_within(&self, node: u32, low: u64, high: u64) -> Option<(u64, u64)> {
        let row = self.before[node as usize];
        if row == u32::MAX {
            return None;
        }
        let row = &self.weights[row as usize * self.modulus as usize..][..self.modulus as usize];
        let weight = |&least: &u64| {
            let times = low.saturating_sub(least).div_ceil(self.modulus);
            let weight = times.checked_mul(self.modulus)?.checked_add(least)?;
            (least != NONE && weight <= high).then_some((weight, times))
        };
        row.iter().filter_map(weight).min()
    }

    /// The walk from a node with the least weight of a residue, in two parts: to the node of the cycle, and
    /// from there to the sink.
    pub fn walk(&self, walks: &Walks, from: u32, least: u64) -> (Vec<Edge>, Vec<Edge>) {
        let mut parts = (Vec::new(), Vec::new());
        let (mut node, mut weight) = (from, least);
        let mut passed = node == self.at;
        while node != walks.sink() {
            let rows = if passed { &self.after } else { &self.before };
            let place = |node: u32, rows: &[u32], weight: u64| {
                rows[node as usize] as usize * self.modulus as usize + (weight % self.modulus) as usize
            };
            let next = self.next[place(node, rows, weight)];
            let fits = |edge: &&Edge| {
                edge.node == next
                    && edge.weight <= weight
                    && self.weights[place(next, rows, weight - edge.weight)] == weight - edge.weight
            };
            // The heaviest edge that fits. It is at least as heavy as the one that gave the weight, so the
            // walk does not cycle by edges of weight 0.
            let Some(edge) = walks.outgoing(node).iter().filter(fits).max_by_key(|edge| edge.weight) else {
                break;
            };
            if passed { &mut parts.1 } else { &mut parts.0 }.push(*edge);
            weight -= edge.weight;
            node = next;
            passed |= node == self.at;
        }
        parts
    }
}
