//! The states where a probability is exactly zero or one (the precomputations Prob0 and Prob1), by graph algorithms alone.
//!
//! For `left U right`, after Baier and Katoen, *Principles of Model Checking*, section 10.6.1, and
//! de Alfaro's thesis for probability one under the best scheduler. For an MDP there are four different
//! sets, by optimum and value. On a Markov chain minimum and maximum coincide.

use volvelle_logic::Optimum;
use volvelle_space::{BitSet, Space};

use super::predecessors::Predecessors;

/// States whose probability is exactly zero, and exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prob01 {
    /// Probability zero.
    pub zero: BitSet,
    /// Probability one.
    pub one: BitSet,
}

/// The sets for `left U right` under the optimal scheduler.
pub fn prob01(
    space: &Space,
    predecessors: &Predecessors,
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
) -> Prob01 {
    let mut via = left.clone();
    via.subtract(right);
    if space.choices.is_none() {
        let zero = predecessors.reach(right, Some(&via)).complement();
        let one = predecessors.reach(&zero, Some(&via)).complement();
        return Prob01 { zero, one };
    }
    match optimum {
        Optimum::Max => {
            let zero = predecessors.reach(right, Some(&via)).complement();
            let one = one_for_some(space, predecessors, &via, right, BitSet::new(space.num_choices()));
            Prob01 { zero, one }
        }
        Optimum::Min => {
            let zero = positive_for_all(space, predecessors, &via, right).complement();
            let one = predecessors.reach(&zero, Some(&via)).complement();
            Prob01 { zero, one }
        }
    }
}

/// States from which every scheduler reaches `target` through `via` with positive probability.
fn positive_for_all(space: &Space, predecessors: &Predecessors, via: &BitSet, target: &BitSet) -> BitSet {
    let mut set = target.clone();
    let mut hit = BitSet::new(space.num_choices());
    // Choices of the state that cannot avoid the set yet.
    let mut open: Vec<u32> = (0..space.num_states()).map(|s| space.choices_of(s).len() as u32).collect();
    let mut work: Vec<u32> = target.iter().map(|s| s as u32).collect();
    while let Some(state) = work.pop() {
        for &choice in predecessors.of(state as usize) {
            let source = predecessors.owner(choice);
            if !via.contains(source) || !hit.insert(choice as usize) {
                continue;
            }
            open[source] -= 1;
            if open[source] == 0 && set.insert(source) {
                work.push(source as u32);
            }
        }
    }
    set
}

/// States from which some scheduler that makes none of the choices `forbidden` reaches `target` almost surely.
pub fn reaches_surely_without(
    space: &Space,
    predecessors: &Predecessors,
    target: &BitSet,
    forbidden: BitSet,
) -> BitSet {
    one_for_some(space, predecessors, &target.complement(), target, forbidden)
}

/// States from which some scheduler reaches `target` through `via` almost surely, without the choices `leaving`:
/// the greatest Z of the least Y with `Y = target or (via and some choice stays in Z and may enter Y)`.
///
/// Removing a state from Y removes the choices that may lead there, and the states that have no choice left,
/// before Y is recomputed: few rounds are needed then, where one set at a time would peel off layer by layer.
fn one_for_some(
    space: &Space,
    predecessors: &Predecessors,
    via: &BitSet,
    target: &BitSet,
    mut leaving: BitSet,
) -> BitSet {
    let mut outer = predecessors.reach(target, Some(via));
    // Besides the forbidden ones, `leaving` gets the choices that may leave Z; `staying` counts the others of each state.
    let others = |s: usize| space.choices_of(s).filter(|&choice| !leaving.contains(choice)).count() as u32;
    let mut staying: Vec<u32> = (0..space.num_states()).map(others).collect();
    for (s, &staying) in staying.iter().enumerate() {
        if staying == 0 && !target.contains(s) {
            outer.remove(s);
        }
    }
    let mut fallen: Vec<u32> = outer.complement().iter().map(|s| s as u32).collect();
    loop {
        while let Some(state) = fallen.pop() {
            for &choice in predecessors.of(state as usize) {
                if !leaving.insert(choice as usize) {
                    continue;
                }
                let source = predecessors.owner(choice);
                staying[source] -= 1;
                if staying[source] == 0 && !target.contains(source) && outer.contains(source) {
                    outer.remove(source);
                    fallen.push(source as u32);
                }
            }
        }
        let mut inner = target.clone();
        let mut work: Vec<u32> = target.iter().map(|s| s as u32).collect();
        while let Some(state) = work.pop() {
            for &choice in predecessors.of(state as usize) {
                let source = predecessors.owner(choice);
                if !leaving.contains(choice as usize) && outer.contains(source) && inner.insert(source) {
                    work.push(source as u32);
                }
            }
        }
        fallen.extend(outer.iter().filter(|&s| !inner.contains(s)).map(|s| s as u32));
        if fallen.is_empty() {
            return outer;
        }
        outer = inner;
    }
}
