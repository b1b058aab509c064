//! What answers say, as documents: once, for the terminal, for pages and for CSV.

pub mod distribution;
pub mod pipeline;
pub mod systems;
pub mod threshold;
pub mod weighted;
