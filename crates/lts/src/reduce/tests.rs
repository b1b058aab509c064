//! Several threads on small systems (see [`parallel::LEAST`](super::parallel)), against one thread and the definitions.

#[path = "../../tests/it/naive/mod.rs"]
mod naive;

use super::{Relation, reduce};
use naive::{Definition, num_classes, random_lts, reachable, relation};
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::{Labels, Lts};

const CASES: u64 = 60;

fn with(threads: usize) -> Control<'static> {
    Control { threads, ..Control::unlimited() }
}

const DEFINITIONS: [(Relation, Definition); 4] = [
    (Relation::Weak, Definition::Weak),
    (Relation::Strong, Definition::Strong),
    (Relation::Branching, Definition::Branching),
    (Relation::DivergencePreservingBranching, Definition::DivergencePreservingBranching),
];

#[test]
fn quotients_agree_with_the_definitions() {
    for seed in 0..CASES {
        let lts = random_lts(&mut Random(seed + 5_000_000), 14);
        for (of, definition) in DEFINITIONS {
            let related = relation(&lts, definition);
            for threads in 1..=3 {
                let reduced = reduce(lts.clone(), of, &with(threads)).unwrap();
                let context = || format!("seed {seed} {of:?} {threads} threads\n{lts:?}\n{:?}", reduced.lts);
                assert_eq!(reduced.lts.num_states(), num_classes(&lts, &related), "{}", context());
                for s in reachable(&lts) {
                    for t in reachable(&lts) {
                        let same = reduced.class_of[s as usize] == reduced.class_of[t as usize];
                        assert_eq!(same, related[s as usize][t as usize], "{s} {t} {}", context());
                    }
                }
            }
        }
    }
}

/// Systems with chains and cycles of internal transitions, weights, and states that cannot be reached.
fn larger(random: &mut Random) -> Lts {
    let states = 1 + random.below(150);
    let mut labels = Labels::new();
    let visible = ["a", "b", "rate 1", "rate 0.5", "prob 0.25", "a; rate 3"];
    visible.iter().for_each(|label| {
        labels.number(label);
    });
    let known = [1, 2, visible.len()][random.below(3)];
    let (internal, local) = ([10, 50, 90][random.below(3)], [0, 50, 95][random.below(3)]);
    let transitions: Vec<(u32, u32, u32)> = (0..random.below(4 * states + 1))
        .map(|_| {
            let source = random.below(states);
            let target =
                if random.chance(local) { (source + 1).min(states - 1) } else { random.below(states) };
            let label = if random.chance(internal) { 0 } else { 1 + random.below(known) };
            (source as u32, label as u32, target as u32)
        })
        .collect();
    Lts::from_transitions(states as u32, random.below(states) as u32, labels, &transitions)
}

#[test]
fn threads_change_nothing() {
    for seed in 0..CASES {
        let lts = larger(&mut Random(seed + 6_000_000));
        for of in Relation::ALL {
            let one = reduce(lts.clone(), of, &with(1)).unwrap();
            for threads in [2, 3] {
                let more = reduce(lts.clone(), of, &with(threads)).unwrap();
                assert_eq!(one.lts, more.lts, "seed {seed} {of:?} {threads} threads\n{lts:?}");
                assert_eq!(one.class_of, more.class_of, "seed {seed} {of:?} {threads} threads\n{lts:?}");
            }
        }
    }
}
