//! Several power series over one chain at once: `sum_k c_k P^k x` for several sequences `c`.
//!
//! The vectors `P^k x` do not depend on the coefficients, so that one pass over them serves all horizons of a sweep
//! over time: it is as long as the longest needs, and every sum stops where it would have stopped alone, by the same
//! tests ([`Chain::series`]). Sums are kept only for the rows that are requested. Bounds of each are those of
//! a series of its own up to the moment at which the rest is looked at.

use volvelle_control::{ProgressEvent, Stop};
use volvelle_logic::StopReason;
use volvelle_solver::Context;

use super::chain::{Chain, FLUSH};
use super::coefficients::Coefficients;
use super::method_choice::FIRST_DECISION;
use super::power_series::{Errors, PowerSeries, Remainder, Request, RequestedRows, ended_early};
use super::vectors::{ScheduledVectors, SummedRows, least};

/// A sum under construction.
struct Sum<'a> {
    coefficients: &'a Coefficients,
    /// The step after which to look whether the rest is known.
    look: u64,
    result: Option<PowerSeries>,
}

impl Chain {
    /// The series of `x` for several sequences of coefficients. Bounds are given for the rows that are requested, in their
    /// order. See [`Chain::series`].
    ///
    /// # Errors
    /// If the work is stopped before any of the series is known; those that are not known by then are wide.
    pub fn series_many(
        &self,
        x: Vec<f64>,
        coefficients: &[Coefficients],
        request: Request,
        context: &Context,
    ) -> Result<Option<Vec<PowerSeries>>, Stop> {
        let Request { start_error, rows: needed, width, goes_on } = request;
        let control = context.control;
        let rows: Vec<u32> = match needed {
            Some(rows) => rows.to_vec(),
            None => (0..self.len() as u32).collect(),
        };
        let first_max = x.iter().copied().fold(0.0, f64::max);
        let smallest = x.iter().copied().filter(|&v| v > 0.0).fold(1.0, f64::min).ln();
        let mut vectors = ScheduledVectors::new(context, self, x, coefficients, SummedRows::Rows(&rows));
        let mut sums: Vec<Sum> = (coefficients.iter())
            .map(|c| Sum { coefficients: c, look: 1 + next_look(c, 1), result: None })
            .collect();
        let finish = |sum: &mut Sum, values: &[f64], rest, newest: &[f64], done: u64, steps: u64, stop| {
            let c = sum.coefficients;
            let underflow = smallest + c.len() as f64 * self.smallest.ln() <= -600.0;
            let flushed = if underflow { FLUSH * c.len() as f64 * c.sum_from(0) } else { 0.0 };
            let errors = Errors {
                relative: self.series_error(start_error, steps, c),
                left_out: c.left_out * first_max + flushed,
            };
            let bounds = errors.enclose_all(values, rest, || newest.to_vec());
            sum.result = Some(PowerSeries { bounds, steps: done.saturating_sub(1), stop });
        };
        let longest = coefficients.iter().map(Coefficients::len).max().unwrap_or(0);
        let mut done = 1u64;
        loop {
            // Sums that have all their terms.
            for (h, sum) in sums.iter_mut().enumerate() {
                let length = sum.coefficients.len();
                if sum.result.is_none() && (done >= length || first_max == 0.0) {
                    let values = vectors.sum(h, None);
                    finish(sum, &values, None, &[], length.max(1), length, StopReason::StepsDone);
                }
            }
            let next = sums.iter().filter(|s| s.result.is_none()).map(|s| s.look).min();
            let affordable = (500_000_000 / self.entries().max(1) as u64).max(1);
            let Some(batch) = next.map(|look| (look - done).clamp(1, affordable)) else { break };
            let active: Vec<usize> = (0..sums.len()).filter(|&h| sums[h].result.is_none()).collect();
            vectors.advance(&active, batch);
            done = vectors.done();
            let stopped = control.check().err();
            control.progress.report(ProgressEvent::Solving {
                what: "uniformisation",
                done,
                total: longest,
                error: f64::INFINITY,
            });
            if stopped.is_none() && active.iter().all(|&h| done < sums[h].look.min(coefficients[h].len())) {
                continue;
            }
            let spread = vectors.spread();
            let mut farthest: Option<f64> = None;
            for h in active {
                let sum = &mut sums[h];
                let c = sum.coefficients;
                if done >= c.len() || (done < sum.look && stopped.is_none()) {
                    continue;
                }
                sum.look = done + next_look(c, done);
                let values = vectors.sum(h, None);
                let mut newest = None;
                let mut entries =
                    || [newest.get_or_insert_with(|| vectors.newest(Some(&rows))).clone(), values.clone()];
                let least_sum = values.iter().copied().reduce(least);
                let seen = RequestedRows { least_sum, entries: &mut entries };
                let found =
                    if width < 0.0 { Err(f64::INFINITY) } else { self.rest(&spread, seen, c, done, width) };
                let newest = newest.unwrap_or_default();
                let is_spoilt = matches!(found, Ok((_, true))) && self.is_spoilt(start_error, c, width);
                if is_spoilt && stopped.is_none() && !goes_on(done.max(FIRST_DECISION), f64::INFINITY) {
                    return Ok(None);
                }
                if let Err(distance) = found {
                    farthest = Some(farthest.unwrap_or(0.0).max(distance));
                }
                if let Ok((rest, all_steps)) = found {
                    let steps = if all_steps { c.len() } else { done };
                    finish(sum, &values, Some(rest), &newest, done, steps, ended_early(c, done));
                } else if stopped.is_some() {
                    let rest = Remainder::Flat(self.flat(&spread, c, done));
                    finish(sum, &values, Some(rest), &newest, done, done, StopReason::Interrupted);
                }
            }
            if stopped.is_none() && farthest.is_some_and(|distance| !goes_on(done, distance)) {
                return Ok(None);
            }
        }
        Ok(Some(sums.into_iter().filter_map(|s| s.result).collect()))
    }
}

/// Number of steps after which a series on its own would be looked at next.
fn next_look(c: &Coefficients, done: u64) -> u64 {
    let window = ((c.peak as f64).sqrt() / 4.0).max(4.0) as u64;
    let next = if done < c.peak { (done / 10).max(16).min((c.peak - done).max(1)) } else { window };
    next.min(c.len().saturating_sub(done)).max(1)
}
