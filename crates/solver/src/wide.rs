//! Numbers that are not negative and have an exponent of their own, for elimination where doubles overflow or underflow.
//!
//! A [`Wide`] is a double between one and two times a power of two. Sums, products and quotients are rounded once each, as those of
//! doubles are, but never leave the range: the exponent has 64 bits. So the error bounds of an elimination hold
//! without a condition. [`Number`] is what elimination needs of either kind.

use std::ops::{Add, AddAssign, Div, Mul};

use crate::rounding::Sum;

/// Numbers that are not negative: doubles, or [`Wide`].
pub trait Number:
    Copy
    + std::fmt::Debug
    + Default
    + PartialOrd
    + Add<Output = Self>
    + AddAssign
    + Mul<Output = Self>
    + Div<Output = Self>
    + Send
{
    /// A sum that is off by two roundings however many terms it has.
    type Total: Total<Self>;

    /// The number that a double is.
    fn of(value: f64) -> Self;

    /// The nearest double.
    fn to_f64(self) -> f64;

    /// Whether a product of positive numbers may have lost digits, or a sum is about to overflow.
    fn leaves_range(self) -> bool;
}

/// A sum under way.
pub trait Total<N>: Default {
    /// Adds a number.
    fn add(&mut self, value: N);

    /// The sum so far.
    fn value(&self) -> N;
}

/// Where sums of doubles end, and products below which digits may be lost: far from the ends of the range, since factors may be large.
const LARGE: f64 = 1e250;
const SMALL: f64 = 1e-250;

impl Number for f64 {
    type Total = Sum;

    #[inline]
    fn of(value: f64) -> Self {
        value
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline]
    fn leaves_range(self) -> bool {
        // Also what is no number.
        !(SMALL..=LARGE).contains(&self)
    }
}

impl Total<f64> for Sum {
    #[inline]
    fn add(&mut self, value: f64) {
        Sum::add(self, value);
    }

    #[inline]
    fn value(&self) -> f64 {
        Sum::value(*self)
    }
}

/// A number that is not negative: a mantissa in `1..2` times a power of two, or zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wide {
    mantissa: f64,
    exponent: i64,
}

/// Terms that are smaller than another one by more powers of two than this do not change a sum.
const NEGLIGIBLE: i64 = 200;

/// In place of an infinity: no product or quotient of doubles is near it.
const ENDLESS: Wide = Wide { mantissa: 1.0, exponent: 1 << 60 };

/// A power of two between the least and the greatest normal double.
#[inline]
fn power(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Wide {
    /// A double times a power of two; of what is negative or no number, zero; of an infinity, more than any double in all that it enters.
    #[inline]
    fn scaled(value: f64, exponent: i64) -> Self {
        if value.is_nan() || value <= 0.0 {
            return Wide::default();
        }
        if value == f64::INFINITY {
            return ENDLESS;
        }
        // Denormal numbers have no exponent of their own.
        let (value, exponent) =
            if value < f64::MIN_POSITIVE { (value * power(100), exponent - 100) } else { (value, exponent) };
        let bits = value.to_bits();
        let own = (bits >> 52) as i64 - 1023;
        Wide { mantissa: f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52), exponent: exponent + own }
    }
}

impl Number for Wide {
    type Total = WideTotal;

    #[inline]
    fn of(value: f64) -> Self {
        Wide::scaled(value, 0)
    }

    /// Infinite or zero where there is no such double.
    #[inline]
    fn to_f64(self) -> f64 {
        match self.exponent {
            _ if self.mantissa == 0.0 => 0.0,
            -1022..=1023 => self.mantissa * power(self.exponent),
            // By two steps, through denormal numbers.
            -1100..-1022 => self.mantissa * power(self.exponent + 200) * power(-200),
            1024.. => f64::INFINITY,
            _ => 0.0,
        }
    }

    #[inline]
    fn leaves_range(self) -> bool {
        false
    }
}

impl PartialOrd for Wide {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        let key = |number: &Wide| if number.mantissa == 0.0 { i64::MIN } else { number.exponent };
        Some(key(self).cmp(&key(other)).then(self.mantissa.total_cmp(&other.mantissa)))
    }
}

impl Add for Wide {
    type Output = Wide;

    #[inline]
    fn add(self, other: Wide) -> Wide {
        let (large, small) = if self < other { (other, self) } else { (self, other) };
        let distance = large.exponent - small.exponent;
        if small.mantissa == 0.0 || distance > NEGLIGIBLE {
            return large;
        }
        Wide::scaled(large.mantissa + small.mantissa * power(-distance), large.exponent)
    }
}

impl AddAssign for Wide {
    #[inline]
    fn add_assign(&mut self, other: Wide) {
        *self = *self + other;
    }
}

impl Mul for Wide {
    type Output = Wide;

    #[inline]
    fn mul(self, other: Wide) -> Wide {
        Wide::scaled(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

impl Div for Wide {
    type Output = Wide;

    /// The quotient by a number that is not zero.
    #[inline]
    fn div(self, other: Wide) -> Wide {
        Wide::scaled(self.mantissa / other.mantissa, self.exponent - other.exponent)
    }
}

/// A compensated sum of [`Wide`] numbers, relative to the power of two of the largest term.
#[derive(Clone, Copy, Debug, Default)]
pub struct WideTotal {
    sum: Sum,
    exponent: i64,
    is_begun: bool,
}

impl Total<Wide> for WideTotal {
    #[inline]
    fn add(&mut self, value: Wide) {
        if value.mantissa == 0.0 {
            return;
        }
        if !self.is_begun {
            *self = WideTotal { exponent: value.exponent, is_begun: true, ..*self };
        }
        let distance = value.exponent - self.exponent;
        if distance > 0 {
            // What is negligible beside the new term, or is scaled without a rounding.
            match distance > 2 * NEGLIGIBLE {
                true => self.sum = Sum::default(),
                false => self.sum = self.sum.times(power(-distance)),
            }
            self.exponent = value.exponent;
        }
        if distance > -2 * NEGLIGIBLE {
            self.sum.add(value.mantissa * power(distance.min(0)));
        }
    }

    #[inline]
    fn value(&self) -> Wide {
        Wide::scaled(self.sum.value(), self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;
    use volvelle_reference::Random;

    /// A double of any exponent, also a denormal one.
    fn number(random: &mut Random) -> f64 {
        let mantissa = 1.0 + random.below(1 << 30) as f64 / (1u64 << 30) as f64;
        match random.below(8) {
            0 => 0.0,
            1 => f64::from_bits(1 + random.below(1 << 20) as u64),
            _ => mantissa * power(random.below(2000) as i64 - 1000),
        }
    }

    fn exact(wide: Wide) -> RBig {
        let two = RBig::from(2u8);
        let mantissa = RBig::try_from(wide.mantissa).unwrap();
        let scale = RBig::from(two.numerator().clone().pow(wide.exponent.unsigned_abs() as usize));
        if wide.exponent < 0 { mantissa / scale } else { mantissa * scale }
    }

    fn is_near(wide: Wide, truth: &RBig, roundings: f64) -> bool {
        let error = RBig::try_from(roundings * f64::EPSILON / 2.0).unwrap() * truth;
        let found = exact(wide);
        &found - truth <= error && truth - &found <= error
    }

    #[test]
    fn attack_one_rounding_for_each_operation() {
        let mut random = Random(11);
        for _ in volvelle_random::attack_cases(400) {
            let (a, b, c) = (number(&mut random), number(&mut random), number(&mut random));
            let [x, y, z] = [a, b, c].map(Wide::of);
            let [p, q, r] = [a, b, c].map(|v| RBig::try_from(v).unwrap());
            assert_eq!((exact(x), x.to_f64()), (p.clone(), a));
            assert!(is_near(x + y, &(&p + &q), 1.001), "{a:e} + {b:e}");
            assert!(is_near(x * y * z, &(&p * &q * &r), 2.001), "{a:e} {b:e} {c:e}");
            if b > 0.0 {
                assert!(is_near(x / y, &(&p / &q), 1.001), "{a:e} / {b:e}");
            }
            assert_eq!(x.partial_cmp(&y), a.partial_cmp(&b));
            let terms: Vec<f64> = (0..20).map(|_| number(&mut random)).collect();
            let truth: RBig =
                terms.iter().map(|&v| RBig::try_from(v).unwrap()).fold(RBig::ZERO, |s, v| s + v);
            let mut sum = WideTotal::default();
            terms.iter().for_each(|&v| sum.add(Wide::of(v) * z));
            assert!(is_near(sum.value(), &(truth * &r), 4.0), "{terms:?}");
        }
    }

    #[test]
    fn far_beyond_doubles_and_back() {
        let third = Wide::of(1.0) / Wide::of(3.0);
        let mut power = Wide::of(1.0);
        for _ in 0..100_000 {
            power = power * third;
        }
        assert_eq!(power.to_f64(), 0.0);
        for _ in 0..100_000 {
            power = power * Wide::of(3.0);
        }
        assert!((power.to_f64() - 1.0).abs() < 1e-10);
        assert_eq!(Wide::of(f64::MAX).to_f64(), f64::MAX);
        assert_eq!((Wide::of(f64::MAX) * Wide::of(2.0)).to_f64(), f64::INFINITY);
        assert_eq!(Wide::of(5e-324).to_f64(), 5e-324);
        assert_eq!((Wide::of(f64::INFINITY) * Wide::of(5e-324) + Wide::of(1.0)).to_f64(), f64::INFINITY);
    }
}
