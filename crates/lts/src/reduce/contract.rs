//! Internal components: states that reach each other by internal transitions are branching bisimilar, and become one state.

use super::components::{Components, internal_components};
use super::marks::Marks;
use super::parallel;
use super::rows::{Rows, rows};
use std::ops::Range;
use volvelle_space::{BitSet, Edge, Labels, Lts};

/// A system without internal cycles.
pub(super) struct Contracted {
    /// States are internal components, in the order of the longest paths of internal transitions from there, which lead to
    /// smaller numbers and stand first among the transitions of a state. Internal transitions within a component are left out.
    pub lts: Lts,
    /// The component of each state of the original.
    pub of: Vec<u32>,
    /// Components with an internal cycle: they diverge.
    pub divergent: BitSet,
    /// Consecutive states that can be looked at together.
    pub stretches: Vec<Stretch>,
}

/// Consecutive states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The states.
    pub states: Range<u32>,
    /// Whether no internal transition leads from one of them to another.
    pub is_independent: bool,
}

/// Whether a system has an internal cycle.
pub(crate) fn diverges(lts: &Lts) -> bool {
    contract(lts.clone(), |_| false, 1).divergent.iter().next().is_some()
}

/// Contracts internal components. Equal transitions become one, unless `counts` says that a label counts as often as it occurs.
pub(super) fn contract(mut lts: Lts, counts: impl Fn(u32) -> bool + Sync, threads: usize) -> Contracted {
    lts.sort(threads);
    let Components { mut of, members, starts } = internal_components(&lts);
    let loops = Marks::new(starts.len() - 1);
    let push = |component: u32, state: u32, edges: &mut Vec<Edge>| {
        for edge in lts.outgoing(state) {
            let target = of[edge.target as usize];
            if edge.is_internal() && target == component {
                loops.insert(component);
            } else {
                edges.push(Edge { label: edge.label, target });
            }
        }
    };
    let all = rows(&starts, |k| members[k], threads, counts, push);
    drop((members, starts));
    let initial = of[lts.initial as usize];
    let (_, labels, ..) = lts.into_parts();
    let (number, stretches) = by_depth(&all);
    let (lts, divergent) = renumbered(all, labels, initial, &number, &loops, threads);
    parallel::parts_mut(threads, &mut of, |_, part| {
        part.iter_mut().for_each(|component| *component = number[*component as usize]);
    });
    Contracted { lts, of, divergent, stretches }
}

/// The place of each component in the order of the lengths of internal paths. Internal transitions lead to smaller components.
fn by_depth(rows: &Rows) -> (Vec<u32>, Vec<Stretch>) {
    let components = rows.len();
    let mut depth = vec![0u32; components];
    let mut counts = vec![0u32];
    for component in 0..components as u32 {
        let internal = rows.of(component).iter().take_while(|edge| edge.is_internal());
        let own = internal.map(|edge| depth[edge.target as usize] + 1).max().unwrap_or(0);
        depth[component as usize] = own;
        if own as usize == counts.len() {
            counts.push(0);
        }
        counts[own as usize] += 1;
    }
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut end = 0;
    for count in &mut counts {
        let states = end..end + *count;
        let is_independent = *count as usize >= 2 * parallel::STATES;
        match stretches.last_mut().filter(|last| !last.is_independent && !is_independent) {
            Some(last) => last.states.end = states.end,
            None => stretches.push(Stretch { states: states.clone(), is_independent }),
        }
        end = states.end;
        *count = states.start;
    }
    // Depths become numbers, and the numbers of states of each depth the places of the next ones.
    for depth in &mut depth {
        let next = &mut counts[*depth as usize];
        *depth = *next;
        *next += 1;
    }
    (depth, stretches)
}

/// The system of components with other numbers, and which of them diverge.
fn renumbered(
    rows: Rows,
    labels: Labels,
    initial: u32,
    number: &[u32],
    loops: &Marks,
    threads: usize,
) -> (Lts, BitSet) {
    let components = number.len();
    let mut component_of = vec![0u32; components];
    let mut divergent = BitSet::new(components);
    for (component, &number) in (0u32..).zip(number) {
        component_of[number as usize] = component;
        if loops.contains(component) {
            divergent.insert(number as usize);
        }
    }
    let parts = parallel::ranges(threads, components, |range| {
        let mut part = (Vec::with_capacity(range.len()), Vec::new());
        for &component in &component_of[range] {
            let of = rows.of(component).iter();
            part.1.extend(of.map(|edge| Edge { target: number[edge.target as usize], ..*edge }));
            part.0.push(part.1.len() as u32);
        }
        part
    });
    drop(rows);
    let (starts, edges) = super::rows::concatenated(parts);
    (Lts::new(number[initial as usize], labels, starts, edges), divergent)
}
