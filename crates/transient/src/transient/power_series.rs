//! Power series over a chain: `sum_k c_k P^k x`, with bounds, stopped as early as these allow.

use volvelle_control::{ProgressEvent, Stop};
use volvelle_logic::StopReason;
use volvelle_solver::Context;
use volvelle_solver::rounding::{TINY, U, relative};

use super::chain::{Chain, FLUSH};
use super::coefficients::Coefficients;
use super::method_choice::FIRST_DECISION;
use super::vectors::{ScheduledVectors, Spread, SummedRows, least};

/// The value of a power series.
#[derive(Debug)]
pub struct PowerSeries {
    /// Bounds for each row of the chain.
    pub bounds: Vec<[f64; 2]>,
    /// Multiplications made.
    pub steps: u64,
    /// Whether it ended early.
    pub stop: StopReason,
}

/// A request for series.
pub struct Request<'a> {
    /// The relative error of the first vector.
    pub start_error: f64,
    /// The rows whose result is requested (increasing); `None`: all.
    pub rows: Option<&'a [u32]>,
    /// The relative width of bounds at which a series ends early; negative: never.
    pub width: f64,
    /// Whether a series goes on, from the steps made and how many times wider than requested its bounds are.
    pub goes_on: &'a mut dyn FnMut(u64, f64) -> bool,
}

/// The rows that are requested.
pub(super) struct RequestedRows<'a> {
    /// The least of their sums so far, if there are any.
    pub least_sum: Option<f64>,
    /// Entries of the newest vector in them, and their sums so far.
    pub entries: &'a mut dyn FnMut() -> [Vec<f64>; 2],
}

/// Bounds of the remainder of a series after some step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Remainder {
    /// The same in every row.
    Flat([f64; 2]),
    /// These multiples of the entry of the newest vector.
    Times([f64; 2]),
}

impl Remainder {
    /// In a row with this entry of the newest vector.
    fn of(self, x: f64) -> [f64; 2] {
        match self {
            Remainder::Flat(bounds) => bounds,
            Remainder::Times([low, high]) => [x * low, x * high],
        }
    }
}

/// Errors of a sum.
pub(super) struct Errors {
    /// Relative.
    pub relative: f64,
    /// Upwards only, absolute.
    pub left_out: f64,
}

impl Errors {
    /// Bounds of sums and of what is added to them; `newest` gives the entries of the newest vector, where they matter.
    pub fn enclose_all(
        &self,
        sums: &[f64],
        rest: Option<Remainder>,
        newest: impl FnOnce() -> Vec<f64>,
    ) -> Vec<[f64; 2]> {
        match rest {
            None => sums.iter().map(|&sum| self.enclose(sum, [0.0, 0.0])).collect(),
            Some(Remainder::Flat(rest)) => sums.iter().map(|&sum| self.enclose(sum, rest)).collect(),
            Some(rest) => sums.iter().zip(newest()).map(|(&sum, x)| self.enclose(sum, rest.of(x))).collect(),
        }
    }

    /// Bounds of a sum and of what is added to it.
    fn enclose(&self, sum: f64, [lo, hi]: [f64; 2]) -> [f64; 2] {
        let hi = sum + hi;
        if hi == 0.0 && self.left_out == 0.0 {
            return [0.0, 0.0];
        }
        let lo = ((sum + lo) * (1.0 - self.relative)) - TINY;
        [lo.max(0.0), (hi + self.left_out) * (1.0 + self.relative) + TINY]
    }
}

/// Why a series ended before its coefficients did.
pub(super) fn ended_early(coefficients: &Coefficients, done: u64) -> StopReason {
    if coefficients.sum_from(done) < 1e-3 * coefficients.sum_from(0) {
        StopReason::StepsDone
    } else {
        StopReason::SteadyState
    }
}

impl Chain {
    /// `sum_k c_k P^k x` for `x >= 0`. Stops before the coefficients end once the rest is known as well as requested; `None`
    /// where the request says that it does not go on.
    ///
    /// With `x_k = P^k x`, the rest after step k is bounded in two ways, both sound for ever after:
    /// - if P is stochastic, all later vectors lie between the least and the largest entry of `x_k`
    ///   (this is steady-state detection with a bound);
    /// - if `a x_(k-1) <= x_k <= b x_(k-1)` holds in every row, then also `a x_k <= x_(k+1) <= b x_k` and so on, as
    ///   P is monotone: the rest lies between two geometric sequences (Collatz–Wielandt bounds), which
    ///   catches chains that leak slowly into absorbing states.
    pub fn series(
        &self,
        x: Vec<f64>,
        coefficients: &Coefficients,
        request: Request,
        context: &Context,
    ) -> Result<Option<PowerSeries>, Stop> {
        let Request { start_error, rows: needed, width, goes_on } = request;
        let control = context.control;
        let length = coefficients.len();
        let first_max = x.iter().copied().fold(0.0, f64::max);
        // Zeros are exact unless the smallest product of all may have left the range of doubles.
        let smallest = |v: &[f64]| v.iter().copied().filter(|&v| v > 0.0).fold(1.0, f64::min).ln();
        let no_underflow = smallest(&x) + length as f64 * self.smallest.ln() > -600.0;
        let mut vectors =
            ScheduledVectors::new(context, self, x, std::slice::from_ref(coefficients), SummedRows::Whole);
        let mut done = 1u64; // coefficients used; the newest vector is x_(done - 1)
        let mut rest = None;
        let mut stop = StopReason::StepsDone;
        let mut error_steps = length;
        let window_check = ((coefficients.peak as f64).sqrt() / 4.0).max(4.0) as u64;
        if first_max == 0.0 {
            done = length;
        }
        while done < length {
            let peak = coefficients.peak;
            let growing =
                if done < peak { (done / 10).max(16).min((peak - done).max(1)) } else { window_check };
            let affordable = (500_000_000 / self.entries().max(1) as u64).max(1);
            let batch = growing.min(affordable).min(length - done);
            vectors.advance(&[0], batch);
            done = vectors.done();
            if control.check().is_err() && done < length {
                // The rest lies between two constants: wide, but sound.
                rest = Some(Remainder::Flat(self.flat(&vectors.spread(), coefficients, done)));
                stop = StopReason::Interrupted;
                error_steps = done;
                break;
            }
            control.progress.report(ProgressEvent::Solving {
                what: "uniformisation",
                done,
                total: length,
                error: coefficients.sum_from(done).min(f64::MAX),
            });
            if done >= length {
                break;
            }
            if width < 0.0 {
                continue;
            }
            let spread = vectors.spread();
            let least_sum = match needed {
                Some(rows) => vectors.sum(0, Some(rows)).into_iter().reduce(least),
                None => Some(spread.least_sum),
            };
            let mut entries = || [vectors.newest(needed), vectors.sum(0, needed)];
            let seen = RequestedRows { least_sum, entries: &mut entries };
            match self.rest(&spread, seen, coefficients, done, width) {
                Ok((_, true))
                    if self.is_spoilt(start_error, coefficients, width)
                        && !goes_on(done.max(FIRST_DECISION), f64::INFINITY) =>
                {
                    return Ok(None);
                }
                Ok((found, all_steps)) => {
                    rest = Some(found);
                    stop = ended_early(coefficients, done);
                    error_steps = if all_steps { length } else { done };
                    break;
                }
                Err(distance) if !goes_on(done, distance) => return Ok(None),
                Err(_) => {}
            }
        }
        let errors = Errors {
            relative: self.series_error(start_error, error_steps, coefficients),
            // At most FLUSH is lost in each entry at each step, and P does not make it more.
            left_out: coefficients.left_out * first_max
                + if no_underflow { 0.0 } else { FLUSH * length as f64 * coefficients.sum_from(0) },
        };
        let sums = vectors.sum(0, None);
        let bounds = errors.enclose_all(&sums, rest, || vectors.newest(None));
        Ok(Some(PowerSeries { bounds, steps: done.saturating_sub(1), stop }))
    }

    /// Relative error of a sum over that many steps.
    pub(super) fn series_error(&self, start: f64, steps: u64, coefficients: &Coefficients) -> f64 {
        relative(start + steps as f64 * (self.step_error + 4.0 * U) + coefficients.error + 2.0 * U)
    }

    /// Whether the rounding of all steps makes bounds wider than requested, however well the rest of the series is known.
    pub(super) fn is_spoilt(&self, start: f64, coefficients: &Coefficients, width: f64) -> bool {
        width > 0.0 && 2.0 * self.series_error(start, coefficients.len(), coefficients) > width
    }

    /// Bounds of `sum over k >= done of c_k x_k` that hold in every row.
    pub(super) fn flat(&self, spread: &Spread, coefficients: &Coefficients, done: u64) -> [f64; 2] {
        let remaining = coefficients.sum_from(done) * (1.0 + 4.0 * U);
        let floor = if self.closed { spread.min } else { 0.0 };
        [remaining * floor * (1.0 - 8.0 * U), remaining * spread.max]
    }

    /// Bounds of `sum over k >= done of c_k x_k`, if they are narrow enough, and whether they rely on all later steps
    /// (then the rounding of these counts too); else how many times wider they are than requested, roughly.
    pub(super) fn rest(
        &self,
        spread: &Spread,
        seen: RequestedRows,
        coefficients: &Coefficients,
        done: u64,
        width: f64,
    ) -> Result<(Remainder, bool), f64> {
        let fits = |[lo, hi]: [f64; 2], sum: f64| hi - lo <= width * (sum + lo);
        let flat = self.flat(spread, coefficients, done);
        // Parameters that suit the least sum suit every other: every step of the calculation is monotone in the sum.
        if seen.least_sum.is_none_or(|sum| fits(flat, sum)) {
            return Ok((Remainder::Flat(flat), false));
        }
        let [lo, hi] = flat;
        let distance = (hi - lo) / (width * (seen.least_sum.unwrap_or(0.0) + lo));
        // Ratios below are those of x_done and later to x_(done - 1).
        let Spread { slowest, fastest, .. } = *spread;
        let remaining = coefficients.sum_from(done) * (1.0 + 4.0 * U);
        let steps = (coefficients.len() - done) as f64;
        let growth = (fastest - slowest) * steps;
        // A growth that is not a number is no distance.
        let distance = distance.min(growth / (8.0 * width));
        if !(fastest.is_finite() && growth < 0.1 && fastest < 1.0 + 1e-9) {
            return Err(distance);
        }
        let [entries, sums] = (seen.entries)();
        let narrow = |bounds: &dyn Fn(f64) -> [f64; 2]| {
            entries.iter().zip(&sums).all(|(&x, &sum)| fits(bounds(x), sum))
        };
        if !narrow(&|x| {
            let x = x * remaining;
            [x * (1.0 - growth / 8.0), x]
        }) && growth > 1e3 * width
        {
            return Err(distance);
        }
        let low = coefficients.weighted_sum(done, slowest) * slowest;
        let high = coefficients.weighted_sum(done, fastest) * fastest;
        let rest = Remainder::Times([low, high]);
        if narrow(&|x| rest.of(x)) { Ok((rest, true)) } else { Err(distance) }
    }

    /// The same series with PRISM's steady-state detection (`PS_StochTransient` and its kin, PRISM 4): the first vector
    /// that differs from the one before by less than `epsilon` in every entry, relatively or absolutely, is taken for
    /// all later ones. Bounds are those of the sums that PRISM forms, not of the true values.
    pub fn series_until_small_change(
        &self,
        x: Vec<f64>,
        coefficients: &Coefficients,
        epsilon: f64,
        relative: bool,
        context: &Context,
    ) -> Result<PowerSeries, Stop> {
        let control = context.control;
        let every = (4_000_000 / self.entries().max(1) as u64).max(1);
        let mut vectors =
            ScheduledVectors::new(context, self, x, std::slice::from_ref(coefficients), SummedRows::Whole);
        let mut rest = None;
        let mut done = 1;
        // PRISM's steps end where less than epsilon is left of the weights.
        let length = coefficients.end_within(epsilon);
        while done < length {
            vectors.advance(&[0], 1);
            done = vectors.done();
            if vectors.changes_little(epsilon, relative) {
                rest = Some(coefficients.sum_from(done));
                break;
            }
            if done % every == 0 {
                control.check()?;
                control.progress.report(ProgressEvent::Solving {
                    what: "uniformisation",
                    done,
                    total: length,
                    error: coefficients.sum_from(done),
                });
            }
        }
        let mut sum = vectors.sum(0, None);
        let mut stop = StopReason::StepsDone;
        if let Some(rest) = rest {
            sum.iter_mut().zip(vectors.newest(None)).for_each(|(s, x)| *s += rest * x);
            stop = StopReason::SteadyStateTest;
        }
        Ok(PowerSeries { bounds: sum.into_iter().map(|s| [s, s]).collect(), steps: done - 1, stop })
    }
}
