//! Distances between states of weighted structures: the exact relative deviation that the weights of answers
//! need.
//!
//! Source: L. Foshammer, K. G. Larsen, R. Mardare, B. Xue, *Weighted Branching Preorders and Distances:
//! Logical Characterization and Complexity*, Definitions 11 and 14. The distance from `s` to `t` is the least
//! `e` at which the pair is related: every step of `s` of weight `w` is answered by a path of `t` with a
//! weight in a window around `w`, whose width is proportional to `e w`. Neither distance is symmetric. The
//! triangle inequality fails for the distance `d`, but holds for `log(1 + d)`, since products of `1 + d` are
//! bounds.

mod clusters;
mod matrix;
mod reason;
mod search;

pub use crate::game::bound::Kind;
pub use clusters::{Cluster, Clusters, IntervalStep, IntervalStructure, clusters, interval_abstraction};
pub use matrix::{Distances, all_pairs};
pub use reason::{Realised, Reason, Round, explain};
pub(crate) use search::distance as search;

use crate::Failure;
use crate::game::answer::Arena;
use crate::game::bound::{Ratio, check_weights};
use dashu_ratio::RBig;
use volvelle_control::Control;
use volvelle_logic::gate::Range;
use volvelle_space::WeightedStructure;

/// A distance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// The least bound at which the states are related.
    Finite(RBig),
    /// They are related at no bound.
    Infinite,
}

impl Distance {
    pub(crate) fn of(ratio: Option<Ratio>) -> Self {
        ratio.map_or(Distance::Infinite, |ratio| Distance::Finite(ratio.exact()))
    }

    /// The number, if it is finite.
    pub fn finite(&self) -> Option<&RBig> {
        match self {
            Distance::Finite(number) => Some(number),
            Distance::Infinite => None,
        }
    }

    /// Whether the distance is at most this.
    pub fn is_within(&self, bound: &RBig) -> bool {
        self.finite().is_some_and(|number| number <= bound)
    }

    /// Bounds of the natural logarithm `log(1 + d)`. It satisfies the triangle inequality, which `d` does
    /// not.
    pub fn logarithm(&self) -> [f64; 2] {
        let Some(number) = self.finite() else { return [f64::INFINITY; 2] };
        if *number == RBig::ZERO {
            return [0.0; 2];
        }
        // Both conversions err by less than a unit in the last place; four units are safe.
        let middle = number.to_f64().value().ln_1p();
        let step = (middle.next_up() - middle) * 4.0;
        Range::AMOUNT.admit_or_whole([(middle - step).max(0.0), middle + step])
    }
}

/// The distance from `s` to `t`: the least bound at which `s` is simulated by `t`.
///
/// Existential bounded distances take polynomial time. Weighted branching distances below one depend on the
/// exact weights of paths, and take pseudo-polynomial time.
///
/// # Errors
/// A limit was reached, or weights are too large: the largest weight times the number of states must be below
/// 2^60 units.
pub fn distance(
    structure: &WeightedStructure,
    s: u32,
    t: u32,
    kind: Kind,
    control: &Control,
) -> Result<Distance, Failure> {
    let largest = check_weights(structure)?;
    Ok(Distance::of(search(&Arena::new(structure), kind, (s, t), largest, control)?))
}
