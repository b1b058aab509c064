//! Arithmetic modulo a prime of at most 61 bits.

use dashu_int::ops::DivRem;
use dashu_int::{IBig, UBig};

/// Primes to try, one after the other: the first one is a Mersenne prime, whose residues come cheaply.
pub const PRIMES: [u64; 4] =
    [(1 << 61) - 1, 2_305_843_009_213_693_921, 2_305_843_009_213_693_907, 2_305_843_009_213_693_723];

/// A prime modulus.
#[derive(Clone, Copy, Debug)]
pub struct Modulus(pub u64);

impl Modulus {
    /// `a - b`
    #[inline]
    pub fn sub(self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.0 - b }
    }

    /// `a * b`
    #[inline]
    pub fn mul(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        if self.0 == PRIMES[0] {
            let folded = (product as u64 & self.0) + (product >> 61) as u64;
            if folded >= self.0 { folded - self.0 } else { folded }
        } else {
            (product % u128::from(self.0)) as u64
        }
    }

    /// `row += factor * other`
    pub fn add_multiple(self, row: &mut [u64], factor: u64, other: &[u64]) {
        let p = self.0;
        if p == PRIMES[0] {
            for (entry, &x) in row.iter_mut().zip(other) {
                let value = u128::from(factor) * u128::from(x) + u128::from(*entry);
                let folded = (value as u64 & p) + (value >> 61) as u64;
                *entry = if folded >= p { folded - p } else { folded };
            }
        } else {
            for (entry, &x) in row.iter_mut().zip(other) {
                *entry = ((u128::from(factor) * u128::from(x) + u128::from(*entry)) % u128::from(p)) as u64;
            }
        }
    }

    /// `1 / a`, by Fermat; `a` is not zero.
    pub fn inverse(self, a: u64) -> u64 {
        let (mut power, mut exponent, mut result) = (a, self.0 - 2, 1u64);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, power);
            }
            power = self.mul(power, power);
            exponent >>= 1;
        }
        result
    }

    /// The residue of an integer of 128 bits.
    #[inline]
    pub fn residue_of_i128(self, value: i128) -> u64 {
        let magnitude = value.unsigned_abs();
        let rest = if self.0 == PRIMES[0] {
            let mask = u128::from(self.0);
            let folded = (magnitude & mask) + (magnitude >> 61 & mask) + (magnitude >> 122);
            (folded % mask) as u64
        } else {
            (magnitude % u128::from(self.0)) as u64
        };
        if value < 0 && rest > 0 { self.0 - rest } else { rest }
    }

    /// The residue of an integer.
    pub fn residue(self, value: &IBig) -> u64 {
        if let Ok(small) = i64::try_from(value) {
            return small.rem_euclid(self.0 as i64) as u64;
        }
        let (negative, magnitude) = (*value < IBig::ZERO, value.clone().into_parts().1);
        let (_, rest): (UBig, u64) = magnitude.div_rem(self.0);
        if negative && rest > 0 { self.0 - rest } else { rest }
    }
}

#[cfg(test)]
mod tests {
    use super::{Modulus, PRIMES};
    use dashu_int::IBig;

    #[test]
    fn the_primes_are_primes() {
        // Miller and Rabin with bases that decide all numbers of 64 bits.
        for p in PRIMES {
            let m = Modulus(p);
            let (mut odd, mut twos) = (p - 1, 0);
            while odd % 2 == 0 {
                odd /= 2;
                twos += 1;
            }
            for base in [2u64, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37] {
                let (mut x, mut power, mut e) = (1u64, base, odd);
                while e > 0 {
                    if e & 1 == 1 {
                        x = m.mul(x, power);
                    }
                    power = m.mul(power, power);
                    e >>= 1;
                }
                let mut passes = x == 1 || x == p - 1;
                for _ in 1..twos {
                    x = m.mul(x, x);
                    passes |= x == p - 1;
                }
                assert!(passes, "{p} is not prime");
            }
        }
    }

    #[test]
    fn a_field() {
        for p in PRIMES {
            let m = Modulus(p);
            for a in [1u64, 2, 3, 12_345_678_901, p - 1, p / 2] {
                let a = a % p;
                assert_eq!(m.mul(a, m.inverse(a)), 1);
                let mut row = [p - 1, 0];
                m.add_multiple(&mut row, a, &[p - 1, p - 1]);
                assert_eq!(row, [m.sub(m.mul(a, p - 1), 1), m.mul(a, p - 1)]);
                assert_eq!(m.sub(m.sub(a, p - 1), m.sub(0, p - 1)), a);
            }
            let large = IBig::from(p) * IBig::from(i64::MAX) - IBig::from(5);
            assert_eq!(m.residue(&large), p - 5);
            assert_eq!(m.residue(&-large), 5);
            assert_eq!(m.residue(&IBig::from(-3)), p - 3);
            for value in [0, 5, -5, i128::MAX, i128::MIN, i128::from(p), -i128::from(p) * 12_345_678_901] {
                assert_eq!(m.residue_of_i128(value), m.residue(&IBig::from(value)), "{value}");
            }
        }
    }
}
