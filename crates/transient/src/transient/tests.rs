//! Against the matrix exponential; and how much work is done.

use volvelle_control::Control;
use volvelle_logic::{StopReason, TimeBound};
use volvelle_reference::*;
use volvelle_solver::{Context, Options};
use volvelle_space::{BitSet, Kind};

use super::*;

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
            assert_close(found[s], expected, &format!("round {round} I={t} state {s}"));
        }
        // The integral: one more state that collects reward, exp([[Q, r], [0, 0]] t).
        let mut wide: Vec<Vec<f64>> = q.iter().zip(&reward).map(|(r, &w)| [&r[..], &[w]].concat()).collect();
        wide.push(vec![0.0; n + 1]);
        let collected = exponential(&wide, n, t);
        let found = Transient::new(&context, None).accumulate(&reward, t).unwrap();
        for s in 0..n {
            assert_close(found[s], collected[s][n], &format!("round {round} C<={t} state {s}"));
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
    assert_close(found[0], 0.25, "I=1e6");
    let mut transient = Transient::new(&context, None);
    let found = transient.accumulate(&[1.0, 0.0], 1e6).unwrap();
    // t/4 + (1 - e^-4t) 3/16
    assert_close(found[0], 250_000.0 + 3.0 / 16.0, "C<=1e6");
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
        assert_close(found[0], exponential(&q, 3, t)[0][2], &format!("F<={t}"));
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
