//! Reductions by strongly connected components: states, edges and marks that acceptance does not depend on.

use crate::buchi::generalised::{Edge, Generalised};

/// The components of a graph, numbered so that edges lead to the same or a smaller number.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    /// The component of every state.
    pub of: Vec<u32>,
    /// The number of components.
    pub count: usize,
}

/// The components of a graph that is given by the successors of each state.
pub(crate) fn components<S: AsRef<[u32]>>(successors: &[S]) -> Components {
    let found = volvelle_space::components(successors.len(), |s| successors[s].as_ref(), |_| true);
    Components { of: found.component_of(successors.len()), count: found.len() }
}

impl Components {
    /// The components of an automaton.
    pub fn of(automaton: &Generalised) -> Self {
        let successors: Vec<Vec<u32>> =
            automaton.edges.iter().map(|list| list.iter().map(|e| e.target).collect()).collect();
        components(&successors)
    }

    /// Whether both ends of an edge are in the same component.
    pub fn inside(&self, source: usize, edge: &Edge) -> bool {
        self.of[source] == self.of[edge.target as usize]
    }

    /// The components in which a run can accept.
    pub fn accepting(&self, automaton: &Generalised) -> Vec<bool> {
        let (mut met, mut cyclic) = (vec![0u64; self.count], vec![false; self.count]);
        for (s, edges) in automaton.edges.iter().enumerate() {
            for edge in edges.iter().filter(|e| self.inside(s, e)) {
                met[self.of[s] as usize] |= edge.marks;
                cyclic[self.of[s] as usize] = true;
            }
        }
        (0..self.count).map(|c| cyclic[c] && met[c] & automaton.marks == automaton.marks).collect()
    }
}

/// The marks of edges on no accepting cycle. Any marks are right: there are two options, because states may become equal
/// under one and not under the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    Unmarked,
    Marked,
}

/// Removes states and edges from which nothing is accepted, and marks that do not matter or follow from others.
///
/// With `by_state`, all edges of a state have the same marks before, and after.
pub(crate) fn cleaned(automaton: &Generalised, idle: Idle, by_state: bool) -> Generalised {
    let automaton = automaton.renumbered();
    let components = Components::of(&automaton);
    let accepting = components.accepting(&automaton);
    // Components come after those that they lead to.
    let mut useful = accepting.clone();
    let mut members = vec![Vec::new(); components.count];
    for s in 0..automaton.num_states() {
        members[components.of[s] as usize].push(s);
    }
    for c in 0..components.count {
        useful[c] |= members[c]
            .iter()
            .flat_map(|&s| &automaton.edges[s])
            .any(|e| useful[components.of[e.target as usize] as usize]);
    }
    let is_useful = |s: u32| useful[components.of[s as usize] as usize];
    if !is_useful(automaton.initial) {
        return Generalised::empty();
    }
    let mut result = automaton.clone();
    for (s, edges) in result.edges.iter_mut().enumerate() {
        edges.retain(|e| is_useful(e.target));
        let own = accepting[components.of[s] as usize];
        for edge in edges.iter_mut() {
            let on_cycle = own && (by_state || components.inside(s, edge));
            if !on_cycle {
                // In a component of cycles none of which accepts, marks must stay away.
                let cyclic =
                    components.inside(s, edge) || by_state && members_cycle(&automaton, &components, s);
                edge.marks = if idle == Idle::Marked && !cyclic { automaton.marks } else { 0 };
            }
        }
    }
    without_needless_marks(&mut result, &components, &accepting);
    result.renumbered()
}

/// Whether a state is on a cycle.
fn members_cycle(automaton: &Generalised, components: &Components, s: usize) -> bool {
    automaton.edges[s].iter().any(|e| components.inside(s, e))
}

/// Removes marks whose edges include those of another mark: meeting the other is enough.
fn without_needless_marks(automaton: &mut Generalised, components: &Components, accepting: &[bool]) {
    let mut kept = automaton.marks;
    for mark in super::cube::bits(automaton.marks) {
        let others = super::cube::bits(kept & !mark);
        let mut implied = others.filter(|other| {
            automaton.edges.iter().enumerate().all(|(s, edges)| {
                let matters = |e: &&Edge| accepting[components.of[s] as usize] && components.inside(s, e);
                edges.iter().filter(matters).all(|e| e.marks & other == 0 || e.marks & mark != 0)
            })
        });
        let all =
            automaton.edges.iter().enumerate().all(|(s, edges)| {
                edges.iter().filter(|e| components.inside(s, e)).all(|e| e.marks & mark != 0)
            });
        if implied.next().is_some() || all {
            kept &= !mark;
        }
    }
    automaton.marks = kept;
    for edge in automaton.edges.iter_mut().flatten() {
        edge.marks &= kept;
    }
}
