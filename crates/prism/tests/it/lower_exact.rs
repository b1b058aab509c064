//! Exact values of constant expressions.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use volvelle_prism::lower::exact::{LIMIT_BITS, int, literal, mul, pow, round};

fn ratio(numerator: i64, denominator: u64) -> RBig {
    RBig::from_parts(IBig::from(numerator), UBig::from(denominator))
}

#[test]
fn literals_are_decimal_fractions() {
    assert_eq!(literal("0.1"), Some(ratio(1, 10)));
    assert_eq!(literal("12"), Some(ratio(12, 1)));
    assert_eq!(literal(".5"), Some(ratio(1, 2)));
    assert_eq!(literal("5."), Some(ratio(5, 1)));
    assert_eq!(literal("1.5e-3"), Some(ratio(3, 2000)));
    assert_eq!(literal("2E+3"), Some(ratio(2000, 1)));
    assert_eq!(literal("-0.25"), Some(ratio(-1, 4)));
    assert_eq!(literal("1e-99999"), None);
    assert_eq!(literal("x"), None);
    assert_eq!(literal(""), None);
}

#[test]
fn powers() {
    assert_eq!(pow(&ratio(2, 3), &int(3)), Some(ratio(8, 27)));
    assert_eq!(pow(&ratio(2, 3), &int(-2)), Some(ratio(9, 4)));
    assert_eq!(pow(&ratio(-2, 3), &int(-3)), Some(ratio(-27, 8)));
    assert_eq!(pow(&int(0), &int(0)), Some(int(1)));
    assert_eq!(pow(&int(0), &int(-1)), None);
    assert_eq!(pow(&int(1), &int(i32::MAX as i64)), Some(int(1)));
    assert_eq!(pow(&ratio(1, 10), &int(1_000_000)), None);
    assert_eq!(pow(&int(2), &ratio(1, 2)), None);
}

#[test]
fn halves_round_up() {
    assert_eq!(round(&ratio(5, 2)), int(3));
    assert_eq!(round(&ratio(-5, 2)), int(-2));
    assert_eq!(round(&ratio(-8, 3)), int(-3));
}

#[test]
fn large_numbers_are_given_up() {
    let mut x = ratio(1, 3);
    for _ in 0..20 {
        let Some(next) = mul(&x, &x) else { return };
        x = next;
    }
    panic!("3^(2^20) has more than {LIMIT_BITS} bits");
}
