//! Degeneralisation: from several marks on edges to acceptance by states.
//!
//! A state has a level: marks are counted in a fixed order, and the level is the number of those that were met. Only components in which a run can accept have levels, and of the marks only those that some edge of the component
//! lacks are waited for (compare T. Babiak, T. Badie, A. Duret-Lutz, M. Křetínský, J. Strejček, *Compositional
//! Approach to Suspension and Other Improvements to LTL Translation*, SPIN 2013).

use rustc_hash::FxHashMap;

use crate::buchi::components::Components;
use crate::buchi::cube::bits;
use crate::buchi::generalised::{Edge, Generalised, tidied};

/// The order in which marks are waited for, as a choice among those that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// The order from the last mark to the first.
    pub reversed: bool,
    /// The number of marks that go from the beginning to the end.
    pub rotation: usize,
    /// Whether an edge with several marks counts as one of them only: longer cycles, but fewer edges.
    pub slow: bool,
}

/// Rotations that are tried in each direction.
const ROTATIONS: u32 = 4;

impl Order {
    /// The orders that are tried for this many marks.
    pub fn choices(marks: u32) -> Vec<Order> {
        if marks < 2 {
            return vec![Order { reversed: false, rotation: 0, slow: false }];
        }
        let mut result = Vec::new();
        for slow in [false, true] {
            for rotation in 0..marks.min(ROTATIONS) as usize {
                result.extend([false, true].map(|reversed| Order { reversed, rotation, slow }));
            }
        }
        result
    }
}

/// The same language with one mark, or none if every run accepts, and all edges of a state marked or none.
pub(crate) fn degeneralised(automaton: &Generalised, order: Order) -> Generalised {
    let components = Components::of(automaton);
    let accepting = components.accepting(automaton);
    let mut all: Vec<u64> = bits(automaton.marks).collect();
    if order.reversed {
        all.reverse();
    }
    if !all.is_empty() {
        let by = order.rotation % all.len();
        all.rotate_left(by);
    }
    // The acceptance set that each component waits for.
    let mut lacking = vec![0u64; components.count];
    for (s, edges) in automaton.edges.iter().enumerate() {
        for edge in edges.iter().filter(|e| components.inside(s, e)) {
            lacking[components.of[s] as usize] |= automaton.marks & !edge.marks;
        }
    }
    let orders: Vec<Vec<u64>> =
        lacking.iter().map(|l| all.iter().copied().filter(|mark| l & mark != 0).collect()).collect();

    let mut numbers: FxHashMap<(u32, usize), u32> = FxHashMap::default();
    // A level at which a state was reached first: edges from other components go there.
    let mut some_level: FxHashMap<u32, usize> = FxHashMap::default();
    let mut states = vec![(automaton.initial, 0)];
    numbers.insert(states[0], 0);
    some_level.insert(automaton.initial, 0);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while let Some(&(s, level)) = states.get(edges.len()) {
        let c = components.of[s as usize] as usize;
        let marks = &orders[c];
        let full = accepting[c] && level == marks.len();
        let mut list = Vec::new();
        for edge in &automaton.edges[s as usize] {
            let next = if !components.inside(s as usize, edge) {
                some_level.get(&edge.target).copied().unwrap_or(0)
            } else if accepting[c] {
                let mut next = if full { 0 } else { level };
                while next < marks.len() && edge.marks & marks[next] != 0 {
                    next += 1;
                    if order.slow {
                        break;
                    }
                }
                next
            } else {
                0
            };
            let new = states.len() as u32;
            let target = *numbers.entry((edge.target, next)).or_insert(new);
            if target == new {
                states.push((edge.target, next));
                some_level.entry(edge.target).or_insert(next);
            }
            list.push(Edge { target, cube: edge.cube, marks: u64::from(full) });
        }
        edges.push(tidied(list));
    }
    Generalised { edges, initial: 0, marks: 1 }
}
