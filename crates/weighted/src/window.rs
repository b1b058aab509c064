//! Windows: the allowed weights of an answer to a step.

use crate::Failure;
use dashu_int::UBig;
use dashu_ratio::RBig;

/// The condition on the weight `W` of a path that answers a step of weight `w`. (The definitions are those of Foshammer, Larsen, Mardare
/// and Xue.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Window {
    /// `W <= w`: existential bounded simulation (Def. 7).
    AtMost,
    /// `W >= w`: universal bounded simulation (Def. 9).
    AtLeast,
    /// `w (1 - e) <= W <= w (1 + e)`: the relation of the distance with both bounds (Def. 11), `e >= 0`.
    Around(RBig),
    /// `W <= w (1 + e)`: the relation of the distance with upper bounds (Def. 14), `e >= 0`.
    AtMostWidened(RBig),
}

impl Window {
    /// The least and the largest weight of answers to a step of this weight; no largest if there is no bound.
    ///
    /// # Errors
    /// A bound does not fit into 64 bits, or is one of the two largest numbers that do.
    pub fn bounds(&self, weight: u64) -> Result<(u64, Option<u64>), Failure> {
        match self {
            Window::AtMost => Ok((0, Some(within_bounds(weight)?))),
            Window::AtLeast => Ok((within_bounds(weight)?, None)),
            Window::Around(e) => Ok((shrunk(weight, e), Some(widened(weight, e)?))),
            Window::AtMostWidened(e) => Ok((0, Some(widened(weight, e)?))),
        }
    }

    /// Whether there is no lower bound. Then staying answers every step whose target is related to the state.
    pub fn is_downward_closed(&self) -> bool {
        matches!(self, Window::AtMost | Window::AtMostWidened(_))
    }
}

/// Excludes the two largest numbers, which stand for "no bound" and "no path".
fn within_bounds(weight: u64) -> Result<u64, Failure> {
    if weight < u64::MAX - 1 { Ok(weight) } else { Err(Failure::Overflow) }
}

fn widened(weight: u64, e: &RBig) -> Result<u64, Failure> {
    let widened = (RBig::from(weight) * (RBig::ONE + e)).floor();
    within_bounds(u64::try_from(widened).map_err(|_| Failure::Overflow)?)
}

/// `ceil(w (1 - e))`, 0 if `e >= 1`.
fn shrunk(weight: u64, e: &RBig) -> u64 {
    if *e >= RBig::ONE {
        return 0;
    }
    let shrunk = (RBig::from(weight) * (RBig::ONE - e)).ceil();
    let shrunk = UBig::try_from(shrunk).expect("a product of numbers that are not negative");
    u64::try_from(shrunk).expect("it is at most the weight")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_rounded_inwards() {
        let e: RBig = "1/3".parse().expect("a fraction");
        assert_eq!(Window::Around(e.clone()).bounds(5), Ok((4, Some(6))));
        assert_eq!(Window::Around(e.clone()).bounds(6), Ok((4, Some(8))));
        assert_eq!(Window::AtMostWidened(e).bounds(5), Ok((0, Some(6))));
        assert_eq!(Window::Around(RBig::ZERO).bounds(7), Ok((7, Some(7))));
        assert_eq!(Window::Around(RBig::from(2u8)).bounds(7), Ok((0, Some(21))));
        assert_eq!(Window::AtLeast.bounds(7), Ok((7, None)));
        assert_eq!(Window::AtMostWidened(RBig::ONE).bounds(u64::MAX / 2 + 1), Err(Failure::Overflow));
    }
}
