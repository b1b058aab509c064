//! Operations of conditions, on values and on intervals.

use volvelle_random::Random;
use volvelle_tune::space::Scalar;
use volvelle_tune::space::operation::{Interval, Op};

#[test]
fn python_meaning() {
    let int = |op: Op, a, b| match op.apply(Scalar::Int(a), Scalar::Int(b)) {
        Scalar::Int(value) => value as f64,
        Scalar::Float(value) => value,
        _ => f64::NAN,
    };
    // What CPython prints for `-7 // 2`, and so on.
    assert_eq!(int(Op::Quotient, -7, 2), -4.0);
    assert_eq!(int(Op::Remainder, -7, 2), 1.0);
    assert_eq!(int(Op::Remainder, 7, -2), -1.0);
    assert_eq!(int(Op::Fraction, 7, 2), 3.5);
    assert_eq!(int(Op::Power, 2, 10), 1024.0);
    assert_eq!(int(Op::Power, 2, -1), 0.5);
    assert_eq!(int(Op::Mul, i64::MAX, 2), 2.0 * i64::MAX as f64);
    assert!(int(Op::Remainder, 1, 0).is_nan());
    let undefined = Op::Remainder.apply(Scalar::Int(1), Scalar::Int(0));
    assert!(Op::Or.apply(Scalar::Int(1), undefined).is_true());
    assert!(!Op::Or.apply(undefined, Scalar::Int(1)).is_true());
    assert!(!Op::Not.apply(undefined, undefined).is_true());
}

/// Results of operations on values of two intervals are in the interval of the results.
#[test]
fn intervals_enclose() {
    let ops = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Fraction,
        Op::Quotient,
        Op::Remainder,
        Op::Power,
        Op::Min,
        Op::Max,
        Op::Eq,
        Op::Ne,
        Op::Lt,
        Op::Le,
        Op::And,
        Op::Or,
        Op::Not,
        Op::Neg,
        Op::Abs,
        Op::Truncate,
        Op::Ceil,
    ];
    let mut random = Random(7);
    for _ in 0..20_000 {
        let op = random.pick(&ops);
        let mut value = || {
            let whole = random.below(40) as i64 - 12;
            if random.one_in(4) { Scalar::Float(whole as f64 / 3.0) } else { Scalar::Int(whole) }
        };
        let (a, b) = ([value(), value()], [value(), value()]);
        let interval = |x: [Scalar; 2]| Interval::of(x[0]).hull(Interval::of(x[1]));
        let bounds = Interval::apply(op, interval(a), interval(b));
        for x in a {
            for y in b {
                match op.apply(x, y).number() {
                    Some(number) => {
                        assert!(bounds.lo <= number && number <= bounds.hi, "{op:?} {a:?} {b:?}")
                    }
                    None => assert!(bounds.is_partial || bounds.is_false(), "{op:?} {a:?} {b:?}"),
                }
            }
        }
    }
}
