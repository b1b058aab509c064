//! Devices that fail.

use volvelle_runtime::Error;

/// A device that the user named and that failed, or cannot run the paths.
#[derive(Clone, Debug)]
pub struct DeviceFailure {
    /// Name of the device.
    pub device: String,
    /// Its error.
    pub error: Error,
}
