//! Generalised Büchi automata with marks on edges, the data of all stages of the translation.

use rustc_hash::FxHashMap;

use crate::buchi::cube::Cube;

/// An edge: on any letter of `cube` to `target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub target: u32,
    pub cube: Cube,
    pub marks: u64,
}

/// A generalised automaton: a word is accepted if a run over it meets each of `marks` infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generalised {
    /// The edges of every state.
    pub edges: Vec<Vec<Edge>>,
    pub initial: u32,
    /// All marks; none at all: every infinite run accepts.
    pub marks: u64,
}

impl Generalised {
    /// The automaton without runs.
    pub fn empty() -> Self {
        Generalised { edges: vec![Vec::new()], initial: 0, marks: 0 }
    }

    pub fn num_states(&self) -> usize {
        self.edges.len()
    }

    pub fn num_edges(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// Keeps the states that can be reached, numbered as a search in the order of their edges finds them.
    pub fn renumbered(&self) -> Self {
        self.mapped(&(0..self.num_states() as u32).collect::<Vec<_>>())
    }

    /// Puts the state `map[s]` in the place of every state `s` that is a target, and keeps what can be reached.
    pub fn mapped(&self, map: &[u32]) -> Self {
        let mut number = vec![u32::MAX; self.num_states()];
        let mut order = Vec::new();
        let mut visit = |s: u32, order: &mut Vec<u32>| {
            let s = map[s as usize];
            let n = &mut number[s as usize];
            if *n == u32::MAX {
                *n = order.len() as u32;
                order.push(s);
            }
            *n
        };
        visit(self.initial, &mut order);
        let mut edges = Vec::new();
        while let Some(&s) = order.get(edges.len()) {
            let mut list = self.edges[s as usize].clone();
            for edge in &mut list {
                edge.target = visit(edge.target, &mut order);
            }
            edges.push(tidied(list));
        }
        Generalised { edges, initial: 0, marks: self.marks }
    }

    /// Merges states with the same edges until there are none.
    pub fn without_copies(mut self) -> Self {
        loop {
            let mut first: FxHashMap<Vec<Edge>, u32> = FxHashMap::default();
            let map: Vec<u32> = (0..self.num_states() as u32)
                .map(|s| {
                    // An edge to itself is the same wherever it is.
                    let mut key = self.edges[s as usize].clone();
                    key.iter_mut().filter(|e| e.target == s).for_each(|e| e.target = u32::MAX);
                    key.sort_unstable();
                    *first.entry(key).or_insert(s)
                })
                .collect();
            let before = self.num_states();
            self = self.mapped(&map);
            if self.num_states() == before {
                return self;
            }
        }
    }
}

/// Joins pairs of edges whose cubes have a cube as their union.
pub(crate) fn tidied(edges: Vec<Edge>) -> Vec<Edge> {
    let mut result: Vec<Edge> = Vec::with_capacity(edges.len());
    for mut edge in edges {
        // An edge that contains the new one makes it superfluous. Edges that the new one contains are removed; an edge
        // that makes one cube with it is joined to it, and the search begins again.
        let mut i = 0;
        let mut swallowed = false;
        while i < result.len() {
            let other = result[i];
            if other.target == edge.target {
                if edge.marks & !other.marks == 0 && other.cube.contains(edge.cube) {
                    swallowed = true;
                    break;
                }
                if other.marks & !edge.marks == 0 && edge.cube.contains(other.cube) {
                    result.remove(i);
                    continue;
                }
                if other.marks == edge.marks
                    && let Some(cube) = edge.cube.union(other.cube)
                {
                    edge.cube = cube;
                    result.remove(i);
                    i = 0;
                    continue;
                }
            }
            i += 1;
        }
        if !swallowed {
            result.push(edge);
        }
    }
    result
}
