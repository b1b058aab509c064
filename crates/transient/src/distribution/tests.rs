use dashu_ratio::RBig;
use volvelle_control::{Cancel, Control};
use volvelle_logic::StopReason;
use volvelle_reference::*;
use volvelle_solver::longrun::long_run;
use volvelle_solver::{Context, Options};
use volvelle_space::{Kind, Space, StateId};

use super::*;
use crate::transient::Coefficients;

fn at(space: &Space, classes: &Classes, times: &[f64]) -> Vec<Distribution> {
    transient_distributions(space, classes, times, &Options::default(), &Control::unlimited()).unwrap()
}

fn encloses([lo, hi]: [f64; 2], truth: &RBig, what: &str) {
    assert!(
        exact(lo) <= *truth && *truth <= exact(hi),
        "{what}: [{lo:e}, {hi:e}] misses {:e}",
        truth.to_f64().value()
    );
}

/// `row P` over rationals.
fn multiplied(row: &[RBig], space: &Space) -> Vec<RBig> {
    let mut next = vec![RBig::ZERO; row.len()];
    for (s, p) in row.iter().enumerate() {
        for (t, v) in space.transitions(s) {
            next[t] = &next[t] + p * exact(v);
        }
    }
    next
}

#[test]
fn steps_of_random_chains() {
    let mut random = Random(11);
    for _ in 0..60 {
        let n = 2 + random.below(9);
        let mut space = space(Kind::Dtmc, &random_rows(&mut random, n, 1));
        if random.one_in(3) {
            space.initial = vec![StateId(0), StateId(1)];
        }
        let mut truth = vec![RBig::ZERO; n];
        let share = RBig::ONE / RBig::from(space.initial.len() as u32);
        space.initial.iter().for_each(|s| truth[s.0 as usize] = share.clone());
        let found = at(&space, &Classes::single(n), &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        for (k, distribution) in found.iter().enumerate() {
            for (s, truth) in truth.iter().enumerate() {
                encloses(distribution.bounds[s], truth, &format!("{k} {s}"));
                let [lo, hi] = distribution.bounds[s];
                assert!(hi - lo <= 1e-13 * hi, "[{lo:e}, {hi:e}]");
            }
            truth = multiplied(&truth, &space);
        }
    }
}

/// A slow reference: dense rows of the uniformised chain, with another rate, plain Poisson terms.
fn reference(space: &Space, time: f64) -> Vec<f64> {
    let n = space.num_states();
    let exit = |s: usize| -> f64 { space.transitions(s).filter(|e| e.0 != s).map(|e| e.1).sum() };
    let rate = 1.5 * (0..n).map(exit).fold(0.1, f64::max);
    let mut row = vec![0.0; n];
    space.initial.iter().for_each(|s| row[s.0 as usize] = 1.0 / space.initial.len() as f64);
    let mut sum = vec![0.0; n];
    let mut weight = (-rate * time).exp();
    for k in 1..4000 {
        sum.iter_mut().zip(&row).for_each(|(sum, p)| *sum += weight * p);
        weight *= rate * time / f64::from(k);
        let mut next: Vec<f64> = (0..n).map(|s| row[s] * (1.0 - exit(s) / rate)).collect();
        for (s, p) in row.iter().enumerate() {
            space.transitions(s).filter(|e| e.0 != s).for_each(|(t, v)| next[t] += p * v / rate);
        }
        row = next;
    }
    sum
}

fn random_ctmc(random: &mut Random, n: usize) -> Space {
    let mut rows = random_rows(random, n, 1);
    for row in rows.iter_mut().flatten() {
        let scale = 0.5 + random.below(4) as f64;
        row.iter_mut().for_each(|entry| entry.1 *= scale);
    }
    space(Kind::Ctmc, &rows)
}

#[test]
fn times_of_random_chains() {
    let mut random = Random(12);
    for _ in 0..40 {
        let n = 2 + random.below(9);
        let space = random_ctmc(&mut random, n);
        let times = [0.0, 0.01, 0.7, 5.0, 60.0];
        let found = at(&space, &Classes::single(n), &times);
        for (time, distribution) in times.iter().zip(&found) {
            for (truth, [lo, hi]) in reference(&space, *time).into_iter().zip(&distribution.bounds) {
                let slack = 1e-9 * truth + 1e-15;
                assert!(*lo <= truth + slack && truth - slack <= *hi, "{time}: [{lo:e}, {hi:e}] {truth:e}");
                assert!(hi - lo <= 1e-8 * hi + 1e-200, "[{lo:e}, {hi:e}]");
            }
            // All of it is somewhere.
            let lo: f64 = distribution.bounds.iter().map(|b| b[0]).sum();
            let hi: f64 = distribution.bounds.iter().map(|b| b[1]).sum();
            assert!(lo <= 1.0 + 1e-15 && hi >= 1.0 - 1e-15 && hi - lo < 1e-8, "{lo} {hi}");
        }
    }
}

#[test]
fn an_exponential_delay() {
    let space = parse(Kind::Ctmc, "0: 0.5:1\n1: 1:1");
    let found = at(&space, &Classes::single(2), &[3.0]);
    let truth = (-1.5f64).exp();
    let [lo, hi] = found[0].bounds[0];
    assert!(lo <= truth * (1.0 + 1e-15) && truth * (1.0 - 1e-15) <= hi && hi - lo < 1e-11, "{lo} {hi}");
    assert!(Coefficients::poisson(3.0).left_out < 1e-200);
}

/// Forwards and backwards agree where neither is by steps; a state that is not reached has no probability.
#[test]
fn stiff_chains_are_squared() {
    let space = parse(Kind::Ctmc, "0: 1000000:1\n1: 1000000:0 0.01:2\n2: 1:2\n3: 5:0");
    let times = [1e3, 0.0, 1e5];
    let found = at(&space, &Classes::single(4), &times);
    let control = Control::unlimited();
    let context = Context::new(&space, Options::default(), &control);
    for (distribution, &time) in found.iter().zip(&times) {
        assert!(distribution.method.starts_with("repeated squaring"), "{}", distribution.method);
        for j in 0..4 {
            let value: Vec<[f64; 2]> = (0..4).map(|s| [f64::from(u8::from(s == j)); 2]).collect();
            let mut transient = crate::transient::Transient::new(&context, None);
            let later = transient.elapse(&volvelle_space::BitSet::full(4), &value, time).unwrap();
            let ([lo, hi], [low, high]) = (distribution.bounds[j], later[0]);
            assert!(lo <= high && low <= hi, "t={time} {j}: [{lo:e}, {hi:e}] and [{low:e}, {high:e}]");
            assert!(hi - lo <= 1e-9 * lo, "t={time} {j}: [{lo:e}, {hi:e}]");
        }
        assert_eq!(distribution.bounds[3], [0.0; 2]);
    }
    assert_eq!(found[1].bounds[0], [1.0; 2]);
}

#[test]
fn classes_add_up() {
    let mut random = Random(13);
    for _ in 0..30 {
        let n = 3 + random.below(8);
        let space = space(Kind::Dtmc, &random_rows(&mut random, n, 1));
        let class_of: Vec<u32> = (0..n).map(|_| random.below(3) as u32).collect();
        let classes = Classes { class_of: class_of.clone(), count: 3 };
        let mut truth = vec![RBig::ZERO; n];
        truth[0] = RBig::ONE;
        for _ in 0..5 {
            truth = multiplied(&truth, &space);
        }
        let found = at(&space, &classes, &[5.0]);
        for class in 0..3u32 {
            let members = truth.iter().zip(&class_of).filter(|(_, c)| **c == class);
            let sum = members.fold(RBig::ZERO, |sum, (p, _)| sum + p);
            encloses(found[0].bounds[class as usize], &sum, "a class");
        }
    }
}

#[test]
fn long_runs_of_random_chains() {
    let mut random = Random(14);
    for round in 0..80 {
        let n = 2 + random.below(9);
        let mut space = match random.one_in(2) {
            true => space(Kind::Dtmc, &random_rows(&mut random, n, 1)),
            false => random_ctmc(&mut random, n),
        };
        if random.one_in(3) {
            space.initial = vec![StateId(0), StateId(1)];
        }
        let control = Control::unlimited();
        let options = Options::default();
        let found = long_run_distribution(&space, &Classes::single(n), &options, &control).unwrap();
        let chain: Chain = (0..n).map(|s| space.transitions(s).collect()).collect();
        for s in 0..n {
            let reward: Vec<f64> = (0..n).map(|t| f64::from(u8::from(t == s))).collect();
            let all = exact_long_run(&chain, &reward);
            let starts = space.initial.iter().map(|s| &all[s.0 as usize]);
            let truth = starts.fold(RBig::ZERO, |sum, p| sum + p) / RBig::from(space.initial.len() as u32);
            encloses(found.bounds[s], &truth, &format!("round {round} state {s}"));
            let [lo, hi] = found.bounds[s];
            assert!(hi - lo <= 1e-6 * hi + 1e-280, "[{lo:e}, {hi:e}]");
        }
    }
}

/// A queue of some hundred places: stationary probabilities are a geometric series.
#[test]
fn stationary_probabilities_span_many_orders() {
    let n = 300;
    let rows: Rows = (0..n)
        .map(|s: usize| {
            let up = (s + 1 < n).then_some((s + 1, 1.0));
            let down = s.checked_sub(1).map(|t| (t, 4.0));
            vec![up.into_iter().chain(down).collect()]
        })
        .collect();
    let space = space(Kind::Ctmc, &rows);
    let control = Control::unlimited();
    let found = long_run_distribution(&space, &Classes::single(n), &Options::default(), &control).unwrap();
    let quarter = RBig::ONE / RBig::from(4u32);
    let power = |k: usize| (0..k).fold(RBig::ONE, |power, _| power * &quarter);
    let total = (RBig::ONE - power(n)) / (RBig::ONE - &quarter);
    for s in [0, 1, 7, 100, 299] {
        encloses(found.bounds[s], &(power(s) / &total), &format!("{s}"));
        let [lo, hi] = found.bounds[s];
        assert!(hi - lo <= 1e-9 * hi, "[{lo:e}, {hi:e}]");
    }
    // A class at a time gives the same.
    let reward: Vec<f64> = (0..n).map(|s| f64::from(u8::from(s >= 7))).collect();
    let class = long_run(&Context::new(&space, Options::default(), &control), &reward).unwrap().bounds[0];
    let classes = Classes { class_of: (0..n).map(|s| u32::from(s >= 7)).collect(), count: 2 };
    let both = long_run_distribution(&space, &classes, &Options::default(), &control).unwrap();
    assert!(class[0] <= both.bounds[1][1] && both.bounds[1][0] <= class[1]);
}

#[test]
fn a_limit_keeps_what_is_known() {
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled = Control { cancel: &cancel, ..Control::unlimited() };
    let rows = "0: 1:1\n1: 0.5:2 0.5:0\n2: 1:3\n3: 0.25:0 0.75:4\n4: 1:0";
    let mut interrupted = 0;
    for (kind, last) in [(Kind::Ctmc, 1e6), (Kind::Dtmc, 1e6), (Kind::Ctmc, 4e5)] {
        let space = parse(kind, rows);
        let (classes, times) = (Classes::single(5), [3.0, 1e4, last]);
        let all = at(&space, &classes, &times);
        let some =
            transient_distributions(&space, &classes, &times, &Options::default(), &cancelled).unwrap();
        assert_eq!((&some[..2], some.len()), (&all[..2], 3));
        for (all, some) in all[2].bounds.iter().zip(&some[2].bounds) {
            assert!(some[0] <= all[0] && all[1] <= some[1], "{some:?} {all:?}");
        }
        assert_eq!(all[2].stop, StopReason::StepsDone);
        interrupted += usize::from(some[2].stop == StopReason::Interrupted);
    }
    assert_eq!(interrupted, 3);
}

#[test]
fn choices_and_odd_times_are_refused() {
    let control = Control::unlimited();
    let mdp = parse(Kind::Mdp, "0: 1:0\n0: 1:1\n1: 1:1");
    assert!(
        transient_distributions(&mdp, &Classes::single(2), &[1.0], &Options::default(), &control).is_err()
    );
    assert!(long_run_distribution(&mdp, &Classes::single(2), &Options::default(), &control).is_err());
    let dtmc = parse(Kind::Dtmc, "0: 1:1\n1: 1:0");
    for time in [0.5, -1.0, f64::INFINITY, f64::NAN, 1e14] {
        assert!(
            transient_distributions(&dtmc, &Classes::single(2), &[time], &Options::default(), &control)
                .is_err(),
            "{time}"
        );
    }
    // Periodic: the share of steps, not a limit.
    let found = long_run_distribution(&dtmc, &Classes::single(2), &Options::default(), &control).unwrap();
    assert!(found.bounds.iter().all(|[lo, hi]| *lo <= 0.5 && 0.5 <= *hi && hi - lo < 1e-12));
}
