//! The runtime: devices, their memory, and kernels that run on them.
//!
//! The entities are those of ACAF (D. Razmyslovich, G. Marcus, R. Männer, *Towards an Astrophysical-oriented
//! Computational multi-Architectural Framework*, COMPUTATION TOOLS 2016). An [`Architecture`] finds devices.
//! A [`Technology`] offers to use them, and opens each as an [`Executor`], which has a [`Storage`] and runs
//! [`Function`]s. Every trait can be implemented elsewhere; the implementations for threads, OpenCL and CUDA
//! are in `volvelle-technologies`.
//!
//! Depends on the kernel IR alone, and knows nothing of models.

pub mod architecture;
pub mod balance;
pub mod configuration;
pub mod contents;
mod context;
mod database;
mod deferred;
mod device;
mod error;
mod failover;
mod kernel;
mod launch;
pub mod network;
mod node;
mod partition;
mod selected;
pub mod storage;
mod technology;
pub mod testing;

pub use context::{Context, Passed};
pub use database::{Database, Listed};
pub use deferred::Deferred;
pub use device::{Architecture, Device, Place};
pub use error::Error;
pub use failover::Failover;
pub use kernel::{Argument, Kernel, RecoveryPolicy, Which};
pub use launch::{Built, Clock, Closure, Command, Executable, Function, Launch, LaunchBuffer, in_turn};
pub use network::Network;
pub use node::{Absent, Node, NodeDevice, SelectError, Served};
pub use selected::{Devices, Opener, SelectedDevice};
pub use storage::{Region, Storage};
pub use technology::{Executor, Offer, Technology};
