//! Equivalences by their definitions: the largest relation in which every pair passes the test of transfer.

#![allow(dead_code, reason = "the tests in `src/reduce` use a part of it as well")]

use volvelle_random::Random;
use volvelle_space::{Labels, Lts};

/// The definition of an equivalence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    Strong,
    Branching,
    DivergencePreservingBranching,
    Weak,
}

/// Pairs of states that are related, by a relation that begins with all and loses those that fail.
pub fn relation(lts: &Lts, definition: Definition) -> Vec<Vec<bool>> {
    if definition == Definition::DivergencePreservingBranching {
        return relation(&with_marked_cycles(lts), Definition::Branching);
    }
    let states = lts.num_states();
    let mut related = vec![vec![true; states]; states];
    loop {
        let mut next = related.clone();
        for s in 0..states {
            for t in 0..states {
                next[s][t] = related[s][t]
                    && simulates(lts, &related, definition, s as u32, t as u32)
                    && simulates(lts, &related, definition, t as u32, s as u32);
            }
        }
        if next == related {
            return related;
        }
        related = next;
    }
}

/// Whether `t` can do what `s` does.
fn simulates(lts: &Lts, related: &[Vec<bool>], definition: Definition, s: u32, t: u32) -> bool {
    let same = |a: u32, b: u32| related[a as usize][b as usize];
    lts.outgoing(s).iter().all(|step| match definition {
        Definition::Strong => {
            lts.outgoing(t).iter().any(|other| other.label == step.label && same(step.target, other.target))
        }
        Definition::Branching => {
            (step.is_internal() && same(step.target, t))
                || closure(lts, t, |u| same(s, u)).into_iter().any(|u| {
                    lts.outgoing(u).iter().any(|o| o.label == step.label && same(step.target, o.target))
                })
        }
        Definition::DivergencePreservingBranching => unreachable!("reduced to the case above"),
        Definition::Weak => weak_steps(lts, t, step.label).into_iter().any(|u| same(step.target, u)),
    })
}

/// States that internal transitions through states of a set reach.
pub fn closure(lts: &Lts, from: u32, inside: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut found = vec![from];
    let mut next = 0;
    while let Some(&state) = found.get(next) {
        next += 1;
        for edge in lts.outgoing(state).iter().filter(|edge| edge.is_internal()) {
            if inside(edge.target) && !found.contains(&edge.target) {
                found.push(edge.target);
            }
        }
    }
    found
}

/// States behind internal transitions, one with the label, and internal ones again; no transition for the internal action.
fn weak_steps(lts: &Lts, from: u32, label: u32) -> Vec<u32> {
    let before = closure(lts, from, |_| true);
    if label == Labels::INTERNAL {
        return before;
    }
    let steps = before.into_iter().flat_map(|u| lts.outgoing(u)).filter(|edge| edge.label == label);
    steps.flat_map(|edge| closure(lts, edge.target, |_| true)).collect()
}

/// The system with a transition of its own at each state on an internal cycle. All states of such a cycle are equivalent, so that a
/// state diverges within its class just if inert transitions lead it to one of them.
fn with_marked_cycles(lts: &Lts) -> Lts {
    let mut labels = lts.labels.clone();
    let mark = labels.number("(an internal cycle)");
    let is_on_cycle = |state: u32| {
        let internal = lts.outgoing(state).iter().filter(|edge| edge.is_internal());
        internal.into_iter().any(|edge| closure(lts, edge.target, |_| true).contains(&state))
    };
    let mut transitions: Vec<(u32, u32, u32)> = lts.transitions().collect();
    transitions.extend((0..lts.num_states() as u32).filter(|&s| is_on_cycle(s)).map(|s| (s, mark, s)));
    Lts::from_transitions(lts.num_states() as u32, lts.initial, labels, &transitions)
}

/// Classes of a relation that is an equivalence, among the states that can be reached.
pub fn num_classes(lts: &Lts, related: &[Vec<bool>]) -> usize {
    let mut firsts: Vec<u32> = Vec::new();
    for state in reachable(lts) {
        if !firsts.iter().any(|&first| related[first as usize][state as usize]) {
            firsts.push(state);
        }
    }
    firsts.len()
}

/// States that can be reached.
pub fn reachable(lts: &Lts) -> Vec<u32> {
    let mut found = vec![lts.initial];
    let mut next = 0;
    while let Some(&state) = found.get(next) {
        next += 1;
        for edge in lts.outgoing(state) {
            if !found.contains(&edge.target) {
                found.push(edge.target);
            }
        }
    }
    found
}

/// A random system.
pub fn random_lts(random: &mut Random, most: usize) -> Lts {
    let states = 1 + random.below(most);
    let mut labels = Labels::new();
    let visible = 1 + random.below(3);
    for k in 0..visible {
        labels.number(&format!("a{k}"));
    }
    let internal = [10, 40, 70][random.below(3)];
    let transitions = random.below(3 * states + 1);
    let transitions: Vec<(u32, u32, u32)> = (0..transitions)
        .map(|_| {
            let label = if random.chance(internal) { 0 } else { 1 + random.below(visible) as u32 };
            (random.below(states) as u32, label, random.below(states) as u32)
        })
        .collect();
    Lts::from_transitions(states as u32, random.below(states) as u32, labels, &transitions)
}

/// Two systems side by side; the labels are those of the first.
pub fn side_by_side(left: &Lts, right: &Lts) -> (Lts, u32) {
    let shift = left.num_states() as u32;
    let mut labels = left.labels.clone();
    let number: Vec<u32> = right.labels.texts().iter().map(|text| labels.number(text)).collect();
    let mut transitions: Vec<(u32, u32, u32)> = left.transitions().collect();
    let moved = right.transitions().map(|(s, l, t)| (s + shift, number[l as usize], t + shift));
    transitions.extend(moved);
    let states = shift + right.num_states() as u32;
    (Lts::from_transitions(states, left.initial, labels, &transitions), right.initial + shift)
}
