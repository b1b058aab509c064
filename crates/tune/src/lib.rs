//! The best configuration of a model or a kernel: spaces of parameters, searches, strategies, and files of other tuners.

pub mod correlation;
pub mod fit;
pub mod formats;
mod result;
pub mod space;
pub mod strategy;

pub use result::{Decided, Evidence, Proof, Row, Sensitivity, Step, Tuning, Value};
