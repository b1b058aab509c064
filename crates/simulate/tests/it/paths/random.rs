//! Random models: all ways to run paths give the same bits, fail in the same places, and agree with a walk.

use crate::paths::definition;
use crate::paths::{Way, same_values, ways};
use crate::support::read;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::{Domain, FieldId, Initial, Kind, Program, SiteSubject};
use volvelle_prism::testing::{Choices, random_model};
use volvelle_simulate::amounts::{Amount, Amounts};
use volvelle_simulate::measure::{Event, Measure, Target, Window};
use volvelle_simulate::path::Plan;
use volvelle_simulate::reference;
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_streams::Generator;

const PATHS: u64 = 12;
const STEPS: u32 = 40;

/// What was seen over all models.
#[derive(Debug, Default)]
struct Tally {
    models: usize,
    located: usize,
    kept: usize,
    failures: usize,
    given_up: usize,
    decided: usize,
    absorbed: usize,
    /// Of measures with bounds on what is spent: those that are zero, and others.
    bounded: [usize; 2],
}

#[test]
fn all_ways_agree() {
    let mut tally = Tally::default();
    for seed in 0..350 {
        compare(seed, &mut tally);
    }
    // The test would be worth little if these did not occur.
    assert!(tally.models > 150 && tally.located > 75 && tally.kept > 75, "{tally:?}");
    assert!(
        tally.failures > 10
            && tally.given_up > 150
            && tally.decided > 500
            && tally.absorbed > 25
            && tally.bounded.iter().all(|&count| count > 50),
        "{tally:?}"
    );
}

/// A random chain with one initial state, and its text; `None` where chance makes another model.
pub fn random_chain(choices: &mut Choices<'_>) -> Option<(Program, String)> {
    let text = random_model(choices);
    if text.starts_with("mdp") {
        return None;
    }
    let (program, _) = read(&text, "");
    matches!(&program.initial, Initial::States(states) if states.len() == 1).then_some((program, text))
}

fn compare(seed: u64, tally: &mut Tally) {
    let mut choices = Choices::from_seed(seed);
    let Some((mut program, text)) = random_chain(&mut choices) else { return };
    let count = 1 + choices.below(4);
    let measures: Vec<Measure> = (0..count).map(|_| measure(&mut program, &mut choices)).collect();
    let generator = *choices.pick(&[Generator::Xoshiro128PlusPlus, Generator::Philox4x32]);
    let Ok(plan) = Plan::new(program, measures, Vec::new(), generator) else { return };
    let context = format!("seed {seed}: {:?}\n{text}", plan.measures);
    let ways = ways(&plan, seed.is_multiple_of(8));
    tally.models += 1;
    tally.located += usize::from(ways.iter().any(|way| way.name.contains("locations")));
    tally.kept += usize::from(ways.iter().any(|way| way.name.contains("kept")));
    // One by one, since a path that fails hides the others.
    for path in 0..PATHS {
        let mut first: Option<Result<Paths, volvelle_kernel::Site>> = None;
        for Way { name, runner } in &ways {
            let mut paths = Paths::default();
            let outcome = runner.run(seed, path..path + 1, STEPS, &mut paths).map(|()| paths);
            let outcome = outcome.map_err(|failure| failure.site);
            match &first {
                None => first = Some(outcome),
                Some(first) => assert_same(first, &outcome, &format!("{name}, path {path}, {context}")),
            }
        }
        let first = first.expect("there are ways");
        if first.is_ok() {
            final_state(&plan, seed, path, &first, &context);
        }
        against_walk(&plan, seed, path, &first, tally, &context);
    }
}

/// Paths that report their final states are the same paths, and end where the walk ends.
fn final_state(
    plan: &Plan,
    seed: u64,
    path: u64,
    seen: &Result<Paths, volvelle_kernel::Site>,
    context: &str,
) {
    let runner = Runner::final_state(plan, &Interpreter).expect("compiles");
    let mut paths = Paths::default();
    let outcome = runner.run(seed, path..path + 1, STEPS, &mut paths).map_err(|failure| failure.site);
    let ends = std::mem::take(&mut paths.ends);
    assert_same(seen, &outcome.map(|()| paths), context);
    let (walk, ..) = reference::follow(plan, seed, path, STEPS);
    assert_eq!(walk.state(), ends, "path {path}, {context}");
}

pub fn assert_same(
    a: &Result<Paths, volvelle_kernel::Site>,
    b: &Result<Paths, volvelle_kernel::Site>,
    context: &str,
) {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            assert_eq!(a.status, b.status, "{context}");
            same_values(a, b, context);
        }
        (a, b) => assert_eq!(a, b, "{context}"),
    }
}

fn against_walk(
    plan: &Plan,
    seed: u64,
    path: u64,
    seen: &Result<Paths, volvelle_kernel::Site>,
    tally: &mut Tally,
    context: &str,
) {
    let paths = match seen {
        Err(site) => {
            tally.failures += 1;
            // A reward that is spent is negative: records know states only.
            let walked = match plan.program.sites[site.index()].subject {
                SiteSubject::Reward => reference::follow(plan, seed, path, STEPS).2,
                _ => definition::record(plan, seed, path, STEPS).map(|_| ()),
            };
            assert_eq!(walked, Err(*site), "path {path}, {context}");
            return;
        }
        Ok(paths) => paths,
    };
    let status = paths.status[0];
    if status & 1 != 0 {
        // The record knows more: how long the last state is held.
        tally.given_up += 1;
        assert_eq!(status >> 1, u64::from(STEPS), "{context}");
        crate::paths::reference_monitor::check(plan, seed, path, STEPS, &paths.values, status);
        return;
    }
    let record = definition::record(plan, seed, path, (status >> 1) as u32);
    let record = record.unwrap_or_else(|site| panic!("path {path} fails at {site:?}: {context}"));
    tally.absorbed += usize::from(record.is_for_ever());
    for (measure, seen) in plan.measures.iter().zip(plan.monitors.values(&paths.values)) {
        match definition::value(plan, &record, measure) {
            Some(value) => {
                tally.decided += 1;
                tally.bounded[usize::from(value > 0.0)] += usize::from(measure.amounts().is_some());
                assert_eq!(
                    value.to_bits(),
                    seen.to_bits(),
                    "path {path}, {measure:?}: {seen} instead of {value}\n{record:?}\n{context}"
                );
            }
            None => panic!("path {path}, {measure:?} is undecided: {record:?}\n{context}"),
        }
    }
}

pub fn measure(program: &mut Program, choices: &mut Choices<'_>) -> Measure {
    let lower = f64::from(choices.below(3)) * f64::from(choices.below(2));
    let upper = choices.chance(60).then(|| lower + f64::from(choices.below(6)));
    let window = Window { lower, upper };
    let until = f64::from(choices.below(12));
    let negated = choices.chance(30);
    if !program.rewards.is_empty() && choices.chance(50) {
        let structure = choices.below(program.rewards.len() as u32) as usize;
        if program.kind() == Kind::Dtmc && choices.chance(50) {
            return bounded(program, choices, structure, negated);
        }
        return match choices.below(3) {
            0 => Measure::Cumulative { structure, until },
            1 => Measure::Instantaneous { structure, at: until },
            _ => Measure::Reach {
                structure: Some(structure),
                target: Target::States(condition(program, choices)),
            },
        };
    }
    let right = condition(program, choices);
    let event = match choices.below(8) {
        0 => Event::Now(right),
        1 => {
            // A time without an end after the first step is not what this is about.
            let window =
                if program.kind() == Kind::Ctmc { Window { lower: 0.0, upper: None } } else { window };
            Event::Next(right, window)
        }
        2 => return Measure::Reach { structure: None, target: Target::States(right) },
        3..=5 => {
            let left = condition(program, choices);
            Event::Until(left, right, window)
        }
        _ => Event::Until(program.exprs.bool(true), right, window),
    };
    Measure::Indicator { event, negated }
}

/// A measure with bounds on what is spent.
fn bounded(program: &mut Program, choices: &mut Choices<'_>, structure: usize, negated: bool) -> Measure {
    let is_indicator = choices.chance(60);
    let amounts: Vec<Amount> = (0..1 + choices.below(2))
        .map(|_| {
            let spent = choices.below(program.rewards.len() as u32) as usize;
            let lower = if is_indicator { f64::from(choices.below(4) * choices.below(2)) } else { 0.0 };
            let has_upper = !is_indicator || choices.chance(70);
            let upper = if has_upper { lower + f64::from(choices.below(13)) / 2.0 } else { f64::INFINITY };
            Amount { structure: choices.chance(75).then_some(spent), lower, upper }
        })
        .collect();
    let amounts = Amounts::new(&amounts).expect("few");
    if !is_indicator {
        return Measure::Within { structure, amounts };
    }
    let left = if choices.chance(50) { program.exprs.bool(true) } else { condition(program, choices) };
    let right = condition(program, choices);
    Measure::Indicator { event: Event::Spending(left, right, amounts), negated }
}

pub fn condition(program: &mut Program, choices: &mut Choices<'_>) -> ExprId {
    if !program.labels.is_empty() && choices.chance(30) {
        return program.labels[choices.below(program.labels.len() as u32) as usize].expr;
    }
    let number = choices.below(program.fields.len() as u32);
    let field = program.field(FieldId(number));
    let condition = match program.fields[number as usize].domain {
        Domain::Bool => field,
        domain => {
            let lo = domain.bounds().0;
            let value = program.exprs.i64(lo + i64::from(choices.below(4)));
            program.exprs.binary(*choices.pick(&[BinaryOp::Eq, BinaryOp::Gt]), field, value)
        }
    };
    if choices.chance(30) { program.exprs.not(condition) } else { condition }
}
