//! A whole number times a power of ten, as the nearest double.
//!
//! The algorithm of Eisel and Lemire (Lemire 2021, *Number parsing at a gigabyte per second*, doi:10.1002/spe.2984): the
//! product with 128 bits of the power decides, for powers from -27 on without exception (there, section 8). Ties go to
//! the even number.

/// Least power of ten that is computed with.
pub const LEAST_POWER: i64 = -27;

/// How many powers there are: from the least one to zero.
pub const POWERS: usize = (1 - LEAST_POWER) as usize;

/// The upper 128 bits of `5^-k`, rounded up, with the first bit set; upper and lower half.
pub const RECIPROCALS: [(u64, u64); POWERS] = reciprocals();

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
