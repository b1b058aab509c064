//! Comparisons against the definitions; traces and formulas are evaluated on the systems that they tell apart.

use crate::naive::{Definition, closure, random_lts, relation, side_by_side};
use volvelle_control::Control;
use volvelle_lts::{Formula, Relation, compare};
use volvelle_random::Random;
use volvelle_space::Lts;

const RELATIONS: [(Relation, Definition); 4] = [
    (Relation::Strong, Definition::Strong),
    (Relation::Branching, Definition::Branching),
    (Relation::DivergencePreservingBranching, Definition::DivergencePreservingBranching),
    (Relation::Weak, Definition::Weak),
];

#[test]
fn what_tells_systems_apart_does() {
    let (mut formulas, mut traces, mut different, mut further) = (0, 0, 0, 0);
    for seed in 0..1500 {
        let mut random = Random(seed);
        let left = random_lts(&mut random, 6);
        let right = if random.one_in(3) { changed(&left, &mut random) } else { random_lts(&mut random, 6) };
        let (both, other) = side_by_side(&left, &right);
        for (of, definition) in RELATIONS {
            let related = relation(&both, definition)[left.initial as usize][other as usize];
            let found = compare(left.clone(), right.clone(), of, &Control::unlimited()).unwrap();
            assert_eq!(found.equivalent, related, "seed {seed} {of:?}\n{left:?}\n{right:?}");
            if related {
                continue;
            }
            different += 1;
            if let Some(trace) = &found.trace {
                traces += 1;
                let weak = of != Relation::Strong;
                let has = |lts: &Lts| has_trace(lts, &trace.labels, weak);
                assert_eq!(
                    (has(&left), has(&right)),
                    (trace.is_of_first, !trace.is_of_first),
                    "seed {seed} {trace:?}"
                );
            }
            let formula = found.formula.expect("small systems have small formulas");
            let is_of_trace =
                found.trace.as_ref().is_some_and(|trace| trace.labels.len() + 2 >= formula.size());
            formulas += 1;
            further += usize::from(!is_of_trace);
            let of_left = holds(&left, &formula)[left.initial as usize];
            let of_right = holds(&right, &formula)[right.initial as usize];
            assert!(of_left && !of_right, "seed {seed} {of:?} {formula}\n{left:?}\n{right:?}");
        }
    }
    // Formulas that say more than a trace are among them.
    assert!(formulas == different && traces > different / 4 && further > 50, "{formulas} {traces} {further}");
}

/// The system with another transition.
fn changed(lts: &Lts, random: &mut Random) -> Lts {
    let mut transitions: Vec<(u32, u32, u32)> = lts.transitions().collect();
    let states = lts.num_states();
    let label = random.below(lts.labels.len()) as u32;
    transitions.push((random.below(states) as u32, label, random.below(states) as u32));
    Lts::from_transitions(states as u32, lts.initial, lts.labels.clone(), &transitions)
}

fn has_trace(lts: &Lts, labels: &[String], weak: bool) -> bool {
    let closed = |states: Vec<u32>| -> Vec<u32> {
        if weak { states.into_iter().flat_map(|s| closure(lts, s, |_| true)).collect() } else { states }
    };
    let mut states = closed(vec![lts.initial]);
    for label in labels {
        let Some(label) = lts.labels.find(label) else { return false };
        let next = states.iter().flat_map(|&s| lts.outgoing(s)).filter(|edge| edge.label == label);
        states = closed(next.map(|edge| edge.target).collect());
        states.sort_unstable();
        states.dedup();
    }
    !states.is_empty()
}

/// The states in which a formula holds.
fn holds(lts: &Lts, formula: &Formula) -> Vec<bool> {
    let states = lts.num_states() as u32;
    let each = |test: &dyn Fn(u32) -> bool| (0..states).map(test).collect::<Vec<bool>>();
    let step = |state: u32, label: &str, to: &dyn Fn(u32) -> bool| {
        lts.labels
            .find(label)
            .is_some_and(|l| lts.outgoing(state).iter().any(|e| e.label == l && to(e.target)))
    };
    match formula {
        Formula::Not(inner) => holds(lts, inner).into_iter().map(|holds| !holds).collect(),
        Formula::And(parts) => parts.iter().fold(vec![true; states as usize], |all, part| {
            all.into_iter().zip(holds(lts, part)).map(|(a, b)| a && b).collect()
        }),
        Formula::Can(label, inner) => {
            let inner = holds(lts, inner);
            each(&|s| step(s, label, &|t| inner[t as usize]))
        }
        Formula::Weakly(label, inner) => {
            let inner = holds(lts, inner);
            let after = |s: u32| closure(lts, s, |_| true).into_iter().any(|t| inner[t as usize]);
            match label.as_str() {
                "i" => each(&after),
                _ => each(&|s| closure(lts, s, |_| true).into_iter().any(|t| step(t, label, &after))),
            }
        }
        Formula::Until(stay, label, inner) => {
            let (stay, inner) = (holds(lts, stay), holds(lts, inner));
            let inside = |s: u32| closure(lts, s, |t| stay[t as usize]);
            each(&|s| inside(s).into_iter().any(|t| step(t, label, &|u| inner[u as usize])))
        }
        Formula::Diverges(stay) => {
            let stay = holds(lts, stay);
            let mut can = vec![true; states as usize];
            for _ in 0..states {
                can = each(&|s| step(s, "i", &|t| stay[t as usize] && can[t as usize]));
            }
            can
        }
    }
}
