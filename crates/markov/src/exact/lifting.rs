//! Linear systems of integers, solved exactly: p-adic lifting.
//!
//! Dixon, *Exact solution of linear equations using p-adic expansions*, Numerische Mathematik 40 (1982): with sparse
//! factors of the matrix modulo one prime, each round of substitution gives one more p-adic digit of all unknowns. No
//! rational number occurs before the end, so nothing grows on the way but the digits of the solution.
//!
//! A common denominator `d` of the unknowns is guessed by rational reconstruction (Wang 1981) from a few of them. With
//! k digits, the numerators are `d x mod p^k`, taken between `-p^k/2` and `p^k/2`. The guess is *verified*: if in
//! every row `|d b| + Σ |a| |numerator| < p^k`, then `A numerators = d b` holds not only modulo `p^k` but over the
//! integers. If not, more digits are computed.

use super::factors::{Factors, Unfit};
use super::modular::{Modulus, PRIMES};
use crate::error::CheckError;
use dashu_int::ops::{Abs, DivRem, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use volvelle_control::Control;

/// Rows of a sparse matrix of integers; columns increase within a row.
pub type Matrix = Vec<Vec<(u32, IBig)>>;

/// Digits with which reconstruction is tried first.
const FIRST_ATTEMPT: usize = 4;

/// Digits of all unknowns together that are too many.
const MOST_DIGITS: usize = 1 << 27;

/// Entries below this many bits are multiplied in machine words.
const SMALL_BITS: u32 = 40;

/// Solves `matrix x = right`. The matrix must be regular, with diagonal pivots in any order.
pub fn solve(matrix: &Matrix, right: &[IBig], control: &Control<'_>) -> Result<Vec<RBig>, CheckError> {
    for prime in PRIMES {
        let modulus = Modulus(prime);
        let residues =
            matrix.iter().map(|row| row.iter().map(|(j, a)| (*j, modulus.residue(a))).collect()).collect();
        match Factors::new(residues, modulus, control) {
            Ok(factors) => return lift(matrix, right, &factors, modulus, control),
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

fn lift(
    matrix: &Matrix,
    right: &[IBig],
    factors: &Factors,
    modulus: Modulus,
    control: &Control<'_>,
) -> Result<Vec<RBig>, CheckError> {
    let n = right.len();
    let words: Option<Vec<Vec<(u32, i64)>>> = small(matrix);
    let mut rest = right.to_vec();
    // digits[k * n + i] is digit k of unknown i.
    let mut digits: Vec<u64> = Vec::new();
    let (mut count, mut attempt) = (0, FIRST_ATTEMPT);
    let mut digit = vec![0u64; n];
    let prime = IBig::from(modulus.0);
    loop {
        while count < attempt {
            for (digit, rest) in digit.iter_mut().zip(&rest) {
                *digit = modulus.residue(rest);
            }
            factors.solve(&mut digit);
            for (i, rest) in rest.iter_mut().enumerate() {
                let product = match &words {
                    Some(words) => {
                        let terms = words[i].iter().map(|&(j, a)| i128::from(a) * i128::from(digit[j as usize]));
                        IBig::from(terms.sum::<i128>())
                    }
                    None => matrix[i].iter().map(|(j, a)| a * IBig::from(digit[*j as usize])).sum(),
                };
                *rest = (&*rest - product) / &prime;
            }
            digits.extend_from_slice(&digit);
            count += 1;
            if count % 8 == 0 {
                control.check()?;
                control.check_memory(8 * digits.len() as u64)?;
            }
            if rest.iter().all(|r| *r == IBig::ZERO) {
                // The unknowns are integers, not negative, and all digits are known.
                return Ok((0..n).map(|i| RBig::from(IBig::from(number(&digits, n, i, modulus)))).collect());
            }
        }
        if let Some(solution) = reconstruct(matrix, right, &digits, modulus) {
            return Ok(solution);
        }
        if digits.len() > MOST_DIGITS {
            let what = format!("a result with more than {} digits", count * 9);
            return Err(CheckError::TooLargeExactly { what });
        }
        control.check()?;
        attempt = count + count / 2;
    }
}

/// The matrix with entries of machine words, if sums of products with digits fit into 128 bits.
fn small(matrix: &Matrix) -> Option<Vec<Vec<(u32, i64)>>> {
    let limit = 1i64 << SMALL_BITS;
    let entry = |(j, a): &(u32, IBig)| {
        let a = i64::try_from(a).ok()?;
        (a.abs() < limit).then_some((*j, a))
    };
    matrix.iter().map(|row| row.iter().map(entry).collect()).collect()
}

/// The number that the digits of an unknown stand for, by halves.
fn number(digits: &[u64], n: usize, i: usize, modulus: Modulus) -> UBig {
    let mut level: Vec<UBig> = (0..digits.len() / n).map(|k| UBig::from(digits[k * n + i])).collect();
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

fn reconstruct(matrix: &Matrix, right: &[IBig], digits: &[u64], modulus: Modulus) -> Option<Vec<RBig>> {
    let n = right.len();
    let whole = IBig::from(UBig::from(modulus.0).pow(digits.len() / n));
    // Numerator and denominator that are found are unique up to this size.
    let bound = sqrt(&(&whole >> 1));
    let mut common = IBig::ONE;
    let mut numerators: Vec<IBig> = Vec::with_capacity(n);
    for i in 0..n {
        let residue = IBig::from(number(digits, n, i, modulus));
        let mut scaled = centred(&residue * &common, &whole);
        if scaled.clone().abs() > bound {
            let (_, denominator) = fraction(&scaled, &whole, &bound)?;
            scaled = centred(&scaled * &denominator, &whole);
            common = common * &denominator;
            if common > bound {
                return None;
            }
            numerators.iter_mut().for_each(|earlier| *earlier = &*earlier * &denominator);
        }
        numerators.push(scaled);
    }
    let sizes: Vec<IBig> = numerators.iter().map(|x| x.clone().abs()).collect();
    for (row, b) in matrix.iter().zip(right) {
        let sum: IBig = row.iter().map(|(j, a)| a.clone().abs() * &sizes[*j as usize]).sum();
        if sum + b.clone().abs() * &common >= whole {
            return None;
        }
    }
    let denominator = common.unsigned_abs();
    Some(numerators.into_iter().map(|x| RBig::from_parts(x, denominator.clone())).collect())
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

/// Numerator and positive denominator, both at most `bound`, of a fraction with this residue modulo `whole`, by the
/// extended Euclidean algorithm stopped half-way.
fn fraction(residue: &IBig, whole: &IBig, bound: &IBig) -> Option<(IBig, IBig)> {
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
    if t1 == IBig::ZERO || t1.clone().abs() > *bound {
        return None;
    }
    Some(if t1 < IBig::ZERO { (-r1, -t1) } else { (r1, t1) })
}

/// A little less than the square root, but no less than half of it.
fn sqrt(value: &IBig) -> IBig {
    use dashu_int::ops::BitTest;
    let bits = value.clone().unsigned_abs().bit_len();
    IBig::ONE << ((bits - 1) / 2)
}
