//! The vectors `P^k x` of power series over a chain and the sums that go with them: in main memory, where threads multiply,
//! or on a device.
//!
//! Both do the same operations in the same order for each row, so that results have the same bits on threads, on a device,
//! and where one takes over from the other in the middle. [`ScheduledVectors`] switches between them.

mod device;
mod scheduled;
#[cfg(test)]
mod tests;
mod threads;

use volvelle_runtime::Error;

pub(super) use scheduled::ScheduledVectors;

use super::coefficients::Coefficients;

/// Extremes of a vector, of its change in the last step, and of the sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub min: f64,
    pub max: f64,
    pub slowest: f64,
    pub fastest: f64,
    /// The least entry of the sum, where it has all rows; NaN where one is.
    pub least_sum: f64,
}

impl Spread {
    /// The extremes of no rows.
    pub const NONE: Spread = Spread {
        min: f64::INFINITY,
        max: 0.0,
        slowest: f64::INFINITY,
        fastest: 0.0,
        least_sum: f64::INFINITY,
    };

    /// Adds a row: its newest entry, the one before, and its sum.
    #[inline]
    pub fn add(&mut self, new: f64, old: f64, sum: f64) {
        self.min = self.min.min(new);
        self.max = self.max.max(new);
        if new != 0.0 || old != 0.0 {
            let ratio = new / old;
            self.slowest = self.slowest.min(ratio);
            self.fastest = self.fastest.max(ratio);
        }
        self.least_sum = least(self.least_sum, sum);
    }
}

/// The lesser of two; NaN where one is.
pub(super) fn least(a: f64, b: f64) -> f64 {
    if b < a || b.is_nan() { b } else { a }
}

/// The rows whose sums are accumulated.
#[derive(Clone, Copy, Debug)]
pub(super) enum SummedRows<'a> {
    /// Of one sequence of coefficients, for all rows.
    Whole,
    /// Of several sequences, for these rows (increasing).
    Rows(&'a [u32]),
}

/// Operations of a series on its vectors.
pub(super) trait Vectors {
    /// Makes up to `count` multiplications, of which the first gives the vector that goes with coefficient `first`, and adds
    /// each vector to the sums of the active sequences. Returns how many were made: fewer than requested only where the work
    /// is to stop.
    fn advance(&mut self, active: &[usize], first: u64, count: u64) -> Result<u64, Error>;

    /// Extremes of the newest vector, and of its entries over those of the one before.
    fn spread(&mut self) -> Result<Spread, Error>;

    /// Whether every entry differs by less than `epsilon` from the one before.
    fn changes_little(&mut self, epsilon: f64, relative: bool) -> Result<bool, Error>;

    /// Entries of the newest vector: of these rows, or of all.
    fn newest(&mut self, rows: Option<&[u32]>) -> Result<Vec<f64>, Error>;

    /// Entries of a sum: those at these positions among the rows that are kept, or all.
    fn sum(&mut self, sequence: usize, positions: Option<&[u32]>) -> Result<Vec<f64>, Error>;
}

/// The sums after the first vector: each coefficient times its entry.
fn first_sums(x: &[f64], coefficients: &[Coefficients], kept: SummedRows<'_>) -> Vec<Vec<f64>> {
    let of = |c: &Coefficients| match kept {
        SummedRows::Whole => x.iter().map(|&v| c.get(0) * v).collect(),
        SummedRows::Rows(rows) => rows.iter().map(|&row| c.get(0) * x[row as usize]).collect(),
    };
    coefficients.iter().map(of).collect()
}
