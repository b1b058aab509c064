//! What answers say, as documents.

pub mod distribution;
pub mod threshold;
