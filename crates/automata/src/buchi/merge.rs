//! Merging of states, where a proof shows that the language stays.
//!
//! Merging two states, accepting more often, accepting everything from a state on: each of these changes can only add
//! words, and is made if it adds none. With
//! an automaton for the negation of the formula, whether the language is still the same is a question of
//! whether the two are disjoint. This finds what simulation does not, as it compares languages.

use crate::buchi::budget::Budget;
use crate::buchi::components::{Idle, cleaned};
use crate::buchi::cube::{Cube, bits};
use crate::buchi::generalised::{Edge, Generalised};
use crate::buchi::product::are_disjoint;

/// The smaller automaton, if there is one, for the same language: that of `automaton`, of which `negation` accepts the
/// complement. Where the budget ends, the rest stays.
pub(crate) fn merged(
    automaton: &Generalised,
    negation: &Generalised,
    by_state: bool,
    budget: &mut Budget,
) -> Generalised {
    let mut current = automaton.clone();
    let tidy = |g: Generalised| cleaned(&g, Idle::Unmarked, by_state).without_copies();
    let attempt = |current: &mut Generalised, candidate: Generalised, budget: &mut Budget| -> bool {
        // Candidates are compared untidied, since `tidy` preserves the language.
        // Making a candidate takes work too.
        let affordable = budget.spend(candidate.num_edges()).is_some();
        let good = affordable && are_disjoint(&candidate, negation, budget) == Some(true);
        if good {
            *current = tidy(candidate);
        }
        good
    };
    // Everything from a state on.
    let mut s = 0;
    while s < current.num_states() && !budget.is_spent() {
        let sink = vec![Edge { target: s as u32, cube: Cube::ALL, marks: current.marks }];
        if current.edges[s] != sink {
            let mut candidate = current.clone();
            candidate.edges[s] = sink;
            if attempt(&mut current, candidate, budget) {
                s = 0;
                continue;
            }
        }
        s += 1;
    }
    if !by_state {
        for mark in bits(current.marks) {
            let mut candidate = current.clone();
            candidate.marks &= !mark;
            candidate.edges.iter_mut().flatten().for_each(|e| e.marks &= !mark);
            if current.marks & mark != 0 {
                attempt(&mut current, candidate, budget);
            }
        }
    }
    'again: loop {
        for s in 0..current.num_states() as u32 {
            for t in s + 1..current.num_states() as u32 {
                if budget.is_spent() {
                    return current;
                }
                let candidate = with_merged(&current, s, t, by_state);
                if attempt(&mut current, candidate, budget) {
                    continue 'again;
                }
            }
        }
        return current;
    }
}

/// `t` becomes a part of `s`.
fn with_merged(automaton: &Generalised, s: u32, t: u32, by_state: bool) -> Generalised {
    let mut map: Vec<u32> = (0..automaton.num_states() as u32).collect();
    map[t as usize] = s;
    let mut result = automaton.clone();
    let more = std::mem::take(&mut result.edges[t as usize]);
    let list = &mut result.edges[s as usize];
    list.extend(more);
    if by_state {
        let marks = list.iter().fold(0, |marks, e| marks | e.marks);
        list.iter_mut().for_each(|e| e.marks = marks);
    }
    // Unreachable states stay until a proof has shown that the change is correct.
    result.edges.iter_mut().flatten().for_each(|e| e.target = map[e.target as usize]);
    result.initial = map[result.initial as usize];
    result
}
