//! Bounds on what a path spends: amounts of rewards, and steps.
//!
//! A path adds up doubles, but a bound is about the numbers that they stand for: three times 0.1 is 0.3. So a
//! sum that differs from an amount by at most one part in 2³¹ counts as that amount. Different sums of a
//! model whose amounts `check` counts are further apart (it counts up to 2³⁰ units), and a million additions
//! have a smaller rounding error.

use volvelle_logic::{CostBound, Counted, Limit};

/// The most bounds of a measure.
pub const MOST: usize = 4;

/// Sums that differ by less than this share are the same.
const SAME: f64 = 1.0 / (1u64 << 31) as f64;

/// A bound of a path formula, with its reward structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// The reward structure that is added up; `None` means steps.
    pub structure: Option<usize>,
    /// The sum is at least this.
    pub lower: f64,
    /// The sum is at most this.
    pub upper: f64,
}

/// The bounds of a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amounts {
    of: [Amount; MOST],
    count: usize,
}

impl Amounts {
    /// Some bounds; `None` if there are too many.
    pub fn new(amounts: &[Amount]) -> Option<Self> {
        let none = Amount { structure: None, lower: 0.0, upper: f64::INFINITY };
        let mut of = [none; MOST];
        of.get_mut(..amounts.len())?.copy_from_slice(amounts);
        Some(Amounts { of, count: amounts.len() })
    }

    /// The bounds of a formula; `None` if there are too many.
    pub(crate) fn of(bounds: &[CostBound]) -> Option<Self> {
        Self::new(&bounds.iter().map(amount).collect::<Vec<Amount>>())
    }

    /// All of them.
    pub fn all(&self) -> &[Amount] {
        &self.of[..self.count]
    }

    /// The reward structures that are summed up.
    pub fn structures(&self) -> impl Iterator<Item = usize> + '_ {
        self.all().iter().filter_map(|amount| amount.structure)
    }
}

/// The sums that meet a bound.
pub fn amount(bound: &CostBound) -> Amount {
    let value = |limit: &Limit| limit.amount.to_f64().value();
    let (structure, lower, upper) = match bound.counted {
        Counted::Steps => {
            let lower = bound.lower.as_ref().map(|limit| match (value(limit), limit.strict) {
                (amount, true) => amount.floor() + 1.0,
                (amount, false) => amount.ceil(),
            });
            let upper = bound.upper.as_ref().map(|limit| match (value(limit), limit.strict) {
                (amount, true) => amount.ceil() - 1.0,
                (amount, false) => amount.floor(),
            });
            (None, lower, upper)
        }
        Counted::Reward(id) => {
            let lower = bound.lower.as_ref().map(|limit| match (value(limit), limit.strict) {
                (0.0, true) => f64::MIN_POSITIVE,
                (amount, true) => amount * (1.0 + SAME),
                (amount, false) => amount * (1.0 - SAME),
            });
            // Sums are not negative.
            let upper = bound.upper.as_ref().map(|limit| match (value(limit), limit.strict) {
                (amount, true) if amount <= 0.0 => -1.0,
                (amount, true) => amount * (1.0 - SAME),
                (amount, false) => amount * (1.0 + SAME),
            });
            (Some(id.index()), lower, upper)
        }
    };
    Amount { structure, lower: lower.unwrap_or(0.0).max(0.0), upper: upper.unwrap_or(f64::INFINITY) }
}
