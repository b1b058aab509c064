//! Several power series over one chain at once: `sum_k c_k P^k x` for several sequences `c`.
//!
//! The vectors `P^k x` do not depend on the coefficients, so that one pass over them serves all horizons of a sweep
//! over time: it is as long as the longest needs, and every sum stops where it would have stopped alone, by the same
//! tests ([`Chain::series`]). Sums are kept for the rows that somebody asks about only. Bounds of each are those of
//! a series of its own up to the moment at which the rest is looked at.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use volvelle_control::{Control, News, Stop};
use volvelle_logic::StopReason;

use super::chain::{Chain, FLUSH};
use super::coefficients::Coefficients;
use super::series::{Errors, Seen, Series, SpinBarrier, ended_early};

/// A sum on its way.
struct Sum<'a> {
    coefficients: &'a Coefficients,
    /// The step after which to look whether the rest is known.
    look: u64,
    result: Option<Series>,
}

/// The rows of one thread: all that it multiplies, and those whose sums it keeps.
struct Part {
    rows: Range<usize>,
    kept: Vec<u32>,
    /// By horizon, then by kept row.
    sums: Vec<f64>,
}

impl Chain {
    /// The series of `x` for several sequences of coefficients. Bounds are given for the rows in `needed`, in their
    /// order (increasing), or for all. See [`Chain::series`] for the other arguments.
    ///
    /// # Errors
    /// If the work is stopped before any of the series is known; those that are not known by then are wide.
    pub fn series_many(
        &self,
        x: Vec<f64>,
        start_error: f64,
        coefficients: &[Coefficients],
        needed: Option<&[u32]>,
        width: f64,
        control: &Control,
    ) -> Result<Vec<Series>, Stop> {
        let rows: Vec<u32> = match needed {
            Some(rows) => rows.to_vec(),
            None => (0..self.len() as u32).collect(),
        };
        let first_max = x.iter().copied().fold(0.0, f64::max);
        let smallest = x.iter().copied().filter(|&v| v > 0.0).fold(1.0, f64::min).ln();
        let mut parts: Vec<Part> = (self.chunks(control.threads).into_iter())
            .map(|chunk| {
                let within = |row: &&u32| chunk.contains(&(**row as usize));
                let kept: Vec<u32> = rows.iter().filter(within).copied().collect();
                let sums =
                    coefficients.iter().flat_map(|c| kept.iter().map(|&row| c.get(0) * x[row as usize]));
                Part { sums: sums.collect(), kept: kept.clone(), rows: chunk }
            })
            .collect();
        let current: Vec<AtomicU64> = x.iter().map(|v| AtomicU64::new(v.to_bits())).collect();
        drop(x);
        let other: Vec<AtomicU64> = (0..self.len()).map(|_| AtomicU64::new(0)).collect();
        let mut vectors = [&current, &other];
        let mut sums: Vec<Sum> = (coefficients.iter())
            .map(|c| Sum { coefficients: c, look: 1 + next_look(c, 1), result: None })
            .collect();
        let finish = |sum: &mut Sum, values: &[f64], tail: &[[f64; 2]], done: u64, steps: u64, stop| {
            let c = sum.coefficients;
            let underflow = smallest + c.len() as f64 * self.smallest.ln() <= -600.0;
            let flushed = if underflow { FLUSH * c.len() as f64 * c.sum_from(0) } else { 0.0 };
            let errors = Errors {
                relative: self.series_error(start_error, steps, c),
                left_out: c.left_out * first_max + flushed,
            };
            let rest = |i: usize| tail.get(i).copied().unwrap_or([0.0; 2]);
            let bounds = values.iter().enumerate().map(|(i, &s)| errors.enclose(s, rest(i))).collect();
            sum.result = Some(Series { bounds, steps: done.saturating_sub(1), stop });
        };
        let longest = coefficients.iter().map(Coefficients::len).max().unwrap_or(0);
        let mut done = 1u64;
        loop {
            // Whoever is done, is.
            for (h, sum) in sums.iter_mut().enumerate() {
                let length = sum.coefficients.len();
                if sum.result.is_none() && (done >= length || first_max == 0.0) {
                    let values = values_of(&parts, h);
                    finish(sum, &values, &[], length.max(1), length, StopReason::StepsDone);
                }
            }
            let next = sums.iter().filter(|s| s.result.is_none()).map(|s| s.look).min();
            let affordable = (500_000_000 / self.entries().max(1) as u64).max(1);
            let Some(batch) = next.map(|look| (look - done).clamp(1, affordable)) else { break };
            let active: Vec<usize> = (0..sums.len()).filter(|&h| sums[h].result.is_none()).collect();
            self.advance_many(&mut vectors, &mut parts, coefficients, &active, done, batch);
            done += batch;
            let stopped = control.check().err();
            control.progress.news(News::Solving {
                what: "uniformisation",
                done,
                total: longest,
                error: f64::INFINITY,
            });
            if stopped.is_none() && active.iter().all(|&h| done < sums[h].look.min(coefficients[h].len())) {
                continue;
            }
            let spread = self.spread(&vectors);
            for h in active {
                let sum = &mut sums[h];
                let c = sum.coefficients;
                if done >= c.len() || (done < sum.look && stopped.is_none()) {
                    continue;
                }
                sum.look = done + next_look(c, done);
                let values = values_of(&parts, h);
                let x = |i: usize| f64::from_bits(vectors[0][rows[i] as usize].load(Relaxed));
                let seen = Seen { x: &x, sum: &|i| values[i], count: rows.len(), checked: None };
                if let Some((tail, all_steps)) = self.rest(&spread, &seen, c, done, width) {
                    let steps = if all_steps { c.len() } else { done };
                    finish(sum, &values, &tail, done, steps, ended_early(c, done));
                } else if stopped.is_some() {
                    let tail = vec![self.flat(&spread, c, done); rows.len()];
                    finish(sum, &values, &tail, done, done, StopReason::Interrupted);
                }
            }
        }
        Ok(sums.into_iter().filter_map(|s| s.result).collect())
    }

    /// `count` multiplications; the sums of the active horizons go with them.
    fn advance_many(
        &self,
        vectors: &mut [&Vec<AtomicU64>; 2],
        parts: &mut [Part],
        coefficients: &[Coefficients],
        active: &[usize],
        first: u64,
        count: u64,
    ) {
        let barrier = SpinBarrier::new(parts.len());
        let pair = *vectors;
        let work = |part: &mut Part| {
            for k in 0..count {
                let (from, to) = (pair[(k % 2) as usize], pair[((k + 1) % 2) as usize]);
                self.step(part.rows.clone(), from, to, |_| {});
                for &h in active {
                    let c = coefficients[h].get(first + k);
                    if c == 0.0 {
                        continue;
                    }
                    let sums = &mut part.sums[h * part.kept.len()..(h + 1) * part.kept.len()];
                    for (sum, &row) in sums.iter_mut().zip(&part.kept) {
                        *sum += c * f64::from_bits(to[row as usize].load(Relaxed));
                    }
                }
                barrier.wait();
            }
        };
        if let [part] = parts {
            work(part);
        } else {
            let work = &work;
            std::thread::scope(|scope| {
                for part in parts {
                    scope.spawn(move || work(part));
                }
            });
        }
        if count % 2 == 1 {
            vectors.swap(0, 1);
        }
    }
}

/// Steps until a series alone would be looked at next.
fn next_look(c: &Coefficients, done: u64) -> u64 {
    let window = ((c.peak as f64).sqrt() / 4.0).max(4.0) as u64;
    let next = if done < c.peak { (done / 10).max(16).min((c.peak - done).max(1)) } else { window };
    next.min(c.len().saturating_sub(done)).max(1)
}

/// The sums of a horizon, in the order of the rows.
fn values_of(parts: &[Part], h: usize) -> Vec<f64> {
    parts.iter().flat_map(|p| p.sums[h * p.kept.len()..(h + 1) * p.kept.len()].iter().copied()).collect()
}
