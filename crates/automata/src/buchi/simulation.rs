//! Reduction by direct simulation, forwards and backwards: a state simulates another if it has all its steps, with all
//! their marks.
//!
//! Following K. Etessami, G. Holzmann, *Optimizing Büchi Automata*, CONCUR 2000, and F. Somenzi, R. Bloem, *Efficient
//! Büchi Automata from LTL Formulae*, CAV 2000, with marks on edges. An edge may be simulated by several edges that
//! together have its letters. The relations are found by refinement of the full relation, which is quadratic in states and in
//! edges: where that is too much, nothing is done.

use crate::buchi::budget::Budget;
use crate::buchi::generalised::{Edge, Generalised, tidied};

/// Pairs of states that a relation may have.
const PAIRS_LIMIT: usize = 4_000_000;

/// A relation on states; `larger[s * n + t]`: `t` simulates `s`.
struct Relation {
    n: usize,
    larger: Vec<bool>,
}

impl Relation {
    fn holds(&self, s: u32, t: u32) -> bool {
        self.larger[s as usize * self.n + t as usize]
    }

    /// For every state the first one that is equivalent to it.
    fn representatives(&self) -> Vec<u32> {
        let mut result: Vec<u32> = Vec::with_capacity(self.n);
        for s in 0..self.n as u32 {
            let same = |&t: &u32| result[t as usize] == t && self.holds(s, t) && self.holds(t, s);
            let first = (0..s).find(same).unwrap_or(s);
            result.push(first);
        }
        result
    }
}

/// The greatest simulation on `edges` within the pairs of `start`; `None` if it is too costly.
fn simulation(
    edges: &[Vec<Edge>],
    start: impl Fn(usize, usize) -> bool,
    budget: &mut Budget,
) -> Option<Relation> {
    let n = edges.len();
    if n.saturating_mul(n) > PAIRS_LIMIT {
        return None;
    }
    // The relation is of no use before it is found: it gets a part of the budget, so that something is left where
    // that is not enough.
    let before = budget.part(8);
    let mut left = before;
    let larger = (0..n * n).map(|i| start(i / n, i % n)).collect();
    let relation = refined(edges, Relation { n, larger }, &mut left);
    budget.settle(before, left);
    relation
}

fn refined(edges: &[Vec<Edge>], mut relation: Relation, budget: &mut Budget) -> Option<Relation> {
    let n = edges.len();
    loop {
        let mut changed = false;
        for s in 0..n {
            for t in (0..n).filter(|&t| t != s) {
                if relation.larger[s * n + t] {
                    budget.spend(1 + edges[s].len() * edges[t].len())?;
                    let simulated = |edge: &Edge| is_simulated(edge, edges[t].iter(), &relation);
                    if !edges[s].iter().all(simulated) {
                        relation.larger[s * n + t] = false;
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return Some(relation);
        }
    }
}

/// Whether some edges together have all letters of `edge`, its marks, and targets that are as large.
fn is_simulated<'a>(edge: &Edge, by: impl Iterator<Item = &'a Edge>, relation: &Relation) -> bool {
    let fits = |other: &&Edge| edge.marks & !other.marks == 0 && relation.holds(edge.target, other.target);
    edge.cube.is_covered(by.filter(fits).map(|other| other.cube))
}

/// Removes edges that other edges of the same list simulate.
fn prune(list: &mut Vec<Edge>, relation: &Relation) {
    let mut i = 0;
    while i < list.len() {
        let others = list.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, e)| e);
        if is_simulated(&list[i], others, relation) {
            list.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Keeps one of several equivalent states, and no edge to a state that another target simulates.
pub(crate) fn forward(automaton: &Generalised, budget: &mut Budget) -> Generalised {
    let Some(relation) = simulation(&automaton.edges, |_, _| true, budget) else { return automaton.clone() };
    let mut result = automaton.clone();
    let first = relation.representatives();
    for list in &mut result.edges {
        list.iter_mut().for_each(|e| e.target = first[e.target as usize]);
        *list = tidied(std::mem::take(list));
        prune(list, &relation);
    }
    result.initial = first[result.initial as usize];
    result.renumbered()
}

/// Removes letters from edges where another edge to a state that simulates the target has them too, so that fewer letters
/// leave a choice. Only labels that stay one conjunction change: there are never more edges than before.
pub(crate) fn with_fewer_choices(automaton: &Generalised, budget: &mut Budget) -> Generalised {
    let Some(relation) = simulation(&automaton.edges, |_, _| true, budget) else { return automaton.clone() };
    let mut result = automaton.clone();
    for list in &mut result.edges {
        let mut i = 0;
        while i < list.len() {
            let mut rest = Some(list[i].cube);
            for j in (0..list.len()).filter(|&j| j != i) {
                let (edge, other) = (list[i], list[j]);
                let fits = edge.marks & !other.marks == 0 && relation.holds(edge.target, other.target);
                if let (true, Some(cube)) = (fits, rest) {
                    rest = match cube.without(other.cube)[..] {
                        [] => None,
                        [one] => Some(one),
                        _ => Some(cube),
                    };
                }
            }
            match rest {
                Some(cube) => {
                    list[i].cube = cube;
                    i += 1;
                }
                None => {
                    list.remove(i);
                }
            }
        }
    }
    result.renumbered()
}

/// Reduces by simulation of incoming edges, as [`forward`] does by that of outgoing ones. With `by_state`, states
/// are merged only if the marks of their edges are the same.
pub(crate) fn backward(automaton: &Generalised, by_state: bool, budget: &mut Budget) -> Generalised {
    let n = automaton.num_states();
    let mut incoming: Vec<Vec<Edge>> = vec![Vec::new(); n];
    for (s, list) in automaton.edges.iter().enumerate() {
        for edge in list {
            incoming[edge.target as usize].push(Edge { target: s as u32, ..*edge });
        }
    }
    let initial = automaton.initial as usize;
    let marks = |s: usize| automaton.edges[s].first().map_or(0, |e| e.marks);
    let start = |s: usize, t: usize| (s != initial || t == initial) && (!by_state || marks(s) == marks(t));
    let Some(relation) = simulation(&incoming, start, budget) else { return automaton.clone() };
    let first = relation.representatives();
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); n];
    // Into each class come the edges of all of its members; what is smaller than another source is left out.
    let mut into: Vec<Vec<Edge>> = vec![Vec::new(); n];
    for (s, list) in incoming.into_iter().enumerate() {
        let list = list.into_iter().map(|e| Edge { target: first[e.target as usize], ..e });
        into[first[s] as usize].extend(list);
    }
    for (s, list) in into.into_iter().enumerate() {
        let mut list = tidied(list);
        prune(&mut list, &relation);
        for edge in list {
            edges[edge.target as usize].push(Edge { target: s as u32, ..edge });
        }
    }
    Generalised { edges, initial: first[initial], marks: automaton.marks }.renumbered()
}
