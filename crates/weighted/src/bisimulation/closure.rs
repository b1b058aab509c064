//! Signatures of states that reach very many blocks, as sets that share common parts.
//!
//! If steps of weight 0 form a large component, nearly all its states reach nearly all blocks, and lists
//! would take quadratic space. Here a set is a *root*, a large set that many others contain, plus a few
//! elements. The set of a state and a weight is the union of those of its successors, one of which usually
//! contains the others.
//!
//! Sets are compared by sums of 128-bit hashes of their elements. Different sets have equal sums with a
//! probability of about 2^-128 per comparison.

use super::Pair;
use crate::Failure;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;
use volvelle_control::Control;

const NONE: u32 = u32::MAX;
/// Limit of elements besides the root, before a set becomes a root of its own; for a large root, as a
/// percentage of it.
const FEW: usize = 64;
const PERCENT: usize = 20;

/// A graph in which nodes come after the targets of their edges of weight 0.
pub(super) struct Graph<'a> {
    pub nodes: usize,
    /// Source, target, weight.
    pub edges: Vec<(u32, u32, u64)>,
    /// Steps that end a path: node, weight, target block.
    pub exits: Vec<(u32, u64, u32)>,
    /// The block of all nodes; a path may end in any of them.
    pub own: u32,
    /// By node: the least weight at which it matters.
    pub distance: &'a [u64],
    /// In increasing order.
    pub demands: &'a [Pair],
}

/// For each node and weight a set of target blocks.
pub(super) struct Closure {
    sets: Sets,
    /// By weight, then by node.
    of: Vec<u32>,
    nodes: usize,
    levels: u32,
    /// By weight and target: the index of the demand.
    demand: FxHashMap<(u32, u32), u32>,
}

#[derive(Default)]
struct Sets {
    roots: Vec<Root>,
    /// The root, and the elements beyond it.
    sets: Vec<(u32, Rc<[u32]>)>,
    known: FxHashMap<(u32, Rc<[u32]>), u32>,
    /// By two roots: the elements of the first that the second lacks.
    differences: FxHashMap<(u32, u32), Rc<[u32]>>,
    added: Vec<u32>,
    bytes: u64,
}

struct Root {
    members: Vec<u32>,
    bits: Vec<u64>,
}

impl Root {
    fn contains(&self, element: u32) -> bool {
        self.bits.get(element as usize / 64).is_some_and(|word| word >> (element % 64) & 1 == 1)
    }
}

impl Sets {
    fn contains(&self, root: u32, element: u32) -> bool {
        root != NONE && self.roots[root as usize].contains(element)
    }

    fn size(&self, set: u32) -> usize {
        let (root, more) = &self.sets[set as usize];
        more.len() + if *root == NONE { 0 } else { self.roots[*root as usize].members.len() }
    }

    fn difference(&mut self, first: u32, second: u32) -> Rc<[u32]> {
        if let Some(known) = self.differences.get(&(first, second)) {
            return known.clone();
        }
        let members = self.roots[first as usize].members.iter().copied();
        let found: Rc<[u32]> = members.filter(|&element| !self.contains(second, element)).collect();
        self.bytes += 4 * found.len() as u64 + 40;
        self.differences.insert((first, second), found.clone());
        found
    }

    /// The union of some sets and a few elements.
    fn union(&mut self, some: &[u32], elements: &[u32]) -> u32 {
        let Some(&base) = some.iter().max_by_key(|&&set| (self.size(set), set)) else {
            return self.set(NONE, elements.to_vec());
        };
        let (root, own) = self.sets[base as usize].clone();
        let mut added = std::mem::take(&mut self.added);
        added.clear();
        let is_new = |sets: &Self, element: u32| !sets.contains(root, element) && !own.contains(&element);
        for &other in some.iter().filter(|&&other| other != base) {
            let (other_root, more) = self.sets[other as usize].clone();
            if other_root != root && other_root != NONE {
                let difference = self.difference(other_root, root);
                added.extend(difference.iter().copied().filter(|element| !own.contains(element)));
            }
            added.extend(more.iter().copied().filter(|&element| is_new(self, element)));
        }
        added.extend(elements.iter().copied().filter(|&element| is_new(self, element)));
        let result = if added.is_empty() {
            base
        } else {
            let all = own.iter().copied().chain(added.iter().copied()).collect();
            self.set(root, all)
        };
        self.added = added;
        result
    }

    fn set(&mut self, root: u32, mut more: Vec<u32>) -> u32 {
        more.sort_unstable();
        more.dedup();
        let more: Rc<[u32]> = more.into();
        if let Some(&known) = self.known.get(&(root, more.clone())) {
            return known;
        }
        let size = if root == NONE { 0 } else { self.roots[root as usize].members.len() };
        let number = self.sets.len() as u32;
        self.bytes += 8 * more.len() as u64 + 80;
        if more.len() > FEW.max(size * PERCENT / 100) {
            let mut members =
                if root == NONE { Vec::new() } else { self.roots[root as usize].members.clone() };
            members.extend_from_slice(&more);
            let largest = members.iter().copied().max().unwrap_or(0);
            let mut bits = vec![0u64; largest as usize / 64 + 1];
            members.iter().for_each(|&element| bits[element as usize / 64] |= 1 << (element % 64));
            self.bytes += (4 * members.len() + 8 * bits.len()) as u64;
            self.roots.push(Root { members, bits });
            self.sets.push((self.roots.len() as u32 - 1, Rc::from([])));
        } else {
            self.sets.push((root, more.clone()));
        }
        self.known.insert((root, more), number);
        number
    }

    fn elements(&self, set: u32) -> impl Iterator<Item = u32> + '_ {
        let (root, more) = &self.sets[set as usize];
        let members: &[u32] = if *root == NONE { &[] } else { &self.roots[*root as usize].members };
        members.iter().copied().chain(more.iter().copied())
    }
}

/// A hash value of a demand (the finaliser of SplitMix64; G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014), twice.
fn hash(demand: u32) -> u128 {
    let mix = |seed: u64| {
        let mut z = (u64::from(demand) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    u128::from(mix(0x5851_f42d_4c95_7f2d)) << 64 | u128::from(mix(0x1405_7b7e_f767_814f))
}

/// The hash value of a set of demands.
pub(super) fn hash_of(demands: impl Iterator<Item = u32>) -> u128 {
    demands.map(hash).fold(0, u128::wrapping_add)
}

impl Closure {
    /// The sets of all nodes, for weights up to the largest one of a demand, which must be small.
    pub fn new(graph: Graph, control: &Control) -> Result<Self, Failure> {
        let most = graph.demands.iter().map(|&(_, weight)| weight).max().unwrap_or(0);
        let levels = u32::try_from(most + 1).map_err(|_| Failure::Overflow)?;
        let mut targets: Vec<u32> = graph.demands.iter().map(|&(block, _)| block).collect();
        targets.dedup();
        let target = |block: u32| targets.binary_search(&block).ok().map(|at| at as u32);
        let mut demand = FxHashMap::default();
        for (index, &(block, weight)) in graph.demands.iter().enumerate() {
            demand.extend(target(block).map(|target| ((weight as u32, target), index as u32)));
        }
        let mut starts = vec![0u32; graph.nodes + 1];
        graph.edges.iter().for_each(|edge| starts[edge.0 as usize + 1] += 1);
        (0..graph.nodes).for_each(|node| starts[node + 1] += starts[node]);
        let mut edges = graph.edges;
        edges.sort_unstable();
        let mut exits = graph.exits;
        exits.sort_unstable();
        let own = target(graph.own);
        let mut closure = Closure {
            sets: Sets::default(),
            of: vec![0; graph.nodes * levels as usize],
            nodes: graph.nodes,
            levels,
            demand,
        };
        let empty = closure.sets.set(NONE, Vec::new());
        let (mut some, mut elements) = (Vec::new(), Vec::new());
        for level in 0..levels {
            for node in 0..graph.nodes as u32 {
                if node.is_multiple_of(1 << 12) {
                    control.check()?;
                    control.check_memory(closure.sets.bytes + 4 * closure.of.len() as u64)?;
                }
                let place = closure.place(level, node);
                closure.of[place] = empty;
                if graph.distance[node as usize] > most - u64::from(level) {
                    continue;
                }
                some.clear();
                elements.clear();
                for &(_, next, weight) in
                    &edges[starts[node as usize] as usize..starts[node as usize + 1] as usize]
                {
                    if weight <= u64::from(level) {
                        some.push(closure.of[closure.place(level - weight as u32, next)]);
                    }
                }
                some.sort_unstable();
                some.dedup();
                let first = exits.partition_point(|&(of, weight, _)| (of, weight) < (node, u64::from(level)));
                let ending =
                    exits[first..].iter().take_while(|exit| (exit.0, exit.1) == (node, u64::from(level)));
                elements.extend(ending.filter_map(|&(_, _, block)| target(block)));
                elements.extend(own.filter(|_| level == 0));
                let set = closure.sets.union(&some, &elements);
                closure.of[place] = set;
            }
        }
        Ok(closure)
    }

    fn place(&self, level: u32, node: u32) -> usize {
        level as usize * self.nodes + node as usize
    }

    /// For each node, the hash of the demands that it reaches.
    pub fn hashes(&self) -> Vec<u128> {
        let mut of_root: FxHashMap<(u32, u32), u128> = FxHashMap::default();
        let mut of_set: FxHashMap<(u32, u32), u128> = FxHashMap::default();
        let mut found = vec![0u128; self.nodes];
        for level in 0..self.levels {
            let value = |element: u32| self.demand.get(&(level, element)).map_or(0, |&demand| hash(demand));
            for (node, sum) in found.iter_mut().enumerate() {
                let set = self.of[self.place(level, node as u32)];
                let hash = match of_set.entry((level, set)) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        let (root, more) = &self.sets.sets[set as usize];
                        let rest = more.iter().map(|&e| value(e)).fold(0, u128::wrapping_add);
                        let base = if *root == NONE {
                            0
                        } else {
                            *of_root.entry((level, *root)).or_insert_with(|| {
                                let members = self.sets.roots[*root as usize].members.iter();
                                members.map(|&e| value(e)).fold(0, u128::wrapping_add)
                            })
                        };
                        *new.insert(base.wrapping_add(rest))
                    }
                };
                *sum = sum.wrapping_add(hash);
            }
        }
        found
    }

    /// The demands that a node reaches, in increasing order.
    pub fn list(&self, node: u32) -> Vec<u32> {
        let mut list: Vec<u32> = Vec::new();
        for level in 0..self.levels {
            let elements = self.sets.elements(self.of[self.place(level, node)]);
            list.extend(elements.filter_map(|element| self.demand.get(&(level, element))));
        }
        list.sort_unstable();
        list
    }
}
