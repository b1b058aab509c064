//! The distribution at given times: forwards from the initial states, a vector that is multiplied by the matrix from the left.
//!
//! A CTMC is uniformised (Jensen 1953; Grassmann 1977): `sum_k Pr(N = k) p P^k` for N events of a Poisson process; for a DTMC
//! the vector after as many steps is the result. All times share one pass over the longest horizon. Everything is sums of
//! products of numbers that are not negative, so that errors stay relative, as in the module `rounding`.

use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_logic::StopReason;
use volvelle_solver::rounding::{U, above, below, relative};
use volvelle_solver::{CheckError, Context, Options};
use volvelle_space::{Kind, Space};

use super::{Classes, Distribution};
use crate::transient::{Coefficients, squaring};

/// Smaller entries of a vector become zero; that is accounted for as mass that may be anywhere.
const FLUSH: f64 = 1e-300;

/// More steps than this are refused.
const MOST_STEPS: f64 = 1e13;

/// Entries that are multiplied between two looks at the clock.
const BATCH: usize = 4_000_000;

/// Multiplications below which steps are made in any case.
const LEAST_WORK: f64 = 3e7;

/// Uniformisation rate over the largest exit rate: a little above one, so that the diagonal keeps its digits.
const FACTOR: f64 = 1.02;

/// The distributions at these times: steps of a DTMC, time of a CTMC. Where a limit on time stops the work, the bounds are as far as it got
/// ([`StopReason::Interrupted`]): those of the earlier times may be complete.
///
/// # Errors
/// A model with nondeterminism, a time that makes no sense, or a limit before there are bounds.
pub fn transient_distributions(
    space: &Space,
    classes: &Classes,
    times: &[f64],
    options: &Options,
    control: &Control,
) -> Result<Vec<Distribution>, CheckError> {
    Context::require_engine(space)?;
    if space.kind == Kind::Mdp {
        return Err(CheckError::NeedsOptimum);
    }
    let is_timed = space.kind == Kind::Ctmc;
    if let Some(&time) = times.iter().find(|time| !time.is_finite() || **time < 0.0) {
        return Err(CheckError::BadBound { what: format!("{time} is not a time") });
    }
    if let Some(&time) = times.iter().find(|time| !is_timed && time.fract() != 0.0) {
        return Err(CheckError::BadBound { what: format!("{time} is not a number of steps") });
    }
    let options = &Context::new(space, *options, control).options;
    let matrix = Matrix::new(space, options.input);
    if is_timed && let Some(found) = by_squaring(&matrix, classes, times, options, control)? {
        return Ok(found);
    }
    let horizons: Result<Vec<Horizon>, CheckError> = times
        .iter()
        .map(|&time| {
            let events = matrix.rate * time;
            if events > MOST_STEPS {
                let what = format!("{events:.1e} steps are too many: the limit is {MOST_STEPS:.0e}");
                return Err(CheckError::BadBound { what });
            }
            let coefficients =
                if is_timed { Coefficients::poisson(events) } else { Coefficients::at(time as u64) };
            Ok(Horizon { coefficients, sum: vec![0.0; space.num_states()] })
        })
        .collect();
    let mut horizons = horizons?;
    let bytes = 8 * space.num_states() * (horizons.len() + 3);
    control.check_memory(bytes as u64)?;
    let Course { terms, lost } = matrix.run(&mut horizons, control)?;
    let distributions = horizons.into_iter().map(|horizon| {
        let all = horizon.coefficients.len();
        let stop = if terms < all { StopReason::Interrupted } else { StopReason::StepsDone };
        let steps = all.min(terms).saturating_sub(1);
        // What a limit kept from being added may be anywhere.
        let missing = horizon.coefficients.sum_from(terms);
        let method = match is_timed {
            true => format!("uniformisation ({steps} steps)"),
            false => format!("{steps} steps"),
        };
        let bounds = classes.sums(&horizon.bounds(&matrix, lost + missing));
        Distribution { bounds, method, stop }.admitted(false)
    });
    Ok(distributions.collect())
}

/// The distributions by repeated squaring of a dense matrix, where that costs less than all steps.
fn by_squaring(
    matrix: &Matrix<'_>,
    classes: &Classes,
    times: &[f64],
    options: &Options,
    control: &Control,
) -> Result<Option<Vec<Distribution>>, CheckError> {
    let space = matrix.space;
    let events = matrix.rate * times.iter().copied().fold(0.0, f64::max);
    let entries = space.num_states() + space.num_transitions();
    let work = events * entries as f64;
    let cost = squaring::cost(space.num_states(), entries, events);
    if work < LEAST_WORK || cost.is_none_or(|cost| cost > work) {
        return Ok(None);
    }
    let error = matrix.initial_error;
    let found = squaring::distributions(space, &matrix.start(), error, times, options.input, control)?;
    Ok(found.map(|(bounds, squarings)| {
        let distribution = |bounds: Vec<[f64; 2]>| {
            let method = format!("repeated squaring ({squarings} squarings)");
            let bounds = classes.sums(&bounds);
            Distribution { bounds, method, stop: StopReason::StepsDone }.admitted(false)
        };
        bounds.into_iter().map(distribution).collect()
    }))
}

/// A time with the sum of its series so far.
struct Horizon {
    coefficients: Coefficients,
    sum: Vec<f64>,
}

/// What was done of all steps.
struct Course {
    /// The number of terms that were added.
    terms: u64,
    /// A bound of the probability that was flushed to zero.
    lost: f64,
}

impl Horizon {
    fn bounds(&self, matrix: &Matrix<'_>, lost: f64) -> Vec<[f64; 2]> {
        let steps = self.coefficients.len().saturating_sub(1) as f64;
        // For each step: the matrix, time times rate, and the sum over the terms of the series.
        let per_step = matrix.step_error + 4.0 * U;
        let error = relative(matrix.initial_error + self.coefficients.error + steps * per_step);
        let anywhere = (self.coefficients.left_out + lost) * (1.0 + 1e-9);
        let of_state = |&value: &f64| {
            if (value == 0.0 || error == 0.0) && anywhere == 0.0 {
                return [value; 2];
            }
            [below(value, error), (above(value, error) + anywhere).min(1.0)]
        };
        self.sum.iter().map(of_state).collect()
    }
}

/// A chain, row by row.
struct Matrix<'a> {
    space: &'a Space,
    /// Uniformisation rate; 1 for a DTMC.
    rate: f64,
    /// Probability to stay in each state of a uniformised chain; empty for a DTMC, where it is among the entries.
    stay: Vec<f64>,
    /// Relative error of one multiplication, errors of the entries included.
    step_error: f64,
    /// Relative error of the initial distribution.
    initial_error: f64,
}

impl<'a> Matrix<'a> {
    fn new(space: &'a Space, input: f64) -> Self {
        let n = space.num_states();
        let (mut rate, mut stay, mut stay_error) = (1.0, Vec::new(), 0.0);
        if space.kind == Kind::Ctmc {
            let exit = |s: usize| -> f64 { space.transitions(s).filter(|e| e.0 != s).map(|e| e.1).sum() };
            let exits: Vec<f64> = (0..n).map(exit).collect();
            let largest = exits.iter().copied().fold(0.0, f64::max);
            // Where nothing moves nothing happens, however long that is.
            rate = if largest > 0.0 { largest * FACTOR } else { f64::MIN_POSITIVE };
            let longest = (0..n).map(|s| space.row(s).len()).max().unwrap_or(0);
            // The sum of a row and the quotient, before the subtraction enlarges their errors.
            stay_error = (input + (longest as f64 + 4.0) * U) / (1.0 - 1.0 / FACTOR);
            stay = exits.iter().map(|exit| 1.0 - exit / rate).collect();
        }
        let mut incoming = vec![0u32; n];
        (0..n).flat_map(|s| space.transitions(s)).for_each(|(t, _)| incoming[t] += 1);
        let most = incoming.into_iter().max().unwrap_or(0);
        let step_error = (input + 3.0 * U).max(stay_error) + (f64::from(most) + 5.0) * U;
        let initial_error = if space.initial.len().is_power_of_two() { 0.0 } else { 2.0 * U };
        Matrix { space, rate, stay, step_error, initial_error }
    }

    /// The initial distribution.
    fn start(&self) -> Vec<f64> {
        let mut start = vec![0.0; self.space.num_states()];
        let share = 1.0 / self.space.initial.len().max(1) as f64;
        self.space.initial.iter().for_each(|state| start[state.0 as usize] = share);
        start
    }

    /// Makes all steps that time allows, adding the terms of every horizon.
    fn run(&self, horizons: &mut [Horizon], control: &Control) -> Result<Course, CheckError> {
        let n = self.space.num_states();
        let mut now = self.start();
        let mut next = vec![0.0; n];
        let steps = horizons.iter().map(|h| h.coefficients.len()).max().unwrap_or(0);
        let what = if self.stay.is_empty() { "steps" } else { "uniformisation" };
        let (mut lost, mut work) = (0.0, 0);
        for k in 0..steps {
            for horizon in horizons.iter_mut() {
                let coefficient = horizon.coefficients.get(k);
                if coefficient > 0.0 {
                    let terms = horizon.sum.iter_mut().zip(&now);
                    terms.for_each(|(sum, value)| *sum += coefficient * value);
                }
            }
            if k + 1 == steps {
                break;
            }
            lost += self.step(&now, &mut next);
            std::mem::swap(&mut now, &mut next);
            work += n + self.space.num_transitions();
            if work >= BATCH {
                work = 0;
                match control.check() {
                    Ok(()) => {}
                    Err(Stop::Memory) => return Err(Stop::Memory.into()),
                    Err(_) => return Ok(Course { terms: k + 1, lost }),
                }
                let error = f64::INFINITY;
                control.progress.report(ProgressEvent::Solving { what, done: k, total: steps, error });
            }
        }
        Ok(Course { terms: steps, lost })
    }

    /// `next = now P`; gives a bound of the probability that was flushed to zero.
    fn step(&self, now: &[f64], next: &mut [f64]) -> f64 {
        match self.stay.is_empty() {
            true => next.fill(0.0),
            false => {
                next.iter_mut().zip(now.iter().zip(&self.stay)).for_each(|(to, (from, p))| *to = from * p)
            }
        }
        let is_timed = !self.stay.is_empty();
        for (s, &value) in now.iter().enumerate() {
            if value == 0.0 {
                continue;
            }
            let value = value / self.rate;
            for (t, weight) in self.space.transitions(s) {
                if !is_timed || t != s {
                    next[t] += value * weight;
                }
            }
        }
        let mut lost = 0.0;
        for value in next.iter_mut().filter(|value| **value < FLUSH && **value > 0.0) {
            // Denormal numbers are slow, and too small to matter.
            *value = 0.0;
            lost += 2.0 * FLUSH;
        }
        lost
    }
}
