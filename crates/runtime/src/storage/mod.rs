//! Storages: memory for bytes, independent of their meaning.

mod file;
mod ram;

pub use file::FileStorage;
pub use ram::{Ram, RamRegion};

use crate::error::Error;
use std::any::Any;

/// Memory for bytes: main memory, memory of a device, a file, another node.
pub trait Storage: Send + Sync {
    /// Name for messages: `RAM`, `opencl:0`.
    fn name(&self) -> &str;

    /// Allocates a region of `bytes` zero bytes.
    ///
    /// # Errors
    /// There is no room.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Region>, Error>;
}

/// Bytes in a storage. They are freed when the region is dropped.
///
/// Threads may share a region; concurrent writes to the same bytes leave a mixture of what was written.
pub trait Region: Send + Sync {
    /// Number of bytes.
    fn bytes(&self) -> usize;

    /// Overwrites bytes from an offset on.
    ///
    /// # Errors
    /// The transfer failed; the contents are undefined.
    ///
    /// # Panics
    /// If they do not fit: a bug of the caller.
    fn write(&self, offset: usize, from: &[u8]) -> Result<(), Error>;

    /// Reads bytes from an offset on.
    ///
    /// # Errors
    /// The transfer failed.
    ///
    /// # Panics
    /// If the range exceeds the region: a bug of the caller.
    fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), Error>;

    /// For downcasts: technologies recognise their own regions.
    fn as_any(&self) -> &dyn Any;

    /// Copies from a region of any storage, directly within the same storage if possible.
    ///
    /// # Errors
    /// A transfer failed.
    fn copy_from(&self, offset: usize, from: &dyn Region, start: usize, bytes: usize) -> Result<(), Error> {
        /// Bytes moved at once.
        const PIECE: usize = 1 << 20;
        let mut buffer = vec![0; bytes.min(PIECE)];
        for done in (0..bytes).step_by(PIECE) {
            let piece = &mut buffer[..PIECE.min(bytes - done)];
            from.read(start + done, piece)?;
            self.write(offset + done, piece)?;
        }
        Ok(())
    }
}

/// A copy of the bytes in another storage: this converts data of one technology into data of another.
///
/// # Errors
/// An allocation or a transfer failed.
pub fn converted(region: &dyn Region, to: &dyn Storage) -> Result<Box<dyn Region>, Error> {
    let copy = to.allocate(region.bytes())?;
    copy.copy_from(0, region, 0, region.bytes())?;
    Ok(copy)
}
