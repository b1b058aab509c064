//! The exponential of the generator at times that double, with the errors of all of its entries.
//!
//! *Rounding.* Everything is sums and products of non-negative numbers of 106 bits, so that relative errors double with the time
//! and stay far below those of doubles. What is too small to be kept is an absolute error, bounded in the norm.
//!
//! *The rates* are known up to a relative error as well: see [`perturbation`].

use volvelle_control::{Control, Stop};

use super::matrix::{FLUSH, Matrix, PER_TERM};
use super::perturbation::{Perturbation, perturbation};
use super::sparse::{Collected, Sparse};
use crate::transient::implicit::Twofold;

/// Entries below this, or this many times what is lost of them, are not compared with others.
const LEAST: f64 = 1e-290;
const DIGITS: f64 = 1e10;

/// Expected events of the shortest time.
pub const FIRST: f64 = 0.25;

/// Rows that are multiplied between two looks at the clock, times the square of their number.
const BATCH: usize = 20_000_000;

/// Errors of the entries of a matrix or a vector.
#[derive(Clone, Copy, Debug)]
pub struct Errors {
    /// Relative, of rounding.
    pub rounding: f64,
    /// Absolute, in the norm.
    pub lost: f64,
}

/// `exp(t Q)` for one time t.
pub struct Ladder<'a> {
    chain: &'a Sparse,
    /// Relative error of the rates.
    rates: f64,
    matrix: Matrix,
    spare: Matrix,
    /// Expected events of the time, at the uniformisation rate.
    pub events: f64,
    /// Errors of the matrix beside those of the rates.
    pub errors: Errors,
    /// Relative error by those of the rates, of all entries.
    pub of_all: f64,
    /// The same, of what is asked: of the column of the states that are entered, else of all.
    pub of_result: f64,
    /// How these errors grow later than this time.
    later: [Perturbation; 2],
    norm: f64,
    /// What errors of the rates do, until this time, by entries too small to be compared with others: absolute.
    pub skipped: f64,
}

impl<'a> Ladder<'a> {
    /// The matrix for the shortest time.
    pub fn new(chain: &'a Sparse, rates: f64, control: &Control) -> Result<Self, Stop> {
        let n = chain.len();
        let mut matrix = Matrix::identity(n);
        let (errors, of_rates) = exponential(chain, FIRST, rates, &mut matrix, control)?;
        let mut ladder = Ladder {
            chain,
            rates,
            spare: Matrix::zeros(n, n),
            events: FIRST,
            errors,
            of_all: of_rates,
            of_result: of_rates,
            later: [Perturbation { growth: f64::INFINITY, once: 0.0 }; 2],
            norm: matrix.norm(),
            skipped: 0.0,
            matrix,
        };
        ladder.look_ahead();
        Ok(ladder)
    }

    /// Doubles the time.
    pub fn square(&mut self, control: &Control) -> Result<(), Stop> {
        let n = self.chain.len();
        let every = (BATCH / (n * n).max(1)).max(1);
        for i in 0..n {
            if i % every == every - 1 {
                control.check()?;
            }
            let factors = (0..n).map(|k| (k, self.matrix.get(i, k)));
            self.spare.combine(i, factors, &self.matrix);
        }
        control.check()?;
        std::mem::swap(&mut self.matrix, &mut self.spare);
        let Errors { rounding, lost } = self.errors;
        let [all, result] = self.later.map(|later| self.rates * later.after(self.events));
        self.of_result += self.of_all.min(result);
        self.of_all += self.of_all.min(all);
        self.errors = Errors {
            rounding: 2.0 * rounding + (n + 4) as f64 * PER_TERM,
            lost: lost * (2.0 * self.norm + lost) * (1.0 + 1e-9) + 4.0 * n as f64 * FLUSH,
        };
        self.events *= 2.0;
        self.norm = self.matrix.norm() + self.errors.lost;
        self.look_ahead();
        Ok(())
    }

    /// The relative error by those of the rates of a result at a later time, less than twice this one.
    pub fn of_result_at(&self, events: f64) -> f64 {
        let later = (events - self.events).max(0.0);
        self.of_result + self.of_all.min(self.rates * self.later[1].after(later))
    }

    /// `to = M from`, with the errors of `to` for those of `from`, whose largest entry is this at most.
    pub fn apply(&self, from: &Matrix, errors: Errors, largest: f64) -> (Matrix, Errors) {
        let n = self.chain.len();
        let mut to = Matrix::zeros(n, 1);
        for i in 0..n {
            to.combine(i, (0..n).map(|k| (k, self.matrix.get(i, k))), from);
        }
        (to, self.applied(errors, largest))
    }

    /// `to = from M` for a row, whose sum is this at most.
    pub fn apply_left(&self, from: &Matrix, errors: Errors, sum: f64) -> (Matrix, Errors) {
        let n = self.chain.len();
        let mut to = Matrix::zeros(1, n);
        to.combine(0, (0..n).map(|k| (k, from.get(0, k))), &self.matrix);
        (to, self.applied(errors, sum))
    }

    fn applied(&self, errors: Errors, norm: f64) -> Errors {
        let n = self.chain.len() as f64;
        Errors {
            rounding: errors.rounding + self.errors.rounding + (n + 4.0) * PER_TERM,
            lost: errors.lost * (self.norm + self.errors.lost)
                + self.errors.lost * norm * (1.0 + 1e-9)
                + 4.0 * n * FLUSH,
        }
    }

    /// Finds how errors of the rates grow later: in all entries, and in what is asked.
    fn look_ahead(&mut self) {
        let least = LEAST.max(DIGITS * self.errors.lost);
        let known = [4.0 * self.errors.rounding + 2.0 * self.errors.lost / least, least];
        let of = |entered| perturbation(self.chain, &self.matrix, [self.events, self.rates], known, entered);
        let all = of(false);
        self.later = [all, if self.chain.collected == Collected::Entered { of(true) } else { all }];
        let once = self.later.iter().fold(1.0, |sum: f64, later| sum + later.once);
        self.skipped += 8.0 * self.rates * once * self.events * self.chain.len() as f64 * least;
    }
}

/// `x` becomes `exp(events (P - I)) x`, for few events, by Taylor's series; its errors, and the relative error by those of the rates.
pub fn exponential(
    chain: &Sparse,
    events: f64,
    rates: f64,
    x: &mut Matrix,
    control: &Control,
) -> Result<(Errors, f64), Stop> {
    let mut term = x.clone();
    let mut next = x.clone();
    let (mut weight, mut weights, mut terms) = (Twofold::of(1.0), Twofold::of(1.0), 0);
    // No row of P sums to more than two.
    let mut left = 1.0;
    while left > 1e-305 {
        terms += 1;
        let factor = Twofold::of(events).over(f64::from(terms));
        for i in 0..chain.len() {
            next.combine(i, chain.factors(i, factor), &term);
        }
        control.check()?;
        std::mem::swap(&mut term, &mut next);
        x.add_multiple(Twofold::of(1.0), &term);
        weight = weight.product(factor);
        weights = weights.plus(weight);
        left *= 2.0 * events / f64::from(terms);
    }
    let scale = Twofold::of(1.0).divided(weights);
    next = x.clone();
    for i in 0..next.rows() {
        x.combine(i, std::iter::once((i, scale)), &next);
    }
    let steps = f64::from(terms);
    let width = x.high().len() as f64;
    let errors = Errors {
        rounding: (steps * (chain.longest() as f64 + 8.0) + 16.0) * PER_TERM,
        lost: 4.0 * (steps + 4.0) * width * FLUSH,
    };
    Ok((errors, steps * rates))
}
