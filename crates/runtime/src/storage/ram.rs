//! Main memory.

use super::{Region, Storage};
use crate::error::Error;
use std::any::Any;
use std::cell::UnsafeCell;
use std::sync::Arc;

/// Main memory of this process.
#[derive(Clone, Debug, Default)]
pub struct Ram;

impl Ram {
    /// Main memory as a shared storage.
    pub fn shared() -> Arc<dyn Storage> {
        Arc::new(Ram)
    }
}

impl Storage for Ram {
    fn name(&self) -> &str {
        "RAM"
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Region>, Error> {
        let words = bytes.div_ceil(8);
        let mut data: Vec<u64> = Vec::new();
        data.try_reserve_exact(words).map_err(|error| Error::Memory { bytes, why: error.to_string() })?;
        data.resize(words, 0);
        Ok(Box::new(RamRegion { data: UnsafeCell::new(data.into_boxed_slice()), bytes }))
    }
}

/// Bytes in main memory, aligned for every type of an element.
pub struct RamRegion {
    data: UnsafeCell<Box<[u64]>>,
    bytes: usize,
}

// SAFETY: only code that runs kernels accesses the bytes without raw pointers. A thread that writes to bytes
// that others use at the same time violates the contract of `Region`, or of the kernel.
unsafe impl Sync for RamRegion {}

impl RamRegion {
    /// The address of the bytes.
    pub fn as_ptr(&self) -> *mut u8 {
        // SAFETY: the box itself is never replaced, so reading its pointer is no race.
        unsafe { (*self.data.get()).as_mut_ptr().cast() }
    }
}

impl Region for RamRegion {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn write(&self, offset: usize, from: &[u8]) -> Result<(), Error> {
        assert!(
            offset <= self.bytes && from.len() <= self.bytes - offset,
            "bytes beyond the end of a region"
        );
        // SAFETY: the range was checked; `from` is not of this region, whose bytes are never lent as a slice.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.as_ptr().add(offset), from.len()) };
        Ok(())
    }

    fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), Error> {
        assert!(offset <= self.bytes && to.len() <= self.bytes - offset, "bytes beyond the end of a region");
        // SAFETY: as for writing.
        unsafe { std::ptr::copy_nonoverlapping(self.as_ptr().add(offset), to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
