//! Numbers in rational arithmetic, with the two infinities.

use dashu_ratio::RBig;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A rational number or an infinity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ratio {
    /// −∞
    MinusInfinity,
    /// A rational number.
    Finite(RBig),
    /// +∞
    Infinity,
}

impl Ratio {
    /// 0
    pub const ZERO: Ratio = Ratio::Finite(RBig::ZERO);

    /// The rational number that a double is; `None` for NaN.
    pub fn of_double(value: f64) -> Option<Ratio> {
        match RBig::try_from(value) {
            Ok(number) => Some(Ratio::Finite(number)),
            Err(_) if value.is_nan() => None,
            Err(_) => Some(if value > 0.0 { Ratio::Infinity } else { Ratio::MinusInfinity }),
        }
    }

    /// The number, unless it is infinite.
    pub fn finite(&self) -> Option<&RBig> {
        match self {
            Ratio::Finite(number) => Some(number),
            _ => None,
        }
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        match self {
            Ratio::MinusInfinity => f64::NEG_INFINITY,
            Ratio::Finite(number) => number.to_f64().value(),
            Ratio::Infinity => f64::INFINITY,
        }
    }

    /// The narrowest doubles that enclose it: equal where it is one.
    pub fn enclosure(&self) -> [f64; 2] {
        let near = self.to_f64();
        match Ratio::of_double(near).map_or(Ordering::Equal, |rounded| rounded.cmp(self)) {
            Ordering::Equal => [near; 2],
            Ordering::Less => [near, near.next_up()],
            Ordering::Greater => [near.next_down(), near],
        }
    }

    fn rank(&self) -> i8 {
        match self {
            Ratio::MinusInfinity => -1,
            Ratio::Finite(_) => 0,
            Ratio::Infinity => 1,
        }
    }
}

impl From<RBig> for Ratio {
    fn from(number: RBig) -> Self {
        Ratio::Finite(number)
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Ratio::Finite(a), Ratio::Finite(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `1/3`, `-2`, `inf`
impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ratio::MinusInfinity => f.write_str("-inf"),
            Ratio::Finite(number) => write!(f, "{number}"),
            Ratio::Infinity => f.write_str("inf"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ratio;
    use dashu_ratio::RBig;

    fn third() -> RBig {
        RBig::from_parts(1.into(), 3u8.into())
    }

    #[test]
    fn enclosures_are_narrow_and_right() {
        assert_eq!(Ratio::of_double(0.5).unwrap().enclosure(), [0.5; 2]);
        let [lo, hi] = Ratio::from(third()).enclosure();
        assert_eq!(hi, lo.next_up());
        assert!(
            Ratio::of_double(lo).unwrap() < third().into()
                && Ratio::from(third()) < Ratio::of_double(hi).unwrap()
        );
        assert_eq!(Ratio::Infinity.enclosure(), [f64::INFINITY; 2]);
        let huge = Ratio::from(RBig::from(dashu_ratio::RBig::from(10).numerator().pow(400)));
        assert_eq!(huge.enclosure(), [f64::MAX, f64::INFINITY]);
    }

    #[test]
    fn order_and_text() {
        let third = Ratio::from(third());
        assert!(Ratio::MinusInfinity < third && third < Ratio::Infinity);
        assert_eq!([third, Ratio::ZERO, Ratio::Infinity].map(|r| r.to_string()), ["1/3", "0", "inf"]);
        assert_eq!(Ratio::of_double(f64::NAN), None);
    }
}
