//! Curves: measures that differ only in their horizon, run together, against the same measures one by one.

use crate::paths::random::{assert_same, condition, random_chain};
use crate::paths::{MAX_STEPS, Way, reference_monitor, ways};
use volvelle_kernel::interp::Interpreter;
use volvelle_model::{Kind, Program};
use volvelle_prism::testing::Choices;
use volvelle_simulate::measure::{Event, Measure, Window};
use volvelle_simulate::monitor::Monitors;
use volvelle_simulate::path::Plan;
use volvelle_simulate::reference;
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_streams::Generator;

const PATHS: u64 = 8;
const STEPS: u32 = 30;

/// What was seen over all models.
#[derive(Debug, Default)]
struct Tally {
    models: usize,
    moments: usize,
    rewards: usize,
    decided: usize,
    undecided: usize,
    failures: usize,
}

/// The same paths with separate monitors: where they are decided, values and status must be the same.
fn apart(plan: &Plan) -> (Plan, Runner) {
    let mut apart = plan.clone();
    apart.monitors = Monitors::apart(plan.program.kind(), &plan.measures);
    assert!(
        apart.monitors.all().len() == plan.measures.len()
            && apart.monitors.all().iter().all(|m| !m.is_curve())
    );
    let runner = Runner::scalar(&apart, &Interpreter).expect("compiles");
    (apart, runner)
}

#[test]
fn curves_are_their_points() {
    let mut tally = Tally::default();
    for seed in 0..250 {
        compare(seed, &mut tally);
    }
    // The test would be worth little if these did not occur.
    assert!(tally.models > 100 && tally.moments > 75 && tally.rewards > 75, "{tally:?}");
    assert!(tally.decided > 5000 && tally.undecided > 500 && tally.failures > 5, "{tally:?}");
}

fn compare(seed: u64, tally: &mut Tally) {
    let mut choices = Choices::from_seed(seed);
    let Some((mut program, text)) = random_chain(&mut choices) else { return };
    let measures = measures(&mut program, &mut choices);
    let Ok(plan) = Plan::new(program, measures, Vec::new(), Generator::default()) else { return };
    let context = format!("seed {seed}: {:?}\n{text}", plan.monitors);
    let curves = plan.monitors.all().iter().filter(|monitor| monitor.is_curve());
    tally.models += 1;
    for curve in curves {
        *(if curve.tells_moment() { &mut tally.moments } else { &mut tally.rewards }) += 1;
    }
    let ways = ways(&plan, seed.is_multiple_of(8));
    let (apart, alone) = apart(&plan);
    for path in 0..PATHS {
        let run = |runner: &Runner| {
            let mut paths = Paths::default();
            let outcome = runner.run(seed, path..path + 1, STEPS, &mut paths);
            outcome.map(|()| paths).map_err(|failure| failure.site)
        };
        let first = run(&ways[0].runner);
        for Way { name, runner } in &ways[1..] {
            assert_same(&first, &run(runner), &format!("{name}, path {path}, {context}"));
        }
        let alone = run(&alone);
        let (Ok(together), Ok(alone)) = (&first, &alone) else {
            tally.failures += 1;
            // Which of several failures in a state comes first depends on the order of monitors.
            assert_eq!(first.is_err(), alone.is_err(), "path {path}, {context}");
            let (.., walked) = reference::follow(&plan, seed, path, STEPS);
            assert_eq!(first.err(), walked.err(), "path {path}, {context}");
            continue;
        };
        assert_eq!(together.status, alone.status, "path {path}, {context}");
        reference_monitor::check(&plan, seed, path, STEPS, &together.values, together.status[0]);
        let (_, watch, _) = reference::follow(&apart, seed, path, STEPS);
        let values = plan.monitors.values(&together.values).zip(apart.monitors.values(&alone.values));
        for (k, (value, alone)) in values.enumerate() {
            if watch.is_open(k) {
                tally.undecided += 1;
                continue;
            }
            tally.decided += 1;
            let measure = &plan.measures[k];
            assert_eq!(
                value.to_bits(),
                alone.to_bits(),
                "path {path}, {measure:?}: {value}, not {alone}: {context}"
            );
        }
    }
}

/// Families with horizons that coincide, are zero, out of order, or many, and something in between.
fn measures(program: &mut Program, choices: &mut Choices<'_>) -> Vec<Measure> {
    let mut measures = Vec::new();
    for _ in 0..1 + choices.below(3) {
        let count = match choices.below(8) {
            0 => 1,
            1 => 40 + choices.below(200),
            _ => 2 + choices.below(6),
        };
        let scale = if program.kind() == Kind::Ctmc { *choices.pick(&[1.0, 0.25, 0.01]) } else { 1.0 };
        let horizon = |choices: &mut Choices<'_>| f64::from(choices.below(2 * count + 1)) * scale;
        if !program.rewards.is_empty() && choices.chance(50) {
            let structure = choices.below(program.rewards.len() as u32) as usize;
            let earns = choices.chance(50);
            for _ in 0..count {
                let horizon = horizon(choices);
                measures.push(match earns {
                    true => Measure::Cumulative { structure, until: horizon },
                    false => Measure::Instantaneous { structure, at: horizon },
                });
            }
            continue;
        }
        let (left, right) = match choices.chance(50) {
            true => (program.exprs.bool(true), condition(program, choices)),
            false => (condition(program, choices), condition(program, choices)),
        };
        let lower = if choices.chance(60) { 0.0 } else { horizon(choices) / 2.0 }.floor();
        for _ in 0..count {
            let window = Window { lower, upper: Some(lower + horizon(choices)) };
            let negated = choices.chance(30);
            measures.push(Measure::Indicator { event: Event::Until(left, right, window), negated });
        }
    }
    if choices.chance(50) {
        // Properties come in any order.
        for i in (1..measures.len()).rev() {
            measures.swap(i, choices.below(i as u32 + 1) as usize);
        }
    }
    measures
}

/// The values of a plan's measures on paths, by the first way to run them.
fn values(model: &str, properties: &str, count: u64) -> Vec<Vec<f64>> {
    let (plan, _) = crate::support::plan(model, properties, Generator::default());
    let mut all = Vec::new();
    for Way { name, runner } in ways(&plan, true) {
        let mut paths = Paths::default();
        runner.run(5, 0..count, MAX_STEPS, &mut paths).expect("does not fail");
        let rows = (0..count as usize).map(|path| paths.row(path));
        let values: Vec<Vec<f64>> = rows.map(|row| plan.monitors.values(row).collect()).collect();
        if all.is_empty() {
            all = values;
        } else {
            assert_eq!(all, values, "{name}");
        }
    }
    all
}

#[test]
fn horizons_in_discrete_time() {
    // Goes up for certain, and stays at five.
    let model = "dtmc\nmodule m\n x : [0..5] init 0;\n [] x<5 -> (x'=x+1);\n [] x=5 -> true;\nendmodule\n
                 rewards true : x; [] x<5 : 10; endrewards";
    let at =
        values(model, "R=? [ I=7 ]; R=? [ I=0 ]; R=? [ I=3 ]; R=? [ I=7 ]; R=? [ I=5 ]; R=? [ I=1000 ]", 2);
    assert_eq!(at, vec![vec![5.0, 0.0, 3.0, 5.0, 5.0, 5.0]; 2]);
    let upto = values(model, "R=? [ C<=2 ]; R=? [ C<=0 ]; R=? [ C<=5 ]; R=? [ C<=1005 ]; R=? [ C<=6 ]", 2);
    assert_eq!(upto, vec![vec![21.0, 0.0, 60.0, 5060.0, 65.0]; 2]);
    let until = "P=? [ F<=2 x=3 ]; P=? [ F<=3 x=3 ]; P=? [ F<=4 x=3 ]; P=? [ G<=2 x<3 ]; P=? [ G<=3 x<3 ]; P=? [ x!=2 U<=9 x=3 ];
                 P=? [ x!=2 U<=3 x=3 ]; P=? [ F[4,5] x>=3 ]; P=? [ F[4,4] x>=3 ]; P=? [ F[4,900] x>=3 ]; P=? [ F[7,8] x=5 ];
                 P=? [ F[7,7] x=5 ]; P=? [ F<=0 x=0 ]; P=? [ F<=1 x=0 ]; P=? [ F<=1 false ]; P=? [ F<=2 false ]";
    let expected = [0., 1., 1., 1., 0., 0., 0., 1., 1., 1., 1., 1., 1., 1., 0., 0.];
    assert_eq!(values(model, until, 2), vec![expected.to_vec(); 2]);
}

#[test]
fn horizons_in_continuous_time() {
    // Never leaves its state.
    let model = "ctmc\nmodule m\n x : [0..1] init 1;\n [] x=0 -> 3 : (x'=1);\nendmodule\nrewards true : 2*x; endrewards";
    let curves = "R=? [ I=7 ]; R=? [ I=0 ]; R=? [ I=0.5 ]; R=? [ C<=7 ]; R=? [ C<=0 ]; R=? [ C<=0.5 ]; P=? [ F<=1 x=1 ];
                  P=? [ F<=0 x=1 ]; P=? [ F<=2 x=0 ]; P=? [ F<=3 x=0 ]; P=? [ F[1,2] x=1 ]; P=? [ F[1,3] x=1 ]";
    let expected = [2., 2., 2., 14., 0., 1., 1., 1., 0., 0., 1., 1.];
    assert_eq!(values(model, curves, 2), vec![expected.to_vec(); 2]);
}
