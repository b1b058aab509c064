//! Intervals of expressions.

use super::super::graph::Step;
use crate::system::{Access, Binary, Expr, LocalId, NodeKind, Operation, System, Unary};

/// Least and greatest value; wide enough for any result of an operation on values of this size.
pub(super) type Interval = (i128, i128);

pub(super) fn union(a: Option<Interval>, b: Interval) -> Interval {
    a.map_or(b, |a| (a.0.min(b.0), a.1.max(b.1)))
}

/// The local that a step assigns to, and the values that it may get.
pub(super) fn assigned(
    step: &Step,
    found: &[Option<Interval>],
    system: &System,
) -> Option<(LocalId, Interval)> {
    match step {
        Step::Kind(NodeKind::Assign(local, value, _)) => Some((*local, interval(value, found)?)),
        Step::Kind(NodeKind::Access(Access { operation, variable, result: Some(local), .. })) => {
            let variable = &system.variables[variable.base.index()];
            let values = match operation {
                Operation::CompareAndSwap(..) => (0, 1),
                _ => (i128::from(variable.lo), i128::from(variable.hi)),
            };
            Some((*local, values))
        }
        _ => None,
    }
}

/// Bounds that no value is beyond.
pub(super) fn clamped((lo, hi): Interval) -> Interval {
    let most = i128::from(i64::MAX);
    (lo.clamp(-most, most), hi.clamp(-most, most))
}

/// The values of an expression; `None` if it has none yet.
pub(super) fn interval(expr: &Expr, found: &[Option<Interval>]) -> Option<Interval> {
    Some(match expr {
        Expr::Constant(value) => (i128::from(*value), i128::from(*value)),
        Expr::Local(local) => found[local.index()]?,
        Expr::Unary(Unary::Negate, a) => {
            let (lo, hi) = interval(a, found)?;
            clamped((-hi, -lo))
        }
        Expr::Unary(Unary::Not, a) => {
            interval(a, found)?;
            (0, 1)
        }
        Expr::Binary(operator, a, b) => {
            let (a, b) = (interval(a, found)?, interval(b, found)?);
            operation(*operator, a, b)?
        }
    })
}

pub(super) fn operation(operator: Binary, a: Interval, b: Interval) -> Option<Interval> {
    let corners = |of: fn(i128, i128) -> i128| {
        let values = [of(a.0, b.0), of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)];
        values.into_iter().fold(None, |all, value| Some(union(all, (value, value))))
    };
    let result = match operator {
        Binary::Add => (a.0 + b.0, a.1 + b.1),
        Binary::Subtract => (a.0 - b.1, a.1 - b.0),
        Binary::Multiply => corners(|x, y| x * y)?,
        Binary::Divide | Binary::Remainder => {
            // Divisors of either sign, which zero is not.
            let positive = (b.1 > 0).then_some((b.0.max(1), b.1));
            let negative = (b.0 < 0).then_some((b.0, b.1.min(-1)));
            let parts = [positive, negative].into_iter().flatten();
            let of = |part| if operator == Binary::Divide { divided(a, part) } else { rest(a, part) };
            parts.fold(None, |all, part| Some(union(all, of(part))))?
        }
        _ => (0, 1),
    };
    Some(clamped(result))
}

/// Quotients that are rounded down, by divisors of one sign.
pub(super) fn divided(a: Interval, b: Interval) -> Interval {
    let floor = |x: i128, y: i128| x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0);
    let values = [floor(a.0, b.0), floor(a.0, b.1), floor(a.1, b.0), floor(a.1, b.1)];
    values.into_iter().fold((values[0], values[0]), |all, value| union(Some(all), (value, value)))
}

/// Remainders with the sign of the divisor.
pub(super) fn rest(a: Interval, b: Interval) -> Interval {
    if b.0 > 0 {
        // Smaller numbers stay what they are.
        if a.0 >= 0 && a.1 < b.0 {
            a
        } else if a.0 >= 0 {
            (0, a.1.min(b.1 - 1))
        } else {
            (0, b.1 - 1)
        }
    } else {
        (b.0 + 1, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::fold;

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
                            let Some(value) = fold::binary(operator, x, y) else { continue };
                            let (lo, hi) = interval.expect("there is a value");
                            let value = i128::from(value);
                            assert!(
                                lo <= value && value <= hi,
                                "{x} {operator:?} {y}: {value} in {lo}..{hi}"
                            );
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
}
