//! The reference implementation of paths, step by step and slowly: what traces are made of, and the second opinion on compiled
//! paths.

mod monitor;
mod simulator;

pub use monitor::{ReferenceMonitor, follow};
pub use simulator::{ReferenceSimulator, Stay, Taken};
