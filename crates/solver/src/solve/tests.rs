use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason};
use volvelle_reference::*;
use volvelle_space::{BitSet, Kind, Space};

use crate::context::Context;
use crate::options::{Method, Options};
use crate::reach::until;
use crate::reward::reachability_reward;

const METHODS: [Method; 3] = [Method::Auto, Method::Iteration, Method::Elimination];

fn options(method: Method) -> Options {
    Options { method, ..Options::default() }
}

fn check_until(space: &Space, left: &BitSet, right: &BitSet, optimum: Optimum, method: Method, what: &str) {
    let control = Control::unlimited();
    let context = Context::new(space, options(method), &control);
    let found = until(&context, left, right, optimum).unwrap();
    let mut best: Vec<Option<RBig>> = vec![];
    for (chain, _) in policies(space) {
        let values = exact_until(&chain, left, right).into_iter().map(Some);
        best = if best.is_empty() {
            values.collect()
        } else {
            best.into_iter().zip(values).map(|(b, v)| pick(optimum, b, v)).collect()
        };
    }
    assert!(method == Method::Iteration || found.stop != StopReason::IterationLimit, "{what} {method:?}");
    for (s, truth) in best.iter().enumerate() {
        let what = format!("{what} {method:?} {optimum:?} state {s}");
        assert_encloses(found.bounds[s], truth, 1e-6, found.stop, &what);
    }
}

#[test]
fn chains_agree_with_rational_algebra() {
    let mut random = Random(11);
    for round in 0..200 {
        let n = 2 + random.below(14);
        let space = space(Kind::Dtmc, &random_rows(&mut random, n, 1));
        let left =
            if random.one_in(2) { BitSet::full(n) } else { random_set(&mut random, n, 5).complement() };
        let right = random_set(&mut random, n, 4);
        for method in METHODS {
            check_until(&space, &left, &right, Optimum::Max, method, &format!("round {round}"));
        }
    }
}

#[test]
fn mdps_agree_with_all_policies() {
    let mut random = Random(12);
    for round in 0..150 {
        let n = 2 + random.below(5);
        let space = space(Kind::Mdp, &random_rows(&mut random, n, 3));
        let left =
            if random.one_in(2) { BitSet::full(n) } else { random_set(&mut random, n, 5).complement() };
        let right = random_set(&mut random, n, 3);
        for optimum in [Optimum::Min, Optimum::Max] {
            for method in METHODS {
                check_until(&space, &left, &right, optimum, method, &format!("round {round}"));
            }
        }
    }
}

#[test]
fn rewards_agree_with_all_policies() {
    let mut random = Random(13);
    let mut finite = 0;
    for round in 0..200 {
        let kind = if random.one_in(2) { Kind::Dtmc } else { Kind::Mdp };
        let n = if kind == Kind::Dtmc { 2 + random.below(12) } else { 2 + random.below(5) };
        let space = space(kind, &random_rows(&mut random, n, if kind == Kind::Mdp { 3 } else { 1 }));
        let target = random_set(&mut random, n, 3);
        // Zeros matter: they make end components without cost.
        let reward: Vec<f64> = (0..space.num_choices())
            .map(|_| if random.one_in(2) { 0.0 } else { random.below(9) as f64 * 0.25 })
            .collect();
        for optimum in [Optimum::Min, Optimum::Max] {
            let mut best: Option<Vec<Option<RBig>>> = None;
            for (chain, taken) in policies(&space) {
                let of_state: Vec<f64> = taken.iter().map(|&c| reward[c]).collect();
                let values = exact_reward(&chain, &of_state, &target);
                best = Some(match best {
                    None => values,
                    Some(best) => best.into_iter().zip(values).map(|(b, v)| pick(optimum, b, v)).collect(),
                });
            }
            for method in METHODS {
                let control = Control::unlimited();
                let context = Context::new(&space, options(method), &control);
                let found = reachability_reward(&context, &reward, &target, optimum).unwrap();
                let finished = found.stop != StopReason::IterationLimit;
                assert!(finished || method == Method::Iteration, "round {round} {method:?} {optimum:?}");
                let finished = found.stop != StopReason::IterationLimit;
                assert!(finished || method == Method::Iteration, "round {round} {method:?} {optimum:?}");
                for (s, truth) in best.as_ref().unwrap().iter().enumerate() {
                    let what = format!("round {round} {method:?} {optimum:?} state {s}");
                    assert_encloses(found.bounds[s], truth, 1e-6, found.stop, &what);
                    finite += usize::from(truth.is_some() && !target.contains(s));
                }
            }
        }
    }
    assert!(finite > 500, "{finite}");
}

/// Haddad and Monmege's chain: from the middle, n steps to either side; it mixes in about 2^n steps.
fn slow_mixing(n: usize, kind: Kind) -> Space {
    let states = 2 * n + 1;
    let rows: Rows = (0..states)
        .map(|s| {
            let out = if s == 0 || s == states - 1 {
                vec![(s, 1.0)]
            } else if s == n {
                vec![(s - 1, 0.25), (s + 1, 0.75)]
            } else if s < n {
                vec![(s - 1, 0.5), (n, 0.5)]
            } else {
                vec![(s + 1, 0.5), (n, 0.5)]
            };
            vec![out]
        })
        .collect();
    let mut space = space(kind, &rows);
    space.initial[0].0 = n as u32;
    space
}

#[test]
fn slow_mixing_is_solved_by_elimination() {
    for n in [5usize, 30, 100, 300] {
        let space = slow_mixing(n, Kind::Dtmc);
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let mut target = BitSet::new(2 * n + 1);
        target.insert(2 * n);
        let found = until(&context, &BitSet::full(2 * n + 1), &target, Optimum::Max).unwrap();
        assert_encloses(found.bounds[n], &Some(exact(0.75)), 1e-9, found.stop, &format!("n = {n}"));
        target.insert(0);
        let ones = vec![1.0; 2 * n + 1];
        let steps = reachability_reward(&context, &ones, &target, Optimum::Max).unwrap();
        // From the middle: e = 1 + sum_(k < n-1) 2^-k + (1 - 2^(1-n)) e, so e = 2^(n-1) (3 - 2^(2-n)).
        let truth = power_of_two(n - 1) * RBig::from(3) - RBig::from(2);
        assert_encloses(steps.bounds[n], &Some(truth), 1e-9, steps.stop, &format!("steps, n = {n}"));
    }
}

fn power_of_two(exponent: usize) -> RBig {
    (0..exponent).fold(RBig::ONE, |p, _| p * RBig::from(2))
}

#[test]
fn slow_mixing_mdps_are_solved_by_policies() {
    // The same chain, and in each state a second choice that is worse for the maximum.
    for n in [6usize, 16, 24] {
        let slow = slow_mixing(n, Kind::Dtmc);
        let rows: Rows = (0..2 * n + 1)
            .map(|s| {
                let row: Vec<(usize, f64)> = slow.transitions(s).collect();
                let worse: Vec<(usize, f64)> = vec![(s, 0.5), (s.saturating_sub(1), 0.5)];
                if s == 2 * n || s == 0 { vec![row] } else { vec![worse, row] }
            })
            .collect();
        let space = space(Kind::Mdp, &rows);
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let mut target = BitSet::new(2 * n + 1);
        target.insert(2 * n);
        let found = until(&context, &BitSet::full(2 * n + 1), &target, Optimum::Max).unwrap();
        assert_ne!(found.stop, StopReason::IterationLimit);
        assert_encloses(
            found.bounds[n],
            &Some(exact(0.75)),
            1e-6,
            found.stop,
            &format!("n = {n}: {}", found.method),
        );
    }
}

#[test]
fn iteration_never_lies_where_it_does_not_converge() {
    for n in [10usize, 20, 40, 60] {
        let space = slow_mixing(n, Kind::Dtmc);
        let control = Control::unlimited();
        let options = Options { method: Method::Iteration, max_iterations: 3_000, ..Options::default() };
        let context = Context::new(&space, options, &control);
        let mut target = BitSet::new(2 * n + 1);
        target.insert(2 * n);
        let found = until(&context, &BitSet::full(2 * n + 1), &target, Optimum::Max).unwrap();
        assert_encloses(found.bounds[n], &Some(exact(0.75)), 1.0, found.stop, &format!("n = {n}"));
    }
}

#[test]
fn tiny_probabilities_keep_their_digits() {
    // A birth-death chain: to reach the far end from the near one against a drift of 15/16.
    let n = 40;
    let rows: Rows = (0..=n)
        .map(|s| {
            vec![match s {
                0 => vec![(0, 1.0)],
                s if s == n => vec![(s, 1.0)],
                s => vec![(s - 1, 15.0 / 16.0), (s + 1, 1.0 / 16.0)],
            }]
        })
        .collect();
    let space = space(Kind::Dtmc, &rows);
    let mut target = BitSet::new(n + 1);
    target.insert(n);
    for method in METHODS {
        let control = Control::unlimited();
        let context = Context::new(&space, options(method), &control);
        let found = until(&context, &BitSet::full(n + 1), &target, Optimum::Max).unwrap();
        // Gambler's ruin: (15 - 1) / (15^40 - 1).
        let power = (0..n).fold(RBig::ONE, |p, _| p * RBig::from(15));
        let truth = RBig::from(14) / (power - RBig::ONE);
        assert_encloses(found.bounds[1], &Some(truth), 1e-6, found.stop, &format!("{method:?}"));
    }
}

/// A random walk on a cube with two absorbing corners: too large for a dense solver, mixes well.
#[test]
fn large_components_agree_between_methods() {
    let side = 12usize;
    let n = side * side * side;
    let mut random = Random(17);
    let rows: Rows = (0..n)
        .map(|s| {
            if s == 0 || s == n - 1 {
                return vec![vec![(s, 1.0)]];
            }
            let (x, y, z) = (s % side, s / side % side, s / side / side);
            let mut near = vec![];
            for (v, step) in [(x, 1), (y, side), (z, side * side)] {
                if v > 0 {
                    near.push(s - step);
                }
                if v + 1 < side {
                    near.push(s + step);
                }
            }
            let weights: Vec<f64> = near.iter().map(|_| (1 + random.below(8)) as f64).collect();
            let total: f64 = weights.iter().sum();
            vec![near.iter().zip(weights).map(|(&t, w)| (t, w / total)).collect()]
        })
        .collect();
    let space = space(Kind::Dtmc, &rows);
    let mut target = BitSet::new(n);
    target.insert(n - 1);
    let run = |method| {
        let control = Control::unlimited();
        let context = Context::new(&space, options(method), &control);
        until(&context, &BitSet::full(n), &target, Optimum::Max).unwrap()
    };
    let (direct, iterated) = (run(Method::Elimination), run(Method::Iteration));
    assert!(direct.method.contains("elimination") && iterated.method.contains("iteration"));
    for s in 0..n {
        let ([a, b], [c, d]) = (direct.bounds[s], iterated.bounds[s]);
        assert!(a <= d && c <= b, "state {s}: [{a}, {b}] and [{c}, {d}]");
        assert!(b - a <= 1e-9 * b && d - c <= 1e-6 * d, "state {s}: [{a}, {b}] and [{c}, {d}]");
    }
}

#[test]
fn elimination_agrees_with_rationals_beyond_the_dense_size() {
    let mut random = Random(19);
    for _ in 0..3 {
        let n = 70;
        // A ring with chords, so that nearly everything is one component.
        let rows: Rows = (0..n)
            .map(|s| {
                if s == n - 1 {
                    return vec![vec![(s, 1.0)]];
                }
                let chord = random.below(n - 1);
                vec![vec![(s + 1, 0.25), (chord, 0.5), (s.saturating_sub(1), 0.25)]]
            })
            .collect();
        let space = space(Kind::Dtmc, &rows);
        let mut target = BitSet::new(n);
        target.insert(n - 1);
        let chain: Chain = rows.iter().map(|r| r[0].clone()).collect();
        let reward: Vec<f64> = (0..n).map(|s| (s % 5) as f64).collect();
        let truth = exact_reward(&chain, &reward, &target);
        let control = Control::unlimited();
        let context = Context::new(&space, options(Method::Elimination), &control);
        let found = reachability_reward(&context, &reward, &target, Optimum::Max).unwrap();
        assert!(found.method.contains("elimination"), "{}", found.method);
        for (s, truth) in truth.iter().enumerate() {
            assert_encloses(found.bounds[s], truth, 1e-10, found.stop, &format!("state {s}"));
        }
    }
}

/// Most states have one successor: they are contracted before anything else is eliminated.
#[test]
fn deterministic_chains_are_contracted_rightly() {
    let mut random = Random(29);
    for round in 0..8 {
        let n = 80 + random.below(30);
        let last = n - 1;
        let rows: Rows = (0..n)
            .map(|s| {
                let somewhere = random.below(last);
                let row = match random.below(10) {
                    _ if s == last => vec![(last, 1.0)],
                    // On to the next, or back: cycles of single steps are closed by the states that branch.
                    0..6 => vec![(s + 1, 1.0)],
                    6 => vec![(s.saturating_sub(1 + random.below(5)), 0.5), (s, 0.25), (s + 1, 0.25)],
                    7 => vec![(somewhere, 0.75), (last, 0.25)],
                    _ => vec![(somewhere, 0.5), (s + 1, 0.5)],
                };
                vec![row]
            })
            .collect();
        let space = space(Kind::Dtmc, &rows);
        let mut target = BitSet::new(n);
        target.insert(last);
        let chain: Chain = rows.iter().map(|r| r[0].clone()).collect();
        let reward: Vec<f64> = (0..n).map(|s| (s % 3) as f64).collect();
        let truth = exact_reward(&chain, &reward, &target);
        for method in METHODS {
            let control = Control::unlimited();
            let context = Context::new(&space, options(method), &control);
            let found = reachability_reward(&context, &reward, &target, Optimum::Max).unwrap();
            for (s, truth) in truth.iter().enumerate() {
                let what = format!("round {round} {method:?} state {s}");
                assert_encloses(found.bounds[s], truth, 1e-6, found.stop, &what);
            }
        }
    }
}

/// A gambler who may take detours that change nothing: choices tie exactly, along ways of different lengths, and
/// with values that differ by ninety orders of magnitude.
#[test]
fn ties_along_ways_of_different_lengths_are_verified() {
    let (places, detour) = (300usize, 3usize);
    let n = places * (1 + detour);
    let step = |s: usize| vec![(s - 1, 2.0 / 3.0), (s + 1, 1.0 / 3.0)];
    let rows: Rows = (0..n)
        .map(|s| match s {
            _ if s == 0 || s == places - 1 => vec![vec![(s, 1.0)]],
            _ if s < places => vec![step(s), vec![(places + detour * s, 1.0)]],
            // On along the detour of its place, and at its end the same gamble.
            _ => match ((s - places) / detour, (s - places) % detour) {
                (place, _) if place == 0 || place == places - 1 => vec![vec![(0, 1.0)]],
                (place, at) if at + 1 == detour => vec![step(place)],
                _ => vec![vec![(s + 1, 1.0)]],
            },
        })
        .collect();
    let space = space(Kind::Mdp, &rows);
    let mut target = BitSet::new(n);
    target.insert(places - 1);
    for optimum in [Optimum::Min, Optimum::Max] {
        for method in METHODS {
            let control = Control::unlimited();
            let context = Context::new(&space, options(method), &control);
            let found = until(&context, &BitSet::full(n), &target, optimum).unwrap();
            let what = format!("{optimum:?} {method:?}: {}", found.method);
            assert_eq!(found.stop, StopReason::Converged, "{what}");
            let all = power_of_two(places - 1) - RBig::ONE;
            for place in 1..places - 1 {
                let truth = (power_of_two(place) - RBig::ONE) / &all;
                let bounds = found.bounds[place];
                assert_encloses(bounds, &Some(truth), 1e-6, found.stop, &format!("{what}, place {place}"));
            }
        }
    }
}

/// A grid on which a scheduler steers a random walk between two exits: one large component with many choices.
#[test]
fn large_mdps_agree_between_methods() {
    let side = 24usize;
    let n = side * side;
    let mut random = Random(23);
    let rows: Rows = (0..n)
        .map(|s| {
            if s == 0 || s == n - 1 {
                return vec![vec![(s, 1.0)]];
            }
            let (x, y) = (s % side, s / side);
            let mut near = vec![];
            for (v, step) in [(x, 1), (y, side)] {
                if v > 0 {
                    near.push(s - step);
                }
                if v + 1 < side {
                    near.push(s + step);
                }
            }
            (0..1 + random.below(3))
                .map(|_| {
                    let (a, b) = (near[random.below(near.len())], near[random.below(near.len())]);
                    let spread = 0.5 / near.len() as f64;
                    let mut row: Vec<(usize, f64)> = near.iter().map(|&t| (t, spread)).collect();
                    row.extend([(a, 0.25), (b, 0.25)]);
                    row
                })
                .collect()
        })
        .collect();
    let space = space(Kind::Mdp, &rows);
    let mut target = BitSet::new(n);
    target.insert(n - 1);
    let mut ends = target.clone();
    ends.insert(0);
    let reward: Vec<f64> = (0..space.num_choices()).map(|c| (c % 3) as f64).collect();
    for optimum in [Optimum::Min, Optimum::Max] {
        let run = |method| {
            let control = Control::unlimited();
            let context = Context::new(&space, options(method), &control);
            [
                until(&context, &BitSet::full(n), &target, optimum).unwrap(),
                reachability_reward(&context, &reward, &ends, optimum).unwrap(),
            ]
        };
        for (direct, iterated) in run(Method::Elimination).iter().zip(&run(Method::Iteration)) {
            assert_ne!(direct.stop, StopReason::IterationLimit, "{}", direct.method);
            assert_ne!(iterated.stop, StopReason::IterationLimit, "{}", iterated.method);
            for s in 0..n {
                let ([a, b], [c, d]) = (direct.bounds[s], iterated.bounds[s]);
                assert!(a <= d && c <= b, "{optimum:?} state {s}: [{a}, {b}] and [{c}, {d}]");
                assert!(b - a <= 1e-6 * b && d - c <= 1e-6 * d, "state {s}: [{a}, {b}] and [{c}, {d}]");
            }
        }
    }
}

/// Steps on grids, one behind the other, most of which cost nothing: there are cycles without reward beside every way, and
/// most values are zero. With certain steps, the least reward is the length of a shortest path.
#[test]
fn free_steps_leave_least_rewards_that_are_exact() {
    let (side, grids) = (9usize, 7usize);
    let size = side * side;
    let n = size * grids + 1;
    let mut random = Random(31);
    for chance in [1.0, 0.875] {
        let rows: Rows = (0..n)
            .map(|s| {
                if s == n - 1 {
                    return vec![vec![(s, 1.0)]];
                }
                let (grid, at) = (s / size, s % size);
                let (x, y) = (at % side, at / side);
                let mut targets = vec![];
                if at == size - 1 {
                    targets.push((grid + 1) * size);
                }
                targets.extend(
                    [s.wrapping_sub(1), s + 1][..]
                        .iter()
                        .zip([x > 0, x + 1 < side])
                        .filter(|e| e.1)
                        .map(|e| *e.0),
                );
                targets.extend(
                    [s.wrapping_sub(side), s + side][..]
                        .iter()
                        .zip([y > 0, y + 1 < side])
                        .filter(|e| e.1)
                        .map(|e| *e.0),
                );
                let missed = grid * size;
                targets.into_iter().map(|t| vec![(t, chance), (missed, 1.0 - chance)]).collect::<Vec<_>>()
            })
            .map(|choices| {
                choices.into_iter().map(|row| row.into_iter().filter(|e| e.1 > 0.0).collect()).collect()
            })
            .collect();
        let space = space(Kind::Mdp, &rows);
        for free_in_four in [1, 3] {
            let reward: Vec<f64> = (0..space.num_choices())
                .map(|_| if random.below(4) < free_in_four { 0.0 } else { (1 + random.below(3)) as f64 })
                .collect();
            let mut target = BitSet::new(n);
            target.insert(n - 1);
            let run = |method| {
                let control = Control::unlimited();
                let context = Context::new(&space, options(method), &control);
                let found = reachability_reward(&context, &reward, &target, Optimum::Min).unwrap();
                assert_ne!(found.stop, StopReason::IterationLimit, "{method:?}: {}", found.method);
                found
            };
            let found = run(Method::Auto);
            let other = run(Method::Iteration);
            let mut length = vec![f64::INFINITY; n];
            length[n - 1] = 0.0;
            for _ in 0..n {
                for s in 0..n - 1 {
                    for choice in space.choices_of(s) {
                        let next = space.transitions(choice).next().map_or(f64::INFINITY, |(t, _)| length[t]);
                        length[s] = length[s].min(reward[choice] + next);
                    }
                }
            }
            for (s, &length) in length.iter().enumerate() {
                let ([a, b], [c, d]) = (found.bounds[s], other.bounds[s]);
                assert!(a <= d && c <= b && b - a <= 1e-6 * b, "state {s}: [{a}, {b}] and [{c}, {d}]");
                if chance == 1.0 {
                    assert!(a <= length && length <= b, "state {s}: [{a}, {b}], {length}");
                    assert!(length > 0.0 || b == 0.0, "state {s}: {b} is not zero");
                }
            }
        }
    }
}

/// A robot on a line whose battery is charged at every fourth place: it arrives nearly surely, so that a guess a little above its chance
/// would be above one, and no sweep would lower it.
#[test]
fn guesses_of_what_is_nearly_sure_end_at_one() {
    let (length, battery) = (20usize, 10usize);
    let place = |x: usize, b: usize| x * (battery + 1) + b;
    let rows: Rows = (0..(length + 1) * (battery + 1))
        .map(|s| {
            let (x, b) = (s / (battery + 1), s % (battery + 1));
            if x == length || b == 0 {
                return vec![vec![(s, 1.0)]];
            }
            let walk = |to: usize| vec![(place(to, b - 1), 0.96875), (place(x, b - 1), 0.03125)];
            let mut choices = vec![walk(x + 1)];
            choices.extend((x > 0).then(|| walk(x - 1)));
            choices.extend((x % 4 == 0).then(|| vec![(place(x, (b + 5).min(battery)), 1.0)]));
            choices
        })
        .collect();
    let n = rows.len();
    let space = space(Kind::Mdp, &rows);
    let target = BitSet::of(n, (0..=battery).map(|b| place(length, b)));
    let run = |method| {
        let control = Control::unlimited();
        let context = Context::new(&space, options(method), &control);
        until(&context, &BitSet::full(n), &target, Optimum::Max).unwrap()
    };
    let (found, direct) = (run(Method::Auto), run(Method::Elimination));
    for s in 0..n {
        let ([a, b], [c, d]) = (found.bounds[s], direct.bounds[s]);
        assert!(a <= d && c <= b && b <= 1.0 && b - a <= 1e-6 * b, "state {s}: [{a}, {b}] and [{c}, {d}]");
    }
    let sweeps = found.method.split("at most ").nth(1).and_then(|text| text.split(' ').next()?.parse().ok());
    assert!(sweeps.is_some_and(|sweeps: usize| sweeps < 40), "{}", found.method);
}
