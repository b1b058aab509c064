//! The best configuration of a model or a kernel: spaces of parameters, searches, strategies, and files of other tuners.

pub mod correlation;
mod csv;
pub mod fit;
pub mod formats;
mod result;
pub mod search;
pub mod space;
pub mod strategy;

pub use csv::{csv, name as evidence_name};
pub use result::{Decided, Evidence, Proof, Row, Sensitivity, Step, Tuning, Value};
