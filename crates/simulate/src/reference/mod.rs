//! The reference implementation of paths, step by step and slowly: it produces traces, and verifies compiled
//! paths.

mod monitor;
mod simulator;

pub use monitor::{ReferenceMonitor, follow};
pub use simulator::{ReferenceSimulator, Stay, Taken};
