//! First passages of generated systems, and their bounds over schedulers, against the oracle.

use super::oracle::{Leaving, outcome, random_system, reached, resolutions, solve, ways};
use crate::kinds::counted;
use crate::{Chain, Choices, Options, Problem, Target};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_space::Lts;

/// The mean time to the last state, which nothing leaves, and the probability to come there; `None` where time may stop passing.
fn passage(chain: &[Leaving], labels: usize) -> Option<(f64, f64)> {
    let end = chain.len() - 1;
    let seen = reached(chain, 0);
    let here: Vec<usize> = (0..end).filter(|&s| seen[s]).collect();
    for &s in &here {
        outcome(chain, labels, s as u32)?;
    }
    let arrives: Vec<usize> = here.iter().copied().filter(|&s| reached(chain, s as u32)[end]).collect();
    let Some(start) = arrives.iter().position(|&s| s == 0) else { return Some((f64::INFINITY, 0.0)) };
    let p = |s: usize, t: usize| {
        let steps = chain[s].steps.iter().filter(|step| step.2 as usize == t);
        steps.fold(RBig::ZERO, |sum, step| sum + &step.0)
    };
    let a: Vec<Vec<RBig>> = arrives.iter().map(|&s| arrives.iter().map(|&t| p(s, t)).collect()).collect();
    let sojourn = |s: usize| match &chain[s].rate {
        Some(rate) if *rate != RBig::ZERO => RBig::ONE / rate,
        _ => RBig::ZERO,
    };
    let b: Vec<Vec<RBig>> = arrives.iter().map(|&s| vec![sojourn(s), p(s, end)]).collect();
    let x = solve(&a, &b)?;
    let is_sure = arrives.len() == here.len();
    let mean = if is_sure { x[start][0].to_f64().value() } else { f64::INFINITY };
    Some((mean, x[start][1].to_f64().value()))
}

/// The ways to leave states, where all steps with an action lead to one more state, in which all ends.
fn ways_until(lts: &Lts, action: &str) -> Vec<Vec<Leaving>> {
    let mut all = ways(lts);
    let end = all.len() as u32;
    for step in all.iter_mut().flatten().flat_map(|way| &mut way.steps) {
        if counted(lts.labels.text(step.1)) == Some(action) {
            step.2 = end;
        }
    }
    all.push(vec![Leaving { rate: Some(RBig::ZERO), steps: Vec::new() }]);
    all
}

#[test]
fn first_passages_over_all_resolutions() {
    let (mut random, control) = (Random(71), Control::unlimited());
    let (mut chains, mut finite, mut open) = (0, 0, 0);
    for case in 0..2500 {
        let lts = random_system(&mut random, if case % 2 == 0 { 0 } else { 25 });
        let action = random.pick(&["go", "a", "d", "c"]);
        let target = Target { actions: vec![action.to_owned()], states: Vec::new() };
        let options = Options { choices: Choices::Keep, ..Options::default() };
        let Ok(chain) = Chain::from_lts(&lts, &options, &control) else { continue };
        let found = match chain.passage_extremes(&target, &[], &control) {
            Ok(found) => found,
            Err(Problem::UnknownAction { .. } | Problem::ChoiceOnCycle { .. }) => continue,
            Err(other) => panic!("case {case}: {other}"),
        };
        let Some(all) = resolutions(&ways_until(&lts, action), 200) else { continue };
        let values: Vec<(f64, f64)> =
            all.iter().filter_map(|chain| passage(chain, lts.labels.len())).collect();
        let fold = |of: &dyn Fn(&(f64, f64)) -> f64| {
            let all = values.iter().map(of);
            [all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max)]
        };
        let near = |bounds: [f64; 2], value: f64| match value.is_finite() {
            true => {
                let slack = 1e-12 * value;
                bounds[0] <= value + slack
                    && value - slack <= bounds[1]
                    && bounds[1] - bounds[0] <= 1e-5 * value.max(1.0)
            }
            false => bounds[0] == f64::INFINITY,
        };
        let ([least, most], [low, high]) = (fold(&|v| v.0), fold(&|v| v.1));
        assert!(near(found.mean.least, least), "case {case}, {action}: {found:?} {least}");
        assert!(near(found.mean.greatest, most), "case {case}, {action}: {found:?} {most}");
        assert!(
            near(found.ever.least, low) && near(found.ever.greatest, high),
            "case {case}, {action}: {found:?}"
        );
        finite += usize::from(least.is_finite() && least > 0.0);
        open += usize::from(most > least);
        if let Ok(passage) = chain.first_passage(&target, &[], &control) {
            assert!(
                near(passage.mean, least) && near(passage.ever, low),
                "case {case}: {passage:?} {least} {low}"
            );
            chains += 1;
        }
    }
    assert!(chains > 300 && finite > 300 && open > 20, "{chains} {finite} {open}");
}

/// The least and the greatest probability to be at the end within a time: many small steps of the equation of optimality, whose
/// choices look at the clock. `ways[state]`: rates to states; or, without delay, alternatives.
fn by_small_steps(
    rates: &[Vec<(f64, usize)>],
    choices: &[Vec<usize>],
    end: usize,
    time: f64,
    pick: fn(f64, f64) -> f64,
) -> f64 {
    let n = rates.len();
    let steps = 20_000;
    let h = time / f64::from(steps);
    let mut x = vec![0.0; n];
    x[end] = 1.0;
    let settle = |x: &mut Vec<f64>| {
        for (state, alternatives) in choices.iter().enumerate().filter(|(_, all)| !all.is_empty()) {
            let values = alternatives.iter().map(|&t| x[t]);
            x[state] = values.reduce(pick).unwrap();
        }
    };
    settle(&mut x);
    for _ in 0..steps {
        // Heun's method.
        let slope = |x: &[f64]| -> Vec<f64> {
            (0..n).map(|s| rates[s].iter().map(|&(r, t)| r * (x[t] - x[s])).sum()).collect()
        };
        let first = slope(&x);
        let mut ahead: Vec<f64> = x.iter().zip(&first).map(|(x, d)| x + h * d).collect();
        settle(&mut ahead);
        let second = slope(&ahead);
        (0..n).for_each(|s| x[s] += 0.5 * h * (first[s] + second[s]));
        settle(&mut x);
    }
    x[0]
}

/// A choice between one slow step and two quick ones: with little time left the slow one is better.
#[test]
fn within_a_time_schedulers_look_at_the_clock() {
    let system = super::lts(
        6,
        &[
            (0, "start; rate 3", 1),
            (1, "i", 2),
            (1, "i", 3),
            (2, "rate 1", 5),
            (3, "rate 5/2", 4),
            (4, "rate 5/2", 5),
            (5, "done", 0),
        ],
    );
    let control = Control::unlimited();
    let numerical = volvelle_markov::Options { precision: 1e-4, ..volvelle_markov::Options::default() };
    let options = Options { choices: Choices::Keep, numerical, ..Options::default() };
    let chain = Chain::from_lts(&system, &options, &control).unwrap();
    let target = Target { actions: vec!["done".to_owned()], states: Vec::new() };
    let times = [0.0, 0.3, 1.0, 2.5, 8.0];
    let found = chain.passage_extremes(&target, &times, &control).unwrap();
    let rates = [vec![(3.0, 1)], vec![], vec![(1.0, 5)], vec![(2.5, 4)], vec![(2.5, 5)], vec![]];
    let choices = [vec![], vec![2, 3], vec![], vec![], vec![], vec![]];
    for (&time, within) in times.iter().zip(&found.within) {
        let least = by_small_steps(&rates, &choices, 5, time, f64::min);
        let greatest = by_small_steps(&rates, &choices, 5, time, f64::max);
        for (bounds, truth) in [(within.least, least), (within.greatest, greatest)] {
            let near = 1e-6;
            assert!(bounds[0] <= truth + near && truth - near <= bounds[1], "{time}: {bounds:?} {truth}");
            assert!(bounds[1] - bounds[0] <= 2e-4 * bounds[1].max(1e-3), "{time}: {bounds:?}");
        }
        if time == 1.0 {
            // Neither alternative is best throughout: the optimum beats both schedulers that ignore the clock.
            let fixed = |way: usize| {
                let mut alone = choices.clone();
                alone[1] = vec![way];
                by_small_steps(&rates, &alone, 5, time, f64::max)
            };
            assert!(within.greatest[0] > fixed(2).max(fixed(3)), "{within:?}");
        }
    }
}

/// Where nothing is left to choose, bounds are those of the chain; every resolution lies between the extremes.
#[test]
fn resolutions_within_times_lie_between_the_extremes() {
    let (mut random, control) = (Random(72), Control::unlimited());
    let times = [0.4, 2.0];
    let (mut open, mut plain) = (0, 0);
    let usual = volvelle_markov::Options::default();
    let numerical = volvelle_markov::Options { precision: 1e-2, max_iterations: 400, ..usual };
    for case in 0..700 {
        let lts = random_system(&mut random, if case % 2 == 0 { 0 } else { 25 });
        let action = random.pick(&["go", "a", "d", "c"]);
        let target = Target { actions: vec![action.to_owned()], states: Vec::new() };
        let options = Options { choices: Choices::Keep, numerical, ..Options::default() };
        let Ok(chain) = Chain::from_lts(&lts, &options, &control) else { continue };
        let Ok(found) = chain.passage_extremes(&target, &times, &control) else { continue };
        for (extremes, time) in found.within.iter().zip(times) {
            assert!(extremes.least[0] <= extremes.greatest[1], "case {case}, {time}");
            assert!(extremes.greatest[0] <= found.ever.greatest[1] * (1.0 + 1e-9), "case {case}, {time}");
        }
        match chain.first_passage(&target, &times, &control) {
            Ok(passage) => {
                plain += 1;
                for (extremes, within) in found.within.iter().zip(&passage.within) {
                    for bounds in [extremes.least, extremes.greatest] {
                        assert!(
                            bounds[0] <= within[1] && within[0] <= bounds[1],
                            "case {case}: {bounds:?} {within:?}"
                        );
                    }
                }
            }
            Err(_) => open += 1,
        }
    }
    assert!(open > 10 && plain > 100, "{open} {plain}");
}
