//! Memory of a device.

use super::handles::{Memory, Status, Stream};
use super::opened::Opened;
use std::any::Any;
use std::ptr;
use std::sync::Arc;
use volvelle_runtime::{Error, Region, Storage};

/// The memory of an open device.
pub(super) struct CudaStorage {
    opened: Arc<Opened>,
}

impl CudaStorage {
    pub(super) fn new(opened: Arc<Opened>) -> Self {
        CudaStorage { opened }
    }
}

impl Storage for CudaStorage {
    fn name(&self) -> &str {
        &self.opened.name
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Region>, Error> {
        let no_room = |code: Status| Error::Memory { bytes, why: self.opened.says(code) };
        let mut region = CudaRegion { opened: self.opened.clone(), memory: None, bytes };
        if bytes > 0 {
            let memory = Memory::new(&self.opened.context, bytes).map_err(no_room)?;
            self.opened.with_stream(|stream| stream.zero(&memory, bytes)).map_err(no_room)?;
            region.memory = Some(memory);
        }
        Ok(Box::new(region))
    }
}

/// Bytes in the memory of a device.
pub(super) struct CudaRegion {
    opened: Arc<Opened>,
    /// `None` if there are no bytes.
    memory: Option<Memory>,
    bytes: usize,
}

impl CudaRegion {
    /// The address of a byte; 0 for an empty region.
    pub(super) fn address(&self, offset: usize) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.address + offset as u64)
    }

    /// Whether it belongs to this opening of a device.
    pub(super) fn is_of(&self, opened: &Arc<Opened>) -> bool {
        Arc::ptr_eq(&self.opened, opened)
    }

    /// The memory, if a range has bytes.
    fn within(&self, offset: usize, bytes: usize) -> Option<&Memory> {
        let fits = offset <= self.bytes && bytes <= self.bytes - offset;
        assert!(fits, "bytes beyond the end of a region");
        self.memory.as_ref().filter(|_| bytes > 0)
    }

    fn transfer(&self, work: impl FnOnce(&Stream) -> Result<(), Status>) -> Result<(), Error> {
        self.opened.with_stream(work).map_err(|code| Error::Transfer(self.opened.says(code)))
    }
}

impl Region for CudaRegion {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn write(&self, offset: usize, from: &[u8]) -> Result<(), Error> {
        let Some(memory) = self.within(offset, from.len()) else { return Ok(()) };
        self.transfer(|stream| stream.write(memory, offset, from))
    }

    fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), Error> {
        let Some(memory) = self.within(offset, to.len()) else { return Ok(()) };
        self.transfer(|stream| stream.read(memory, offset, to))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn copy_from(&self, offset: usize, from: &dyn Region, start: usize, bytes: usize) -> Result<(), Error> {
        let here = from.as_any().downcast_ref::<CudaRegion>().filter(|region| region.is_of(&self.opened));
        let apart = here.filter(|source| !ptr::eq(*source, self) || offset.abs_diff(start) >= bytes);
        let Some(source) = apart else {
            return crate::copying::by_way_of_ram(self, offset, from, start, bytes);
        };
        match (self.within(offset, bytes), source.within(start, bytes)) {
            (Some(to), Some(from)) => self.transfer(|stream| stream.copy((to, offset), (from, start), bytes)),
            _ => Ok(()),
        }
    }
}
