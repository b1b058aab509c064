//! Whole numbers times powers of ten, against the standard library.

use dashu_int::UBig;
use proptest::prelude::*;
use volvelle_decimals::rounding::{LEAST_POWER, RECIPROCALS, nearest};

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
