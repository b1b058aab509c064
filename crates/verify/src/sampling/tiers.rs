//! What runs the paths of a plan: the candidates race for some milliseconds, on paths that are thrown away.

use super::settings::PathTier;
use std::time::{Duration, Instant};
use volvelle_control::Fact;
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_native::{self as native, Native};
use volvelle_simulate::error::Refusal;
use volvelle_simulate::path::{self, Keeping, Limits, Plan, Shape};
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_vector::{Level, Vector};

/// How long each candidate runs.
const HEAT: Duration = Duration::from_millis(4);
/// Paths of the first batch; more where they are short, until a batch takes so long.
const FIRST_PATHS: u64 = 16;
const BATCH_SECONDS: f64 = 3e-4;
/// Batches that are run at least.
const LEAST_BATCHES: u32 = 4;
/// Control locations that code is made for: few, where that is soon done, and many, where it pays.
const LOCATIONS: [(usize, &str); 4] = [
    (16, "up to 16 locations"),
    (64, "up to 64 locations"),
    (256, "up to 256 locations"),
    (1024, "up to 1024 locations"),
];
/// Statements of all of them.
const MOST_STATEMENTS: usize = 40_000;
/// What it takes to compile a statement, by experience.
const SECONDS_PER_STATEMENT: f64 = 2.5e-5;
/// Statements that there are at least.
const FEW_STATEMENTS: f64 = 200.0;
/// Making code takes at most this share of the time that the paths would take with the best there is.
const SHARE: f64 = 0.2;
/// Uses of a local from which on code that keeps weights has it in memory: there are as many locals as weights, and more, each
/// read and written in a few of many places.
const REGISTER_USES: u32 = 8;
/// What a step does besides weighing, in weights, at least.
const OTHER_WORK: f64 = 10.0;
/// What it takes to compile a weight that is weighed again, by experience.
const SECONDS_PER_WEIGHT: f64 = 4e-4;
/// More locations are tried unless those before were slower by this factor.
const LOSS: f64 = 0.8;
/// Paths where nobody knows how many there will be.
const SOME_PATHS: u64 = 100_000;

/// Code that runs paths, and what it is.
pub struct Engine {
    /// The code.
    pub runner: Runner,
    /// For people and JSON.
    pub name: &'static str,
    /// How it was chosen.
    pub facts: Vec<Fact>,
}

/// Makes code for a plan: the one asked for, or the fastest. `paths` is how many will run, if that is known.
pub fn engine(plan: &Plan, tier: PathTier, seed: u64, paths: Option<u64>) -> Result<Engine, Refusal> {
    let of = |runner: Runner, name: &'static str| Engine { runner, name, facts: Vec::new() };
    match tier {
        PathTier::Interpreter => Ok(of(Runner::scalar(plan, &Interpreter)?, Interpreter.name())),
        PathTier::Scalar => {
            let mut candidates = scalar(plan, seed, paths)?;
            candidates.extend(kept(plan, seed, paths, &candidates));
            Ok(fastest(candidates))
        }
        PathTier::Vector => Ok(vector(plan, seed)?.engine),
        PathTier::Auto => {
            let mut candidates = scalar(plan, seed, paths).unwrap_or_default();
            candidates.extend(vector(plan, seed).ok());
            candidates.extend(kept(plan, seed, paths, &candidates));
            if candidates.is_empty() {
                return engine(plan, PathTier::Interpreter, seed, paths);
            }
            Ok(fastest(candidates))
        }
    }
}

/// An engine that has run for a while.
struct Candidate {
    engine: Engine,
    /// What the facts call it.
    what: &'static str,
    heat: Heat,
}

/// Code for one path at a time: general, and specialised over control locations where that promises something.
fn scalar(plan: &Plan, seed: u64, paths: Option<u64>) -> Result<Vec<Candidate>, Refusal> {
    // What is in use all the time belongs in registers.
    let options = native::Options { max_register_uses: u32::MAX, ..native::Options::default() };
    let native = Native::new(options).map_err(|error| Refusal::Compile(error.0))?;
    let runner = Runner::scalar(plan, &native)?;
    let heat = heat(&runner, seed);
    let name = native.name();
    let engine = Engine { runner, name, facts: Vec::new() };
    let mut candidates = vec![Candidate { engine, what: "general", heat }];
    let paths = paths.unwrap_or(SOME_PATHS) as f64;
    let (mut known, mut best, mut spent) = (1, heat, 0.0);
    for (most, what) in LOCATIONS {
        let statements = best.seconds_per_path * paths * SHARE / SECONDS_PER_STATEMENT - spent;
        if statements < FEW_STATEMENTS {
            break;
        }
        let limits = Limits { locations: most, statements: MOST_STATEMENTS.min(statements as usize) };
        let Some(made) = path::locations(plan, limits) else { continue };
        if made.locations < 2 * known {
            continue;
        }
        known = made.locations;
        spent += made.statements as f64;
        let start = Instant::now();
        let Ok(code) = native.compile_well(&made.kernel) else { continue };
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let names: Vec<&str> =
            made.fields.iter().map(|field| plan.program.fields[field.index()].name.as_str()).collect();
        let facts = vec![
            Fact::text("control fields", names.join(", ")),
            Fact::count("control locations", made.locations as u64)
                .because(format!("{} statements, compiled in {milliseconds:.1} ms", made.statements)),
        ];
        let runner = Runner::lanes(plan, code, 1);
        let heat = self::heat(&runner, seed);
        candidates.push(Candidate { engine: Engine { runner, name, facts }, what, heat });
        if heat.steps_per_second < LOSS * best.steps_per_second {
            break;
        }
        if heat.steps_per_second > best.steps_per_second {
            best = heat;
        }
    }
    Ok(candidates)
}

/// Code for one path at a time that keeps weights, where it may be faster than what others were seen to be: the first of them
/// weighs everything in every step.
fn kept(plan: &Plan, seed: u64, paths: Option<u64>, others: &[Candidate]) -> Option<Candidate> {
    let general = others.first()?.heat;
    let best =
        others.iter().map(|c| c.heat).max_by(|a, b| a.steps_per_second.total_cmp(&b.steps_per_second))?;
    let budget_s = best.seconds_per_path * paths.unwrap_or(SOME_PATHS) as f64 * SHARE;
    let mut keeping = Keeping::default();
    keeping.weighed_again = keeping.weighed_again.min((budget_s / SECONDS_PER_WEIGHT) as usize);
    let made = path::kept_weights(plan, keeping)?;
    let again = made.weighed_again as f64 / made.branches as f64;
    let faster = (made.weights as f64 + OTHER_WORK) / (again + OTHER_WORK);
    if general.steps_per_second * faster < best.steps_per_second {
        return None;
    }
    let options = native::Options { max_register_uses: REGISTER_USES, ..native::Options::default() };
    let native = Native::new(options).ok()?;
    let start = Instant::now();
    let code = native.compile_well(&made.kernel).ok()?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let facts = vec![
        Fact::count("kept weights", made.weights as u64)
            .because(format!("{again:.1} are weighed again on the mean; compiled in {milliseconds:.1} ms")),
    ];
    let runner = Runner::lanes(plan, code, 1);
    let heat = heat(&runner, seed);
    let engine = Engine { runner, name: native.name(), facts };
    Some(Candidate { engine, what: "kept weights", heat })
}

/// Code for many paths at once.
fn vector(plan: &Plan, seed: u64) -> Result<Candidate, Refusal> {
    let kernel = path::path(plan, Shape::Flat);
    let code = Vector::new(Level::best()).compile(&kernel);
    let code = code.map_err(|error| Refusal::Compile(error.0))?;
    let lanes = code.lanes();
    let runner = Runner::lanes(plan, Box::new(code), lanes);
    let heat = heat(&runner, seed);
    let engine = Engine { runner, name: vector_name(Level::best()), facts: Vec::new() };
    Ok(Candidate { engine, what: "many paths at once", heat })
}

/// What a level of vector code is called.
fn vector_name(level: Level) -> &'static str {
    match level {
        Level::Portable => "vectorised interpreter",
        Level::Avx2 => "native (AVX2)",
        Level::Avx512 => "native (AVX-512)",
    }
}

/// The fastest of some candidates, of which there are some.
fn fastest(candidates: Vec<Candidate>) -> Engine {
    let speeds: Vec<Fact> = candidates
        .iter()
        .map(|c| Fact::number(c.what, c.heat.steps_per_second).because("steps a second in a pilot run"))
        .collect();
    let best = candidates.into_iter().reduce(|best, other| {
        if other.heat.steps_per_second > best.heat.steps_per_second { other } else { best }
    });
    let mut engine = best.expect("there is a candidate").engine;
    if speeds.len() > 1 {
        engine.facts.splice(0..0, speeds);
    }
    engine
}

/// How fast something ran.
#[derive(Clone, Copy, Debug)]
struct Heat {
    /// With one more for each path: one without steps takes some time, too.
    steps_per_second: f64,
    seconds_per_path: f64,
}

/// Runs some paths, batch by batch; failures do not matter here. The fastest batch counts: what is slower was disturbed.
fn heat(runner: &Runner, seed: u64) -> Heat {
    let mut paths = Paths::default();
    let mut best = Heat { steps_per_second: 0.0, seconds_per_path: 0.0 };
    let (mut count, mut batches) = (FIRST_PATHS, 0);
    let start = Instant::now();
    while start.elapsed() < HEAT || batches < LEAST_BATCHES {
        let begun = Instant::now();
        if runner.run(seed, 0..count, 1 << 13, &mut paths).is_err() {
            break;
        }
        let seconds = begun.elapsed().as_secs_f64().max(1e-9);
        let steps_per_second = (paths.steps() + count) as f64 / seconds;
        if steps_per_second > best.steps_per_second {
            best = Heat { steps_per_second, seconds_per_path: seconds / count as f64 };
        }
        if seconds < BATCH_SECONDS {
            count = (2 * count).min(4096);
        }
        batches += u32::from(seconds >= BATCH_SECONDS || count == 4096);
    }
    best
}
