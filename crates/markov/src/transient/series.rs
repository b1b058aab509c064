//! Power series over a chain: `sum_k c_k P^k x`, with bounds, stopped as early as these allow.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};

use volvelle_control::{Control, News, Stop};
use volvelle_logic::StopReason;

use super::chain::{Chain, FLUSH};
use super::coefficients::Coefficients;
use crate::rounding::{TINY, U, relative};
use crate::solve::difference;

/// The value of a power series.
#[derive(Debug)]
pub struct Series {
    /// Bounds for each row of the chain.
    pub bounds: Vec<[f64; 2]>,
    /// Multiplications made.
    pub steps: u64,
    /// Whether it ended early.
    pub stop: StopReason,
}

/// Extremes of a vector, and of its change in the last step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub min: f64,
    pub max: f64,
    pub slowest: f64,
    pub fastest: f64,
}

/// The rows that somebody asks about, by position.
pub(super) struct Seen<'a> {
    /// Entries of the newest vector.
    pub x: &'a dyn Fn(usize) -> f64,
    /// The sums so far.
    pub sum: &'a dyn Fn(usize) -> f64,
    /// Number of positions.
    pub count: usize,
    /// Those where precision is wanted; `None`: all.
    pub checked: Option<&'a [u32]>,
}

/// What a sum may be off.
pub(super) struct Errors {
    /// Relative.
    pub relative: f64,
    /// Upwards only, absolute.
    pub left_out: f64,
}

impl Errors {
    /// Bounds of a sum and of what is added to it.
    pub fn enclose(&self, sum: f64, [lo, hi]: [f64; 2]) -> [f64; 2] {
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
    /// `sum_k c_k P^k x` for `x >= 0` of relative error `start_error`. Stops before the coefficients end once
    /// the rest is known within the relative width `width` of the result at all rows in `needed`
    /// (`None`: all rows).
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
        start_error: f64,
        coefficients: &Coefficients,
        needed: Option<&[u32]>,
        width: f64,
        control: &Control,
    ) -> Result<Series, Stop> {
        let n = self.len();
        let length = coefficients.len();
        let first_max = x.iter().copied().fold(0.0, f64::max);
        // Zeros are exact unless the smallest product of all may have left the range of doubles.
        let smallest = |v: &[f64]| v.iter().copied().filter(|&v| v > 0.0).fold(1.0, f64::min).ln();
        let no_underflow = smallest(&x) + length as f64 * self.smallest.ln() > -600.0;
        let mut sum: Vec<f64> = x.iter().map(|&v| coefficients.get(0) * v).collect();
        let current: Vec<AtomicU64> = x.iter().map(|v| AtomicU64::new(v.to_bits())).collect();
        drop(x);
        let other: Vec<AtomicU64> = (0..n).map(|_| AtomicU64::new(0)).collect();
        let mut vectors = [&current, &other];
        let chunks = self.chunks(control.threads);
        let mut done = 1u64; // coefficients used; vectors[0] holds x_(done - 1)
        let mut tail: Vec<[f64; 2]> = Vec::new();
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
            self.advance(&mut vectors, &mut sum, coefficients, done, batch, &chunks);
            done += batch;
            if control.check().is_err() && done < length {
                // The rest lies between two constants: wide, but sound.
                tail = vec![self.flat(&self.spread(&vectors), coefficients, done); n];
                stop = StopReason::Interrupted;
                error_steps = done;
                break;
            }
            control.progress.news(News::Solving {
                what: "uniformisation",
                done,
                total: length,
                error: coefficients.sum_from(done).min(f64::MAX),
            });
            if done >= length {
                break;
            }
            let x = |i: usize| f64::from_bits(vectors[0][i].load(Relaxed));
            let seen = Seen { x: &x, sum: &|i| sum[i], count: n, checked: needed };
            if let Some((rest, all_steps)) =
                self.rest(&self.spread(&vectors), &seen, coefficients, done, width)
            {
                tail = rest;
                stop = ended_early(coefficients, done);
                error_steps = if all_steps { length } else { done };
                break;
            }
        }
        let errors = Errors {
            relative: self.series_error(start_error, error_steps, coefficients),
            // At most FLUSH is lost in each entry at each step, and P does not make it more.
            left_out: coefficients.left_out * first_max
                + if no_underflow { 0.0 } else { FLUSH * length as f64 * coefficients.sum_from(0) },
        };
        let rest = |i: usize| tail.get(i).copied().unwrap_or([0.0; 2]);
        let bounds = sum.iter().enumerate().map(|(i, &s)| errors.enclose(s, rest(i))).collect();
        Ok(Series { bounds, steps: done.saturating_sub(1), stop })
    }

    /// Relative error of the sum of so many steps.
    pub(super) fn series_error(&self, start: f64, steps: u64, coefficients: &Coefficients) -> f64 {
        relative(start + steps as f64 * (self.step_error + 4.0 * U) + coefficients.error + 2.0 * U)
    }

    /// Extremes of the newest vector, and of its entries over those of the one before.
    pub(super) fn spread(&self, vectors: &[&Vec<AtomicU64>; 2]) -> Spread {
        let load = |v: &Vec<AtomicU64>, i: usize| f64::from_bits(v[i].load(Relaxed));
        let mut spread = Spread { min: f64::INFINITY, max: 0.0, slowest: f64::INFINITY, fastest: 0.0 };
        for i in 0..self.len() {
            let (new, old) = (load(vectors[0], i), load(vectors[1], i));
            spread.min = spread.min.min(new);
            spread.max = spread.max.max(new);
            if new != 0.0 || old != 0.0 {
                let ratio = new / old;
                spread.slowest = spread.slowest.min(ratio);
                spread.fastest = spread.fastest.max(ratio);
            }
        }
        spread
    }

    /// Bounds of `sum over k >= done of c_k x_k` that hold in every row.
    pub(super) fn flat(&self, spread: &Spread, coefficients: &Coefficients, done: u64) -> [f64; 2] {
        let remaining = coefficients.sum_from(done) * (1.0 + 4.0 * U);
        let floor = if self.closed { spread.min } else { 0.0 };
        [remaining * floor * (1.0 - 8.0 * U), remaining * spread.max]
    }

    /// Bounds of `sum over k >= done of c_k x_k`, if they are narrow enough; and whether they rely on all steps
    /// to come (then rounding counts for these too).
    pub(super) fn rest(
        &self,
        spread: &Spread,
        seen: &Seen,
        coefficients: &Coefficients,
        done: u64,
        width: f64,
    ) -> Option<(Vec<[f64; 2]>, bool)> {
        let narrow = |bounds: &dyn Fn(usize) -> [f64; 2]| {
            let fits = |i: usize| {
                let [lo, hi] = bounds(i);
                hi - lo <= width * ((seen.sum)(i) + lo)
            };
            match seen.checked {
                Some(rows) => rows.iter().all(|&i| fits(i as usize)),
                None => (0..seen.count).all(fits),
            }
        };
        let flat = self.flat(spread, coefficients, done);
        if narrow(&|_| flat) {
            return Some((vec![flat; seen.count], false));
        }
        // Ratios below are those of x_done and later to x_(done - 1).
        let Spread { slowest, fastest, .. } = *spread;
        let remaining = coefficients.sum_from(done) * (1.0 + 4.0 * U);
        let steps = (coefficients.len() - done) as f64;
        if !(fastest.is_finite() && (fastest - slowest) * steps < 0.1 && fastest < 1.0 + 1e-9) {
            return None;
        }
        if !narrow(&|i| {
            let x = (seen.x)(i) * remaining;
            [x * (1.0 - (fastest - slowest) * steps / 8.0), x]
        }) && (fastest - slowest) * steps > 1e3 * width
        {
            return None;
        }
        let low = coefficients.weighted_sum(done, slowest) * slowest;
        let high = coefficients.weighted_sum(done, fastest) * fastest;
        let bounds = |i: usize| {
            let x = (seen.x)(i);
            [x * low, x * high]
        };
        narrow(&bounds).then(|| ((0..seen.count).map(bounds).collect(), true))
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
        control: &Control,
    ) -> Result<Series, Stop> {
        let n = self.len();
        let mut sum: Vec<f64> = x.iter().map(|&v| coefficients.get(0) * v).collect();
        let current: Vec<AtomicU64> = x.iter().map(|v| AtomicU64::new(v.to_bits())).collect();
        let other: Vec<AtomicU64> = (0..n).map(|_| AtomicU64::new(0)).collect();
        let mut vectors = [&current, &other];
        let chunks = self.chunks(control.threads);
        let every = (4_000_000 / self.entries().max(1) as u64).max(1);
        let load = |v: &Vec<AtomicU64>, i: usize| f64::from_bits(v[i].load(Relaxed));
        let mut stop = StopReason::StepsDone;
        let mut done = 1;
        // PRISM's steps end where less than epsilon is left of the weights.
        let length = coefficients.end_within(epsilon);
        while done < length {
            self.advance(&mut vectors, &mut sum, coefficients, done, 1, &chunks);
            done += 1;
            let small = |i: usize| difference(load(vectors[1], i), load(vectors[0], i), relative) < epsilon;
            if (0..n).all(small) {
                let rest = coefficients.sum_from(done);
                sum.iter_mut().enumerate().for_each(|(i, s)| *s += rest * load(vectors[0], i));
                stop = StopReason::SteadyStateTest;
                break;
            }
            if done % every == 0 {
                control.check()?;
                control.progress.news(News::Solving {
                    what: "uniformisation",
                    done,
                    total: length,
                    error: coefficients.sum_from(done),
                });
            }
        }
        Ok(Series { bounds: sum.into_iter().map(|s| [s, s]).collect(), steps: done - 1, stop })
    }

    /// `count` multiplications; `vectors[0]` is replaced, `vectors[1]` holds the vector before it.
    fn advance(
        &self,
        vectors: &mut [&Vec<AtomicU64>; 2],
        sum: &mut [f64],
        coefficients: &Coefficients,
        first: u64,
        count: u64,
        chunks: &[Range<usize>],
    ) {
        let barrier = SpinBarrier::new(chunks.len());
        let pair = *vectors;
        let mut rest = sum;
        let mut parts = Vec::new();
        for chunk in chunks {
            let (part, tail) = rest.split_at_mut(chunk.len());
            parts.push((chunk.clone(), part));
            rest = tail;
        }
        let work = |rows: Range<usize>, part: &mut [f64]| {
            for k in 0..count {
                let (from, to) = (pair[(k % 2) as usize], pair[((k + 1) % 2) as usize]);
                self.multiply(rows.clone(), from, to, part, coefficients.get(first + k));
                barrier.wait();
            }
        };
        if parts.len() == 1 {
            parts.into_iter().for_each(|(rows, part)| work(rows, part));
        } else {
            let work = &work;
            std::thread::scope(|scope| {
                for (rows, part) in parts {
                    scope.spawn(move || work(rows, part));
                }
            });
        }
        if count % 2 == 1 {
            vectors.swap(0, 1);
        }
    }
}

/// A barrier for threads that meet thousands of times a second.
pub(super) struct SpinBarrier {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
}

impl SpinBarrier {
    pub fn new(threads: usize) -> Self {
        SpinBarrier { threads, arrived: AtomicUsize::new(0), round: AtomicUsize::new(0) }
    }

    pub fn wait(&self) {
        if self.threads <= 1 {
            return;
        }
        let round = self.round.load(Acquire);
        if self.arrived.fetch_add(1, AcqRel) + 1 == self.threads {
            self.arrived.store(0, Relaxed);
            self.round.store(round + 1, Release);
            return;
        }
        let mut spins = 0u32;
        while self.round.load(Acquire) == round {
            spins += 1;
            if spins < 2000 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}
