//! The result of composing a network, and why there is none.

use super::tree::NodeId;
use crate::reduce::ReduceError;
use volvelle_control::Stop;
use volvelle_space::Lts;

/// The system of a network.
#[derive(Clone, Debug)]
pub struct Composed {
    /// The system.
    pub lts: Lts,
    /// How many of its states are expanded: the others, which have greater numbers, are known and have no transitions here.
    pub expanded: usize,
    /// Products in the order in which they were generated; those of a single member are left out.
    pub products: Vec<Product>,
    /// Gates on which an operand never acts.
    pub idle: Vec<IdleGate>,
}

/// A product on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// How many systems were put together.
    pub members: usize,
    /// States of the product.
    pub states: usize,
    /// Transitions of the product.
    pub transitions: usize,
    /// States after reduction; the same where there was none.
    pub reduced: usize,
}

/// A gate on which an operand never acts, although it has to take part in what happens there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleGate {
    /// The parallel composition.
    pub node: NodeId,
    /// The gate, or the label of a vector.
    pub gate: String,
    /// The operand, by its place.
    pub operand: usize,
    /// Whether all others that have to take part do act on it: it is blocked, and not only unknown.
    pub blocks: bool,
}

/// Why a network has no system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// A limit was reached, or the user stopped; or a rate or probability cannot be used.
    Reduce(ReduceError),
    /// A label with a rate or probability would be synchronised, for which there is no meaning that all agree on.
    Weighted {
        /// The parallel composition.
        node: NodeId,
        /// The gate or label of it that matches, empty for all.
        gate: String,
        /// The label.
        label: String,
    },
    /// There are more states, transitions or vectors than 32-bit numbers count.
    TooLarge,
}

impl From<Stop> for NetworkError {
    fn from(stop: Stop) -> Self {
        NetworkError::Reduce(stop.into())
    }
}
