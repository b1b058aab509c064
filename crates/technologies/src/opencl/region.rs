//! Memory of a device.

use super::code_name;
use super::handles::{Event, Memory, Queue};
use super::opened::Opened;
use cl3::command_queue as cl;
use cl3::types::{CL_FALSE, CL_TRUE, cl_event, cl_int};
use std::any::Any;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use volvelle_runtime::{Error, Region, Storage};

/// The memory of an open device.
pub(super) struct ClStorage {
    opened: Arc<Opened>,
}

impl ClStorage {
    pub(super) fn new(opened: Arc<Opened>) -> Self {
        ClStorage { opened }
    }
}

impl Storage for ClStorage {
    fn name(&self) -> &str {
        &self.opened.name
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Region>, Error> {
        Ok(Box::new(ClRegion::new(&self.opened, bytes)?))
    }
}

/// The size of the pieces in which zeros are written, in bytes; allocations are multiples of it.
const PATTERN: usize = 16;

/// Bytes in the memory of a device.
pub(super) struct ClRegion {
    /// `None` if there are no bytes.
    memory: Option<Memory>,
    bytes: usize,
    /// Counts its bytes as memory in use until it is freed.
    _share: Share,
    opened: Arc<Opened>,
}

/// Memory that counts as used.
struct Share {
    opened: Arc<Opened>,
    bytes: u64,
}

impl Share {
    /// Drivers allocate more than there is and fail later, some by ending the process. So memory in use is
    /// counted here.
    fn take(opened: &Arc<Opened>, bytes: usize, rounded: usize) -> Result<Self, Error> {
        let facts = &opened.facts;
        let wanted = rounded as u64;
        let no_room = |why: String| Error::Memory { bytes, why };
        if wanted > facts.most_at_once {
            return Err(no_room(format!("{} gives at most {} at once", opened.name, facts.most_at_once)));
        }
        let fits = |used: u64| used.checked_add(wanted).filter(|sum| *sum <= facts.memory);
        match opened.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => Ok(Share { opened: opened.clone(), bytes: wanted }),
            Err(used) => {
                Err(no_room(format!("{} has {}, of which {used} are used", opened.name, facts.memory)))
            }
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.opened.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl ClRegion {
    fn new(opened: &Arc<Opened>, bytes: usize) -> Result<Self, Error> {
        let no_room = |why: String| Error::Memory { bytes, why };
        let rounded = bytes.checked_next_multiple_of(PATTERN);
        let rounded = rounded.ok_or_else(|| no_room("no memory is that large".to_owned()))?;
        let share = Share::take(opened, bytes, rounded)?;
        let mut region = ClRegion { opened: opened.clone(), memory: None, bytes, _share: share };
        if bytes > 0 {
            let memory = Memory::new(&opened.context, rounded, &opened.live);
            let memory = memory.map_err(|code| no_room(code_name(code)))?;
            opened.with_queue(no_room, |queue| {
                zero(queue, &memory, rounded).map_err(|code| no_room(code_name(code)))
            })?;
            region.memory = Some(memory);
        }
        Ok(region)
    }

    /// The memory, if there are bytes.
    pub(super) fn memory(&self) -> Option<&Memory> {
        self.memory.as_ref()
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

    /// Copies within the same device, if the ranges do not overlap.
    fn copy_here(&self, offset: usize, from: &ClRegion, start: usize, bytes: usize) -> Result<(), Error> {
        let (Some(to), Some(source)) = (self.within(offset, bytes), from.within(start, bytes)) else {
            return Ok(());
        };
        self.transfer(|queue| {
            // SAFETY: both memories are alive, the ranges lie inside and do not overlap, and the command is waited for.
            let event = unsafe {
                cl::enqueue_copy_buffer(
                    queue.raw(),
                    source.raw(),
                    to.raw(),
                    start,
                    offset,
                    bytes,
                    0,
                    ptr::null(),
                )
            };
            finished(event)
        })
    }

    fn transfer(&self, work: impl FnOnce(&Queue) -> Result<(), cl_int>) -> Result<(), Error> {
        let failed = |why: String| Error::Transfer(format!("{}: {why}", self.opened.name));
        self.opened.with_queue(failed, |queue| work(queue).map_err(|code| failed(code_name(code))))
    }
}

impl Region for ClRegion {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn write(&self, offset: usize, from: &[u8]) -> Result<(), Error> {
        let Some(memory) = self.within(offset, from.len()) else { return Ok(()) };
        self.transfer(|queue| {
            // SAFETY: the memory is alive and the range inside; the call returns when `from` has been read.
            let event = unsafe {
                cl::enqueue_write_buffer(
                    queue.raw(),
                    memory.raw(),
                    CL_TRUE,
                    offset,
                    from.len(),
                    from.as_ptr().cast(),
                    0,
                    ptr::null(),
                )
            };
            finished(event)
        })
    }

    fn read(&self, offset: usize, to: &mut [u8]) -> Result<(), Error> {
        let Some(memory) = self.within(offset, to.len()) else { return Ok(()) };
        self.transfer(|queue| read(queue, memory, offset, to))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn copy_from(&self, offset: usize, from: &dyn Region, start: usize, bytes: usize) -> Result<(), Error> {
        if let Some(source) = from.as_any().downcast_ref::<ClRegion>().filter(|r| r.is_of(&self.opened)) {
            let apart = !ptr::eq(source, self) || offset.abs_diff(start) >= bytes;
            if apart {
                return self.copy_here(offset, source, start, bytes);
            }
        }
        crate::copying::by_way_of_ram(self, offset, from, start, bytes)
    }
}

/// Reads bytes, and waits for them.
pub(super) fn read(queue: &Queue, memory: &Memory, offset: usize, to: &mut [u8]) -> Result<(), cl_int> {
    // SAFETY: the memory is alive and the range inside, as the callers see to; the call returns when `to` has been written.
    let event = unsafe {
        cl::enqueue_read_buffer(
            queue.raw(),
            memory.raw(),
            CL_TRUE,
            offset,
            to.len(),
            to.as_mut_ptr().cast(),
            0,
            ptr::null(),
        )
    };
    finished(event)
}

/// Queues a read from the beginning of a memory, which has at least as many bytes. The bytes are valid after
/// the event has ended.
///
/// # Safety
/// Until the command has ended, `to` stays in place and is not accessed.
pub(super) unsafe fn begin_read(queue: &Queue, memory: &Memory, to: &mut [u8]) -> Result<Event, cl_int> {
    // SAFETY: the memory is alive and long enough, and `to` outlives the command, as the callers see to.
    let event = unsafe {
        cl::enqueue_read_buffer(
            queue.raw(),
            memory.raw(),
            CL_FALSE,
            0,
            to.len(),
            to.as_mut_ptr().cast(),
            0,
            ptr::null(),
        )
    };
    event.map(Event::own)
}

/// Fills a memory of `bytes` bytes, a multiple of [`PATTERN`], with zeros, and waits.
pub(super) fn zero(queue: &Queue, memory: &Memory, bytes: usize) -> Result<(), cl_int> {
    const ZEROS: [u64; PATTERN / 8] = [0; PATTERN / 8];
    // SAFETY: the memory is alive and has `bytes` bytes; the library copies the pattern before it returns.
    let event = unsafe {
        cl::enqueue_fill_buffer(
            queue.raw(),
            memory.raw(),
            ZEROS.as_ptr().cast(),
            PATTERN,
            0,
            bytes,
            0,
            ptr::null(),
        )
    };
    finished(event)
}

/// Waits for a command that could be put into its queue.
fn finished(event: Result<cl_event, cl_int>) -> Result<(), cl_int> {
    Event::own(event?).wait()
}
