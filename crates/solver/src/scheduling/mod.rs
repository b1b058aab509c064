//! Which of a device and this thread makes the steps of an iteration, and what happens where the device fails.
//!
//! Input and output are values in main memory. The requested device gets all steps (`fallback`); any other has to be faster,
//! which a benchmark of single steps decides ([`Schedule`]).

mod benchmark;
mod fallback;
mod schedule;

#[cfg(test)]
pub(crate) use fallback::LEAST;
pub(crate) use fallback::{DeviceSteps, Fallback, HostSteps, is_for_device};
pub use schedule::{Batch, Schedule, Steps};
