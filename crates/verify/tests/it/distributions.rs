//! Where paths are after one and after several steps, against exact probabilities: random models, machine code,
//! and the chi-square test.
//!
//! Exact probabilities come from exploration: the matrix of a chain, to the k-th power, by plain multiplication.

use std::sync::Arc;
use volvelle_control::Control;
use volvelle_diagnostics::Sources;
use volvelle_explore::{Explored, Options, explore};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::{Initial, Kind, Program};
use volvelle_native::Native;
use volvelle_prism::lower::{self, Constants};
use volvelle_prism::parse;
use volvelle_prism::testing::{Choices, random_model};
use volvelle_simulate::measure::{Event, Measure, Window};
use volvelle_simulate::path::{Generator, Plan};
use volvelle_simulate::runner::{Paths, Runner};

/// Models with more states have too few paths for each.
const MOST_STATES: usize = 24;
const PATHS: u64 = 20_000;

fn program(text: &str) -> Option<Program> {
    let mut sources = Sources::new();
    let file = sources.add("model.prism", text);
    let (model, _) = parse::model(&sources, file);
    let (lowered, _) = lower::lower(&sources, Arc::new(model), &Constants::new());
    let program = lowered?.program().clone();
    let single = matches!(&program.initial, Initial::States(states) if states.len() == 1);
    (single && program.kind() != Kind::Mdp).then_some(program)
}

/// The distribution after so many steps; of a chain in continuous time the embedded one.
fn after(explored: &Explored, steps: u32) -> Vec<f64> {
    let space = &explored.space;
    let mut now = vec![0.0; space.num_states()];
    now[space.initial[0].0 as usize] = 1.0;
    for _ in 0..steps {
        let mut next = vec![0.0; now.len()];
        for (state, &mass) in now.iter().enumerate() {
            let row = space.row(state);
            let total: f64 = row.clone().map(|t| space.values.get(t)).sum();
            for t in row {
                next[space.columns[t] as usize] += mass * space.values.get(t) / total;
            }
        }
        now = next;
    }
    now
}

/// The quantile of the normal distribution that corresponds to a chi-square statistic (E. Wilson and M. Hilferty, 1931).
fn as_normal(statistic: f64, freedom: f64) -> f64 {
    let part = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - part)) / part.sqrt()
}

/// Counts against probabilities: cells with few expected paths are put together.
fn chi_square(counts: &[u64], probabilities: &[f64]) -> Option<f64> {
    let (mut statistic, mut cells) = (0.0, 0);
    let (mut rest_count, mut rest) = (0.0, 0.0);
    let mut add = |count: f64, expected: f64| {
        statistic += (count - expected).powi(2) / expected;
        cells += 1;
    };
    for (&count, &probability) in counts.iter().zip(probabilities) {
        let expected = probability * PATHS as f64;
        assert!(probability > 0.0 || count == 0, "{count} paths are where none can be");
        if expected >= 8.0 {
            add(count as f64, expected);
        } else {
            rest_count += count as f64;
            rest += expected;
        }
    }
    if rest >= 8.0 {
        add(rest_count, rest);
    } else {
        assert!(rest_count < 40.0, "{rest_count} paths where {rest} are expected");
    }
    (cells > 1).then(|| as_normal(statistic, f64::from(cells - 1)))
}

#[test]
fn paths_are_where_they_should_be() {
    let native = Native::new(volvelle_native::Options::default()).expect("native code");
    let (mut models, mut tests, mut worst) = (0, 0, f64::NEG_INFINITY);
    let mut sum = 0.0;
    for seed in 0..400 {
        let mut choices = Choices::from_seed(seed);
        let text = random_model(&mut choices);
        let Some(program) = program(&text) else { continue };
        let Ok(explored) = explore(&program, &Interpreter, &Options::default(), &Control::unlimited()) else {
            continue;
        };
        let states = explored.space.num_states();
        if !(2..=MOST_STATES).contains(&states) {
            continue;
        }
        for steps in [1, 2 + (seed % 5) as u32] {
            // Bounds of a chain in continuous time are times.
            if program.kind() == Kind::Ctmc && steps > 1 {
                continue;
            }
            let mut asked = program.clone();
            let here = asked.exprs.bool(true);
            let measures: Vec<Measure> = (0..states)
                .map(|state| {
                    let values = explored.layout.unpack(explored.states.get(state));
                    let condition = asked.is_state(&values);
                    let window = Window { lower: f64::from(steps), upper: Some(f64::from(steps)) };
                    let event = match program.kind() {
                        Kind::Ctmc => Event::Next(condition, Window { lower: 0.0, upper: None }),
                        _ => Event::Until(here, condition, window),
                    };
                    Measure::Indicator { event, negated: false }
                })
                .collect();
            let Ok(plan) = Plan::new(asked, measures, Vec::new(), Generator::default()) else { continue };
            let runner = Runner::scalar(&plan, &native).expect("compiles");
            let mut paths = Paths::default();
            if runner.run(seed, 0..PATHS, 1000, &mut paths).is_err() {
                continue;
            }
            let count = |state: usize| {
                paths.values.iter().skip(state).step_by(states).filter(|&&value| value == 1.0).count() as u64
            };
            let counts: Vec<u64> = (0..states).map(count).collect();
            assert_eq!(counts.iter().sum::<u64>(), PATHS, "every path is somewhere\n{text}");
            let Some(z) = chi_square(&counts, &after(&explored, steps)) else { continue };
            assert!(z < 5.5, "seed {seed}, {steps} steps: {z} standard deviations\n{text}");
            tests += 1;
            sum += z;
            worst = f64::max(worst, z);
        }
        models += 1;
    }
    assert!(models > 20 && tests > 20, "{models} models, {tests} tests");
    // Neither too far from the exact probabilities, nor suspiciously near.
    let mean = sum / f64::from(tests) * f64::from(tests).sqrt();
    assert!(
        mean.abs() < 5.0,
        "the mean of {tests} tests is {mean} standard deviations off; the worst is {worst}"
    );
}
