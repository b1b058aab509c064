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
    /// The device as the technology describes it, with the place that identifies it among an architecture's
    /// devices.
    pub device: Device,
    /// The library or driver, with its version.
    pub driver: String,
    /// Whether it calculates in double precision.
    pub has_f64: bool,
}

/// A way to use devices: which devices it serves, where they keep data, and how kernels get arguments and
/// run.
pub trait Technology: Send + Sync {
    /// Its name, from which devices are named (`opencl:0`): `interpreter`, `threads`, `opencl`, `cuda`.
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

    /// Approximate number of lanes that keep the whole device busy.
    fn lanes(&self) -> u64;

    /// The storage of its kernels' buffers.
    fn storage(&self) -> Arc<dyn Storage>;

    /// Prepares a kernel to run.
    ///
    /// # Errors
    /// The technology has no implementation of it, or cannot build the one that it has.
    fn build(&self, function: &Function) -> Result<Arc<dyn Executable>, Error>;

    /// Runs kernels that it has built one after the other, each after the previous one has ended, and waits
    /// for the last. A device with a queue gets all of them at once. If lanes fail, returns the exit of one
    /// of them; later commands may have run.
    ///
    /// # Errors
    /// The device failed. The contents of buffers that the kernels write are undefined.
    ///
    /// # Panics
    /// As [`Executable::launch`].
    fn run_in_order(&self, commands: &[Command<'_>]) -> Result<Exit, Error> {
        in_turn(commands)
    }
}
