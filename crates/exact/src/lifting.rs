//! Linear systems of integers, solved exactly: p-adic lifting.
//!
//! Dixon, *Exact solution of linear equations using p-adic expansions*, Numerische Mathematik 40 (1982): with sparse
//! factors of the matrix modulo one prime, each round of substitution gives one more p-adic digit of all unknowns. No
//! rational number occurs before the end, so nothing grows on the way.
//!
//! Two passes. The first computes digits until a common denominator `d` of the unknowns shows: by rational
//! reconstruction (Wang 1981) of a few random combinations of them, of which alone the digits are kept. The second
//! computes the digits of `d x`, whose entries are integers if the guess was right. This is *verified*: when the
//! residual of the expansion is zero, or when in every row `|d b| + Σ |a| |numerator| < p^k` for k digits, then
//! `A numerators = d b` holds over the integers. If not, the guess misses a factor, which further passes find.

use crate::factors::{Factors, Unfit};
use crate::modular::{Modulus, PRIMES};
use crate::residual::{Matrix, Residual};
use dashu_int::ops::{Abs, BitTest, DivRem, UnsignedAbs};
use dashu_int::{IBig, UBig};
use volvelle_control::Control;
use volvelle_solver::CheckError;

/// Digits with which reconstruction is tried first.
const FIRST_ATTEMPT: usize = 4;

/// Limit on the digits of all unknowns together.
const MOST_DIGITS: usize = 1 << 29;

/// Number of random combinations whose denominators are reconstructed.
const COMBINATIONS: usize = 6;

/// Bits by which a reconstructed fraction is shorter than it could be, so that none is found by chance.
const SLACK_BITS: usize = 64;

/// Unknowns with their common denominator.
#[derive(Clone, Debug)]
pub struct Solution {
    /// One for each unknown; not reduced.
    pub numerators: Vec<IBig>,
    /// The common denominator of all unknowns.
    pub denominator: UBig,
}

/// Solves `matrix x = right`. The matrix must be regular, with diagonal pivots in any order.
pub fn solve(matrix: &Matrix, right: &[IBig], control: &Control<'_>) -> Result<Solution, CheckError> {
    for prime in PRIMES {
        let modulus = Modulus(prime);
        let residues =
            matrix.iter().map(|row| row.iter().map(|(j, a)| (*j, modulus.residue(a))).collect()).collect();
        match Factors::new(residues, modulus, control) {
            Ok(factors) => return Lifting { matrix, right, factors, modulus, control }.solve(),
            Err(Unfit::Prime) => {}
            Err(Unfit::Dense) => {
                let what = "a system of equations whose elimination has too much fill-in".to_string();
                return Err(CheckError::TooLargeExactly { what });
            }
            Err(Unfit::Stopped(stop)) => return Err(stop.into()),
        }
    }
    Err(CheckError::TooLargeExactly { what: "a system of equations without pivots".to_string() })
}

struct Lifting<'a> {
    matrix: &'a Matrix,
    right: &'a [IBig],
    factors: Factors,
    modulus: Modulus,
    control: &'a Control<'a>,
}

impl Lifting<'_> {
    fn solve(&self) -> Result<Solution, CheckError> {
        if self.right.iter().all(|b| *b == IBig::ZERO) {
            return Ok(Solution { numerators: self.right.to_vec(), denominator: UBig::ONE });
        }
        let mut common = UBig::ONE;
        for pass in 0.. {
            let (factor, digits) = self.denominator(&common, pass)?;
            common *= factor;
            if let Some(numerators) = self.numerators(&common, digits)? {
                return Ok(Solution { numerators, denominator: common });
            }
        }
        unreachable!("the passes go on until one of them returns")
    }

    /// A denominator of the unknowns times `known`, and the digits that it took.
    fn denominator(&self, known: &UBig, pass: u64) -> Result<(UBig, usize), CheckError> {
        let mut lift = Lift::new(self, known);
        let n = self.right.len();
        let weights: Vec<u64> =
            (0..(COMBINATIONS * n) as u64).map(|i| random(pass << 40 | i) >> 48).collect();
        let mut combined: Vec<Vec<UBig>> = vec![Vec::new(); COMBINATIONS];
        let mut attempt = FIRST_ATTEMPT;
        loop {
            while lift.count < attempt {
                let digit = lift.next()?;
                for (weights, combined) in weights.chunks(n).zip(&mut combined) {
                    let terms = weights.iter().zip(digit).map(|(&w, &x)| u128::from(w) * u128::from(x));
                    combined.push(UBig::from(terms.sum::<u128>()));
                }
            }
            if let Some(found) = self.reconstruct(&combined) {
                return Ok((found, lift.count));
            }
            if lift.count > MOST_DIGITS / n {
                return Err(too_long(lift.count));
            }
            attempt = lift.count + lift.count / 2;
        }
    }

    fn reconstruct(&self, combined: &[Vec<UBig>]) -> Option<UBig> {
        let digits = combined.first().map_or(0, Vec::len);
        let whole = IBig::from(UBig::from(self.modulus.0).pow(digits));
        let bound = root(&(&whole >> (SLACK_BITS + 1)));
        let mut common = IBig::ONE;
        for digits in combined {
            self.control.check().ok()?;
            let value = IBig::from(number(digits.clone(), self.modulus)) % &whole;
            let scaled = centred(value * &common, &whole);
            if scaled.clone().abs() > bound {
                common *= denominator(&scaled, &whole, &bound)?;
                if common > bound {
                    return None;
                }
            }
        }
        Some(common.unsigned_abs())
    }

    /// The unknowns times `common`, if these are integers; `digits` were enough to find it.
    fn numerators(&self, common: &UBig, digits: usize) -> Result<Option<Vec<IBig>>, CheckError> {
        let n = self.right.len();
        let mut lift = Lift::new(self, common);
        let mut all: Vec<u64> = Vec::new();
        for _ in 0..digits + 2 {
            all.extend_from_slice(lift.next()?);
            if lift.count.is_multiple_of(16) {
                self.control.check_memory(8 * all.len() as u64)?;
                if all.len() > MOST_DIGITS {
                    return Err(too_long(lift.count));
                }
            }
            if lift.is_done() {
                break;
            }
        }
        let digits_of = |i: usize| (0..lift.count).map(|k| UBig::from(all[k * n + i])).collect();
        let values = (0..n).map(|i| IBig::from(number(digits_of(i), self.modulus)));
        if lift.is_done() {
            return Ok(Some(values.collect()));
        }
        let whole = IBig::from(UBig::from(self.modulus.0).pow(lift.count));
        let numerators: Vec<IBig> = values.map(|value| centred(value, &whole)).collect();
        Ok(self.fits(&numerators, common, &whole).then_some(numerators))
    }

    /// Whether a congruence modulo `whole` must be an equation.
    fn fits(&self, numerators: &[IBig], common: &UBig, whole: &IBig) -> bool {
        let sizes: Vec<IBig> = numerators.iter().map(|x| x.clone().abs()).collect();
        self.matrix.iter().zip(self.right).all(|(row, b)| {
            let sum: IBig = row.iter().map(|(j, a)| a.clone().abs() * &sizes[*j as usize]).sum();
            sum + b.clone().abs() * IBig::from(common.clone()) < *whole
        })
    }
}

fn too_long(digits: usize) -> CheckError {
    CheckError::TooLargeExactly { what: format!("a result with more than {} digits", digits * 9) }
}

/// The expansion of `multiplier * x`, digit by digit.
struct Lift<'a> {
    lifting: &'a Lifting<'a>,
    /// Digits of the multiplier, so that the residual stays small.
    multiplier: Vec<u64>,
    residual: Residual,
    digit: Vec<u64>,
    count: usize,
}

impl<'a> Lift<'a> {
    fn new(lifting: &'a Lifting<'a>, multiplier: &UBig) -> Self {
        let mut multiplier = digits(multiplier, lifting.modulus);
        let residual = Residual::new(lifting.matrix, lifting.right, multiplier[0], lifting.modulus);
        // The first digit is in already.
        multiplier.remove(0);
        Lift { lifting, multiplier, residual, digit: vec![0; lifting.right.len()], count: 0 }
    }

    fn next(&mut self) -> Result<&[u64], CheckError> {
        self.residual.residues(&mut self.digit);
        self.lifting.factors.solve(&mut self.digit);
        let more = self.multiplier.get(self.count).copied().unwrap_or(0);
        self.residual.advance(self.lifting.matrix, self.lifting.right, &self.digit, more);
        self.count += 1;
        if self.count.is_multiple_of(8) {
            self.lifting.control.check()?;
        }
        Ok(&self.digit)
    }

    /// Whether all further digits are zero.
    fn is_done(&self) -> bool {
        self.count >= self.multiplier.len() && self.residual.is_zero()
    }
}

/// A pseudo-random number (SplitMix64).
fn random(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The number that digits stand for, lowest first, by halves. Digits may be larger than the base.
fn number(mut level: Vec<UBig>, modulus: Modulus) -> UBig {
    let mut base = UBig::from(modulus.0);
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [low, high] => low + high * &base,
                _ => pair[0].clone(),
            })
            .collect();
        base = &base * &base;
    }
    level.pop().unwrap_or(UBig::ZERO)
}

/// The digits of a number, lowest first; at least one.
fn digits(value: &UBig, modulus: Modulus) -> Vec<u64> {
    let mut digits = Vec::new();
    let mut rest = value.clone();
    while rest != UBig::ZERO || digits.is_empty() {
        let (quotient, digit): (UBig, u64) = rest.div_rem(modulus.0);
        digits.push(digit);
        rest = quotient;
    }
    digits
}

/// The remainder between minus half and half of the divisor.
fn centred(value: IBig, whole: &IBig) -> IBig {
    let rest = value % whole;
    let half: IBig = whole >> 1;
    if rest > half {
        rest - whole
    } else if rest < -half {
        rest + whole
    } else {
        rest
    }
}

/// The denominator of a fraction with this residue modulo `whole`, whose numerator and denominator are at most
/// `bound`: by the extended Euclidean algorithm stopped half-way.
fn denominator(residue: &IBig, whole: &IBig, bound: &IBig) -> Option<IBig> {
    let (mut r0, mut r1) = (whole.clone(), residue.clone());
    if r1 < IBig::ZERO {
        r1 += whole;
    }
    let (mut t0, mut t1) = (IBig::ZERO, IBig::ONE);
    while r1 > *bound {
        let (quotient, r2) = (&r0).div_rem(&r1);
        let t2 = t0 - quotient * &t1;
        (r0, r1) = (r1, r2);
        (t0, t1) = (t1, t2);
    }
    let size = t1.abs();
    (size != IBig::ZERO && size <= *bound).then_some(size)
}

/// A power of two, at most the square root and more than half of it.
fn root(value: &IBig) -> IBig {
    IBig::ONE << ((value.clone().unsigned_abs().bit_len().max(1) - 1) / 2)
}

#[cfg(test)]
mod tests;
