//! Predictors of outcomes: rules, names, sizes, and their application to streams.
//!
//! A [`Specification`] is a kind of predictor with its sizes, known by a name such as `gshare-14` or declared in TOML ([`read`]); a
//! [`Predictor`] is one at work. Predictions come singly or in groups: several per cycle, as J. Lee describes, where tables are those of
//! the group's beginning, a temporary history takes the predicted outcomes, and a group ends with its first misprediction.

mod budget;
mod corrected;
mod counters;
mod hashed;
mod history;
mod name;
mod perceptron;
mod predictor;
mod read;
mod rule;
mod specification;
mod tage;
mod targets;

pub use corrected::CorrectedShape;
pub use hashed::HashedShape;
pub use perceptron::PerceptronShape;
pub use predictor::Predictor;
pub use read::read;
pub use rule::Training;
pub use specification::{Kind, Specification};
pub use tage::TageShape;
pub use targets::{TargetKind, TargetPredictor, Transfer};
