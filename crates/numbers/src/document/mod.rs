//! What is said of distributions and thresholds.

pub mod distribution;
pub mod threshold;
