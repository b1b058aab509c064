//! A whole number times a power of ten, as the nearest double.
//!
//! The algorithm of Eisel and Lemire (Lemire 2021, *Number parsing at a gigabyte per second*, doi:10.1002/spe.2984): the
//! product with 128 bits of the power decides, for powers from -27 on without exception (there, section 8). Ties go to
//! the even number.

/// Least power of ten that is computed with.
pub const LEAST_POWER: i64 = -27;

/// How many powers there are: from the least one to zero.
const POWERS: usize = (1 - LEAST_POWER) as usize;

/// The upper 128 bits of `5^-k`, rounded up, with the first bit set; upper and lower half.
const RECIPROCALS: [(u64, u64); POWERS] = reciprocals();

const fn reciprocals() -> [(u64, u64); POWERS] {
    // The power zero is 1.
    let mut all = [(1 << 63, 0); POWERS];
    let mut power: u64 = 1;
    let mut k = 1;
    while k < POWERS {
        power *= 5;
        // 2^(128 + bits - 1) divided by the power, where 2^(bits - 1) < power < 2^bits: digit by digit, of 64 bits.
        let bits = 64 - power.leading_zeros();
        let first = 1u128 << (bits - 1);
        let (upper, rest) = ((first << 64) / power as u128, (first << 64) % power as u128);
        let lower = (rest << 64) / power as u128;
        let (lower, carry) = (lower as u64).overflowing_add(1);
        all[k] = (upper as u64 + carry as u64, lower);
        k += 1;
    }
    all
}

/// `digits * 10^power`, rounded once; `power` from [`LEAST_POWER`] to 0.
#[inline]
pub fn nearest(digits: u64, power: i64) -> f64 {
    debug_assert!((LEAST_POWER..=0).contains(&power));
    if digits == 0 {
        return 0.0;
    }
    let shift = digits.leading_zeros();
    let digits = digits << shift;
    let (upper, lower) = RECIPROCALS[power.unsigned_abs() as usize];
    let mut product = u128::from(digits) * u128::from(upper);
    // The lower half counts where carries could reach the bits that are kept.
    if (product >> 64) as u64 & 0x1ff == 0x1ff {
        product += (u128::from(digits) * u128::from(lower)) >> 64;
    }
    let (high, low) = ((product >> 64) as u64, product as u64);
    let top = (high >> 63) as i64;
    // 54 bits: those of a double, and one to round with.
    let dropped = top + 64 - 55;
    let mut mantissa = high >> dropped;
    // 217706 / 65536 is the binary logarithm of ten.
    let mut exponent = ((217_706 * power) >> 16) + 63 + top - i64::from(shift) + 1023;
    // A number exactly between two doubles; only small powers of five divide one.
    if low <= 1 && power >= -4 && mantissa & 3 == 1 && mantissa << dropped == high {
        mantissa &= !1;
    }
    mantissa += mantissa & 1;
    mantissa >>= 1;
    if mantissa >= 1 << 53 {
        mantissa = 1 << 52;
        exponent += 1;
    }
    f64::from_bits(((exponent as u64) << 52) | (mantissa & !(1 << 52)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::UBig;
    use proptest::prelude::*;

    fn check(digits: u64, power: i64) {
        let expected: f64 = format!("{digits}e{power}").parse().unwrap();
        assert_eq!(nearest(digits, power).to_bits(), expected.to_bits(), "{digits}e{power}");
    }

    #[test]
    fn reciprocals_are_those_of_the_paper() {
        for (k, &(upper, lower)) in RECIPROCALS.iter().enumerate().skip(1) {
            let power = UBig::from(5u8).pow(k);
            let bits = 64 - u64::try_from(&power).unwrap().leading_zeros();
            let exact = (UBig::from(1u8) << (127 + bits as usize)) / power + UBig::from(1u8);
            assert_eq!((UBig::from(upper) << 64) + UBig::from(lower), exact, "5^-{k}");
        }
    }

    #[test]
    fn small_numbers_and_borders() {
        for power in LEAST_POWER..=0 {
            for digits in (0..1000).chain((0..64).flat_map(|bit| {
                let one = 1u64 << bit;
                [one.wrapping_sub(1), one, one.wrapping_add(1)]
            })) {
                check(digits, power);
            }
            check(u64::MAX, power);
        }
    }

    /// Numbers between two doubles: half a unit in the last place above one, as many decimals as that takes.
    #[test]
    fn ties_go_to_the_even_number() {
        for power in -4..=0i64 {
            let five = 5u64.pow(power.unsigned_abs() as u32);
            for odd in [1u64, 3, 5, 1001, (1 << 52) + 1, (1 << 53) + 1, (1 << 53) + 3, (1 << 54) - 1] {
                let Some(digits) = odd.checked_mul(five) else { continue };
                for digits in [digits - 1, digits, digits + 1] {
                    check(digits, power);
                    check(digits.wrapping_mul(2), power);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn as_the_standard_library(digits: u64, shift in 0..64u32, power in LEAST_POWER..=0) {
            check(digits >> shift, power);
        }
    }
}
