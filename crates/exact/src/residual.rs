//! The residual of a p-adic expansion: `(right * multiplier - matrix * digits so far) / p^k`.
//!
//! In 128 bits where the entries of the matrix are small, which they are as a rule; else in integers without limit.

use crate::modular::Modulus;
use dashu_int::IBig;

/// Rows of a sparse matrix of integers; columns increase within a row.
pub type Matrix = Vec<Vec<(u32, IBig)>>;

/// Entries below this many bits, in rows of at most 2^20 entries, keep everything within 128 bits.
const SMALL_BITS: u32 = 40;

/// The residual, and the state for updating it.
pub struct Residual {
    modulus: Modulus,
    /// The inverse of the modulus, modulo 2^128: exact division is a multiplication.
    inverse: i128,
    state: State,
}

enum State {
    Small { rows: Vec<Vec<(u32, i64)>>, right: Vec<i64>, rest: Vec<i128> },
    Large { rest: Vec<IBig> },
}

impl Residual {
    /// The right-hand side times the first digit of the multiplier.
    pub fn new(matrix: &Matrix, right: &[IBig], multiplier: u64, modulus: Modulus) -> Self {
        let state = match small(matrix).zip(right.iter().map(narrow).collect::<Option<Vec<i64>>>()) {
            Some((rows, right)) => {
                let rest = right.iter().map(|&b| i128::from(b) * i128::from(multiplier)).collect();
                State::Small { rows, right, rest }
            }
            None => State::Large { rest: right.iter().map(|b| b * IBig::from(multiplier)).collect() },
        };
        // Newton's iteration: each step doubles the bits that are right, from three on.
        let p = i128::from(modulus.0);
        let mut inverse = p;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2i128.wrapping_sub(p.wrapping_mul(inverse)));
        }
        Residual { modulus, inverse, state }
    }

    /// Modulo the prime.
    pub fn residues(&self, out: &mut [u64]) {
        match &self.state {
            State::Small { rest, .. } => {
                for (out, rest) in out.iter_mut().zip(rest) {
                    *out = self.modulus.residue_of_i128(*rest);
                }
            }
            State::Large { rest } => {
                for (out, rest) in out.iter_mut().zip(rest) {
                    *out = self.modulus.residue(rest);
                }
            }
        }
    }

    /// Takes the matrix times a digit of the unknowns off, divides by the prime, and adds the right-hand side times the
    /// next digit of the multiplier.
    pub fn advance(&mut self, matrix: &Matrix, right: &[IBig], digit: &[u64], multiplier: u64) {
        match &mut self.state {
            State::Small { rows, right, rest } => {
                for ((row, &b), rest) in rows.iter().zip(right.iter()).zip(rest) {
                    let terms = row.iter().map(|&(j, a)| i128::from(a) * i128::from(digit[j as usize]));
                    *rest = (*rest - terms.sum::<i128>()).wrapping_mul(self.inverse);
                    *rest += i128::from(b) * i128::from(multiplier);
                }
            }
            State::Large { rest } => {
                let prime = IBig::from(self.modulus.0);
                for ((row, b), rest) in matrix.iter().zip(right).zip(rest) {
                    let product: IBig = row.iter().map(|(j, a)| a * IBig::from(digit[*j as usize])).sum();
                    *rest = (&*rest - product) / &prime;
                    if multiplier != 0 {
                        *rest += b * IBig::from(multiplier);
                    }
                }
            }
        }
    }

    /// Whether nothing is left.
    pub fn is_zero(&self) -> bool {
        match &self.state {
            State::Small { rest, .. } => rest.iter().all(|&r| r == 0),
            State::Large { rest } => rest.iter().all(|r| *r == IBig::ZERO),
        }
    }
}

fn narrow(value: &IBig) -> Option<i64> {
    i64::try_from(value).ok().filter(|value| value.unsigned_abs() < 1 << SMALL_BITS)
}

/// The matrix with entries of machine words, if sums of products with digits fit into 128 bits.
fn small(matrix: &Matrix) -> Option<Vec<Vec<(u32, i64)>>> {
    let entry = |(j, a): &(u32, IBig)| Some((*j, narrow(a)?));
    let row = |row: &Vec<(u32, IBig)>| {
        if row.len() > 1 << 20 { None } else { row.iter().map(entry).collect() }
    };
    matrix.iter().map(row).collect()
}
