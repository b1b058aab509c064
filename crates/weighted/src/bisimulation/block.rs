//! What states of one block reach through the block: pairs of an exact weight and a block.
//!
//! For each target block, pairs of a state and a weight are searched backwards from the steps into it. States
//! that reach each other with weight 0 inside the block are one node. If pairs are dense, a table of bits is
//! used instead; for large weights, the methods of `paths`.

use super::closure::{Closure, Graph, hash_of};
use super::{Options, Pair};
use crate::Failure;
use crate::paths::{Edge, Method, STAY, Walks, exact, table};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_control::Control;
use volvelle_space::{WeightedStructure, components_by};

/// The block of the pair that means that a state diverges.
pub(super) const DIVERGES: u32 = u32::MAX;

/// A part of a block: all that the wanted states reach within the weights of the demands.
pub(super) struct Part<'a> {
    pub structure: &'a WeightedStructure,
    pub options: Options,
    pub block_of: &'a [u32],
    /// The block.
    pub block: u32,
    /// The states of the part, each with the least weight at which a wanted state reaches it.
    pub states: &'a [(u32, u64)],
    /// The numbers of the states in the part; `u32::MAX` for all others.
    pub local: &'a [u32],
    /// Number of wanted states, which come first.
    pub wanted: usize,
    /// The pairs to be decided (*demands*), in increasing order.
    pub demands: &'a [Pair],
}

/// Buffers that are reused for several parts.
pub(super) struct Buffers {
    bits: Vec<u64>,
    /// Number of demands per node above which lists are shared.
    pub many: usize,
}

impl Buffers {
    pub fn bytes(&self) -> u64 {
        8 * self.bits.capacity() as u64
    }
}

impl Default for Buffers {
    fn default() -> Self {
        Buffers { bits: Vec::new(), many: 64 }
    }
}

/// Nodes and edges of a part after contraction.
struct Contracted {
    node_of: Vec<u32>,
    nodes: usize,
    /// The least weight at which a wanted state reaches each node.
    distance: Vec<u64>,
    wanted: Vec<bool>,
    diverges: Vec<bool>,
    /// Edges inside the part, grouped by target: source and weight.
    back_starts: Vec<u32>,
    back: Vec<(u32, u64)>,
    /// Steps that leave the block, sorted: target block, source node, weight.
    exits: Vec<(u32, u32, u64)>,
}

/// The demands that each state reaches. States with the same demands share a list, which may be long.
pub(super) struct Signatures {
    /// The list of each state of the part. Different lists have different numbers.
    pub list_of: Vec<u32>,
    lists: Lists,
}

enum Lists {
    /// The beginning of each list, and indices of demands.
    Plain(Vec<u32>, Vec<u32>),
    /// The hash of each list, and a node that has it; whether each node diverges, and the index of the demand
    /// for that.
    Shared(Box<Closure>, Vec<(u128, u32)>, Vec<bool>, Option<u32>),
}

impl Signatures {
    /// Number of lists.
    pub fn num_lists(&self) -> usize {
        match &self.lists {
            Lists::Plain(starts, _) => starts.len() - 1,
            Lists::Shared(_, lists, ..) => lists.len(),
        }
    }

    /// Indices of demands, in increasing order. Meaningless for lists of unwanted states.
    pub fn list(&self, number: u32) -> Vec<u32> {
        let number = number as usize;
        match &self.lists {
            Lists::Plain(starts, demands) => {
                demands[starts[number] as usize..starts[number + 1] as usize].to_vec()
            }
            Lists::Shared(closure, lists, diverges, demand) => {
                let node = lists[number].1;
                let mut list = closure.list(node);
                list.extend(demand.filter(|_| diverges[node as usize]));
                list.sort_unstable();
                list
            }
        }
    }

    /// The number of a list, if it exists.
    pub fn find(&self, list: &[u32]) -> Option<u32> {
        let found = match &self.lists {
            Lists::Plain(starts, demands) => {
                let is_it = |at: &usize| demands[starts[*at] as usize..starts[*at + 1] as usize] == *list;
                (0..starts.len() - 1).find(is_it)
            }
            Lists::Shared(_, lists, ..) => {
                let hash = hash_of(list.iter().copied());
                lists.iter().position(|&(other, _)| other == hash)
            }
        };
        found.map(|number| number as u32)
    }
}

/// Computes the signatures of the wanted states.
pub(super) fn signatures(
    part: &Part,
    buffers: &mut Buffers,
    control: &Control,
) -> Result<Signatures, Failure> {
    let graph = Contracted::new(part);
    let mut found: Vec<(u32, u32)> = Vec::new();
    let (mut begin, mut targets) = (0, 0usize);
    while begin < part.demands.len() {
        targets += 1;
        if targets.is_multiple_of(64) {
            control.check()?;
            control.check_memory(buffers.bytes() + 12 * found.capacity() as u64)?;
        }
        let target = part.demands[begin].0;
        let end = begin + part.demands[begin..].iter().take_while(|&&(block, _)| block == target).count();
        if found.len() > buffers.many * (graph.nodes + 1024) && graph.can_share(part) {
            return graph.shared(part, control);
        }
        if target == DIVERGES {
            let nodes =
                (0..graph.nodes as u32).filter(|&n| graph.diverges[n as usize] && graph.wanted[n as usize]);
            found.extend(nodes.map(|node| (node, begin as u32)));
        } else {
            let demands = &part.demands[begin..end];
            if !graph.search(part, target, demands, begin as u32, buffers, &mut found, control)? {
                graph.tables(part, target, demands, begin as u32, &mut found, control)?;
            }
        }
        begin = end;
    }
    // Sorted by node, then by demand.
    let mut starts = vec![0u32; graph.nodes + 1];
    found.iter().for_each(|&(node, _)| starts[node as usize + 1] += 1);
    (0..graph.nodes).for_each(|node| starts[node + 1] += starts[node]);
    let mut places = starts.clone();
    let mut lists = vec![0u32; found.len()];
    for &(node, demand) in &found {
        lists[places[node as usize] as usize] = demand;
        places[node as usize] += 1;
    }
    for node in 0..graph.nodes {
        lists[starts[node] as usize..starts[node + 1] as usize].sort_unstable();
    }
    // Equal lists get the same number.
    let (mut first, mut number_of) = (vec![0u32], Vec::with_capacity(graph.nodes));
    let mut kept: Vec<u32> = Vec::new();
    let mut numbers: FxHashMap<&[u32], u32> = FxHashMap::default();
    for node in 0..graph.nodes {
        let list = &lists[starts[node] as usize..starts[node + 1] as usize];
        let next = numbers.len() as u32;
        let number = *numbers.entry(list).or_insert(next);
        if number == next {
            kept.extend_from_slice(list);
            first.push(kept.len() as u32);
        }
        number_of.push(number);
    }
    let list_of = graph.node_of.iter().map(|&node| number_of[node as usize]).collect();
    Ok(Signatures { list_of, lists: Lists::Plain(first, kept) })
}

/// Limits for sharing lists: the largest weight of demands, and the number of nodes with weights.
const LIGHT: u64 = 64;
const SHARED: u64 = 1 << 26;

impl Contracted {
    fn new(part: &Part) -> Self {
        let count = part.states.len();
        let own = |state: u32| part.local[state as usize];
        // Steps of weight 0 inside the part.
        let mut zero_starts = vec![0u32; count + 1];
        let mut zeros: Vec<u32> = Vec::new();
        for (place, &(state, _)) in part.states.iter().enumerate() {
            let steps = part.structure.outgoing(state).iter();
            zeros.extend(steps.filter(|s| s.weight == 0).map(|s| own(s.target)).filter(|&t| t != u32::MAX));
            zero_starts[place + 1] = zeros.len() as u32;
        }
        let (node_of, nodes) = if zeros.is_empty() {
            ((0..count as u32).collect(), count)
        } else {
            let successors = |v: usize| &zeros[zero_starts[v] as usize..zero_starts[v + 1] as usize];
            let found = components_by(count, |v, place| successors(v).get(place).copied(), |_| true);
            (found.component_of(count), found.len())
        };
        let mut distance = vec![u64::MAX; nodes];
        let mut wanted = vec![false; nodes];
        let mut back_starts = vec![0u32; nodes + 1];
        let mut exits = Vec::new();
        let mut inner: Vec<(u32, u32, u64)> = Vec::new();
        for (place, &(state, reached)) in part.states.iter().enumerate() {
            let node = node_of[place];
            distance[node as usize] = distance[node as usize].min(reached);
            wanted[node as usize] |= place < part.wanted;
            for step in part.structure.outgoing(state) {
                let target = own(step.target);
                if target != u32::MAX {
                    let target = node_of[target as usize];
                    if step.weight > 0 || target != node {
                        inner.push((target, node, step.weight));
                        back_starts[target as usize + 1] += 1;
                    }
                } else if part.block_of[step.target as usize] != part.block {
                    exits.push((part.block_of[step.target as usize], node, step.weight));
                }
            }
        }
        exits.sort_unstable();
        exits.dedup();
        (0..nodes).for_each(|node| back_starts[node + 1] += back_starts[node]);
        let mut places = back_starts.clone();
        let mut back = vec![(0, 0); inner.len()];
        for &(target, source, weight) in &inner {
            back[places[target as usize] as usize] = (source, weight);
            places[target as usize] += 1;
        }
        let mut graph =
            Contracted { node_of, nodes, distance, wanted, diverges: Vec::new(), back_starts, back, exits };
        if part.options.divergence {
            let mut stay = vec![false; nodes];
            for (place, &(state, _)) in part.states.iter().enumerate() {
                let targets = &zeros[zero_starts[place] as usize..zero_starts[place + 1] as usize];
                let node = graph.node_of[place];
                let blocks = part.options.blocking_diverges && part.structure.outgoing(state).is_empty();
                if blocks || targets.iter().any(|&target| graph.node_of[target as usize] == node) {
                    stay[node as usize] = true;
                }
            }
            let mut stack: Vec<u32> = (0..nodes as u32).filter(|&node| stay[node as usize]).collect();
            while let Some(node) = stack.pop() {
                for &(source, weight) in graph.incoming(node) {
                    if weight == 0 && !std::mem::replace(&mut stay[source as usize], true) {
                        stack.push(source);
                    }
                }
            }
            graph.diverges = stay;
        }
        graph
    }

    /// Whether the sets for all nodes and weights are few enough to be shared.
    fn can_share(&self, part: &Part) -> bool {
        let most = part.demands.iter().map(|&(_, weight)| weight).max().unwrap_or(0);
        most <= LIGHT && (most + 1) * self.nodes as u64 <= SHARED
    }

    /// Signatures that share common parts.
    fn shared(self, part: &Part, control: &Control) -> Result<Signatures, Failure> {
        let edges = (0..self.nodes as u32).flat_map(|target| {
            self.incoming(target).iter().map(move |&(source, weight)| (source, target, weight))
        });
        let exits = self.exits.iter().map(|&(block, node, weight)| (node, weight, block)).collect();
        let diverging = part.demands.binary_search(&(DIVERGES, 0)).ok();
        let graph = Graph {
            nodes: self.nodes,
            edges: edges.collect(),
            exits,
            own: part.block,
            distance: &self.distance,
            demands: &part.demands[..diverging.unwrap_or(part.demands.len())],
        };
        let closure = Closure::new(graph, control)?;
        let demand = diverging.map(|index| index as u32);
        let mut numbers: FxHashMap<u128, u32> = FxHashMap::default();
        let mut lists = Vec::new();
        let number_of: Vec<u32> = closure
            .hashes()
            .into_iter()
            .enumerate()
            .map(|(node, hash)| {
                let also = demand.filter(|_| self.diverges[node]);
                let hash = hash.wrapping_add(hash_of(also.into_iter()));
                *numbers.entry(hash).or_insert_with(|| {
                    lists.push((hash, node as u32));
                    lists.len() as u32 - 1
                })
            })
            .collect();
        let list_of = self.node_of.iter().map(|&node| number_of[node as usize]).collect();
        Ok(Signatures { list_of, lists: Lists::Shared(Box::new(closure), lists, self.diverges, demand) })
    }

    fn incoming(&self, node: u32) -> &[(u32, u64)] {
        &self.back[self.back_starts[node as usize] as usize..self.back_starts[node as usize + 1] as usize]
    }

    /// The steps that end a path to a block, as nodes and weights. For the own block: no step, in any node.
    fn ends(&self, part: &Part, target: u32) -> Vec<(u32, u64)> {
        if target == part.block {
            return (0..self.nodes as u32).map(|node| (node, 0)).collect();
        }
        let first = self.exits.partition_point(|&(block, _, _)| block < target);
        let exits = self.exits[first..].iter().take_while(|&&(block, _, _)| block == target);
        exits.map(|&(_, node, weight)| (node, weight)).collect()
    }

    /// Searches pairs of a node and a weight; false if there are too many.
    #[allow(clippy::too_many_arguments)] // buffers and results, which live longer than the part
    fn search(
        &self,
        part: &Part,
        target: u32,
        demands: &[Pair],
        first_demand: u32,
        buffers: &mut Buffers,
        found: &mut Vec<(u32, u32)>,
        control: &Control,
    ) -> Result<bool, Failure> {
        let most = demands.last().map_or(0, |&(_, weight)| weight);
        let mut queue = self.ends(part, target);
        let useful = |&(node, weight): &(u32, u64)| {
            // Only pairs that a wanted state reaches early enough can belong to a demand.
            weight <= most && self.distance[node as usize] <= most - weight
        };
        queue.retain(useful);
        let dense = (most + 1).checked_mul(self.nodes as u64).filter(|&bits| bits <= 1 << 28);
        // A pair costs as much as several words of a table. Without room for a table, pairs cost more, and
        // few sums are expected.
        let limit = match dense {
            Some(bits) => (bits / 4) as usize + (1 << 14),
            None => 4 * self.nodes + (1 << 14),
        };
        let mut sparse: FxHashSet<(u32, u64)> = FxHashSet::default();
        if let Some(bits) = dense {
            let words = (bits / 64 + 1) as usize;
            if buffers.bits.len() < words {
                control.check_memory(8 * words as u64)?;
                buffers.bits.resize(words, 0);
            }
        }
        let bits = &mut buffers.bits;
        let mut insert = |node: u32, weight: u64| match dense {
            Some(_) => {
                let place = u64::from(node) * (most + 1) + weight;
                let (word, bit) = (&mut bits[(place / 64) as usize], 1 << (place % 64));
                let new = *word & bit == 0;
                *word |= bit;
                new
            }
            None => sparse.insert((node, weight)),
        };
        queue.retain(|&(node, weight)| insert(node, weight));
        let before = found.len();
        let (mut place, mut complete) = (0, true);
        while let Some(&(node, weight)) = queue.get(place) {
            place += 1;
            if queue.len() > limit {
                complete = false;
                break;
            }
            if place.is_multiple_of(1 << 16) {
                control.check()?;
            }
            if self.wanted[node as usize]
                && let Ok(index) = demands.binary_search(&(target, weight))
            {
                found.push((node, first_demand + index as u32));
            }
            for &(source, step) in self.incoming(node) {
                let Some(sum) = weight.checked_add(step) else { continue };
                if useful(&(source, sum)) && insert(source, sum) {
                    queue.push((source, sum));
                }
            }
        }
        if dense.is_some() {
            for &(node, weight) in &queue {
                bits[((u64::from(node) * (most + 1) + weight) / 64) as usize] = 0;
            }
        }
        if !complete {
            found.truncate(before);
        }
        Ok(complete)
    }

    /// Decides the demands for one block by the methods for many sums and for large ones.
    fn tables(
        &self,
        part: &Part,
        target: u32,
        demands: &[Pair],
        first_demand: u32,
        found: &mut Vec<(u32, u32)>,
        control: &Control,
    ) -> Result<(), Failure> {
        let sink = self.nodes as u32;
        let mut edges: Vec<(u32, Edge)> = Vec::with_capacity(self.back.len());
        for node in 0..sink {
            let incoming = self.incoming(node).iter();
            edges.extend(incoming.map(|&(source, weight)| (source, Edge { weight, node, state: STAY })));
        }
        let ends = self.ends(part, target).into_iter();
        edges.extend(ends.map(|(node, weight)| (node, Edge { weight, node: sink, state: STAY })));
        edges.sort_unstable_by_key(|&(source, edge)| (source, edge.node, edge.weight));
        let walks = Walks::new((0..sink).collect(), &edges);
        let most = demands.last().map_or(0, |&(_, weight)| weight);
        let wanted = || (0..sink).filter(|&node| self.wanted[node as usize]);
        // One table serves all demands. If it would be large, a few demands are decided one by one, by the
        // cheapest method.
        let bytes = (most / 8).saturating_mul(self.nodes as u64);
        if bytes <= 1 << 24 || (bytes <= 1 << 28 && demands.len() > 16) {
            let table = table(&walks, &vec![true; walks.num_nodes()], most, control)?;
            for (index, &(_, weight)) in demands.iter().enumerate() {
                let has = wanted().filter(|&node| table.contains(node, weight));
                found.extend(has.map(|node| (node, first_demand + index as u32)));
            }
            return Ok(());
        }
        for (index, &(_, weight)) in demands.iter().enumerate() {
            if weight == u64::MAX {
                return Err(Failure::Overflow);
            }
            let has = exact(&walks, weight, weight, Method::Automatic, control)?;
            found.extend(
                wanted().filter(|&n| has[n as usize]).map(|node| (node, first_demand + index as u32)),
            );
        }
        Ok(())
    }
}
