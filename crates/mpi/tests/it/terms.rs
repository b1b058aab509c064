//! Expressions as LOTOS writes them.

use volvelle_mpi::lotos::values::{Term, Truth, Values, binary, bounds};
use volvelle_mpi::system::Binary;

fn x(lo: i64, hi: i64) -> Term {
    Term::Variable("X".to_owned(), lo, hi)
}

#[test]
fn texts() {
    let values = Values::new("INT");
    let divided = |term: Term| values.text(&binary(Binary::Divide, term, Term::Number(2)));
    assert_eq!(divided(x(0, 5)), "X div 2");
    assert_eq!(divided(x(-1, 5)), "(X - (X mod 2)) div 2");
    let sum = binary(Binary::Add, x(0, 5), Term::Number(-1));
    assert_eq!(values.text(&binary(Binary::Multiply, sum.clone(), x(0, 5))), "(X + (- (1))) * X");
    let less = binary(Binary::Less, sum, x(0, 5));
    assert_eq!(values.text(&less), "NUMBER ((X + (- (1))) < X)");
    assert_eq!(values.fails(&less), Truth::If("(X + (- (1))) >= X".to_owned()));
    assert_eq!(values.holds(&x(1, 5)), Truth::Always);
    assert_eq!(values.fails(&x(-1, 5)), Truth::If("X == 0".to_owned()));
    assert_eq!(values.within(&x(-1, 5), 0, 9), Truth::If("X >= 0".to_owned()));
    assert_eq!(values.within(&x(-1, 5), 6, 9), Truth::Never);
}

/// The second operand of `and` may have no value where the first one decides.
#[test]
fn values_that_do_not_exist() {
    let values = Values::new("NAT");
    let divided = binary(Binary::Divide, Term::Number(6), x(0, 3));
    assert_eq!(values.exists(&divided), Truth::If("X <> 0".to_owned()));
    let both = binary(Binary::And, x(0, 3), divided);
    assert_eq!(values.exists(&both), Truth::If("(not (X <> 0)) or (X <> 0)".to_owned()));
    let never = binary(Binary::Remainder, x(0, 3), Term::Number(0));
    assert_eq!(values.exists(&never), Truth::Never);
}

/// Ranges hold all values, and constants are computed as they are defined: division rounds down.
#[test]
fn ranges_hold_all_values() {
    use Binary::*;
    for op in [
        Add,
        Subtract,
        Multiply,
        Divide,
        Remainder,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        And,
        Or,
    ] {
        for (lo, hi, other_lo, other_hi) in [(-3, 4, -2, 3), (0, 4, 1, 3), (-5, -2, -3, -1), (1, 3, 0, 0)] {
            let other = Term::Variable("Y".to_owned(), other_lo, other_hi);
            let whole = binary(op, x(lo, hi), other);
            let (least, greatest) = bounds(&whole);
            for (a, b) in (lo..=hi).flat_map(|a| (other_lo..=other_hi).map(move |b| (a, b))) {
                if let Term::Number(value) = binary(op, Term::Number(a), Term::Number(b)) {
                    assert!((least..=greatest).contains(&i128::from(value)), "{a} {op:?} {b} is {value}");
                    if op == Divide {
                        assert_eq!(value, (a as f64 / b as f64).floor() as i64);
                    }
                }
            }
        }
    }
}
