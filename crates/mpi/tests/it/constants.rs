//! Arithmetic of constants, and of intervals of them.

use volvelle_mpi::resolve::fold::{binary, unary};
use volvelle_mpi::resolve::intervals::operation;
use volvelle_mpi::system::{Binary, Unary};

/// Division as in the definition: the largest q with q · b ≤ a for positive b, and its mirror image.
#[test]
fn division_rounds_down() {
    for a in -20..=20_i64 {
        for b in (-7..=7_i64).filter(|b| *b != 0) {
            let q = binary(Binary::Divide, a, b).unwrap();
            let r = binary(Binary::Remainder, a, b).unwrap();
            assert_eq!(q, (a as f64 / b as f64).floor() as i64);
            assert_eq!(q * b + r, a);
            assert!(r == 0 || (r < 0) == (b < 0));
        }
    }
    assert_eq!(binary(Binary::Divide, 1, 0), None);
    assert_eq!(binary(Binary::Remainder, 1, 0), None);
    assert_eq!(binary(Binary::Divide, i64::MIN, -1), None);
    assert_eq!(unary(Unary::Negate, i64::MIN), None);
}

/// Every result of two values is in the interval of the result.
#[test]
fn intervals_hold_all_results() {
    use Binary::{Add, And, Divide, Less, Multiply, Or, Remainder, Subtract};
    let bounds: [(i64, i64); 7] = [(-5, -2), (-3, 4), (0, 0), (0, 6), (1, 3), (2, 9), (-1, 0)];
    for a in bounds {
        for b in bounds {
            for operator in [Add, Subtract, Multiply, Divide, Remainder, Less, And, Or] {
                let (wide_a, wide_b) = ((a.0.into(), a.1.into()), (b.0.into(), b.1.into()));
                let interval = operation(operator, wide_a, wide_b);
                for x in a.0..=a.1 {
                    for y in b.0..=b.1 {
                        let Some(value) = binary(operator, x, y) else { continue };
                        let (lo, hi) = interval.expect("there is a value");
                        let value = i128::from(value);
                        assert!(lo <= value && value <= hi, "{x} {operator:?} {y}: {value} in {lo}..{hi}");
                    }
                }
            }
        }
    }
}

#[test]
fn intervals_are_not_too_wide() {
    assert_eq!(operation(Binary::Remainder, (-10, 10), (4, 4)), Some((0, 3)));
    assert_eq!(operation(Binary::Remainder, (0, 2), (4, 4)), Some((0, 2)));
    assert_eq!(operation(Binary::Divide, (-7, 7), (2, 2)), Some((-4, 3)));
    assert_eq!(operation(Binary::Divide, (1, 1), (0, 0)), None);
    assert_eq!(operation(Binary::Equal, (0, 9), (3, 3)), Some((0, 1)));
}
