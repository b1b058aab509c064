//! From the transitions of formulas to a generalised Büchi automaton, whose states are sets of formulas.
//!
//! P. Gastin, D. Oddoux, *Fast LTL to Büchi Automata Translation*, CAV 2001. A promise (an unbounded until) is kept
//! by a transition if it is gone, or if one of its own transitions that ends it fits the letter and where the transition
//! goes. `G F φ` and `F G φ` are promises of their own that take no turn through other states (compare T. Babiak,
//! M. Křetínský, V. Řehák, J. Strejček, *LTL to Büchi Automata Translation: Fast and More Deterministic*, TACAS 2012).

use rustc_hash::FxHashMap;

use crate::buchi::alternating::{Set, Transitions, all_but, best, is_subset};
use crate::buchi::budget::Budget;
use crate::buchi::cube::Cube;
use crate::buchi::generalised::{Edge, Generalised, tidied};
use crate::formula::{FormulaId, Formulas};
use crate::normal::TooLarge;

/// A transition while promises are still being found.
struct Step {
    cube: Cube,
    next: Set,
    put_off: u64,
}

/// The automaton of a formula, with at most `limit` states; an error where that or the budget is not enough.
pub(crate) fn translate(
    formulas: &mut Formulas,
    id: FormulaId,
    split: bool,
    limit: usize,
    budget: Budget,
) -> Result<Generalised, TooLarge> {
    let mut transitions = Transitions::new(formulas, split, budget);
    let mut numbers: FxHashMap<Set, u32> = FxHashMap::default();
    // A formula that is one set begins there; otherwise a first state has the transitions of all.
    let first: Set = match &transitions.alternatives(id)?[..] {
        [one] => one.clone(),
        [] => return Ok(Generalised::empty()),
        _ => [id].into(),
    };
    numbers.insert(first.clone(), 0);
    let mut states = vec![first];
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    let mut num_edges = 0;
    while let Some(set) = states.get(edges.len()).cloned() {
        let mut steps = Vec::new();
        for m in transitions.of_all(&set)? {
            let put_off = transitions.put_off(m.cube, &m.next)?;
            steps.push(Step { cube: m.cube, next: m.next, put_off });
        }
        transitions.spend(steps.len() * steps.len())?;
        let better = |a: &Step, b: &Step| {
            a.cube.contains(b.cube) && is_subset(&a.next, &b.next) && a.put_off & !b.put_off == 0
        };
        let mut list = Vec::new();
        for step in best(steps, better) {
            let new = states.len() as u32;
            let target = *numbers.entry(step.next.clone()).or_insert(new);
            if target == new {
                if states.len() >= limit {
                    return Err(TooLarge { what: "states of a Büchi automaton" });
                }
                states.push(step.next);
            }
            // At first, marks are the postponed promises.
            list.push(Edge { target, cube: step.cube, marks: step.put_off });
        }
        num_edges += list.len();
        if num_edges > limit.saturating_mul(16) {
            return Err(TooLarge { what: "edges of a Büchi automaton" });
        }
        edges.push(list);
    }
    let promises = transitions.num_promises();
    for edge in edges.iter_mut().flatten() {
        edge.marks = all_but(edge.marks, promises);
    }
    let edges = edges.into_iter().map(tidied).collect();
    Ok(Generalised { edges, initial: 0, marks: all_but(0, promises) })
}
