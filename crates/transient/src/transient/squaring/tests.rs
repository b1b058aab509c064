//! Repeated squaring against matrix exponentials with many bits, against uniformisation, and with rates that are off.

use dashu_ratio::RBig;
use volvelle_reference::{Random, exact, parse};
use volvelle_solver::Options;
use volvelle_space::{BitSet, Kind};

use super::super::implicit::System;
use super::super::implicit::tests::{stiff, truth_with};
use super::super::{Chain, Coefficients, Request};
use super::*;

fn squared(space: &Space, problem: &Problem, options: Options) -> Squared {
    let control = Control::unlimited();
    solve(problem, &Context::new(space, options, &control)).unwrap().unwrap()
}

fn problem<'a>(
    states: &'a [u32],
    system: System<'a>,
    escaping: Option<&'a [f64]>,
    times: &'a [f64],
) -> Problem<'a> {
    Problem {
        states,
        system,
        escaping,
        input_error: 0.0,
        times,
        rows: None,
        highest: 1e9,
        other_work: 1e14,
        events: 1e9,
    }
}

fn assert_contains([lo, hi]: [f64; 2], truth: &RBig, what: &str) {
    let value = truth.to_f64().value();
    assert!(exact(lo) <= *truth && *truth <= exact(hi), "{what}: [{lo:e}, {hi:e}] without {value:e}");
}

/// The rates of some states into others.
fn rates_to(space: &Space, states: usize, is_meant: impl Fn(usize) -> bool) -> Vec<f64> {
    let rate = |s: usize| space.transitions(s).filter(|&(t, _)| is_meant(t)).map(|e| e.1).sum();
    (0..states).map(rate).collect()
}

#[test]
fn stiff_chains_agree_with_many_digits() {
    let mut random = Random(107);
    let mut narrow = 0;
    for round in 0..48 {
        let n = 2 + random.below(4);
        let outside = round % 3;
        let chain = stiff(&mut random, n, outside, [3, 6, 9][round / 4 % 3]);
        let states: Vec<u32> = (0..n as u32).collect();
        let values: Vec<f64> = (0..n).map(|_| random.below(8) as f64 * 0.25 + 1e-3).collect();
        let nothing = vec![0.0; n];
        let entering = rates_to(&chain, n, |t| t == n);
        let escaping = rates_to(&chain, n, |t| t == n + 1);
        let (system, escaping) = match round % 4 {
            _ if round % 2 == 0 && entering.iter().any(|&rate| rate > 0.0) => {
                (System { start: &nothing, forcing: Some(&entering) }, Some(&escaping[..]))
            }
            0 | 1 => (System { start: &values, forcing: None }, None),
            _ => (System { start: &nothing, forcing: Some(&values) }, None),
        };
        let times = [10f64.powi(random.below(6) as i32 - 2), 3.0 * 10f64.powi(random.below(5) as i32), 0.0];
        // Rates as they are, and some that are off by what is said.
        for error in [0.0, 1e-12] {
            let options = Options::default().with_input(error);
            let found = squared(&chain, &problem(&states, system, escaping, &times), options);
            let off =
                |s: usize, t: usize| if (s * 5 + t * 3 + round).is_multiple_of(2) { error } else { -error };
            let rate = |s: usize, t: usize, rate: f64| exact(rate) * (RBig::ONE + exact(off(s, t)));
            let forcing: Option<Vec<f64>> = system.forcing.map(<[f64]>::to_vec);
            for (&time, bounds) in times.iter().zip(&found.bounds) {
                let expected = match escaping {
                    // The target as a state of the chain, with the value one.
                    Some(_) => {
                        let mut start = vec![0.0; chain.num_states()];
                        start[n] = 1.0;
                        truth_with(&chain, &start, None, time, 400, &rate)
                    }
                    None => truth_with(&chain, system.start, forcing.as_deref(), time, 400, &rate),
                };
                for (s, &bounds) in bounds.iter().enumerate() {
                    let what = format!("round {round} error {error:e} t={time} state {s}");
                    assert_contains(bounds, &expected[s], &what);
                    narrow += usize::from(bounds[1] - bounds[0] <= 1e-9 * bounds[0]);
                    if error == 0.0 {
                        assert!(bounds[1] - bounds[0] <= 1e-6 * bounds[0] + 1e-250, "{what}: {bounds:?}");
                    }
                }
            }
        }
    }
    assert!(narrow > 450, "{narrow}");
}

/// Two states that exchange a million times a second, and a slow way out.
const LEAK: &str = "0: 1000000:1\n1: 1000000:0 0.01:2\n2: 1:2";

#[test]
fn tiny_values_keep_their_digits() {
    let chain = parse(Kind::Ctmc, LEAK);
    let times = [1e5, 1e3, 1e-3, 1e7];
    let system = System { start: &[1.0, 1.0], forcing: None };
    let found = squared(&chain, &problem(&[0, 1], system, None, &times), Options::default());
    for (&time, bounds) in times.iter().zip(&found.bounds).take(3) {
        let expected = truth_with(&chain, system.start, None, time, 1200, &|_, _, rate| exact(rate));
        for s in 0..2 {
            assert_contains(bounds[s], &expected[s], &format!("t={time} state {s}"));
            assert!(bounds[s][1] - bounds[s][0] <= 1e-9 * bounds[s][0], "t={time}: {:?}", bounds[s]);
        }
        // It leaks at half of the slow rate.
        let rough = (-0.005 * time).exp();
        assert!((bounds[0][0] / rough - 1.0).abs() < 1e-3, "t={time}: {:?} {rough:e}", bounds[0]);
    }
    assert!(found.bounds[3][0][0] == 0.0 && found.bounds[3][0][1] < 1e-270, "{:?}", found.bounds[3]);
    assert!(found.squarings < 50);
}

#[test]
fn uniformisation_overlaps() {
    let mut random = Random(9);
    for round in 0..12 {
        let n = 20 + random.below(30);
        let chain = stiff(&mut random, n, 1, 4);
        let states: Vec<u32> = (0..n as u32).collect();
        let values: Vec<f64> = (0..n).map(|s| if s % 3 == 0 { 1e7 } else { s as f64 * 1e-5 }).collect();
        let system = System { start: &values, forcing: None };
        let times = [7.3, 0.11];
        let found = squared(&chain, &problem(&states, system, None, &times), Options::default());
        assert!(found.is_precise);
        let control = Control::unlimited();
        let context = Context::new(&chain, Options::default(), &control);
        for (&time, bounds) in times.iter().zip(&found.bounds) {
            let matrix = Chain::new(&chain, &BitSet::of(n + 1, 0..n), time);
            let coefficients = Coefficients::poisson(matrix.rate * time);
            let request = Request { start_error: 0.0, rows: None, width: -1.0, goes_on: &mut |_, _| true };
            let other = matrix.series(values.clone(), &coefficients, request, &context).unwrap().unwrap();
            for (&[lo, hi], &[low, high]) in bounds.iter().zip(&other.bounds) {
                assert!(lo <= high && low <= hi, "round {round} t={time}: [{lo}, {hi}] and [{low}, {high}]");
                assert!(hi - lo <= 1e-10 * lo, "round {round} t={time}: [{lo}, {hi}]");
            }
        }
    }
}

#[test]
fn distributions_agree_with_many_digits() {
    let mut random = Random(31);
    for round in 0..20 {
        let n = 2 + random.below(4);
        let chain = stiff(&mut random, n, round % 2, [6, 9][round / 2 % 2]);
        let states = chain.num_states();
        let mut start = vec![0.0; states];
        start[random.below(n)] += 0.5;
        start[random.below(n)] += 0.5;
        let times = [10f64.powi(random.below(6) as i32 - 2), 3.0 * 10f64.powi(random.below(5) as i32), 0.0];
        let control = Control::unlimited();
        let (found, _) = distributions(&chain, &start, 0.0, &times, 0.0, &control).unwrap().unwrap();
        for (&time, bounds) in times.iter().zip(&found) {
            for j in 0..states {
                let mut value = vec![0.0; states];
                value[j] = 1.0;
                let at = truth_with(&chain, &value, None, time, 400, &|_, _, rate| exact(rate));
                let expected = (0..states).fold(RBig::ZERO, |sum, s| sum + exact(start[s]) * &at[s]);
                let what = format!("round {round} t={time} state {j}");
                // Fractions are cut off after 400 bits.
                let [lo, hi] = bounds[j];
                assert_contains([(lo - 1e-100).max(0.0), hi + 1e-100], &expected, &what);
                assert!(hi - lo <= 1e-6 * lo + 1e-250, "{what}: [{lo:e}, {hi:e}]");
                assert!(time > 0.0 || [lo, hi] == [start[j]; 2], "{what}: [{lo:e}, {hi:e}]");
            }
        }
    }
}
