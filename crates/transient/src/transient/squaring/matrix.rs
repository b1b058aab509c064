//! Matrices of non-negative numbers of some 106 bits, each a sum of two doubles.
//!
//! Sums and products of non-negative numbers keep their relative precision: a sum of products is off by at most
//! [`PER_TERM`] for each of its terms (M. Joldes, J.-M. Muller, V. Popescu, *Tight and rigorous error bounds for basic building
//! blocks of double-word arithmetic*, ACM TOMS 44, 2017: below 16 squared units of roundoff for a product and a sum), as long as
//! nothing is below the normal range.

use crate::transient::implicit::Twofold;

/// Relative error of a product and its addition to a sum.
pub const PER_TERM: f64 = 1.0 / (1u128 << 102) as f64;

/// Smaller entries become zero.
pub const FLUSH: f64 = 1e-304;

/// A dense matrix, row by row; leading parts of the entries apart from the rest.
#[derive(Clone, Debug)]
pub struct Matrix {
    width: usize,
    high: Vec<f64>,
    low: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, width: usize) -> Self {
        Matrix { width, high: vec![0.0; rows * width], low: vec![0.0; rows * width] }
    }

    /// The identity.
    pub fn identity(size: usize) -> Self {
        let mut matrix = Matrix::zeros(size, size);
        (0..size).for_each(|i| matrix.high[i * size + i] = 1.0);
        matrix
    }

    /// Of doubles.
    pub fn of(width: usize, values: &[f64]) -> Self {
        Matrix { width, high: values.to_vec(), low: vec![0.0; values.len()] }
    }

    /// A column as a row.
    pub fn into_row(self) -> Self {
        Matrix { width: self.high.len(), ..self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.high.len().checked_div(self.width).unwrap_or(0)
    }

    /// An entry.
    pub fn get(&self, row: usize, column: usize) -> Twofold {
        let at = row * self.width + column;
        Twofold { high: self.high[at], low: self.low[at] }
    }

    /// The leading parts of a row, and the rest of them.
    pub fn row(&self, row: usize) -> [&[f64]; 2] {
        let range = row * self.width..(row + 1) * self.width;
        [&self.high[range.clone()], &self.low[range]]
    }

    /// Leading parts of all entries.
    pub fn high(&self) -> &[f64] {
        &self.high
    }

    /// The largest sum of a row, rounded up.
    pub fn norm(&self) -> f64 {
        let sums = self.high.chunks(self.width.max(1)).map(|row| row.iter().sum::<f64>());
        sums.fold(0.0, f64::max) * (1.0 + 1e-10)
    }

    /// One row becomes the sum of these multiples of rows of another matrix; tiny entries become zero.
    pub fn combine(&mut self, row: usize, factors: impl Iterator<Item = (usize, Twofold)>, other: &Matrix) {
        let range = row * self.width..(row + 1) * self.width;
        let (high, low) = (&mut self.high[range.clone()], &mut self.low[range]);
        high.fill(0.0);
        low.fill(0.0);
        for (from, factor) in factors.filter(|f| f.1.high != 0.0) {
            let [other_high, other_low] = other.row(from);
            add_multiple(high, low, factor, other_high, other_low);
        }
        for (high, low) in high.iter_mut().zip(low) {
            if *high < FLUSH {
                (*high, *low) = (0.0, 0.0);
            }
        }
    }

    /// Adds a multiple of another matrix.
    pub fn add_multiple(&mut self, factor: Twofold, other: &Matrix) {
        add_multiple(&mut self.high, &mut self.low, factor, &other.high, &other.low);
    }
}

/// Adds a multiple of a row to another one, with the widest registers of this processor.
fn add_multiple(high: &mut [f64], low: &mut [f64], factor: Twofold, other_high: &[f64], other_low: &[f64]) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            let to = high.iter_mut().zip(low.iter_mut());
            let other = other_high.iter().zip(other_low);
            to.zip(other).for_each(
                #[inline(always)]
                |((high, low), (&other_high, &other_low))| {
                    let product = factor.high * other_high;
                    let rest = factor.high.mul_add(other_high, -product)
                        + (factor.high * other_low + factor.low * other_high);
                    let sum = *high + product;
                    let back = sum - *high;
                    let rest = ((*high - (sum - back)) + (product - back)) + (*low + rest);
                    *high = sum + rest;
                    *low = rest - (*high - sum);
                },
            );
        },
    );
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;
    use volvelle_reference::{Random, exact};

    use super::*;

    #[test]
    fn products_keep_a_hundred_bits() {
        let mut random = Random(3);
        let n = 9;
        let mut number =
            || (1 + random.below(1 << 30)) as f64 / 3.0 * 2f64.powi(random.below(60) as i32 - 30);
        let numbers: Vec<f64> = (0..4 * n * n).map(|_| number()).collect();
        let of = |at: usize| Matrix {
            width: n,
            high: numbers[at * n * n..(at + 1) * n * n].to_vec(),
            low: numbers[at * n * n..(at + 1) * n * n].iter().map(|v| v * 0.7 * 2f64.powi(-54)).collect(),
        };
        let (a, b) = (of(0), of(1));
        let mut c = Matrix::zeros(n, n);
        (0..n).for_each(|i| c.combine(i, (0..n).map(|k| (k, a.get(i, k))), &b));
        let value = |m: &Matrix, i: usize, j: usize| exact(m.get(i, j).high) + exact(m.get(i, j).low);
        for i in 0..n {
            for j in 0..n {
                let truth = (0..n).fold(RBig::ZERO, |sum, k| sum + value(&a, i, k) * value(&b, k, j));
                let off = ((value(&c, i, j) - &truth) / truth).to_f64().value().abs();
                assert!(off <= n as f64 * PER_TERM, "{i} {j}: {off:e}");
            }
        }
    }
}
