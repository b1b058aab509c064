//! What runs the paths of a plan: the candidates race for some milliseconds, on paths that are thrown away.

use super::settings::PathTier;
use std::time::{Duration, Instant};
use volvelle_control::Fact;
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_native::Native;
use volvelle_simulate::error::Refusal;
use volvelle_simulate::path::{self, Plan, Shape};
use volvelle_simulate::runner::{Paths, Runner};
use volvelle_vector::{Level, Vector};

/// How long each candidate runs.
const HEAT: Duration = Duration::from_millis(4);
/// Paths of the first heat; more where they are short.
const FIRST_PATHS: u64 = 64;

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
            let native = Native::new(volvelle_native::Options::default());
            let native = native.map_err(|error| Refusal::Compile(error.0))?;
            Ok(of(Runner::scalar(plan, &native)?, native.name()))
        }
        PathTier::Vector => {
            let kernel = path::path(plan, Shape::Flat);
            let code = Vector::new(Level::best()).compile(&kernel);
            let code = code.map_err(|error| Refusal::Compile(error.0))?;
            let lanes = code.lanes();
            Ok(of(Runner::lanes(plan, Box::new(code), lanes), vector_name(Level::best())))
        }
        PathTier::Auto => {
            let mut candidates: Vec<Engine> = Vec::new();
            for tier in [PathTier::Scalar, PathTier::Vector] {
                candidates.extend(engine(plan, tier, seed, paths).ok());
            }
            if candidates.is_empty() {
                return engine(plan, PathTier::Interpreter, seed, paths);
            }
            Ok(race(candidates, seed))
        }
    }
}

/// What a level of vector code is called.
fn vector_name(level: Level) -> &'static str {
    match level {
        Level::Portable => "vectorised interpreter",
        Level::Avx2 => "native (AVX2)",
        Level::Avx512 => "native (AVX-512)",
    }
}

/// The fastest of some candidates.
fn race(mut candidates: Vec<Engine>, seed: u64) -> Engine {
    if candidates.len() == 1 {
        return candidates.remove(0);
    }
    let mut facts = Vec::new();
    let mut best: Option<(f64, usize)> = None;
    for (i, candidate) in candidates.iter().enumerate() {
        let speed = steps_per_second(&candidate.runner, seed);
        facts.push(Fact::number(candidate.name, speed).because("steps a second in a pilot run"));
        if best.is_none_or(|(known, _)| speed > known) {
            best = Some((speed, i));
        }
    }
    let mut winner = candidates.swap_remove(best.map_or(0, |(_, i)| i));
    winner.facts = facts;
    winner
}

/// Runs some paths; failures do not matter here.
fn steps_per_second(runner: &Runner, seed: u64) -> f64 {
    let mut paths = Paths::default();
    let start = Instant::now();
    let (mut steps, mut count) = (0u64, FIRST_PATHS);
    while start.elapsed() < HEAT {
        if runner.run(seed, 0..count, 1 << 16, &mut paths).is_err() {
            return 0.0;
        }
        // A path without steps takes some time, too.
        steps += paths.steps() + count;
        count = (2 * count).min(4096);
    }
    steps as f64 / start.elapsed().as_secs_f64()
}
