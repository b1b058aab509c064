//! The best configuration of a model or a kernel: spaces of parameters, searches, strategies, and files of other tuners.

mod result;
pub mod space;

pub use result::{Decided, Evidence, Proof, Row, Sensitivity, Step, Tuning, Value};
