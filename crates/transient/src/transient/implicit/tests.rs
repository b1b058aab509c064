//! Implicit steps against matrix exponentials with 400 bits, against uniformisation, and under adverse conditions.

use dashu_int::IBig;
use dashu_ratio::RBig;
use volvelle_control::{Cancel, Control};
use volvelle_logic::StopReason;
use volvelle_reference::{Random, Rows, exact, space};
use volvelle_space::{Kind, Space};

use super::*;
use crate::transient::Request;

/// Bits behind the point of the reference.
const BITS: usize = 400;

fn fixed(value: &RBig, bits: usize) -> IBig {
    let scaled = value * RBig::from(IBig::ONE << bits);
    scaled.floor()
}

/// `exp(matrix t)` with this many bits: a Taylor series of a small part, squared; the matrix is exact.
fn exponential(matrix: &[Vec<RBig>], t: f64, bits: usize) -> Vec<Vec<IBig>> {
    let n = matrix.len();
    let largest = matrix.iter().flatten().map(|v| v.to_f64().value().abs()).fold(0.0, f64::max);
    let squarings = (largest * t).log2().ceil().max(0.0) as usize + 2;
    let part = exact(t) / RBig::from(IBig::ONE << squarings);
    let small: Vec<Vec<IBig>> =
        matrix.iter().map(|row| row.iter().map(|v| fixed(&(v * &part), bits)).collect()).collect();
    let product = |a: &[Vec<IBig>], b: &[Vec<IBig>]| -> Vec<Vec<IBig>> {
        let entry = |i: usize, j: usize| (0..n).map(|k| &a[i][k] * &b[k][j]).sum::<IBig>() >> bits;
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    };
    let one = |i: usize, j: usize| if i == j { IBig::ONE << bits } else { IBig::ZERO };
    let mut sum: Vec<Vec<IBig>> = (0..n).map(|i| (0..n).map(|j| one(i, j)).collect()).collect();
    let mut term = sum.clone();
    for k in 1..bits / 4 + 10 {
        term = product(&term, &small);
        term.iter_mut().flatten().for_each(|v| *v = std::mem::take(v) / IBig::from(k));
        sum.iter_mut().flatten().zip(term.iter().flatten()).for_each(|(s, v)| *s += v);
    }
    for _ in 0..squarings {
        sum = product(&sum, &sum);
    }
    sum
}

/// The true solution at a time.
fn truth(space: &Space, start: &[f64], forcing: Option<&[f64]>, t: f64) -> Vec<RBig> {
    truth_with(space, start, forcing, t, BITS, &|_, _, rate| exact(rate))
}

/// The true solution with this many bits, for rates that are told by states and the rate of the space.
pub fn truth_with(
    space: &Space,
    start: &[f64],
    forcing: Option<&[f64]>,
    t: f64,
    bits: usize,
    true_rate: &dyn Fn(usize, usize, f64) -> RBig,
) -> Vec<RBig> {
    let n = start.len();
    let mut matrix = vec![vec![RBig::ZERO; n + 1]; n + 1];
    for s in 0..n {
        for (to, rate) in space.transitions(s).filter(|e| e.0 != s) {
            let rate = true_rate(s, to, rate);
            matrix[s][s] -= &rate;
            if to < n {
                matrix[s][to] += &rate;
            }
        }
        matrix[s][n] = forcing.map_or(RBig::ZERO, |f| exact(f[s]));
    }
    let all = exponential(&matrix, t, bits);
    let unit = RBig::from(IBig::ONE << bits);
    let value = |s: usize| {
        let sum: IBig = (0..n).map(|j| &all[s][j] * fixed(&exact(start[j]), bits)).sum::<IBig>() >> bits;
        RBig::from(sum + &all[s][n]) / &unit
    };
    (0..n).map(value).collect()
}

/// A chain whose rates differ by orders of magnitude, in which the first `n` states reach each other; the rest absorb.
pub fn stiff(random: &mut Random, n: usize, outside: usize, orders: usize) -> Space {
    let mut rows: Rows = (0..n)
        .map(|s| {
            let mut rate = || 10f64.powi(random.below(orders + 1) as i32 - 3);
            let next = ((s + 1) % n, rate());
            let mut row = vec![next];
            row.push((random.below(n + outside), 10f64.powi(random.below(orders + 1) as i32 - 3)));
            row.retain(|&(t, _)| t != s);
            vec![row]
        })
        .collect();
    rows.extend((n..n + outside).map(|s| vec![vec![(s, 1.0)]]));
    space(Kind::Ctmc, &rows)
}

fn problem<'a>(
    states: &'a [u32],
    system: System<'a>,
    times: &'a [f64],
    rows: Option<&'a [u32]>,
) -> Problem<'a> {
    Problem {
        states,
        system,
        escaping: None,
        input_error: 0.0,
        times,
        rows,
        highest: 1e9,
        other_work: 1e14,
        events: 1e9,
    }
}

/// By implicit steps, where they are planned.
fn solve(problem: &Problem, context: &Context) -> Result<Option<Solution>, Stop> {
    match Plan::new(problem, context)? {
        Some(plan) => plan.solve(problem, context),
        None => Ok(None),
    }
}

fn solved(space: &Space, problem: &Problem, options: Options) -> Option<Solution> {
    let control = Control::unlimited();
    solve(problem, &Context::new(space, options, &control)).unwrap()
}

fn assert_contains(bounds: [f64; 2], truth: &RBig, precision: f64, what: &str) {
    let [lo, hi] = bounds;
    let value = truth.to_f64().value();
    assert!(exact(lo) <= *truth && *truth <= exact(hi), "{what}: [{lo:e}, {hi:e}] without {value:e}");
    assert!(hi - lo <= precision * lo.abs(), "{what}: [{lo:e}, {hi:e}] is wide");
}

#[test]
fn stiff_chains_agree_with_many_digits() {
    let mut random = Random(101);
    let mut answered = 0;
    for round in 0..60 {
        let n = 2 + random.below(4);
        let orders = [3, 6, 9][round % 3];
        let chain = stiff(&mut random, n, round % 2, orders);
        let states: Vec<u32> = (0..n as u32).collect();
        let values: Vec<f64> = (0..n).map(|_| (1 + random.below(8)) as f64 * 0.25).collect();
        let nothing = vec![0.0; n];
        let system = match round % 4 {
            0 | 1 => System { start: &values, forcing: None },
            _ => System { start: &nothing, forcing: Some(&values) },
        };
        let times = [10f64.powi(random.below(6) as i32 - 2), 3.0 * 10f64.powi(random.below(4) as i32)];
        let precision = [1e-6, 1e-10][usize::from(round % 5 == 4)];
        let options = Options { precision, ..Options::default() };
        let Some(found) = solved(&chain, &problem(&states, system, &times, None), options) else { continue };
        answered += 1;
        assert_eq!(found.stop, StopReason::StepsDone);
        for (&time, bounds) in times.iter().zip(&found.bounds) {
            let expected = truth(&chain, system.start, system.forcing, time);
            for (s, truth) in expected.iter().enumerate() {
                assert_contains(bounds[s], truth, precision, &format!("round {round} t={time} state {s}"));
            }
        }
    }
    // Values that vanish against their neighbours' are left to uniformisation.
    assert!(answered >= 45, "{answered}");
}

/// A birth-death chain that is fast in the middle.
fn birth_death(n: usize, rate: impl Fn(usize) -> f64) -> Space {
    let rows: Rows = (0..n)
        .map(|s| {
            let mut row = vec![];
            if s > 0 {
                row.push((s - 1, 1.5 * rate(s)));
            }
            if s + 1 < n {
                row.push((s + 1, rate(s)));
            }
            vec![row]
        })
        .collect();
    space(Kind::Ctmc, &rows)
}

#[test]
fn other_methods_overlap() {
    let chain = birth_death(400, |s| if s % 7 == 3 { 3000.0 } else { 2.0 });
    let states: Vec<u32> = (0..400).collect();
    let start: Vec<f64> = (0..400).map(|s| if s < 5 { 1.0 } else { 0.0 }).collect();
    let system = System { start: &start, forcing: None };
    let times = [0.25, 3.0];
    let control = Control::unlimited();
    let context = Context::new(&chain, Options::default(), &control);
    let rows = [0u32, 3, 9];
    let found = solve(&problem(&states, system, &times, Some(&rows)), &context).unwrap().unwrap();
    for (&time, bounds) in times.iter().zip(&found.bounds) {
        let set = volvelle_space::BitSet::full(400);
        let matrix = super::super::Chain::new(&chain, &set, time);
        let coefficients = super::super::Coefficients::poisson(matrix.rate * time);
        let request = Request { start_error: 0.0, rows: None, width: -1.0, goes_on: &mut |_, _| true };
        let other = matrix.series(start.clone(), &coefficients, request, &context).unwrap().unwrap();
        for (&row, &[lo, hi]) in rows.iter().zip(bounds) {
            let [low, high] = other.bounds[row as usize];
            assert!(lo <= high && low <= hi, "t={time} row {row}: [{lo}, {hi}] and [{low}, {high}]");
            assert!(hi - lo <= 1e-6 * lo, "t={time} row {row}: [{lo}, {hi}]");
        }
    }
}

#[test]
fn rare_events_keep_their_digits() {
    // Five repairable parts in a row must fail before one of them is repaired: about 1e-13 within the time.
    let n = 5;
    let rows: Rows = (0..=n)
        .map(|s| match s {
            0 => vec![vec![(1, 1e-3)]],
            s if s < n => vec![vec![(s + 1, 1e-3), (s - 1, 1000.0)]],
            s => vec![vec![(s, 1.0)]],
        })
        .collect();
    let chain = space(Kind::Ctmc, &rows);
    let states: Vec<u32> = (0..n as u32).collect();
    let nothing = vec![0.0; n];
    let mut entering = nothing.clone();
    entering[n - 1] = 1e-3;
    let system = System { start: &nothing, forcing: Some(&entering) };
    let times = [1e9];
    let found = solved(&chain, &problem(&states, system, &times, Some(&[0])), Options::default()).unwrap();
    let truth = truth(&chain, &nothing, Some(&entering), 1e9);
    assert!(truth[0].to_f64().value() < 1e-15);
    assert_contains(found.bounds[0][0], &truth[0], 1e-6, "five failures");
    assert!(found.steps < 60, "{}", found.steps);
}

#[test]
fn the_cost_does_not_grow_with_the_time() {
    // Two states that exchange a million times a second, and a slow way to a third and back.
    let rows: Rows = vec![vec![vec![(1, 1e6)]], vec![vec![(0, 1e6), (2, 1e-3)]], vec![vec![(0, 1e-3)]]];
    let chain = space(Kind::Ctmc, &rows);
    let system = System { start: &[1.0, 2.0, 4.0], forcing: None };
    let mut steps = vec![];
    for time in [10.0, 1e3, 1e6] {
        let times = [time];
        let found = solved(&chain, &problem(&[0, 1, 2], system, &times, None), Options::default()).unwrap();
        let truth = truth(&chain, system.start, None, time);
        (0..3).for_each(|s| {
            assert_contains(found.bounds[0][s], &truth[s], 1e-6, &format!("t={time} state {s}"))
        });
        steps.push(found.steps);
    }
    assert!(steps.iter().all(|&s| s < 50), "{steps:?}");
}

#[test]
fn one_pass_serves_all_times() {
    let chain = birth_death(60, |s| [0.5, 400.0][s % 2]);
    let states: Vec<u32> = (0..60).collect();
    let forcing: Vec<f64> = (0..60).map(|s| s as f64).collect();
    let nothing = vec![0.0; 60];
    let system = System { start: &nothing, forcing: Some(&forcing) };
    let times: Vec<f64> = [700.0].into_iter().chain((1..60).map(|k| 11.0 * k as f64)).collect();
    let together = solved(&chain, &problem(&states, system, &times, Some(&[7])), Options::default()).unwrap();
    for (at, &time) in times.iter().enumerate() {
        let alone = [time];
        let alone =
            solved(&chain, &problem(&states, system, &alone, Some(&[7])), Options::default()).unwrap();
        let ([lo, hi], [low, high]) = (together.bounds[at][0], alone.bounds[0][0]);
        assert!(lo <= high && low <= hi, "t={time}: [{lo}, {hi}] and [{low}, {high}]");
        assert!(hi - lo <= 1e-6 * lo, "t={time}: [{lo}, {hi}]");
    }
    assert!(together.solved < 600, "{}", together.solved);
}

#[test]
fn a_stop_leaves_sound_bounds() {
    let chain = birth_death(30, |s| if s == 9 { 1e5 } else { 1.0 });
    let states: Vec<u32> = (0..30).collect();
    let values: Vec<f64> = (0..30).map(|s| f64::from(u8::from(s > 2))).collect();
    let nothing = vec![0.0; 30];
    let cancel = Cancel::new();
    cancel.cancel();
    let control = Control { cancel: &cancel, ..Control::unlimited() };
    let generator = Generator::new(&chain, &states);
    let pattern = Pattern::new(&generator, 1e9, 1 << 20).unwrap();
    for system in
        [System { start: &values, forcing: None }, System { start: &nothing, forcing: Some(&values) }]
    {
        let times = [5.0];
        let problem = problem(&states, system, &times, None);
        let whole = solved(&chain, &problem, Options::default()).unwrap();
        let mut stepping = Stepping::new(&generator, &pattern, &control, 1e12);
        let Ending::Stopped { found, time, reached } = stepping.run(&system, &times, None, 1e-6).unwrap()
        else {
            panic!("not stopped")
        };
        assert!(found.is_empty() && time == 0.0);
        let level = frozen(&problem, &reached, stepping.weights(), times[0]);
        let bounds = enclose(&problem, &level, stepping.weights());
        for (wide, narrow) in bounds.iter().zip(&whole.bounds[0]) {
            assert!(wide[0] <= narrow[0] && narrow[1] <= wide[1], "{wide:?} {narrow:?}");
        }
        let context = Context::new(&chain, Options::default(), &control);
        let stopped = solve(&problem, &context).unwrap().unwrap();
        assert_eq!(stopped.stop, StopReason::Interrupted);
        for (wide, narrow) in stopped.bounds[0].iter().zip(&whole.bounds[0]) {
            assert!(wide[0] <= narrow[0] && narrow[1] <= wide[1], "{wide:?} {narrow:?}");
        }
    }
}

#[test]
fn factors_solve_ill_conditioned_systems() {
    let mut random = Random(5);
    for round in 0..30 {
        let n = 2 + random.below(40);
        let chain = stiff(&mut random, n, 1, 12);
        let states: Vec<u32> = (0..n as u32).collect();
        let generator = Generator::new(&chain, &states);
        let pattern = Pattern::new(&generator, 1e9, 1 << 30).unwrap();
        let factors = pattern.factors(&generator, 1024.0, &Control::unlimited()).unwrap();
        // (I - 1024 Q) 1 = 1 + 1024 times what leaves.
        let b: Vec<f64> = (0..n).map(|i| 1.0 + 1024.0 * generator.leaving(i)).collect();
        let mut x = vec![0.0; n];
        pattern.solve(&factors, &b, &mut x, &mut Vec::new());
        for v in x {
            assert!((v - 1.0).abs() < 1e-12, "round {round}: {v}");
        }
    }
}

/// Three kinds of molecules, the first of which come and go quickly.
fn cascade(most: usize) -> Space {
    let side = most + 1;
    let at = |a: usize, b: usize, c: usize| (a * side + b) * side + c;
    let mut rows: Rows = vec![];
    for (a, b, c) in (0..side.pow(3)).map(|s| (s / side / side, s / side % side, s % side)) {
        let mut row = vec![];
        if a < most {
            row.push((at(a + 1, b, c), 500.0));
        }
        if b < most && a > 0 {
            row.push((at(a, b + 1, c), 0.5 * a as f64));
        }
        if c < most && b > 0 {
            row.push((at(a, b, c + 1), 0.02 * b as f64));
        }
        if a > 0 {
            row.push((at(a - 1, b, c), 100.0 * a as f64));
        }
        if b > 0 {
            row.push((at(a, b - 1, c), 0.5 * b as f64));
        }
        if c > 0 {
            row.push((at(a, b, c - 1), 0.01 * c as f64));
        }
        rows.push(vec![row]);
    }
    space(Kind::Ctmc, &rows)
}

#[test]
fn iterations_replace_complete_factors() {
    let chain = cascade(7);
    let states: Vec<u32> = (0..chain.num_states() as u32).collect();
    let start: Vec<f64> = (0..chain.num_states()).map(|s| (s % 8) as f64).collect();
    let system = System { start: &start, forcing: None };
    let times = [20.0];
    let problem = Problem { highest: 7.0, ..problem(&states, system, &times, Some(&[0])) };
    let control = Control::unlimited();
    let context = Context::new(&chain, Options::default(), &control);
    let generator = Generator::new(&chain, &states);
    let complete = Pattern::new(&generator, 1e12, 1 << 30).unwrap();
    let incomplete = Pattern::incomplete(&generator);
    assert!(incomplete.entries() * 3 < complete.entries());
    let by = |pattern: &Pattern| attempt(&problem, &context, &generator, pattern, 1e12).unwrap().unwrap();
    let ([lo, hi], [low, high]) = (by(&complete).bounds[0][0], by(&incomplete).bounds[0][0]);
    assert!(lo <= high && low <= hi, "[{lo}, {hi}] and [{low}, {high}]");
    assert!(hi - lo <= 1e-6 * lo && high - low <= 1e-6 * low, "[{lo}, {hi}] and [{low}, {high}]");
    assert!(context.facts().iter().any(|fact| fact.what == "iterations of BiCGSTAB"));
}

#[test]
fn too_much_fill_in_is_noticed() {
    let mut random = Random(11);
    let n = 300;
    let rows: Rows = (0..n)
        .map(|s| vec![(0..6).map(|_| random.below(n)).filter(|&t| t != s).map(|t| (t, 1.0)).collect()])
        .collect();
    let chain = space(Kind::Ctmc, &rows);
    let states: Vec<u32> = (0..n as u32).collect();
    let generator = Generator::new(&chain, &states);
    assert!(Pattern::new(&generator, 1e12, 1 << 30).unwrap().work > 1e5);
    assert!(Pattern::new(&generator, 1e5, 1 << 30).is_none());
    assert!(Pattern::new(&generator, 1e12, 1 << 10).is_none());
}
