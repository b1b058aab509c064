//! The allowed weights of answers: a bound for distances, a window for relations.

use super::bound::{Bound, Kind};
use crate::Failure;
use crate::window::Window;

/// A rule of the game.
#[derive(Clone, Debug)]
pub(crate) enum Rule<'a> {
    /// The relation of a distance at a bound.
    Distance(Kind, Bound),
    /// One relation.
    Window(&'a Window),
}

impl Rule<'_> {
    /// The least and the largest weight of answers to a step or sequence of steps of this weight. The largest
    /// number means no bound.
    pub fn window(&self, weight: u64) -> Result<(u64, u64), Failure> {
        match self {
            Rule::Distance(kind, bound) => Ok(bound.window(*kind, weight)),
            Rule::Window(window) => {
                let (low, high) = window.bounds(weight)?;
                Ok((low, high.unwrap_or(u64::MAX)))
            }
        }
    }

    /// Whether the rule bounds weights from above.
    pub fn has_upper_bound(&self) -> bool {
        !matches!(self, Rule::Window(Window::AtLeast) | Rule::Distance(_, Bound::Finite))
    }

    /// Whether the rule bounds answers to steps of positive weight from below.
    pub fn has_lower_bound(&self) -> bool {
        match self {
            Rule::Distance(kind, bound) => bound.window(*kind, 1 << 40).0 > 0,
            Rule::Window(window) => {
                !window.is_downward_closed() && window.bounds(1 << 40).is_ok_and(|(low, _)| low > 0)
            }
        }
    }

    /// Whether windows begin or end exactly at the weight itself, without tolerance.
    pub fn is_exact(&self) -> bool {
        matches!(self, Rule::Window(Window::AtLeast | Window::AtMost))
    }
}
