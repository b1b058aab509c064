//! The graph of walks: the states of a region, and one sink for all ways to end.

use volvelle_space::{BitSet, Components, WeightedStructure, components_by};

/// An edge, without the node to which it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Its weight.
    pub weight: u64,
    /// The node at its other end.
    pub node: u32,
    /// The state that it leads to in the structure.
    pub state: u32,
}

/// Nodes `0..sink` are states of a region. An edge to the sink ends a walk: it is a step to a goal outside
/// the region, or (weight 0) no step, in a goal. So weights of walks to the sink are the requested weights of
/// paths.
#[derive(Clone, Debug)]
pub(crate) struct Walks {
    /// The states of the nodes, without the sink.
    pub states: Vec<u32>,
    starts: Vec<u32>,
    edges: Vec<Edge>,
    back_starts: Vec<u32>,
    back: Vec<Edge>,
}

/// The `state` of an edge that is not a step.
pub(crate) const STAY: u32 = u32::MAX;

impl Walks {
    /// The walks of a structure through a region to a goal.
    pub fn of(structure: &WeightedStructure, region: &BitSet, goal: &BitSet) -> Self {
        let states: Vec<u32> =
            (0..structure.num_states() as u32).filter(|&s| region.contains(s as usize)).collect();
        let mut node_of = vec![u32::MAX; structure.num_states()];
        states.iter().enumerate().for_each(|(node, &s)| node_of[s as usize] = node as u32);
        let sink = states.len() as u32;
        let mut edges = Vec::new();
        for (node, &state) in states.iter().enumerate() {
            if goal.contains(state as usize) {
                edges.push((node as u32, Edge { weight: 0, node: sink, state: STAY }));
            }
            for step in structure.outgoing(state) {
                let target = node_of[step.target as usize];
                let edge = Edge { weight: step.weight, node: target, state: step.target };
                if target != u32::MAX {
                    edges.push((node as u32, edge));
                } else if goal.contains(step.target as usize) {
                    edges.push((node as u32, Edge { node: sink, ..edge }));
                }
            }
        }
        Self::new(states, &edges)
    }

    /// Makes the graph from edges, ordered by the node that they leave.
    pub fn new(states: Vec<u32>, edges: &[(u32, Edge)]) -> Self {
        let nodes = states.len() + 1;
        let mut starts = vec![0u32; nodes + 1];
        let mut back_starts = vec![0u32; nodes + 1];
        for (source, edge) in edges {
            starts[*source as usize + 1] += 1;
            back_starts[edge.node as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
            back_starts[node + 1] += back_starts[node];
        }
        let mut places = back_starts.clone();
        let mut back = vec![Edge { weight: 0, node: 0, state: 0 }; edges.len()];
        for (source, edge) in edges {
            let place = &mut places[edge.node as usize];
            back[*place as usize] = Edge { node: *source, ..*edge };
            *place += 1;
        }
        Walks { states, starts, edges: edges.iter().map(|&(_, edge)| edge).collect(), back_starts, back }
    }

    /// The sink.
    pub fn sink(&self) -> u32 {
        self.states.len() as u32
    }

    /// Number of nodes, including the sink.
    pub fn num_nodes(&self) -> usize {
        self.states.len() + 1
    }

    /// Edges that leave a node.
    #[inline]
    pub fn outgoing(&self, node: u32) -> &[Edge] {
        &self.edges[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Edges that enter a node, each with the node that it leaves.
    #[inline]
    pub fn incoming(&self, node: u32) -> &[Edge] {
        &self.back[self.back_starts[node as usize] as usize..self.back_starts[node as usize + 1] as usize]
    }

    /// The strongly connected components of some nodes, sinks first.
    pub fn components(&self, alive: &[bool]) -> Components {
        components_by(
            self.num_nodes(),
            |node, place| self.outgoing(node as u32).get(place).map(|edge| edge.node),
            |node| alive[node],
        )
    }

    /// The nodes from which one of `to` can be reached through `alive` nodes.
    pub fn reaching(&self, to: &[u32], alive: &[bool]) -> Vec<bool> {
        search(to, alive, |node| self.incoming(node))
    }

    /// The nodes that can be reached from one of `from` through `alive` nodes.
    pub fn reachable(&self, from: &[u32], alive: &[bool]) -> Vec<bool> {
        search(from, alive, |node| self.outgoing(node))
    }
}

fn search<'g>(from: &[u32], alive: &[bool], edges: impl Fn(u32) -> &'g [Edge]) -> Vec<bool> {
    let mut seen = vec![false; alive.len()];
    let mut stack: Vec<u32> = Vec::new();
    for &node in from {
        if alive[node as usize] && !std::mem::replace(&mut seen[node as usize], true) {
            stack.push(node);
        }
    }
    while let Some(node) = stack.pop() {
        for edge in edges(node) {
            if alive[edge.node as usize] && !std::mem::replace(&mut seen[edge.node as usize], true) {
                stack.push(edge.node);
            }
        }
    }
    seen
}

impl Walks {
    /// A walk with the fewest edges through alive nodes; empty if both ends are the same.
    pub fn shortest(&self, from: u32, to: u32, alive: &[bool]) -> Option<Vec<Edge>> {
        let mut entered: Vec<Option<(u32, Edge)>> = vec![None; self.num_nodes()];
        let mut queue = vec![from];
        let mut place = 0;
        while let Some(&node) = queue.get(place) {
            place += 1;
            if node == to {
                let (mut walk, mut at) = (Vec::new(), to);
                while at != from {
                    let (before, edge) = entered[at as usize]?;
                    walk.push(edge);
                    at = before;
                }
                walk.reverse();
                return Some(walk);
            }
            for edge in self.outgoing(node) {
                let target = edge.node as usize;
                if alive[target] && edge.node != from && entered[target].is_none() {
                    entered[target] = Some((node, *edge));
                    queue.push(edge.node);
                }
            }
        }
        None
    }
}
