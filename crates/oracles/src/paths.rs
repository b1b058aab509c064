//! Paths of a model: every way to run them gives the same values and steps, bit for bit, or fails at the same site.

use crate::exploration::lowered;
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{BinaryOp, Compiler, ExprId, Site};
use volvelle_model::{Domain, FieldId, Program};
use volvelle_native::{Native, Options};
use volvelle_simulate::measure::{Event, Measure, Window};
use volvelle_simulate::path::{self, Generator, IncrementalLimits, Limits, Plan, Shape};
use volvelle_simulate::reference;
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_vector::{Level, Vector};

const SEED: u64 = 23;
const PATHS: u64 = 6;
const STEPS: u32 = 60;

/// Models with more take long to compile, in five ways.
const MOST_COMBINATIONS: usize = 150;

/// Values (`None` where the path was given up before) and status of a path, or where it fails.
type Outcome = Result<(Vec<Option<u64>>, u64), Site>;

/// Runs a few paths of a model in all ways; returns their number, 0 if the text is not a model that can be simulated.
pub fn path_tiers(text: &str) -> u64 {
    let Some((_, lowered)) = lowered(text) else { return 0 };
    let mut program = lowered.program().clone();
    let measures = measures(&mut program);
    let Ok(plan) = Plan::new(program, measures, Vec::new(), Generator::default()) else { return 0 };
    if plan.combinations.len() > MOST_COMBINATIONS {
        return 0;
    }
    let runners = runners(&plan);
    for number in 0..PATHS {
        let (walked, is_open) = walked(&plan, number);
        for (name, runner) in &runners {
            let mut paths = Paths::default();
            let ran = runner.run(SEED, number..number + 1, STEPS, &mut paths);
            let ran: Outcome = match ran {
                Ok(()) => {
                    let values = plan.monitors.values(&paths.values).zip(&is_open);
                    let values = values.map(|(value, open)| (!open).then_some(value.to_bits()));
                    Ok((values.collect(), paths.status[0]))
                }
                Err(failure) => Err(failure.site),
            };
            assert_eq!(ran, walked, "{name}, path {number}\n{text}");
        }
    }
    PATHS
}

/// The slow and obvious way; and the measures that remain undecided.
fn walked(plan: &Plan, number: u64) -> (Outcome, Vec<bool>) {
    let (walk, watch, outcome) = reference::follow(plan, SEED, number, STEPS);
    let is_open: Vec<bool> = (0..plan.measures.len()).map(|k| watch.is_open(k)).collect();
    let values = watch.values().iter().zip(&is_open);
    let values = values.map(|(value, open)| (!open).then_some(value.to_bits())).collect();
    let status = u64::from(walk.steps()) * 2 + u64::from(walk.steps() == STEPS);
    (outcome.map(|()| (values, status)), is_open)
}

fn runners(plan: &Plan) -> Vec<(&'static str, Runner)> {
    let mut all = Vec::new();
    if let Ok(runner) = Runner::scalar(plan, &Interpreter) {
        all.push(("interpreter", runner));
    }
    if let Ok(native) = Native::new(Options::default()) {
        if let Ok(runner) = Runner::scalar(plan, &native) {
            all.push(("native code", runner));
        }
        let limits = Limits { locations: 64, statements: 20_000 };
        if let Some(located) = path::locations(plan, Shape::Nested, limits)
            && let Ok(code) = native.compile(&located.kernel)
        {
            all.push(("control locations", Runner::lanes(plan, code, 1)));
        }
        let keeping = IncrementalLimits { width: 3, share: 1.0, reevaluated: 20_000 };
        if let Some(kept) = path::incremental(plan, keeping)
            && let Ok(code) = native.compile(&kept.kernel)
        {
            all.push(("incremental weights", Runner::lanes(plan, code, 1)));
        }
    }
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        if let Ok(code) = Vector::new(level).compile(&path::path(plan, Shape::Flat)) {
            let lanes = code.lanes();
            all.push(("vector code", Runner::lanes(plan, Box::new(code), lanes)));
        }
    }
    all
}

/// A few measures over the fields and rewards of a program.
fn measures(program: &mut Program) -> Vec<Measure> {
    let mut conditions: Vec<ExprId> = program.labels.iter().map(|label| label.expr).take(2).collect();
    for field in (0..program.fields.len() as u32).take(2) {
        let value = program.field(FieldId(field));
        let domain = program.fields[field as usize].domain;
        let middle = domain.bounds().0 / 2 + domain.bounds().1 / 2;
        let exprs = &mut program.exprs;
        conditions.push(match domain {
            Domain::Bool => value,
            _ => {
                let middle = exprs.i64(middle);
                exprs.binary(BinaryOp::Gt, value, middle)
            }
        });
    }
    let always = program.exprs.bool(true);
    let window = |lower, upper| Window { lower, upper };
    let mut measures: Vec<Measure> = conditions
        .iter()
        .zip([window(0.0, None), window(0.0, Some(3.0)), window(1.0, Some(4.0)), window(2.0, None)])
        .map(|(&condition, window)| Measure::Indicator {
            event: Event::Until(always, condition, window),
            negated: false,
        })
        .collect();
    for structure in 0..program.rewards.len().min(2) {
        measures.push(Measure::Cumulative { structure, until: 5.0 });
        measures.push(Measure::Instantaneous { structure, at: 2.0 });
    }
    // Curves of what is there already; the second structure and other windows stay alone.
    if let Some(&condition) = conditions.get(1) {
        for (horizon, negated) in [(7.0, false), (0.0, true), (1.0, false), (3.0, true)] {
            let event = Event::Until(always, condition, window(0.0, Some(horizon)));
            measures.push(Measure::Indicator { event, negated });
        }
    }
    if !program.rewards.is_empty() {
        measures.extend([9.0, 0.0, 3.0, 5.0].map(|until| Measure::Cumulative { structure: 0, until }));
        measures.extend([4.0, 40.0, 0.0, 1.0].map(|at| Measure::Instantaneous { structure: 0, at }));
    }
    if measures.is_empty() {
        measures.push(Measure::Indicator { event: Event::Now(always), negated: false });
    }
    measures
}
