//! Kernels on devices, and their arguments.

use crate::contents::Content;
use crate::context::Context;
use crate::error::Error;
use crate::launch::{Executable, Function};
use std::sync::{Arc, Mutex};
use volvelle_kernel::Const;

/// A function that all devices of a context run, each on its part of the units.
///
/// Lane `i` works on unit `i`. A buffer holds what the device holds of a content. Of an
/// [`crate::contents::Array`] that is the device's part, which begins with unit `first`; so lane `i` finds
/// its element at `i - first`. [`Argument::First`] passes that number to a kernel, [`Argument::Start`] the
/// number of the first element that the device holds of any content.
pub struct Kernel {
    pub(super) context: Arc<Context>,
    pub(super) function: Function,
    /// For each device of this process that had not failed.
    pub(super) ready: Vec<Option<Arc<dyn Executable>>>,
    /// For each parameter but the number of the lane, then for each buffer.
    pub(super) arguments: Vec<Option<Argument>>,
    pub(super) recovery: RecoveryPolicy,
    /// Memory of copies, for reuse.
    pub(super) room: Mutex<Vec<Vec<u8>>>,
}

/// The contents that are copied to main memory before a kernel starts, so that another device can repeat the
/// work of a failed one.
///
/// Before each start, this costs one read of the device's share of these contents, including halos and
/// elements of other devices. The kernel reuses the memory of the copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecoveryPolicy {
    /// Nothing is copied. If a device fails, that is an error, and its results are undefined.
    #[default]
    None,
    /// Contents that the kernel writes. Contents that it only reads are read from the failed device. If that
    /// fails as well, they are lost, which is an error.
    Written,
    /// All contents that the kernel uses, except those that every device holds: suitable if failed devices
    /// may be lost permanently.
    All,
}

/// An argument of a kernel.
#[derive(Clone)]
pub enum Argument {
    /// A number, the same on all devices.
    Scalar(Const),
    /// The first unit of the device: a `u64`.
    First,
    /// The end of the device's units, exclusive: a `u64`.
    End,
    /// Units in all: a `u64`.
    Units,
    /// The number of the first element that the device has of a content: a `u64`.
    Start(Arc<dyn Content>),
    /// The device's share of a content, as a buffer.
    Content(Arc<dyn Content>),
}

/// An argument by its name, or by its number: parameters are counted without the number of the lane, and
/// buffers after them.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// By number.
    Number(usize),
    /// By name.
    Name(&'a str),
}

/// Adds the name of the device to an error.
pub(super) fn on(device: &str, error: Error) -> Error {
    let prefixed = |why: String| format!("{device}: {why}");
    match error {
        Error::Unavailable(why) => Error::Unavailable(prefixed(why)),
        Error::Refused(why) => Error::Refused(prefixed(why)),
        Error::Build(why) => Error::Build(prefixed(why)),
        Error::Memory { bytes, why } => Error::Memory { bytes, why: prefixed(why) },
        Error::Transfer(why) => Error::Transfer(prefixed(why)),
        Error::Mismatch(why) => Error::Mismatch(prefixed(why)),
        Error::Launch(why) => Error::Launch(prefixed(why)),
        Error::Exit { exit, why } => Error::Exit { exit, why: prefixed(why) },
    }
}
