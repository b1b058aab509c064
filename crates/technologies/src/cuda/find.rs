//! Finding devices, in the order of the driver.

use super::compiler::Nvrtc;
use super::handles::{Status, check};
use super::library::{DRIVER, Device as Number, Driver};
use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use volvelle_runtime::{Device, Error, Offer, Place};

/// Driver and compiler, ready to be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub(super) driver: Driver,
    pub(super) compiler: Nvrtc,
    /// As the driver reports it: 12080 for 12.8.
    version: i32,
}

/// A device that the driver lists.
#[derive(Clone, Debug)]
pub(super) struct ListedDevice {
    pub(super) number: Number,
    pub(super) offer: Offer,
    /// Its compute capability: 90 for `sm_90`.
    pub(super) capability: i32,
    /// Threads that it holds at once.
    pub(super) threads: u64,
}

impl Ready {
    /// Opens both libraries.
    ///
    /// # Errors
    /// A library is missing, or there is no device; in one line.
    pub(super) fn new(folder: Option<&Path>) -> Result<Self, Error> {
        let driver = Driver::open(&DRIVER, folder)?;
        let unavailable = |code: Status| Error::Unavailable(format!("no CUDA: {}", driver.name(code)));
        // SAFETY: no flags are defined.
        check(unsafe { (driver.init)(0) }).map_err(unavailable)?;
        let mut version = 0;
        // SAFETY: a place for a number.
        check(unsafe { (driver.version)(&raw mut version) }).map_err(unavailable)?;
        Ok(Ready { driver, compiler: Nvrtc::open_for(version / 1000, folder)?, version })
    }

    /// Driver and compiler with their versions.
    pub(super) fn versions(&self) -> String {
        let (major, minor) = (self.version / 1000, self.version % 1000 / 10);
        format!("CUDA driver {major}.{minor}, NVRTC {}", self.compiler.version())
    }

    /// All devices that the driver lists.
    ///
    /// # Errors
    /// There is no driver, or it does not answer.
    pub(super) fn devices(&self) -> Result<Vec<ListedDevice>, Error> {
        let unavailable = |code: Status| Error::Unavailable(format!("no CUDA: {}", self.driver.name(code)));
        let mut count = 0;
        // SAFETY: a place for a number.
        check(unsafe { (self.driver.device_count)(&raw mut count) }).map_err(unavailable)?;
        let devices: Vec<ListedDevice> = (0..count)
            .map(|ordinal| self.device(ordinal))
            .collect::<Result<_, Status>>()
            .map_err(unavailable)?;
        if devices.is_empty() {
            return Err(Error::Unavailable("no CUDA: the driver finds no device".to_owned()));
        }
        Ok(devices)
    }

    fn device(&self, ordinal: c_int) -> Result<ListedDevice, Status> {
        /// Numbers of attributes (`CUdevice_attribute`).
        const UNITS: c_int = 16;
        const THREADS_OF_UNIT: c_int = 39;
        const MAJOR: c_int = 75;
        const MINOR: c_int = 76;
        let mut number = 0;
        // SAFETY: a place for a device.
        check(unsafe { (self.driver.device)(&raw mut number, ordinal) })?;
        let mut memory = 0;
        // SAFETY: a place for a number of bytes.
        check(unsafe { (self.driver.device_memory)(&raw mut memory, number) })?;
        let units = self.attribute(UNITS, number)?;
        let threads = self.attribute(THREADS_OF_UNIT, number)?;
        let device = Device {
            architecture: "GPU".to_owned(),
            vendor: "NVIDIA".to_owned(),
            name: text(|room, length| {
                // SAFETY: the buffer has room for as many characters as the call is told.
                unsafe { (self.driver.device_name)(room, length, number) }
            })?,
            place: Place::Pci(self.address(number)?),
            memory_bytes: Some(memory as u64),
            compute_units: u32::try_from(units).ok(),
        };
        Ok(ListedDevice {
            number,
            offer: Offer { device, driver: self.versions(), has_f64: true },
            capability: 10 * self.attribute(MAJOR, number)? + self.attribute(MINOR, number)?,
            threads: u64::try_from(units).unwrap_or(1) * u64::try_from(threads).unwrap_or(1),
        })
    }

    /// Its address on the bus in the usual form: `0000:3b:00.0`.
    fn address(&self, number: Number) -> Result<String, Status> {
        let address = text(|room, length| {
            // SAFETY: the buffer has room for as many characters as the call is told.
            unsafe { (self.driver.device_address)(room, length, number) }
        })?;
        Ok(address.to_ascii_lowercase())
    }

    fn attribute(&self, attribute: c_int, number: Number) -> Result<c_int, Status> {
        let mut value = 0;
        // SAFETY: a place for a number.
        check(unsafe { (self.driver.device_attribute)(&raw mut value, attribute, number) })?;
        Ok(value)
    }
}

/// A text written by a function of the driver, which gets a buffer and its length.
fn text(write: impl FnOnce(*mut c_char, c_int) -> u32) -> Result<String, Status> {
    let mut room = [0_u8; 256];
    check(write(room.as_mut_ptr().cast(), room.len() as c_int - 1))?;
    let text = CStr::from_bytes_until_nul(&room).unwrap_or_default();
    Ok(text.to_string_lossy().trim().to_owned())
}
