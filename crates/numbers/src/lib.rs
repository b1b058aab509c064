//! Numbers of models: values of properties, for one model or a grid of constants, distributions over states, and the constant from
//! which a property holds.
//!
//! The engine is `volvelle_markov`; where paths take its place or verify it, `volvelle_paths` is asked.

mod answers;
mod ask;
mod beside;
mod check;
mod commands;
mod distribution;
pub mod document;
mod effort;
mod exact;
mod experiment;
mod exploring;
mod find;
pub mod json;
mod named;
pub mod options;
mod parts;
mod refusals;
mod strategy_text;
mod sweep;
mod witness;

pub use check::check;
pub use distribution::{Class, Distributions, Moment, Moments, csv_of_distributions, distributions};
pub use experiment::experiment;
pub use find::{Extreme, Found, Sought, Threshold, find};
