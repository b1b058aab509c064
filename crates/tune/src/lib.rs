//! The best configuration of a model or a kernel: spaces of parameters, searches, strategies, and files of other tuners.

mod csv;
mod result;
pub mod search;

pub use csv::{csv, name as evidence_name};
pub use result::{Decided, Evidence, Proof, Row, Sensitivity, Step, Tuning, Value};
