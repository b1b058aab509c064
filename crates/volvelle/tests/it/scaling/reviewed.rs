//! Dimensions that may grow faster, each with the reason.

/// Language, name of the dimension, and why.
pub const REVIEWED: &[(&str, &str, &str)] = &[];
