//! Classical methods: near the truth where convergence is fast, and known to be far from it where it is slow.

use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason};
use volvelle_reference::*;
use volvelle_space::{BitSet, Kind, Space};

use crate::context::Context;
use crate::numbers::Numbers;
use crate::options::{Classical, Method, Options};
use crate::reach::until;

const ALL: [Classical; 5] = [
    Classical::Jacobi,
    Classical::Jor(0.9),
    Classical::GaussSeidel,
    Classical::Sor(0.9),
    Classical::PolicyIteration,
];

fn run(space: &Space, right: &BitSet, optimum: Optimum, options: Options) -> Numbers {
    let control = Control::unlimited();
    let context = Context::new(space, options, &control);
    until(&context, &BitSet::full(space.num_states()), right, optimum).unwrap()
}

fn classical(method: Classical) -> Options {
    Options {
        method: Method::Classical(method),
        epsilon: 1e-9,
        max_iterations: 100_000,
        ..Options::default()
    }
}

/// A walk on a line with choices between two coins; every state may also end at once.
fn fast_mdp(random: &mut Random, n: usize) -> Space {
    let rows: Rows = (0..n)
        .map(|s| match s {
            0 | 1 => vec![vec![(s, 1.0)]],
            _ => (0..1 + random.below(3))
                .map(|_| vec![(random.below(n), 0.25), (random.below(n), 0.25), (0, 0.25), (1, 0.25)])
                .collect(),
        })
        .collect();
    space(Kind::Mdp, &rows)
}

#[test]
fn near_the_verified_value_where_convergence_is_fast() {
    let mut random = Random(91);
    for round in 0..40 {
        let n = 4 + random.below(30);
        let space = fast_mdp(&mut random, n);
        let mut right = BitSet::new(n);
        right.insert(1);
        for optimum in [Optimum::Min, Optimum::Max] {
            let truth = run(&space, &right, optimum, Options::default());
            for method in ALL {
                let found = run(&space, &right, optimum, classical(method));
                assert!(
                    matches!(found.stop, StopReason::SmallChange | StopReason::Computed),
                    "{:?}",
                    found.stop
                );
                for s in 0..n {
                    let error = (found.bounds[s][0] - truth.bounds[s][0]).abs();
                    assert!(error < 2e-6, "round {round} {method:?} {optimum:?} state {s}: off by {error:e}");
                }
            }
        }
    }
}

/// Haddad and Monmege's chain: the published wrong answer, 0.5 or less instead of 0.7, and its label.
#[test]
fn far_from_the_value_where_convergence_is_slow() {
    let n = 40;
    let rows: Rows = (0..=2 * n)
        .map(|s| {
            vec![match s {
                0 => vec![(0, 1.0)],
                s if s == 2 * n => vec![(s, 1.0)],
                s if s == n => vec![(s - 1, 0.25), (s + 1, 0.75)],
                s if s < n => vec![(s - 1, 0.5), (n, 0.5)],
                s => vec![(s + 1, 0.5), (n, 0.5)],
            }]
        })
        .collect();
    let space = space(Kind::Dtmc, &rows);
    let mut right = BitSet::new(2 * n + 1);
    right.insert(2 * n);
    let options = Options { epsilon: 1e-6, relative: false, ..classical(Classical::Jacobi) };
    let wrong = run(&space, &right, Optimum::Max, options);
    assert_eq!(wrong.stop, StopReason::SmallChange);
    assert!(wrong.bounds[n][1] < 0.6, "{:?}", wrong.bounds[n]);
    let right = run(&space, &right, Optimum::Max, Options::default());
    assert!(right.bounds[n][0] <= 0.75 && 0.75 <= right.bounds[n][1], "{:?}", right.bounds[n]);
}

#[test]
fn the_limit_of_iterations_is_told() {
    let space = parse(Kind::Dtmc, "0: 1:0\n1: 0.5:0 0.5:2\n2: 0.5:1 0.5:3\n3: 1:3");
    let mut right = BitSet::new(4);
    right.insert(3);
    let options = Options { max_iterations: 3, ..classical(Classical::GaussSeidel) };
    assert_eq!(run(&space, &right, Optimum::Max, options).stop, StopReason::SmallChangeMissed);
}
