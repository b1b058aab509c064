//! The definitions, word by word.

use dashu_ratio::RBig;
use std::collections::HashSet;
use volvelle_space::WeightedStructure;
use volvelle_weighted::Window;

/// Whether a weight answers a step of weight `w`.
pub fn answers(window: &Window, w: u64, weight: u64) -> bool {
    let (w, weight) = (RBig::from(w), RBig::from(weight));
    match window {
        Window::AtMost => weight <= w,
        Window::AtLeast => weight >= w,
        Window::Around(e) => &w * (RBig::ONE - e) <= weight && weight <= &w * (RBig::ONE + e),
        Window::AtMostWidened(e) => weight <= &w * (RBig::ONE + e),
    }
}

/// Whether some path from `t` answers a step `s -w-> s'`.
pub fn answered(
    structure: &WeightedStructure,
    window: &Window,
    related: &[Vec<bool>],
    (s, w, target): (u32, u64, u32),
    t: u32,
) -> bool {
    // Weights of paths beyond the cap are as good or as bad as the cap: with these e all windows end below 5 w + 1.
    let cap = 5 * w + 1;
    let mut seen = HashSet::from([(t, 0u64)]);
    let mut pending = vec![(t, 0u64)];
    while let Some((x, weight)) = pending.pop() {
        if related[target as usize][x as usize] && answers(window, w, weight) {
            return true;
        }
        if related[s as usize][x as usize] {
            for step in structure.outgoing(x) {
                let next = (step.target, (weight + step.weight).min(cap));
                if seen.insert(next) {
                    pending.push(next);
                }
            }
        }
    }
    false
}

/// The largest simulation.
pub fn simulation(structure: &WeightedStructure, window: &Window) -> Vec<Vec<bool>> {
    let states = structure.num_states() as u32;
    let equal = |s, t| structure.valuation_of(s) == structure.valuation_of(t);
    let mut related: Vec<Vec<bool>> =
        (0..states).map(|s| (0..states).map(|t| equal(s, t)).collect()).collect();
    loop {
        let mut changed = false;
        for s in 0..states {
            for t in 0..states {
                let holds = related[s as usize][t as usize]
                    && structure
                        .outgoing(s)
                        .iter()
                        .all(|step| answered(structure, window, &related, (s, step.weight, step.target), t));
                changed |= holds != related[s as usize][t as usize];
                related[s as usize][t as usize] = holds;
            }
        }
        if !changed {
            return related;
        }
    }
}
