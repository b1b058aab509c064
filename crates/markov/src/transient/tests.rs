use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::{Optimum, StopReason, TimeBound};
use volvelle_space::{BitSet, Kind, Space};

use super::*;
use crate::evaluate::path::{Path, probability};
use crate::options::Options;
use crate::testing::*;

/// exp(Q t) by scaling, a Taylor series and squaring; dense. Kept free of cancellation by working with the
/// uniformised matrix, so small entries are accurate relatively. The first `conserved` columns of a row sum to
/// one, which keeps common factors from drifting.
fn exponential(q: &[Vec<f64>], conserved: usize, t: f64) -> Vec<Vec<f64>> {
    let n = q.len();
    let rate = (0..n).map(|i| -q[i][i]).fold(1e-9, f64::max) * 2.0;
    let squarings = (rate * t).log2().ceil().max(0.0) as i32 + 4;
    let h = t / 2f64.powi(squarings);
    let multiply = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| a[i][k] * b[k][j]).sum()).collect()).collect()
    };
    // exp(Qh) = exp(-rate h) sum (rate h P)^k / k!, all terms positive.
    let step: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| (q[i][j] + if i == j { rate } else { 0.0 }) * h).collect()).collect();
    let identity: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let mut sum = identity.clone();
    let mut term = identity;
    for k in 1..40 {
        term = multiply(&term, &step)
            .into_iter()
            .map(|r| r.into_iter().map(|v| v / k as f64).collect())
            .collect();
        for i in 0..n {
            for j in 0..n {
                sum[i][j] += term[i][j];
            }
        }
    }
    let scale = (-rate * h).exp();
    sum.iter_mut().flatten().for_each(|v| *v *= scale);
    for _ in 0..squarings {
        sum = multiply(&sum, &sum);
        for row in sum.iter_mut().take(conserved) {
            let total: f64 = row[..conserved].iter().sum();
            row.iter_mut().for_each(|v| *v /= total);
        }
    }
    sum
}

/// The generator of a CTMC without the transitions out of `absorbing` states.
fn generator(space: &Space, absorbing: &BitSet) -> Vec<Vec<f64>> {
    let n = space.num_states();
    let mut q = vec![vec![0.0; n]; n];
    for s in (0..n).filter(|&s| !absorbing.contains(s)) {
        for (t, v) in space.transitions(s).filter(|&(t, _)| t != s) {
            q[s][t] += v;
            q[s][s] -= v;
        }
    }
    q
}

fn random_ctmc(random: &mut Random, n: usize, stiff: bool) -> Space {
    let rows: Rows = random_rows(random, n, 1)
        .into_iter()
        .map(|state| {
            let scale =
                if stiff { 10f64.powi(random.below(6) as i32 - 2) } else { 0.5 + random.below(4) as f64 };
            vec![state[0].iter().map(|&(t, v)| (t, v * scale)).collect()]
        })
        .collect();
    space(Kind::Ctmc, &rows)
}

fn close([lo, hi]: [f64; 2], reference: f64, what: &str) {
    // The reference squares some twenty times, each time losing digits.
    let slack = 1e-11 * reference.abs() + 1e-20;
    assert!(lo <= reference + slack && reference - slack <= hi, "{what}: [{lo:e}, {hi:e}] and {reference:e}");
    assert!(hi - lo <= 1e-6 * hi + 1e-20, "{what}: [{lo:e}, {hi:e}] is wide");
}

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
            close(found.bounds[s], expected, &format!("round {round} U<={b} state {s}"));
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
            close(found.bounds[s], expected, &format!("round {round} U[{a},{}] state {s}", a + b));
        }
        // At one instant.
        let found = run(&space, &Path::Until(left.clone(), right.clone(), within(b, Some(b))));
        let stay = exponential(&generator(&space, &left.complement()), n, b);
        for s in 0..n {
            let expected = staying(&stay, s, &|t| f64::from(u8::from(right.contains(t))));
            close(found.bounds[s], expected, &format!("round {round} U[{b},{b}] state {s}"));
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
            close(found.bounds[s], expected, &format!("round {round} G<={b} state {s}"));
        }
    }
}

#[test]
fn timed_rewards_agree_with_the_matrix_exponential() {
    let mut random = Random(22);
    for round in 0..60 {
        let n = 2 + random.below(6);
        let space = random_ctmc(&mut random, n, round % 3 == 0);
        let reward: Vec<f64> = (0..n).map(|_| random.below(5) as f64 * 0.5).collect();
        let t = 0.5 + 0.25 * random.below(40) as f64;
        let control = Control::unlimited();
        let context = Context::new(&space, Options::default(), &control);
        let value: Vec<[f64; 2]> = reward.iter().map(|&r| [r; 2]).collect();
        let found = Transient::new(&context, None).elapse(&BitSet::full(n), &value, t).unwrap();
        let q = generator(&space, &BitSet::new(n));
        let at = exponential(&q, n, t);
        for s in 0..n {
            let expected: f64 = (0..n).map(|j| at[s][j] * reward[j]).sum();
            close(found[s], expected, &format!("round {round} I={t} state {s}"));
        }
        // The integral: one more state that collects reward, exp([[Q, r], [0, 0]] t).
        let mut wide: Vec<Vec<f64>> = q.iter().zip(&reward).map(|(r, &w)| [&r[..], &[w]].concat()).collect();
        wide.push(vec![0.0; n + 1]);
        let collected = exponential(&wide, n, t);
        let found = Transient::new(&context, None).accumulate(&reward, t).unwrap();
        for s in 0..n {
            close(found[s], collected[s][n], &format!("round {round} C<={t} state {s}"));
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

#[test]
fn steady_state_is_detected_soundly() {
    // Two states that exchange quickly: the horizon is long, the chain forgets soon.
    let space = parse(Kind::Ctmc, "0: 3:1\n1: 1:0");
    let control = Control::unlimited();
    let context = Context::new(&space, Options::default(), &control);
    let mut transient = Transient::new(&context, None);
    let found = transient.elapse(&BitSet::full(2), &[[1.0; 2], [0.0; 2]], 1e6).unwrap();
    assert_eq!(transient.stop.get(), StopReason::SteadyState);
    assert!(transient.steps.get() < 10_000);
    close(found[0], 0.25, "I=1e6");
    let mut transient = Transient::new(&context, None);
    let found = transient.accumulate(&[1.0, 0.0], 1e6).unwrap();
    // t/4 + (1 - e^-4t) 3/16
    close(found[0], 250_000.0 + 3.0 / 16.0, "C<=1e6");
    assert_eq!(transient.stop.get(), StopReason::SteadyState);
}

#[test]
fn slow_leaks_are_extrapolated_soundly() {
    // 0 <-> 1 quickly, and from 1 to 2 at a rate of 1e-4: for long the rest is nearly an exponential.
    let space = parse(Kind::Ctmc, "0: 2:1\n1: 2:0 0.0001:2\n2: 1:2");
    let mut target = BitSet::new(3);
    target.insert(2);
    let control = Control::unlimited();
    for t in [10.0, 1_000.0, 100_000.0] {
        let context = Context::new(&space, Options::default(), &control);
        let mut transient = Transient::new(&context, None);
        let found = transient.hit(&BitSet::full(3), &target, t).unwrap();
        let q = generator(&space, &target);
        close(found[0], exponential(&q, 3, t)[0][2], &format!("F<={t}"));
        if t >= 1_000.0 {
            assert_eq!(transient.stop.get(), StopReason::SteadyState, "t = {t}");
            assert!(transient.steps.get() < 1_000, "t = {t}: {}", transient.steps.get());
        }
    }
}

#[test]
fn threads_do_not_change_bits() {
    let mut random = Random(29);
    let n = 9_000;
    let rows: Rows = (0..n)
        .map(|s| {
            let mut row = vec![((s + 1) % n, 1.0), ((s + n - 1) % n, 0.5)];
            row.extend((0..4).map(|_| (random.below(n), 0.125)));
            vec![row]
        })
        .collect();
    let space = space(Kind::Ctmc, &rows);
    let mut target = BitSet::new(n);
    target.insert(n / 2);
    let run = |threads| {
        let control = Control { threads, ..Control::unlimited() };
        let context = Context::new(&space, Options::default(), &control);
        let bounds = Transient::new(&context, None).hit(&BitSet::full(n), &target, 20.0);
        bounds.unwrap()
    };
    let one = run(1);
    assert!(one[0][0] > 0.0);
    for threads in [2, 3] {
        assert_eq!(one, run(threads));
    }
}

#[test]
fn time_bounds_are_made_regular() {
    let strict =
        |lower, lower_strict, upper, upper_strict| TimeBound { lower, lower_strict, upper, upper_strict };
    let range = |lower, upper| Ok(Window::Range { lower, upper });
    assert_eq!(window(Kind::Dtmc, &strict(2.0, true, Some(5.0), true)), range(3.0, Some(4.0)));
    assert_eq!(window(Kind::Dtmc, &strict(0.0, false, Some(0.0), true)), Ok(Window::Empty));
    assert_eq!(window(Kind::Dtmc, &strict(4.0, true, Some(4.0), false)), Ok(Window::Empty));
    assert!(window(Kind::Mdp, &within(0.0, Some(1.5))).is_err());
    assert!(window(Kind::Ctmc, &within(-1.0, None)).is_err());
    assert!(window(Kind::Ctmc, &within(0.0, Some(f64::NAN))).is_err());
    assert_eq!(window(Kind::Ctmc, &strict(1.0, true, Some(2.5), true)), range(1.0, Some(2.5)));
    assert_eq!(window(Kind::Ctmc, &within(3.0, Some(2.0))), Ok(Window::Empty));
}

/// Walks on a grid, long enough that the rows of the chain get another order.
#[test]
fn the_order_of_rows_does_not_matter() {
    let side = 60usize;
    let mut states: Vec<(usize, usize)> = (0..side * side).map(|s| (s / side, s % side)).collect();
    states.sort_by_key(|&(x, y)| (x + y, y));
    let place = |x: usize, y: usize| states.iter().position(|&s| s == (x, y)).unwrap();
    let row = |&(x, y): &(usize, usize)| {
        let near =
            [(x + 1, y, 0.2), (x.wrapping_sub(1), y, 0.3), (x, y + 1, 0.15), (x, y.wrapping_sub(1), 0.25)];
        let mut row: Vec<(usize, f64)> = (near.into_iter())
            .filter(|&(x, y, _)| x < side && y < side)
            .map(|(x, y, p)| (place(x, y), p))
            .collect();
        let rest = 1.0 - row.iter().map(|entry| entry.1).sum::<f64>();
        row.push((place(x, y), rest));
        vec![row]
    };
    let space = space(Kind::Dtmc, &states.iter().map(row).collect());
    let n = side * side;
    let target = BitSet::of(n, [n - 1]);
    let steps = 9000;
    let mut expected = vec![0.0; n];
    expected[n - 1] = 1.0;
    for _ in 0..steps {
        let step = |s: usize| match target.contains(s) {
            true => 1.0,
            false => space.transitions(s).map(|(t, p)| p * expected[t]).sum(),
        };
        expected = (0..n).map(step).collect();
    }
    let control = Control::unlimited();
    for needed in [None, Some(BitSet::of(n, [0, 7, 1000, n - 2, n - 1]))] {
        let context = Context::new(&space, Options::default(), &control);
        let mut transient = Transient::new(&context, needed.as_ref());
        let bounds = transient.hit(&target.complement(), &target, f64::from(steps)).unwrap();
        let is_in_lines = context.facts().iter().any(|fact| fact.what == "order of the rows");
        assert!(is_in_lines, "the order was changed");
        for s in needed.unwrap_or(BitSet::full(n)).iter() {
            let ([lo, hi], value) = (bounds[s], expected[s]);
            assert!(lo <= value * (1.0 + 1e-9) && value * (1.0 - 1e-9) <= hi, "{s}: {lo} {value} {hi}");
            assert!(hi - lo <= 1e-6 * hi);
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

/// Larger chains, too: a series that is known after few steps is not walked through to its end.
#[test]
fn a_horizon_costs_nothing_by_itself() {
    let n = 700;
    let rows: Rows = (0..n)
        .map(|s| match s {
            0 => vec![vec![(0, 1.0)]],
            1 => vec![vec![(0, 1e-6), (2, 1000.0)]],
            s => vec![vec![(1, 1000.0), ((s % (n - 1)) + 1, 500.0)]],
        })
        .collect();
    let space = space(Kind::Ctmc, &rows);
    let control = Control::unlimited();
    let context = Context::new(&space, Options::default(), &control);
    let mut transient = Transient::new(&context, None);
    let found = transient.hit(&BitSet::full(n), &BitSet::of(n, [0]), 1e6).unwrap();
    assert!(transient.steps.get() < 10_000, "{}", transient.steps.get());
    // From state 1 at rate 1e-6, where the chain is for three sevenths of the time: 1000 to 2 and back, or one further on.
    let [lo, hi] = found[1];
    assert!(hi - lo <= 1e-6 * lo && lo > 0.2 && hi < 0.5, "[{lo}, {hi}]");
}
