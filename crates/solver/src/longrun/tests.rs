use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason};
use volvelle_reference::*;
use volvelle_space::{Kind, Space};

use super::{long_run, optimal_average};
use crate::context::Context;
use crate::numbers::Numbers;
use crate::options::{Method, Options};
use crate::reward::total;

fn run(space: &Space, reward: &[f64], method: Method) -> Numbers {
    let control = Control::unlimited();
    let options = Options { method, ..Options::default() };
    let context = Context::new(space, options, &control);
    long_run(&context, reward).unwrap()
}

/// A random chain that is irreducible because of a ring.
fn ring_with_chords(random: &mut Random, n: usize) -> Space {
    let rows: Rows = (0..n)
        .map(|s| {
            let mut row = vec![((s + 1) % n, 0.5 + random.below(4) as f64)];
            row.extend((0..3).map(|_| (random.below(n), 2f64.powi(random.below(8) as i32 - 5))));
            row.retain(|e| e.0 != s);
            vec![row]
        })
        .collect();
    space(Kind::Ctmc, &rows)
}

#[test]
fn elimination_and_poisson_agree() {
    let mut random = Random(41);
    for n in [60, 300, 700] {
        let space = ring_with_chords(&mut random, n);
        let reward: Vec<f64> = (0..n).map(|s| (s % 7) as f64).collect();
        let direct = run(&space, &reward, Method::Elimination);
        let iterated = run(&space, &reward, Method::Iteration);
        assert!(direct.method.contains("elimination"), "{}", direct.method);
        assert!(iterated.method.contains("Poisson"), "{}", iterated.method);
        assert_eq!((direct.stop, iterated.stop), (StopReason::Computed, StopReason::Converged));
        let ([a, b], [c, d]) = (direct.bounds[0], iterated.bounds[0]);
        assert!(a <= d && c <= b, "[{a}, {b}] and [{c}, {d}]");
        assert!(b - a <= 1e-8 * b && d - c <= 1e-6 * d, "[{a}, {b}] and [{c}, {d}]");
    }
}

/// A queue with arrivals far faster than service: weights of empty places are below the range of doubles.
#[test]
fn weights_beyond_doubles_are_survived() {
    let n = 401;
    let ratio = 1000.0;
    let rows: Rows = (0..n)
        .map(|s| {
            let mut row = vec![];
            if s + 1 < n {
                row.push((s + 1, ratio));
            }
            if s > 0 {
                row.push((s - 1, 1.0));
            }
            vec![row]
        })
        .collect();
    let space = space(Kind::Ctmc, &rows);
    let reward: Vec<f64> = (0..n).map(|s| s as f64).collect();
    // Geometric from the full end: full less 1 / (ratio - 1), up to the 401st power.
    let truth = (n - 1) as f64 - 1.0 / (ratio - 1.0);
    for method in [Method::Auto, Method::Elimination, Method::Iteration] {
        let found = run(&space, &reward, method);
        let [lo, hi] = found.bounds[0];
        assert!(
            lo <= truth * (1.0 + 1e-14) && truth * (1.0 - 1e-14) <= hi,
            "{method:?} [{lo}, {hi}] {truth}"
        );
        assert!(hi - lo <= 1e-6 * hi, "{method:?} [{lo}, {hi}]");
    }
    // The probability of being empty underflows. The bounds must still hold.
    let empty: Vec<f64> = (0..n).map(|s| f64::from(u8::from(s == 0))).collect();
    let [lo, hi] = run(&space, &empty, Method::Auto).bounds[0];
    assert!(lo == 0.0 && hi < 1e-3, "[{lo}, {hi}]");
}

#[test]
fn a_component_without_variety_needs_no_numbers() {
    let space = parse(Kind::Dtmc, "0: 0.5:1 0.5:2\n1: 1:1\n2: 0.5:2 0.5:3\n3: 1:2");
    let found = run(&space, &[7.0, 2.0, 4.0, 4.0], Method::Auto);
    assert_eq!(found.bounds[1], [2.0, 2.0]);
    assert_eq!(found.bounds[3], [4.0, 4.0]);
    let [lo, hi] = found.bounds[0];
    assert!(lo <= 3.0 && 3.0 <= hi && hi - lo < 1e-9);
}

/// Long-run averages and total rewards of MDPs: the best of all memoryless deterministic schedulers, exactly.
#[test]
fn what_happens_for_ever_agrees_with_all_policies() {
    let mut random = Random(57);
    let (mut between, mut early, mut finite, mut infinite) = (0, 0, 0, 0);
    for round in 0..250 {
        let n = 2 + random.below(5);
        let space = space(Kind::Mdp, &random_rows(&mut random, n, 3));
        let reward: Vec<f64> = (0..space.num_choices())
            .map(|_| if random.one_in(2) { 0.0 } else { random.below(9) as f64 * 0.25 })
            .collect();
        for optimum in [Optimum::Min, Optimum::Max] {
            let mut best: Option<[Vec<Option<RBig>>; 2]> = None;
            for (chain, taken) in policies(&space) {
                let of_state: Vec<f64> = taken.iter().map(|&c| reward[c]).collect();
                let average = exact_long_run(&chain, &of_state).into_iter().map(Some).collect();
                let values = [average, exact_total(&chain, &of_state)];
                best = Some(match best {
                    None => values,
                    Some(best) => {
                        let mut pairs = best.into_iter().zip(values).map(|(b, v)| {
                            b.into_iter().zip(v).map(|(b, v)| pick(optimum, b, v)).collect::<Vec<_>>()
                        });
                        [pairs.next().unwrap(), pairs.next().unwrap()]
                    }
                });
            }
            let [averages, totals] = best.unwrap();
            let control = Control::unlimited();
            let options = Options { max_iterations: 50_000, ..Options::default() };
            let context = Context::new(&space, options, &control);
            let average = optimal_average(&context, &reward, optimum).unwrap();
            let sum = total(&context, &reward, optimum).unwrap();
            for s in 0..n {
                let what = format!("round {round} {optimum:?} state {s}");
                let of = format!("{what}: average");
                assert_encloses(average.bounds[s], &averages[s], 1e-6, average.stop, &of);
                assert_encloses(sum.bounds[s], &totals[s], 1e-6, sum.stop, &format!("{what}: total"));
                early += usize::from(average.stop == StopReason::IterationLimit);
                between += usize::from(average.bounds[s][0] > 0.0);
                finite += usize::from(sum.bounds[s][0] > 0.0 && sum.bounds[s][1].is_finite());
                infinite += usize::from(sum.bounds[s][0] == f64::INFINITY);
            }
        }
    }
    // Rounding is in the way where runs leave a state after very many steps only.
    assert!(early < 50, "{early}");
    assert!(between > 400 && finite > 100 && infinite > 400, "{between} {finite} {infinite}");
}

/// States of value zero that lead back to each other by choice, beside a component with a positive gain: no sweep tells an upper bound
/// of theirs from another one.
#[test]
fn circles_of_value_zero_are_known_from_the_graph() {
    let rows: Rows = vec![
        vec![vec![(1, 0.5), (2, 0.5)]],
        vec![vec![(1, 1.0)]],
        vec![vec![(2, 0.3), (3, 0.2), (4, 0.5)]],
        vec![vec![(2, 1.0)], vec![(4, 1.0)]],
        vec![vec![(4, 1.0)]],
    ];
    let space = space(Kind::Mdp, &rows);
    let control = Control::unlimited();
    let context = Context::new(&space, Options::default(), &control);
    for optimum in [Optimum::Min, Optimum::Max] {
        let found = optimal_average(&context, &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], optimum).unwrap();
        assert_eq!(found.bounds[1..], [[1.0; 2], [0.0; 2], [0.0; 2], [0.0; 2]], "{optimum:?}");
        let [lo, hi] = found.bounds[0];
        assert!(lo <= 0.5 && 0.5 <= hi && hi - lo < 1e-12, "{optimum:?} [{lo}, {hi}]");
        // Zero and the largest average change places.
        let found = optimal_average(&context, &[0.0, 0.0, 3.0, 3.0, 3.0, 3.0], optimum).unwrap();
        assert_eq!(found.bounds[1..], [[0.0; 2], [3.0; 2], [3.0; 2], [3.0; 2]], "{optimum:?}");
    }
}

/// A queue whose server may be slowed down, with a drift that makes value iteration take very many sweeps: a policy is as good as its
/// bias shows.
#[test]
fn slow_components_are_solved_by_policies() {
    let n = 400usize;
    let (arrive, serve) = (0.25, [0.25, 0.2]);
    let rows: Rows = (0..n)
        .map(|s| {
            let row = |serve: f64| {
                let up = if s + 1 < n { arrive } else { 0.0 };
                let down = if s > 0 { serve } else { 0.0 };
                let row = vec![(s.saturating_sub(1), down), (s, 1.0 - up - down), ((s + 1).min(n - 1), up)];
                row.into_iter().filter(|e| e.1 > 0.0).collect::<Vec<_>>()
            };
            serve.map(row).to_vec()
        })
        .collect();
    let space = space(Kind::Mdp, &rows);
    let reward: Vec<f64> = (0..2 * n).map(|choice| (choice / 2) as f64).collect();
    let control = Control::unlimited();
    let options = Options { max_iterations: 3_000, ..Options::default() };
    let context = Context::new(&space, options, &control);
    // Always fast: all lengths alike; always slow: geometric with the ratio 5/4.
    let even = 0.5 * (n - 1) as f64;
    let weights = || (0..n).map(|s| 1.25f64.powi(s as i32 - n as i32));
    let full = weights().zip(0..n).map(|(w, s)| w * s as f64).sum::<f64>() / weights().sum::<f64>();
    for (optimum, truth) in [(Optimum::Min, even), (Optimum::Max, full)] {
        let found = optimal_average(&context, &reward, optimum).unwrap();
        assert_eq!(found.stop, StopReason::Converged, "{optimum:?}: {}", found.method);
        for [lo, hi] in found.bounds {
            assert!(
                lo <= truth * (1.0 + 1e-12) && truth * (1.0 - 1e-12) <= hi,
                "{optimum:?} [{lo}, {hi}] {truth}"
            );
            assert!(hi - lo <= 1e-6 * hi, "{optimum:?} [{lo}, {hi}]");
        }
    }
}
