//! Transient analysis of small stiff chains: the matrix exponential by scaling and squaring.
//!
//! In: a problem as for implicit steps, or a distribution to begin with. Out: bounds at all times, with relative precision of
//! every entry, however small; at a cost of the third power of the number of states times the logarithm of rate times time.
//!
//! `exp(t Q)` for a time t with a quarter of an event is a power series of the uniformised chain; squaring it gives the times
//! that double, and those that the binary digits of a time ask for are applied to its vector. No number is negative and nothing is
//! subtracted, so that every entry keeps its digits (J. Xue, Q. Ye, *Computing exponentials of essentially non-negative matrices
//! entrywise to high relative accuracy*, Math. Comp. 82, 2013); there are 106 bits, as their errors double with the time. Rewards
//! are collected by one more state.

mod ladder;
mod matrix;
mod perturbation;
mod sparse;
#[cfg(test)]
mod tests;

use volvelle_control::{Control, Fact, Stop};
use volvelle_logic::StopReason;
use volvelle_solver::Context;
use volvelle_solver::rounding::{U, above, below, relative};
use volvelle_space::Space;

use self::ladder::{FIRST, Ladder, exponential};
use self::matrix::Matrix;
use self::sparse::{Collected, Sparse};
use super::implicit::{Generator, Problem};

/// States beyond which matrices are not dense.
const MOST_STATES: usize = 512;

/// Multiplications of a sparse matrix by a vector that one of the dense matrices costs about as much as, for each entry.
const PRICE: f64 = 2.0;

/// Terms of the power series, about.
const TERMS: f64 = 150.0;

/// Poisson probabilities cost about as much as this many multiplications, times the root of the expected events.
const PRICE_OF_PROBABILITIES: f64 = 100.0;

/// What squaring costs, in multiplications of uniformisation; `None` where the chain is too large for it.
pub fn cost(states: usize, entries: usize, events: f64) -> Option<f64> {
    let n = states as f64 + 1.0;
    let squarings = (events.max(1.0).log2() + 4.0).max(1.0);
    let work = squarings * n * n * n + TERMS * entries as f64 * n;
    (states <= MOST_STATES && events.is_finite()).then_some(PRICE * work)
}

/// Whether that costs less than the probabilities of as many events, with which uniformisation begins.
pub fn is_cheapest(cost: f64, events: f64) -> bool {
    cost <= PRICE_OF_PROBABILITIES * events.sqrt()
}

/// The result of squaring.
#[derive(Debug)]
pub struct Squared {
    /// For each time, bounds for the rows requested, or for all.
    pub bounds: Vec<Vec<[f64; 2]>>,
    /// Squarings made.
    pub squarings: u64,
    /// Whether all bounds are as narrow as requested.
    pub is_precise: bool,
    /// Why it ended.
    pub stop: StopReason,
}

/// Solves a problem; `None` where its numbers are out of range.
///
/// # Errors
/// If the work is stopped.
pub fn solve(problem: &Problem, context: &Context) -> Result<Option<Squared>, Stop> {
    let options = &context.options;
    let generator = Generator::new(context.space, problem.states);
    let longest = problem.times.iter().copied().fold(0.0, f64::max);
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let power = |value: f64| 2f64.powi(value.log2().ceil() as i32);
    let system = &problem.system;
    let in_range = |value: f64| (1e-150..1e150).contains(&value);
    // The scale of the values, a power of two: with it, none is above one.
    let (scale, forcing) = match (system.forcing, problem.escaping) {
        _ if system.forcing.is_some() && largest(system.start) > 0.0 => return Ok(None),
        (None, _) => (power(largest(system.start)), None),
        (Some(forcing), Some(_)) => (1.0, Some(forcing.to_vec())),
        (Some(forcing), None) => {
            let scale = power(largest(forcing)) * power(longest);
            (scale, Some(forcing.iter().map(|f| f / scale).collect()))
        }
    };
    if !in_range(scale) {
        return Ok(None);
    }
    let Some(chain) = Sparse::new(&generator, forcing.as_deref(), problem.escaping) else { return Ok(None) };
    let mut start: Vec<f64> = system.start.iter().map(|v| v / scale).collect();
    if chain.collected != Collected::Nothing {
        start.push(1.0);
    }
    let found = run(&chain, &start, false, problem.times, rate_error(options.input), context.control)?;
    let Some((outcomes, squarings)) = found else { return Ok(None) };
    let mut bounds = Vec::with_capacity(outcomes.len());
    for (outcome, &time) in outcomes.iter().zip(problem.times) {
        let bound = |row: usize| {
            let value = outcome.values[row];
            if time == 0.0 && value == 0.0 {
                return [0.0; 2];
            }
            let error = relative(outcome.relative + problem.input_error + 4.0 * U);
            let low = (below(value, error) - outcome.absolute).max(0.0);
            [low * scale, (above(value, error) + outcome.absolute) * scale]
        };
        bounds.push(match problem.rows {
            Some(rows) => rows.iter().map(|&row| bound(row as usize)).collect(),
            None => (0..generator.len()).map(bound).collect::<Vec<_>>(),
        });
    }
    let is_precise = bounds.iter().flatten().all(|&[lo, hi]| options.accepts(lo, hi));
    let why = format!("uniformisation would take {:.0} steps", problem.events);
    context.note(Fact::count("squarings of the matrix", squarings).because(why));
    context.note(Fact::count("states of the chain", problem.states.len() as u64));
    Ok(Some(Squared { bounds, squarings, is_precise, stop: StopReason::StepsDone }))
}

/// Bounds of the distribution over all states at these times, for each of them, and the squarings made; `None` where numbers are
/// out of range.
///
/// # Errors
/// If the work is stopped.
#[allow(clippy::type_complexity, reason = "bounds by time and state, and a count")]
pub fn distributions(
    space: &Space,
    start: &[f64],
    start_error: f64,
    times: &[f64],
    input: f64,
    control: &Control,
) -> Result<Option<(Vec<Vec<[f64; 2]>>, u64)>, Stop> {
    let states: Vec<u32> = (0..space.num_states() as u32).collect();
    let Some(chain) = Sparse::new(&Generator::new(space, &states), None, None) else { return Ok(None) };
    let found = run(&chain, start, true, times, rate_error(input), control)?;
    let reachable = reachable(&chain, start);
    Ok(found.map(|(outcomes, squarings)| {
        let of_time = |(outcome, &time): (&Outcome, &f64)| -> Vec<[f64; 2]> {
            let moved = if time == 0.0 { 0.0 } else { outcome.relative + 4.0 * U };
            let error = relative(start_error + moved);
            let bound = |state: usize| {
                let value = outcome.values[state];
                if !reachable[state] || error == 0.0 || (time == 0.0 && start[state] == 0.0) {
                    return [if reachable[state] { start[state] } else { 0.0 }; 2];
                }
                let low = (below(value, error) - outcome.absolute).max(0.0);
                [low, (above(value, error) + outcome.absolute).min(1.0)]
            };
            (0..start.len()).map(bound).collect()
        };
        (outcomes.iter().zip(times).map(of_time).collect(), squarings)
    }))
}

/// The states that are reached from those in which a run may start.
fn reachable(chain: &Sparse, start: &[f64]) -> Vec<bool> {
    let mut reachable: Vec<bool> = start.iter().map(|&p| p > 0.0).collect();
    let mut open: Vec<usize> = (0..start.len()).filter(|&s| reachable[s]).collect();
    while let Some(s) = open.pop() {
        for &(t, _) in chain.row(s) {
            if !std::mem::replace(&mut reachable[t as usize], true) {
                open.push(t as usize);
            }
        }
    }
    reachable
}

/// The relative error of rates, of sums of them, and of time.
fn rate_error(input: f64) -> f64 {
    input + 6.0 * U
}

/// The vector at one time, with its errors.
struct Outcome {
    values: Vec<f64>,
    relative: f64,
    absolute: f64,
}

/// A vector on its way to a time.
struct Horizon {
    /// The part of the time that is a multiple of the shortest.
    count: u64,
    vector: Matrix,
    errors: ladder::Errors,
    /// By those of the rates.
    relative: f64,
}

/// `exp(t Q) start`, or `start exp(t Q)` for a row, at each time; also the squarings made.
fn run(
    chain: &Sparse,
    start: &[f64],
    is_row: bool,
    times: &[f64],
    rates: f64,
    control: &Control,
) -> Result<Option<(Vec<Outcome>, u64)>, Stop> {
    let n = chain.len();
    control.check_memory((3 * 16 * n * n + times.len() * 16 * n) as u64)?;
    let transposed = is_row.then(|| chain.transposed());
    let mut horizons = Vec::with_capacity(times.len());
    for &time in times {
        // Exact: a product with a power of two; beyond 53 bits it has no fraction.
        let units = time * (chain.rate / FIRST);
        if units.is_nan() || units >= 2f64.powi(60) {
            return Ok(None);
        }
        let mut vector = Matrix::of(1, start);
        let rest = units.fract() * FIRST;
        let side = transposed.as_ref().unwrap_or(chain);
        let (errors, relative) = exponential(side, rest, rates, &mut vector, control)?;
        let vector = if is_row { vector.into_row() } else { vector };
        horizons.push(Horizon { count: units.floor() as u64, vector, errors, relative });
    }
    let most = horizons.iter().map(|h| h.count).max().unwrap_or(0);
    let (mut squarings, mut skipped) = (0, 0.0);
    if most > 0 {
        let mut ladder = Ladder::new(chain, rates, control)?;
        loop {
            for (horizon, &time) in horizons.iter_mut().zip(times) {
                let count = horizon.count >> squarings;
                if count & 1 == 1 {
                    let applied = match is_row {
                        true => ladder.apply_left(&horizon.vector, horizon.errors, 1.0),
                        false => ladder.apply(&horizon.vector, horizon.errors, 1.0),
                    };
                    (horizon.vector, horizon.errors) = applied;
                }
                if count == 1 {
                    horizon.relative = ladder.of_result_at(time * chain.rate * (1.0 + 4.0 * U));
                }
            }
            if most >> squarings <= 1 {
                break;
            }
            ladder.square(control)?;
            squarings += 1;
        }
        skipped = ladder.skipped;
    }
    let outcome = |horizon: Horizon| {
        let relative = horizon.relative + horizon.errors.rounding;
        let absolute = (2.0 * horizon.errors.lost + skipped) * (1.0 + 1e-9);
        Outcome { values: horizon.vector.high().to_vec(), relative, absolute }
    };
    let outcomes: Vec<Outcome> = horizons.into_iter().map(outcome).collect();
    Ok(outcomes.iter().all(|o| o.relative < 0.1).then_some((outcomes, squarings)))
}
