//! Explicit state spaces: sparse matrices with choices, labels and rewards.
//!
//! The output of exploration and the input of numerical analysis: states are numbers, transitions a compressed
//! sparse row matrix with 32-bit columns, choices a second level of rows for models with
//! nondeterminism; labelled transition systems ([`Lts`]), and weighted Kripke structures
//! ([`WeightedStructure`]). It knows neither languages nor how states are stored.

mod components;
mod exact;
mod graph;
mod lts;
mod values;
mod weighted;

pub use components::{Components, components, components_by};
pub use exact::{ExactRewards, ExactSpace, Ratios, RatiosBuilder};
pub use graph::{Accuracy, Choices, Kind, RewardVectors, Space, StateId};
pub use lts::{Edge, Labels, Lts};
pub use values::{UNDEFINED, Values, ValuesBuilder, View, is_undefined};
pub use volvelle_store::BitSet;
pub use weighted::{
    LinearWeight, NoWeights, ParametricStructure, RangesDiffer, Valuation, WeightParameter, WeightedBuilder,
    WeightedStep, WeightedStructure, WeightsTooFine, integer_weights,
};
