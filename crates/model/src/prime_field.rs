//! Arithmetic modulo a prime of 61 bits, in which identities of rational functions are tested.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// A Mersenne prime.
pub const PRIME: u64 = (1 << 61) - 1;

/// A number modulo the prime. `None` if the prime divides its denominator.
pub fn residue(number: &RBig) -> Option<u64> {
    let prime = IBig::from(PRIME);
    let top = number.numerator() % &prime;
    let top = if top < IBig::ZERO { top + &prime } else { top };
    let bottom = number.denominator() % UBig::from(PRIME);
    let (top, bottom) = (u64::try_from(top).ok()?, u64::try_from(bottom).ok()?);
    (bottom != 0).then(|| times(top, inverse(bottom)))
}

/// The sum of two residues.
pub fn plus(a: u64, b: u64) -> u64 {
    (a + b) % PRIME
}

/// The difference of two residues.
pub fn minus(a: u64, b: u64) -> u64 {
    (a + PRIME - b) % PRIME
}

/// The product of two residues.
pub fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

/// A residue to the power of a whole number.
pub fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

/// The residue whose product with another one, which is not 0, is 1 (Fermat).
pub fn inverse(a: u64) -> u64 {
    power(a, PRIME - 2)
}
