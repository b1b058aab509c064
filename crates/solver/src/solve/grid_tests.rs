//! Grids of two dimensions: slow chains are eliminated, least rewards begin with those of a policy.

use volvelle_control::Control;
use volvelle_logic::Optimum;
use volvelle_reference::{Rows, space};
use volvelle_space::{BitSet, Kind};

use crate::context::Context;
use crate::numbers::Numbers;
use crate::options::{Method, Options};
use crate::reach::until;
use crate::reward::reachability_reward;

fn options(method: Method) -> Options {
    Options { method, ..Options::default() }
}

/// A symmetric walk: sweeps would take thousands of steps. By symmetry, the two corners are equally likely seen from places that
/// mirror each other.
#[test]
fn slow_walks_on_grids_are_eliminated() {
    let side = 80usize;
    let n = side * side;
    let row = |s: usize| -> Vec<(usize, f64)> {
        let (x, y) = (s % side, s / side);
        let place = |x: usize, y: usize| y * side + x;
        let near = [
            place((x + 1).min(side - 1), y),
            place(x.saturating_sub(1), y),
            place(x, (y + 1).min(side - 1)),
            place(x, y.saturating_sub(1)),
        ];
        near.iter().map(|&t| (t, 0.25)).collect()
    };
    let rows: Rows =
        (0..n).map(|s| vec![if s == 0 || s == n - 1 { vec![(s, 1.0)] } else { row(s) }]).collect();
    let space = space(Kind::Dtmc, &rows);
    let target = BitSet::of(n, [n - 1]);
    let control = Control::unlimited();
    let context = Context::new(&space, options(Method::Auto), &control);
    let found = until(&context, &BitSet::full(n), &target, Optimum::Max).unwrap();
    assert!(found.method.contains("elimination"), "{}", found.method);
    for s in 0..n {
        let ([a, b], [c, d]) = (found.bounds[s], found.bounds[n - 1 - s]);
        assert!(a + c <= 1.0 && 1.0 <= b + d && b - a <= 1e-8, "state {s}: [{a}, {b}], [{c}, {d}]");
    }
}

/// Steps in four directions that may slip aside; the corner is to be reached.
fn slippery(side: usize, slip: f64) -> Rows {
    let place = |x: usize, y: usize| y * side + x;
    let up = |v: usize| (v + 1).min(side - 1);
    (0..side * side)
        .map(|s| {
            let (x, y) = (s % side, s / side);
            let across = [place(x, up(y)), place(x, y.saturating_sub(1))];
            let along = [place(up(x), y), place(x.saturating_sub(1), y)];
            let step = |to: usize, aside: [usize; 2]| match slip > 0.0 {
                true => vec![(to, 1.0 - 2.0 * slip), (aside[0], slip), (aside[1], slip)],
                false => vec![(to, 1.0)],
            };
            along.iter().map(|&to| step(to, across)).chain(across.iter().map(|&to| step(to, along))).collect()
        })
        .collect()
}

fn least_steps(side: usize, slip: f64, method: Method) -> Numbers {
    let space = space(Kind::Mdp, &slippery(side, slip));
    let n = side * side;
    let target = BitSet::of(n, [n - 1]);
    let reward = vec![1.0; space.num_choices()];
    let control = Control::unlimited();
    let context = Context::new(&space, options(method), &control);
    reachability_reward(&context, &reward, &target, Optimum::Min).unwrap()
}

#[test]
fn least_rewards_begin_near_those_of_a_policy() {
    let side = 80;
    let found = least_steps(side, 0.0, Method::Auto);
    for s in 0..side * side {
        let steps = (2 * (side - 1) - s % side - s / side) as f64;
        let [a, b] = found.bounds[s];
        assert!(a <= steps && steps <= b && b - a <= 1e-6 * b, "state {s}: [{a}, {b}], {steps}");
    }
    // From zero, values would rise by one in a sweep.
    let sweeps = found.method.split("at most ").nth(1).and_then(|text| text.split(' ').next()?.parse().ok());
    assert!(sweeps.is_none_or(|sweeps: usize| sweeps < side), "{}", found.method);
    let (found, direct) = (least_steps(side, 0.1, Method::Auto), least_steps(side, 0.1, Method::Elimination));
    for s in 0..side * side {
        let ([a, b], [c, d]) = (found.bounds[s], direct.bounds[s]);
        assert!(a <= d && c <= b && b - a <= 1e-6 * b, "state {s}: [{a}, {b}] and [{c}, {d}]");
    }
}
