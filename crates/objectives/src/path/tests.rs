//! Against the matrix exponential, and steps over rationals.

use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason, TimeBound};
use volvelle_reference::*;
use volvelle_solver::{Context, Numbers, Options};
use volvelle_space::{BitSet, Kind, Space};
use volvelle_transient::Transient;

use super::{Path, probability};

fn run(space: &Space, path: &Path) -> Numbers {
    let control = Control::unlimited();
    let context = Context::new(space, Options::default(), &control);
    probability(&context, path, false, Optimum::Max, None).unwrap()
}

#[test]
fn timed_until_agrees_with_the_matrix_exponential() {
    let mut random = Random(21);
    for round in 0..60 {
        let n = 2 + random.below(7);
        let space = random_ctmc(&mut random, n, round % 3 == 0);
        let left =
            if random.one_in(2) { BitSet::full(n) } else { random_set(&mut random, n, 4).complement() };
        let right = random_set(&mut random, n, 3);
        let (a, b) = (0.25 * random.below(8) as f64, 0.5 + 0.25 * random.below(40) as f64);
        let mut stop = left.complement();
        stop.unite(&right);
        // Up to b: mass in `right` at time b of the chain stopped there.
        let hit = exponential(&generator(&space, &stop), n, b);
        let found = run(&space, &Path::Until(left.clone(), right.clone(), within(0.0, Some(b))));
        let in_time: Vec<f64> = (0..n).map(|s| right.iter().map(|t| hit[s][t]).sum()).collect();
        for (s, &expected) in in_time.iter().enumerate() {
            assert_close(found.bounds[s], expected, &format!("round {round} U<={b} state {s}"));
        }
        // Expectation of a value after staying in `left`, zero for those who start outside.
        let staying = |stay: &[Vec<f64>], s: usize, value: &dyn Fn(usize) -> f64| -> f64 {
            if left.contains(s) { left.iter().map(|t| stay[s][t] * value(t)).sum() } else { 0.0 }
        };
        // [a, a + b]: stay in `left` for a, then up to b.
        let stay = exponential(&generator(&space, &left.complement()), n, a);
        let found = run(&space, &Path::Until(left.clone(), right.clone(), within(a, Some(a + b))));
        for s in 0..n {
            let expected = if a == 0.0 { in_time[s] } else { staying(&stay, s, &|t| in_time[t]) };
            assert_close(found.bounds[s], expected, &format!("round {round} U[{a},{}] state {s}", a + b));
        }
        // At one instant.
        let found = run(&space, &Path::Until(left.clone(), right.clone(), within(b, Some(b))));
        let stay = exponential(&generator(&space, &left.complement()), n, b);
        for s in 0..n {
            let expected = staying(&stay, s, &|t| f64::from(u8::from(right.contains(t))));
            assert_close(found.bounds[s], expected, &format!("round {round} U[{b},{b}] state {s}"));
        }
        // From a on: stay in `left` for a, then reach `right` at any time.
        let unbounded = run(&space, &Path::Until(left.clone(), right.clone(), TimeBound::NONE));
        let found = run(&space, &Path::Until(left.clone(), right.clone(), within(b, None)));
        for s in 0..n {
            let later = |t: usize| 0.5 * (unbounded.bounds[t][0] + unbounded.bounds[t][1]);
            let expected = staying(&stay, s, &later);
            let [lo, hi] = found.bounds[s];
            assert!(lo * (1.0 - 1e-6) <= expected && expected <= hi * (1.0 + 1e-6) + 1e-20);
        }
        // Globally, for b: not (true U<=b not left).
        let found = run(&space, &Path::Weak(left.clone(), BitSet::new(n), within(0.0, Some(b))));
        for s in 0..n {
            let expected = staying(&stay, s, &|_| 1.0);
            assert_close(found.bounds[s], expected, &format!("round {round} G<={b} state {s}"));
        }
    }
}

#[test]
fn steps_agree_with_rationals() {
    let mut random = Random(23);
    for round in 0..60 {
        let n = 2 + random.below(6);
        let space = space(Kind::Dtmc, &random_rows(&mut random, n, 1));
        let left =
            if random.one_in(2) { BitSet::full(n) } else { random_set(&mut random, n, 4).complement() };
        let right = random_set(&mut random, n, 3);
        let (a, b) = (random.below(4), random.below(12));
        let indicator = |set: &BitSet| -> Vec<RBig> {
            (0..n).map(|s| if set.contains(s) { RBig::ONE } else { RBig::ZERO }).collect()
        };
        let step = |x: &[RBig], s: usize| {
            space.transitions(s).fold(RBig::ZERO, |sum, (t, v)| sum + exact(v) * &x[t])
        };
        let mut x = indicator(&right);
        for _ in 0..b {
            x = (0..n)
                .map(|s| match (right.contains(s), left.contains(s)) {
                    (true, _) => RBig::ONE,
                    (_, true) => step(&x, s),
                    _ => RBig::ZERO,
                })
                .collect();
        }
        for _ in 0..a {
            x = (0..n).map(|s| if left.contains(s) { step(&x, s) } else { RBig::ZERO }).collect();
        }
        let bound = within(a as f64, Some((a + b) as f64));
        let found = run(&space, &Path::Until(left.clone(), right.clone(), bound));
        // The same through the engine for MDPs.
        let mut as_mdp = space.clone();
        as_mdp.kind = Kind::Mdp;
        as_mdp.choices = Some(volvelle_space::Choices::new((0..=n as u32).collect(), vec![0; n]));
        let other = run(&as_mdp, &Path::Until(left.clone(), right.clone(), bound));
        // Globally within the window is the complement of leaving within it.
        let outside = left.complement();
        let globally = run(&space, &Path::Weak(left.clone(), BitSet::new(n), within(0.0, Some(b as f64))));
        let leaves = run(&space, &Path::Until(BitSet::full(n), outside, within(0.0, Some(b as f64))));
        for (s, truth) in x.into_iter().enumerate() {
            let what = format!("round {round} [{a},{}] state {s}", a + b);
            let truth = Some(truth);
            assert_encloses(found.bounds[s], &truth, 1e-6, StopReason::StepsDone, &what);
            assert_encloses(other.bounds[s], &truth, 1e-6, StopReason::StepsDone, &what);
            let sum = globally.bounds[s][0] + leaves.bounds[s][0];
            assert!((sum - 1.0).abs() < 1e-6, "{what}: {sum}");
        }
    }
}

/// Two states that exchange quickly, and leak slowly into a third: neither many events nor tiny values take long.
#[test]
fn small_stiff_chains_are_squared() {
    for (rate, time) in [("1000000", 1e3), ("1000000", 1e5), ("10000000", 1e4), ("100000", 1e12)] {
        let space = parse(Kind::Ctmc, &format!("0: {rate}:1\n1: {rate}:0 0.01:2\n2: 1:2"));
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let target = BitSet::of(3, [2]);
        let bound = within(0.0, Some(time));
        let numbers = |path: Path| probability(&context, &path, false, Optimum::Max, None).unwrap();
        let hit = numbers(Path::Until(BitSet::full(3), target.clone(), bound));
        let stay = numbers(Path::Weak(target.complement(), BitSet::new(3), bound));
        let fast: f64 = rate.parse().unwrap();
        // The slower of the two exit rates of a symmetric pair, one of which leaks.
        let slow = 0.01 * fast / ((2.0 * fast + 0.01) / 2.0 + (fast * fast + 0.000025).sqrt());
        for (numbers, expected) in [(hit, -(-slow * time).exp_m1()), (stay, (-slow * time).exp())] {
            assert!(numbers.method.starts_with("repeated squaring"), "{}", numbers.method);
            let [lo, hi] = numbers.bounds[0];
            assert!(hi - lo <= 1e-6 * lo + 1e-270, "{rate} {time}: [{lo:e}, {hi:e}]");
            let slack = 1e-8 * expected + 1e-270;
            assert!(
                lo - slack <= expected && expected <= hi + slack,
                "{rate} {time}: {lo:e} {expected:e} {hi:e}"
            );
        }
        let mut transient = Transient::new(&context, None);
        let found = transient.accumulate(&[1.0, 1.0, 0.0], time).unwrap();
        let expected = -(-slow * time).exp_m1() / slow;
        let [lo, hi] = found[0];
        assert!(lo * (1.0 - 1e-7) <= expected && expected <= hi * (1.0 + 1e-7), "{lo} {expected} {hi}");
        assert!(hi - lo <= 1e-6 * lo, "{lo} {hi}");
    }
}
