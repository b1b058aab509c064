//! Invariance under stuttering: whether acceptance is independent of how often a letter is repeated before the next one.
//!
//! Partial-order reduction preserves invariant properties only. The test follows
//! T. Michaud, A. Duret-Lutz, *Practical Stutter-Invariance Checks for ω-Regular Languages*, SPIN 2015: a language is
//! invariant if no word results from repeating letters of a word inside and also from one outside.

use rustc_hash::FxHashMap;

use crate::buchi::components::components;
use crate::buchi::rewrite::rewritten;
use crate::buchi::{Buchi, buchi, never};
use crate::formula::{FormulaId, Formulas, Node, UNBOUNDED};

/// Propositions up to which letters are enumerated.
const PROPOSITIONS_LIMIT: u32 = 8;

/// Pairs of edges that may be looked at.
const BUDGET: usize = 2_000_000;

/// Whether a formula is invariant because it is written without "next" (and without bounds on steps).
pub fn has_no_next(formulas: &Formulas, id: FormulaId) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut work = vec![id];
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        match *formulas.get(id) {
            Node::Delay { .. } => return false,
            Node::Until { bound, .. } | Node::Release { bound, .. } if bound != UNBOUNDED => return false,
            _ => work.extend(formulas.operands(id)),
        }
    }
    true
}

/// Whether a formula is invariant, by its syntax where that decides, else by its automaton and that of its negation;
/// `None` where these are too large.
pub fn ignores_stuttering(formulas: &mut Formulas, id: FormulaId) -> Option<bool> {
    if formulas.is_too_deep(id) {
        return None;
    }
    if has_no_next(formulas, id) {
        return Some(true);
    }
    let short = rewritten(formulas, id);
    if has_no_next(formulas, short) {
        return Some(true);
    }
    let inside = buchi(formulas, short).ok()?;
    let outside = never(formulas, short).ok()?;
    is_stutter_invariant(&inside, &outside)
}

/// Whether the language of `inside` is invariant, where `outside` accepts its complement; `None` if finding out takes too
/// long.
pub fn is_stutter_invariant(inside: &Buchi, outside: &Buchi) -> Option<bool> {
    let edges = inside.states.iter().chain(&outside.states).flat_map(|s| &s.edges);
    let used = edges.fold(0, |used, e| used | e.must | e.must_not);
    if used.count_ones() > PROPOSITIONS_LIMIT {
        return None;
    }
    let mut letters = vec![0];
    while let Some(more) = letters.last().map(|l: &u64| l.wrapping_sub(used) & used).filter(|&l| l != 0) {
        letters.push(more);
    }
    let moves = |automaton: &Buchi, s: u32, letter: u64, repeated: bool| -> Vec<(u32, bool)> {
        let state = &automaton.states[s as usize];
        let enabled = state.edges.iter().filter(|e| letter & e.must == e.must && letter & e.must_not == 0);
        let mut result: Vec<(u32, bool)> = enabled.map(|e| (e.target, state.accepting)).collect();
        if repeated {
            result.push((s, false));
        }
        result
    };
    // A state of each automaton, and the letter that both have read last.
    let mut states: Vec<(u32, u32, Option<u64>)> = vec![(inside.initial, outside.initial, None)];
    let mut numbers = FxHashMap::from_iter([(states[0], 0u32)]);
    let mut targets: Vec<Vec<u32>> = Vec::new();
    let mut met: Vec<Vec<(bool, bool)>> = Vec::new();
    let mut budget = BUDGET;
    while let Some(&(a, b, last)) = states.get(targets.len()) {
        let (mut to, mut with) = (Vec::new(), Vec::new());
        for &letter in &letters {
            let repeated = last == Some(letter);
            let of_b = moves(outside, b, letter, repeated);
            for (next_a, met_a) in moves(inside, a, letter, repeated) {
                for &(next_b, met_b) in &of_b {
                    budget = budget.checked_sub(1)?;
                    let new = states.len() as u32;
                    let next = (next_a, next_b, Some(letter));
                    let target = *numbers.entry(next).or_insert(new);
                    if target == new {
                        states.push(next);
                    }
                    to.push(target);
                    with.push((met_a, met_b));
                }
            }
        }
        targets.push(to);
        met.push(with);
    }
    let components = components(&targets);
    let mut all = vec![(false, false); components.count];
    for (s, to) in targets.iter().enumerate() {
        let c = components.of[s];
        for (&t, &(a, b)) in to.iter().zip(&met[s]) {
            if components.of[t as usize] == c {
                all[c as usize].0 |= a;
                all[c as usize].1 |= b;
            }
        }
    }
    Some(!all.contains(&(true, true)))
}
