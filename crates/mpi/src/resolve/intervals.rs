//! Interval arithmetic: between which numbers the results of operations lie.

use crate::system::Binary;

/// Least and greatest value; wide enough for any result of an operation on values of this size.
pub type Interval = (i128, i128);

/// The least interval with all values of both.
pub(super) fn union(a: Option<Interval>, b: Interval) -> Interval {
    a.map_or(b, |a| (a.0.min(b.0), a.1.max(b.1)))
}

/// Bounds that no value is beyond.
pub(super) fn clamped((lo, hi): Interval) -> Interval {
    let most = i128::from(i64::MAX);
    (lo.clamp(-most, most), hi.clamp(-most, most))
}

/// The results of an operation on values of two intervals; `None` if it has none, as a division by zero.
pub fn operation(operator: Binary, a: Interval, b: Interval) -> Option<Interval> {
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
fn divided(a: Interval, b: Interval) -> Interval {
    let floor = |x: i128, y: i128| x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0);
    let values = [floor(a.0, b.0), floor(a.0, b.1), floor(a.1, b.0), floor(a.1, b.1)];
    values.into_iter().fold((values[0], values[0]), |all, value| union(Some(all), (value, value)))
}

/// Remainders with the sign of the divisor.
fn rest(a: Interval, b: Interval) -> Interval {
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
