//! Technologies: ways to use devices.

use crate::device::Device;
use crate::error::Error;
use crate::launch::{Command, Executable, Function, in_turn};
use crate::storage::Storage;
use std::sync::Arc;
use volvelle_kernel::Exit;

/// A device as a technology sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The device: what the technology knows of it, with the place by which an architecture's find is recognised.
    pub device: Device,
    /// The library or driver, with its version.
    pub driver: String,
    /// Whether it calculates in double precision.
    pub has_f64: bool,
}

/// A way to use devices: which ones it serves, in which storage they keep data, how kernels get their arguments and run.
pub trait Technology: Send + Sync {
    /// `interpreter`, `threads`, `opencl`, `cuda`: what devices are named after (`opencl:0`).
    fn name(&self) -> &str;

    /// The devices that it serves on this node, in a fixed order.
    ///
    /// # Errors
    /// The reason why there are none, in one line, such as a missing library.
    fn offers(&self) -> Result<Vec<Offer>, Error>;

    /// The name by which users select one of the offers.
    fn device_name(&self, number: usize) -> String {
        format!("{}:{number}", self.name())
    }

    /// Opens one of the offers, by its number.
    ///
    /// # Errors
    /// There is no such offer, or the device does not answer.
    fn open(&self, number: usize) -> Result<Arc<dyn Executor>, Error>;
}

/// A device opened by a technology: has its storage, builds kernels for it and runs them. Threads may share it.
pub trait Executor: Send + Sync {
    /// As a user writes it: `opencl:0`.
    fn name(&self) -> &str;

    /// Its description.
    fn offer(&self) -> &Offer;

    /// Lanes that keep all of it busy, about: a launch with fewer leaves some of it idle.
    fn lanes(&self) -> u64;

    /// Where its kernels have their buffers.
    fn storage(&self) -> Arc<dyn Storage>;

    /// Makes a kernel ready to run.
    ///
    /// # Errors
    /// The technology has no implementation of it, or cannot build the one that it has.
    fn build(&self, function: &Function) -> Result<Arc<dyn Executable>, Error>;

    /// Runs kernels that it has built one after the other, each once the one before has ended, and waits for the last. A device
    /// with a queue gets all of them at once. Where lanes fail, gives the exit of one of these; commands after it may have
    /// run.
    ///
    /// # Errors
    /// The device failed. Buffers that the kernels write hold anything.
    ///
    /// # Panics
    /// As [`Executable::launch`].
    fn run_in_order(&self, commands: &[Command<'_>]) -> Result<Exit, Error> {
        in_turn(commands)
    }
}
