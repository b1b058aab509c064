//! Chains whose probabilities and rates lie far beyond the range of doubles, against rationals.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Optimum, Ratio};
use volvelle_space::{BitSet, Kind, Space};

use crate::distribution::{Classes, long_run_distribution};
use volvelle_random::attack_cases;
use volvelle_reference::*;
use volvelle_solver::longrun::{long_run, optimal_average};
use volvelle_solver::reach::until;
use volvelle_solver::reward::reachability_reward;
use volvelle_solver::{Context, Method, Options};

/// A power of two times a small number: exact as a double.
fn rate(random: &mut Random, least: i32, most: i32) -> f64 {
    let exponent = least + random.below((most - least + 1) as usize) as i32;
    (1 + random.below(7)) as f64 * 2f64.powi(exponent)
}

/// Rates up and down in each of `n` places in a row: a drift either way, two wells, a ridge, or anything.
fn row_of_places(random: &mut Random, n: usize) -> Vec<[f64; 2]> {
    let kind = random.below(5);
    let strength = 1 + random.below(40) as i32 * (1 + random.below(20) as i32);
    let turn = random.below(n);
    (0..n)
        .map(|s| match kind {
            0 => [1.0, 2f64.powi(strength)],
            1 => [2f64.powi(strength), 1.0],
            2 if s < turn => [1.0, 2f64.powi(strength)],
            2 => [2f64.powi(strength), 1.0],
            3 if s < turn => [2f64.powi(strength), 1.0],
            3 => [1.0, 2f64.powi(strength)],
            _ => [rate(random, -990, 990), rate(random, -990, 990)],
        })
        .collect()
}

fn chain_of_places(places: &[[f64; 2]]) -> Rows {
    let n = places.len();
    let row = |(s, &[up, down]): (usize, &[f64; 2])| {
        let mut row = vec![];
        if s + 1 < n {
            row.push((s + 1, up));
        }
        if s > 0 {
            row.push((s - 1, down));
        }
        vec![row]
    };
    places.iter().enumerate().map(row).collect()
}

/// The stationary weights of a row of places, by detailed balance.
fn weights_of_places(places: &[[f64; 2]]) -> Vec<RBig> {
    let mut weights = vec![RBig::ONE];
    for s in 1..places.len() {
        let next = &weights[s - 1] * exact(places[s - 1][0]) / exact(places[s][1]);
        weights.push(next);
    }
    weights
}

fn holds([lo, hi]: [f64; 2], truth: &RBig) -> bool {
    let of = |bound| Ratio::of_double(bound).unwrap();
    of(lo) <= truth.clone().into() && of(hi) >= truth.clone().into()
}

/// Narrow, or so near zero that the bounds of underflow are wide beside it.
fn is_narrow([lo, hi]: [f64; 2]) -> bool {
    Options::default().accepts(lo, hi) || hi <= 1e-280
}

fn averages(space: &Space, reward: &[f64], method: Method) -> Vec<[f64; 2]> {
    let control = Control::unlimited();
    let context = Context::new(space, Options { method, ..Options::default() }, &control);
    long_run(&context, reward).unwrap().bounds
}

/// The share of a set and that of its complement: both hold the truth, are narrow, and may sum to one.
fn check_share(space: &Space, set: &[bool], truth: &[RBig], what: &str) {
    let reward =
        |inside: bool| -> Vec<f64> { set.iter().map(|&m| f64::from(u8::from(m == inside))).collect() };
    let [inside, outside] = [true, false].map(|m| averages(space, &reward(m), Method::Auto));
    for s in 0..set.len() {
        let ([a, b], [c, d]) = (inside[s], outside[s]);
        assert!(
            holds([a, b], &truth[s]),
            "{what}: state {s}: [{a:e}, {b:e}], not {}",
            truth[s].to_f64().value()
        );
        assert!(holds([c, d], &(RBig::ONE - &truth[s])), "{what}: state {s}: complement [{c:e}, {d:e}]");
        assert!(a + c <= 1.0 + 1e-15 && b + d >= 1.0, "{what}: state {s}");
        assert!(is_narrow([a, b]) && is_narrow([c, d]), "{what}: state {s}: [{a:e}, {b:e}] [{c:e}, {d:e}]");
    }
}

#[test]
fn attack_rows_of_places_beyond_doubles() {
    for case in attack_cases(40) {
        let mut random = Random(1000 + case);
        let n = 2 + random.below(if case % 4 == 0 { 300 } else { 30 });
        let places = row_of_places(&mut random, n);
        let space = space(Kind::Ctmc, &chain_of_places(&places));
        let weights = weights_of_places(&places);
        let total = weights.iter().fold(RBig::ZERO, |sum, w| sum + w);
        let set: Vec<bool> = (0..n).map(|s| random.one_in(3) || s == n / 2).collect();
        let truth =
            weights.iter().zip(&set).filter(|(_, m)| **m).fold(RBig::ZERO, |sum, (w, _)| sum + w) / &total;
        check_share(&space, &set, &vec![truth; n], &format!("case {case}"));
        let control = Control::unlimited();
        let found =
            long_run_distribution(&space, &Classes::single(n), &Options::default(), &control).unwrap();
        for (s, (&bounds, weight)) in found.bounds.iter().zip(&weights).enumerate() {
            assert!(
                holds(bounds, &(weight / &total)) && is_narrow(bounds),
                "case {case}: share of {s}: {bounds:?}"
            );
        }
    }
}

/// A ring with chords and rates of any size; some cases with transient states before two components, or none.
fn any_chain(random: &mut Random) -> (Rows, usize) {
    let n = 3 + random.below(7);
    let parts = 1 + random.below(3);
    let transient = if parts > 1 { 1 + random.below(3) } else { random.below(2) };
    let spread = random.pick(&[3, 60, 300, 990]);
    let mut rows: Rows = vec![];
    let size = n.div_ceil(parts).max(2);
    let all = transient + parts * size;
    for s in 0..transient {
        let mut row = vec![((s + 1) % all, rate(random, -spread, spread))];
        row.extend((0..2).map(|_| (random.below(all), rate(random, -spread, spread))));
        row.extend((0..parts).map(|part| (transient + part * size, rate(random, -spread, spread))));
        row.retain(|entry| entry.0 != s);
        rows.push(vec![row]);
    }
    for part in 0..parts {
        let first = transient + part * size;
        for i in 0..size {
            let mut row = vec![(first + (i + 1) % size, rate(random, -spread, spread))];
            row.extend(
                (0..random.below(3)).map(|_| (first + random.below(size), rate(random, -spread, spread))),
            );
            row.retain(|entry| entry.0 != first + i);
            rows.push(vec![row]);
        }
    }
    (rows, all)
}

/// The probabilities to reach a set, and the expected times until then; `None` where it may never be.
fn exact_passage(chain: &Chain, target: &BitSet) -> (Vec<RBig>, Vec<Option<RBig>>) {
    let n = chain.len();
    let everywhere = BitSet::full(n);
    let positive = can_reach(chain, &everywhere, target);
    let equations = |known: &dyn Fn(usize) -> Option<RBig>, gain: &RBig| {
        let mut a = vec![vec![RBig::ZERO; n]; n];
        let mut b = vec![gain.clone(); n];
        for s in 0..n {
            if let Some(value) = known(s) {
                (a[s][s], b[s]) = (RBig::ONE, value);
                continue;
            }
            for &(t, v) in &chain[s] {
                a[s][s] = &a[s][s] + exact(v);
                a[s][t] = &a[s][t] - exact(v);
            }
        }
        solve_exactly(a, b).unwrap()
    };
    let of = |s: usize| match (target.contains(s), positive.contains(s)) {
        (true, _) => Some(RBig::ONE),
        (false, false) => Some(RBig::ZERO),
        _ => None,
    };
    let probabilities = equations(&of, &RBig::ZERO);
    let is_sure: Vec<bool> = probabilities.iter().map(|p| *p == RBig::ONE).collect();
    let of = |s: usize| (target.contains(s) || !is_sure[s]).then_some(RBig::ZERO);
    let times = equations(&of, &RBig::ONE);
    let times = times.into_iter().zip(&is_sure).map(|(time, sure)| sure.then_some(time)).collect();
    (probabilities, times)
}

fn chain_of(space: &Space) -> Chain {
    (0..space.num_states()).map(|s| space.transitions(s).collect()).collect()
}

#[test]
fn attack_any_chain_beyond_doubles() {
    for case in attack_cases(60) {
        let mut random = Random(2000 + case);
        let (rows, n) = any_chain(&mut random);
        let space = space(Kind::Ctmc, &rows);
        let chain = chain_of(&space);
        let set: Vec<bool> = (0..n).map(|s| random.one_in(2) || s + 1 == n).collect();
        let reward: Vec<f64> = set.iter().map(|&m| f64::from(u8::from(m))).collect();
        check_share(&space, &set, &exact_long_run(&chain, &reward), &format!("case {case}"));
    }
}

#[test]
fn attack_reachability_and_times_beyond_doubles() {
    let mut narrow = [0, 0];
    for case in attack_cases(60) {
        let mut random = Random(3000 + case);
        let (rows, n) = any_chain(&mut random);
        let space = space(Kind::Ctmc, &rows);
        let chain = chain_of(&space);
        let target = BitSet::of(n, [n - 1]);
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let reached = until(&context, &BitSet::full(n), &target, Optimum::Max).unwrap();
        let ones = vec![1.0; n];
        let times = reachability_reward(&context, &ones, &target, Optimum::Max).unwrap();
        let (probabilities, truths) = exact_passage(&chain, &target);
        for s in 0..n {
            let (p, t) = (reached.bounds[s], times.bounds[s]);
            assert!(holds(p, &probabilities[s]), "case {case}: state {s}: {p:?}");
            match &truths[s] {
                Some(time) => {
                    assert!(holds(t, time), "case {case}: state {s}: {t:?}, not {}", time.to_f64().value())
                }
                None => assert_eq!(t, [f64::INFINITY; 2]),
            }
            narrow[0] += usize::from(is_narrow(p) && (is_narrow(t) || t[1] == f64::INFINITY));
            narrow[1] += 1;
        }
    }
    assert_eq!(narrow[0], narrow[1], "narrow bounds");
}

#[test]
fn attack_decisions_beyond_doubles() {
    let mut narrow = [0, 0];
    for case in attack_cases(40) {
        let mut random = Random(4000 + case);
        let n = 2 + random.below(3);
        let spread = random.pick(&[3, 60, 300, 900]);
        // Rows of probabilities: what is left after tiny ones, exactly.
        let rows: Rows = (0..n)
            .map(|s| {
                (0..1 + random.below(2))
                    .map(|_| {
                        let small = 2f64.powi(-1 - random.below(spread) as i32);
                        let other = (s + 1 + random.below(n - 1)) % n;
                        vec![(other, small), (s, 1.0 - small)]
                    })
                    .collect()
            })
            .collect();
        let space = space(Kind::Mdp, &rows);
        let reward: Vec<f64> = (0..space.num_choices()).map(|_| random.below(4) as f64).collect();
        for optimum in [Optimum::Min, Optimum::Max] {
            let mut best: Option<Vec<RBig>> = None;
            for (chain, taken) in policies(&space) {
                let of_state: Vec<f64> = taken.iter().map(|&c| reward[c]).collect();
                let values = exact_long_run(&chain, &of_state);
                best = Some(match best {
                    None => values,
                    Some(best) => best
                        .into_iter()
                        .zip(values)
                        .map(|(a, b)| if (optimum == Optimum::Min) == (a < b) { a } else { b })
                        .collect(),
                });
            }
            let control = Control::unlimited();
            let options = Options { max_iterations: 20_000, ..Options::default() };
            let context = Context::new(&space, options, &control);
            let found = optimal_average(&context, &reward, optimum).unwrap();
            for (s, truth) in best.unwrap().iter().enumerate() {
                let bounds = found.bounds[s];
                assert!(
                    holds(bounds, truth),
                    "case {case}: {optimum:?}, state {s}: {bounds:?}, not {}",
                    truth.to_f64().value()
                );
                narrow[0] += usize::from(is_narrow(bounds));
                narrow[1] += 1;
            }
        }
    }
    assert!(2 * narrow[0] >= narrow[1], "narrow bounds: {narrow:?}");
}

/// Queues and their likes that are too long for doubles: `ratio^places` beyond 1e20000.
#[test]
fn long_rows_of_places_have_their_averages() {
    for (n, up, down) in [(15_000, 1.0, 2.0), (3_000, 1e7, 1.0), (6_000, 1.0, 3e-6)] {
        let places = vec![[up, down]; n];
        let space = space(Kind::Ctmc, &chain_of_places(&places));
        let ratio: f64 = up / down;
        let first = if ratio < 1.0 { 1.0 - ratio } else { 0.0 };
        let last = if ratio > 1.0 { 1.0 - 1.0 / ratio } else { 0.0 };
        for (state, truth) in [(0, first), (n - 1, last)] {
            let alone: Vec<f64> = (0..n).map(|s| f64::from(u8::from(s == state))).collect();
            let others: Vec<f64> = alone.iter().map(|v| 1.0 - v).collect();
            let [lo, hi] = averages(&space, &alone, Method::Auto)[0];
            let [a, b] = averages(&space, &others, Method::Auto)[0];
            assert!(
                lo <= truth * (1.0 + 1e-15) && truth * (1.0 - 1e-15) <= hi,
                "{n} {up} {down}: [{lo}, {hi}]"
            );
            assert!(a <= 1.0 - truth + 1e-15 && 1.0 - truth - 1e-15 <= b, "{n} {up} {down}: [{a}, {b}]");
            assert!(is_narrow([lo, hi]) && is_narrow([a, b]), "{n} {up} {down}: [{lo}, {hi}] [{a}, {b}]");
        }
    }
}
