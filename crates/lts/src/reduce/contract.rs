//! Internal components: states that reach each other by internal transitions are branching bisimilar, and become one state.

use volvelle_space::{BitSet, Edge, Lts, components_by};

/// A system without internal cycles.
pub(super) struct Contracted {
    /// States are internal components, a component after those that it reaches by internal transitions, which stand first among the
    /// transitions of a state. Internal transitions within a component are left out.
    pub lts: Lts,
    /// The component of each state of the original.
    pub of: Vec<u32>,
    /// Components with an internal cycle: they diverge.
    pub divergent: BitSet,
}

/// Whether a system has an internal cycle.
pub(crate) fn diverges(lts: &Lts) -> bool {
    contract(lts.clone(), |_| false).divergent.iter().next().is_some()
}

/// Contracts internal components. Equal transitions become one, unless `counts` says that a label counts as often as it occurs.
pub(super) fn contract(mut lts: Lts, counts: impl Fn(u32) -> bool) -> Contracted {
    lts.sort();
    let internal = |state: usize, k: usize| {
        lts.outgoing(state as u32).get(k).filter(|edge| edge.is_internal()).map(|edge| edge.target)
    };
    let found = components_by(lts.num_states(), internal, |_| true);
    let of = found.component_of(lts.num_states());
    let mut divergent = BitSet::new(found.len());
    let mut starts = Vec::with_capacity(found.len() + 1);
    let mut edges: Vec<Edge> = Vec::with_capacity(lts.num_transitions());
    starts.push(0);
    for (component, members) in found.iter().enumerate() {
        let start = edges.len();
        let mut loops = members.len() > 1;
        for &state in members {
            for edge in lts.outgoing(state) {
                let target = of[edge.target as usize];
                if edge.is_internal() && target == component as u32 {
                    loops = true;
                } else {
                    edges.push(Edge { label: edge.label, target });
                }
            }
        }
        edges[start..].sort_unstable();
        // Removes duplicates in place.
        let mut end = start;
        for k in start..edges.len() {
            let edge = edges[k];
            if end == start || edges[end - 1] != edge || counts(edge.label) {
                edges[end] = edge;
                end += 1;
            }
        }
        edges.truncate(end);
        starts.push(end as u32);
        if loops {
            divergent.insert(component);
        }
    }
    let initial = of[lts.initial as usize];
    let (_, labels, ..) = lts.into_parts();
    Contracted { lts: Lts::new(initial, labels, starts, edges), of, divergent }
}
