//! The JSON of distributions and of thresholds.

mod distribution;
mod find;

pub use distribution::of_distributions;
pub use find::of_threshold;
