//! Predictors of outcomes: rules, names, sizes, and running them on streams.
//!
//! A [`Specification`] is a kind of predictor with its sizes, named such as `gshare-14` or declared in TOML
//! ([`read`]). A [`Predictor`] is its running state. Predictions come singly or in groups (several per cycle,
//! as J. Lee describes). A group uses the tables as they were at its beginning, a temporary history takes the
//! predicted outcomes, and the first misprediction ends the group.

mod budget;
mod corrected;
mod counters;
mod form;
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
pub use form::PREDICTOR;
pub use hashed::HashedShape;
pub use history::History;
pub use name::PREDICTORS;
pub use perceptron::PerceptronShape;
pub use predictor::Predictor;
pub use read::read;
pub use rule::Training;
pub use specification::{Kind, Specification};
pub use tage::TageShape;
pub use targets::{TargetKind, TargetPredictor, Transfer};
