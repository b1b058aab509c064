//! Quotients against the definitions of the equivalences.

use crate::naive::{Definition, num_classes, random_lts, reachable, relation, side_by_side};
use volvelle_control::Control;
use volvelle_lts::{Relation, reduce};
use volvelle_random::Random;
use volvelle_space::{Edge, Labels, Lts};

const RELATIONS: [(Relation, Definition); 4] = [
    (Relation::Weak, Definition::Weak),
    (Relation::Strong, Definition::Strong),
    (Relation::Branching, Definition::Branching),
    (Relation::DivergencePreservingBranching, Definition::DivergencePreservingBranching),
];

fn cases(default: u64) -> u64 {
    std::env::var("VOLVELLE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}

#[test]
fn quotients_agree_with_the_definitions() {
    for seed in 0..cases(600) {
        let mut random = Random(seed);
        let lts = random_lts(&mut random, 9);
        for (of, definition) in RELATIONS {
            let related = relation(&lts, definition);
            let reduced = reduce(lts.clone(), of, &Control::unlimited()).unwrap();
            let expected = num_classes(&lts, &related);
            assert_eq!(reduced.lts.num_states(), expected, "seed {seed} {of:?}\n{lts:?}\n{:?}", reduced.lts);
            for s in reachable(&lts) {
                for t in reachable(&lts) {
                    let same = reduced.class_of[s as usize] == reduced.class_of[t as usize];
                    assert_eq!(
                        same, related[s as usize][t as usize],
                        "seed {seed} {of:?} states {s} {t}\n{lts:?}"
                    );
                }
            }
            // The quotient is equivalent to the system.
            let (both, right) = side_by_side(&lts, &reduced.lts);
            let related = relation(&both, definition);
            assert!(
                related[lts.initial as usize][right as usize],
                "seed {seed} {of:?}\n{lts:?}\n{:?}",
                reduced.lts
            );
        }
    }
}

#[test]
fn a_second_reduction_changes_nothing() {
    for seed in 0..cases(300) {
        let mut random = Random(seed + 1_000_000);
        let lts = random_lts(&mut random, 200);
        for (of, _) in RELATIONS {
            let once = reduce(lts.clone(), of, &Control::unlimited()).unwrap().lts;
            let twice = reduce(once.clone(), of, &Control::unlimited()).unwrap().lts;
            assert_eq!(once, twice, "seed {seed} {of:?}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let mut random = Random(7);
    let transitions: Vec<(u32, u32, u32)> = (0..400_000)
        .map(|_| (random.below(100_000) as u32, random.below(4) as u32, random.below(100_000) as u32))
        .collect();
    let mut labels = Labels::new();
    ["a", "b", "c"].iter().for_each(|label| {
        labels.number(label);
    });
    let lts = Lts::from_transitions(100_000, 0, labels, &transitions);
    // Weak bisimulation is found by one thread.
    for (of, _) in RELATIONS.into_iter().filter(|(of, _)| *of != Relation::Weak) {
        let with = |threads| reduce(lts.clone(), of, &Control { threads, ..Control::unlimited() }).unwrap();
        let (one, three) = (with(1), with(3));
        assert_eq!(one.lts, three.lts, "{of:?}");
        assert_eq!(one.class_of, three.class_of, "{of:?}");
    }
}

/// A chain of internal transitions as long as the stack is not.
#[test]
fn long_internal_chains_and_cycles() {
    for closing in [false, true] {
        let states = 1_000_000;
        let mut labels = Labels::new();
        let a = labels.number("a");
        let mut starts = vec![0];
        let mut edges = Vec::new();
        for state in 0..states {
            if state + 1 < states {
                edges.push(Edge { label: 0, target: state + 1 });
            } else if closing {
                edges.push(Edge { label: 0, target: 0 });
            } else {
                edges.push(Edge { label: a, target: 0 });
            }
            starts.push(edges.len() as u32);
        }
        let lts = Lts::new(0, labels, starts, edges);
        let branching = reduce(lts.clone(), Relation::Branching, &Control::unlimited()).unwrap().lts;
        assert_eq!((branching.num_states(), branching.num_transitions()), (1, usize::from(!closing)));
        let preserving = Relation::DivergencePreservingBranching;
        let preserving = reduce(lts, preserving, &Control::unlimited()).unwrap().lts;
        assert_eq!((preserving.num_states(), preserving.num_transitions()), (1, 1));
    }
}
