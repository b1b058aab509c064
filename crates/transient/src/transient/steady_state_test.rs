//! PRISM's steady-state test: the same numbers as its rule written out, and a wrong result that bounds expose.

use volvelle_control::Control;
use volvelle_logic::StopReason;
use volvelle_reference::*;
use volvelle_solver::{Context, Detection, Numbers, Options};
use volvelle_space::{BitSet, Kind, Space};

use super::Transient;

fn elapse(space: &Space, value: &[f64], time: f64, detection: Detection) -> Numbers {
    let control = Control::unlimited();
    let options = Options { detection, ..Options::default() };
    let context = Context::new(space, options, &control);
    let value: Vec<[f64; 2]> = value.iter().map(|&v| [v; 2]).collect();
    let mut transient = Transient::new(&context, None);
    let bounds = transient.elapse(&BitSet::full(space.num_states()), &value, time).unwrap();
    transient.numbers(bounds)
}

/// The rule of PRISM's sparse engine, dense and step by step: the value and the step of the stop.
fn by_the_rule(space: &Space, value: &[f64], time: f64, epsilon: f64) -> (Vec<f64>, Option<u64>) {
    let n = space.num_states();
    let exit = |s: usize| space.transitions(s).filter(|&(t, _)| t != s).map(|(_, v)| v).sum::<f64>();
    let rate = 1.02 * (0..n).map(exit).fold(0.0, f64::max);
    let poisson = |k: u64| {
        let log = (1..=k).map(|i| (rate * time / i as f64).ln()).sum::<f64>();
        (log - rate * time).exp()
    };
    let mut x = value.to_vec();
    let mut weight = poisson(0);
    let mut sum: Vec<f64> = x.iter().map(|v| weight * v).collect();
    for k in 1u64.. {
        let next: Vec<f64> = (0..n)
            .map(|s| {
                let moves: f64 =
                    space.transitions(s).filter(|&(t, _)| t != s).map(|(t, v)| v / rate * x[t]).sum();
                moves + (1.0 - exit(s) / rate) * x[s]
            })
            .collect();
        let small = |s: usize| (next[s] - x[s]).abs() / next[s] < epsilon / 8.0 || next[s] == x[s];
        let steady = (0..n).all(small);
        x = next;
        let share = if steady { 1.0 - weight } else { poisson(k) };
        sum.iter_mut().zip(&x).for_each(|(sum, v)| *sum += share * v);
        weight += share;
        if steady {
            return (sum, Some(k));
        }
        if 1.0 - weight <= epsilon / 8.0 {
            return (sum, None);
        }
    }
    unreachable!("the counter does not end")
}

#[test]
fn follows_the_rule() {
    let mut random = Random(83);
    let mut stopped = 0;
    for round in 0..60 {
        let n = 2 + random.below(6);
        let rows: Rows = (0..n)
            .map(|s| {
                let scale = 10f64.powi(random.below(4) as i32 - 1);
                vec![vec![((s + 1) % n, scale), (random.below(n), 0.5 * scale)]]
            })
            .collect();
        let space = space(Kind::Ctmc, &rows);
        let value: Vec<f64> = (0..n).map(|s| 1.0 + (s % 3) as f64).collect();
        let found = elapse(&space, &value, 8.0, Detection::Prism);
        let (expected, step) = by_the_rule(&space, &value, 8.0, 1e-6);
        assert_eq!(found.stop == StopReason::SteadyStateTest, step.is_some(), "round {round}");
        if let Some(step) = step {
            stopped += 1;
            assert!(found.method.contains(&format!("at step {step} of")), "{} {step}", found.method);
        }
        for (s, e) in expected.iter().enumerate() {
            let [lo, hi] = found.bounds[s];
            let slack = if step.is_some() { 1e-10 * e } else { 1e-6 * e };
            assert!(lo <= e + slack && e - slack <= hi, "round {round} state {s}: {lo} {hi} {e}");
        }
    }
    assert!(stopped > 20, "{stopped}");
}

/// A fast pair of states and a slow way out: one step changes little, the time changes much.
#[test]
fn a_stiff_chain_is_stopped_too_early() {
    let space = parse(Kind::Ctmc, "0: 1000:1 0.0001:2\n1: 1000:0\n2: 0.0001:0");
    let value = [2.0, 2.0, 1.0];
    let wrong = elapse(&space, &value, 50_000.0, Detection::Prism);
    assert_eq!(wrong.stop, StopReason::SteadyStateTest);
    assert!(wrong.bounds[0][0] > 1.99, "{:?}", wrong.bounds[0]);
    let right = elapse(&space, &value, 50_000.0, Detection::Sound);
    // Two states are left for the third at half the rate: 2/3 of the time there in the long run, nearly reached.
    assert!(right.bounds[0][1] < 1.70 && right.stop != StopReason::SteadyStateTest, "{:?}", right.bounds[0]);
    let off = elapse(&space, &value, 5.0, Detection::Off);
    assert_eq!(off.stop, StopReason::StepsDone);
}
