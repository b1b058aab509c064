//! What formulas say about distances: a state at distance `e` satisfies what the other one does, with intervals widened by `e`.

use super::random_structure;
use dashu_ratio::RBig;
use std::collections::BTreeSet;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::WeightedStructure;
use volvelle_weighted::distance::{Kind, all_pairs};

/// A formula of the fragment: propositions and their negations, and, or, `E(f U[low, high] g)`.
enum Formula {
    Literal(u32, bool),
    Both(Box<Formula>, Box<Formula>),
    Either(Box<Formula>, Box<Formula>),
    Until(Box<Formula>, u64, u64, Box<Formula>),
}

fn random_formula(random: &mut Random, depth: usize, kind: Kind, weight: usize) -> Formula {
    if depth == 0 || random.one_in(6) {
        return Formula::Literal(random.below(2) as u32, random.chance(70));
    }
    let part = |random: &mut Random| Box::new(random_formula(random, depth - 1, kind, weight));
    let (left, right) = (part(random), part(random));
    match random.below(5) {
        0 => Formula::Both(left, right),
        1 => Formula::Either(left, right),
        _ => {
            let low = if kind == Kind::Wbd { random.below(weight + 1) as u64 } else { 0 };
            Formula::Until(left, low, low + random.below(weight + 1) as u64, right)
        }
    }
}

/// The states that satisfy a formula whose intervals are widened.
fn satisfying(structure: &WeightedStructure, formula: &Formula, e: &RBig) -> Vec<bool> {
    let states = 0..structure.num_states();
    let zip = |f: &Formula, g: &Formula| {
        satisfying(structure, f, e).into_iter().zip(satisfying(structure, g, e)).collect::<Vec<_>>()
    };
    match formula {
        Formula::Literal(proposition, positive) => {
            states.map(|s| (structure.multiplicity(s as u32, *proposition) > 0) == *positive).collect()
        }
        Formula::Both(f, g) => zip(f, g).into_iter().map(|(f, g)| f && g).collect(),
        Formula::Either(f, g) => zip(f, g).into_iter().map(|(f, g)| f || g).collect(),
        Formula::Until(f, low, high, g) => {
            let (f, g) = (satisfying(structure, f, e), satisfying(structure, g, e));
            let low = RBig::from(*low) * (RBig::ONE - e);
            let high = RBig::from(*high) * (RBig::ONE + e);
            let reaches = |state: usize| {
                let mut seen = BTreeSet::from([(state, 0u64)]);
                let mut open = vec![(state, 0u64)];
                while let Some((at, weight)) = open.pop() {
                    if g[at] && RBig::from(weight) >= low {
                        return true;
                    }
                    for step in structure.outgoing(at as u32).iter().filter(|_| f[at]) {
                        let next = (step.target as usize, weight + step.weight);
                        if RBig::from(next.1) <= high && seen.insert(next) {
                            open.push(next);
                        }
                    }
                }
                false
            };
            states.map(reaches).collect()
        }
    }
}

#[test]
fn widened_formulas_are_preserved() {
    let mut random = Random(8);
    let (mut used, mut needed) = (0, 0);
    for case in 0..700 {
        let (states, weight) = (3 + random.below(4), 1 + random.below(6));
        let structure = random_structure(&mut random, states, weight);
        for kind in [Kind::Ebd, Kind::Wbd] {
            let distances = all_pairs(&structure, kind, &Control::unlimited()).expect("no limits");
            for _ in 0..3 {
                let formula = random_formula(&mut random, 3, kind, weight);
                let exact = satisfying(&structure, &formula, &RBig::ZERO);
                for (level, e) in distances.levels().iter().enumerate() {
                    let widened = satisfying(&structure, &formula, e);
                    for (s, t) in (0..states as u32).flat_map(|s| (0..states as u32).map(move |t| (s, t))) {
                        if s != t && distances.level(s, t) <= level as u32 && exact[s as usize] {
                            used += 1;
                            needed += usize::from(!exact[t as usize]);
                            assert!(widened[t as usize], "{case} {kind:?} {s} {t} {e} {structure:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(used > 10_000 && needed > 100, "{used} {needed}");
}
