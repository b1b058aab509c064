//! Running kernels.

use super::build::{self, Group};
use super::executor::Opened;
use super::handles::{Event, Kernel, Memory, Program, Queue};
use super::region::{self, ClRegion};
use super::{code_name, shifted};
use crate::arguments::{self, Signature};
use crate::cache::Cache;
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use volvelle_kernel::{Const, Exit};
use volvelle_runtime::{Built, Error, Executable, Launch};

/// A kernel built for an open device.
pub(super) struct ClKernel {
    opened: Arc<Opened>,
    cache: Cache,
    signature: Signature,
    text: String,
    built: Built,
    plain: Entry,
    /// The same for buffers that start within their regions, made when it is wanted.
    shifted: Mutex<Option<Arc<Entry>>>,
}

/// A function of a program, ready to be called.
pub(super) struct Entry {
    program: Program,
    name: CString,
    arguments: usize,
    group: Group,
    /// Kernels with their arguments that nobody uses now.
    slots: Mutex<Vec<Slot>>,
}

/// What one thread needs to run a kernel.
struct Slot {
    kernel: Kernel,
    /// The exit code, 0 between launches.
    exit: Memory,
}

/// Bytes of the memory for an exit code, of which the first four are used.
const EXIT_BYTES: usize = 16;

impl ClKernel {
    /// Builds a text with the kernel of a signature.
    pub(super) fn build(
        opened: &Arc<Opened>,
        cache: &Cache,
        signature: Signature,
        text: String,
    ) -> Result<Self, Error> {
        let (plain, built) = Entry::build(opened, cache, signature.name(), signature.arguments(), &text)?;
        Ok(ClKernel {
            opened: opened.clone(),
            cache: cache.clone(),
            signature,
            text,
            built,
            plain,
            shifted: Mutex::default(),
        })
    }

    /// The entry for buffers that start within their regions.
    fn shifted(&self) -> Result<Arc<Entry>, Error> {
        let mut shifted = self.shifted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = &*shifted {
            return Ok(entry.clone());
        }
        let name = shifted::name(&self.signature);
        let text = shifted::text(&self.signature, &self.text);
        let arguments = self.signature.arguments() + self.signature.buffers().len();
        let (entry, _) = Entry::build(&self.opened, &self.cache, &name, arguments, &text)?;
        Ok(shifted.insert(Arc::new(entry)).clone())
    }

    fn launch_on(&self, entry: &Entry, with_shifts: bool, launch: &Launch<'_>) -> Result<Exit, Error> {
        let free = entry.slots.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let slot = match free {
            Some(slot) => slot,
            None => Slot::new(&self.opened, entry)?,
        };
        let code = self.opened.with_queue(failed, |queue| {
            for (first, count) in arguments::parts(&launch.lanes) {
                let end = first + count;
                self.set_arguments(&slot, first, end, with_shifts, launch)?;
                let block = arguments::block_within(entry.group.size(launch.block), end);
                let code = slot.run(queue, count, block)?;
                if code != 0 {
                    return Ok(code);
                }
            }
            Ok(0)
        })?;
        // Another code than 0 stays in its memory, so that slot is of no more use.
        if code == 0 {
            entry.slots.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
        }
        self.signature.exit(code)
    }

    fn set_arguments(
        &self,
        slot: &Slot,
        first: u64,
        end: u64,
        with_shifts: bool,
        launch: &Launch<'_>,
    ) -> Result<(), Error> {
        let mut arguments = Arguments { kernel: &slot.kernel, next: 0 };
        arguments.value(&Const::u64(first))?;
        arguments.value(&Const::u64(end))?;
        for param in launch.params {
            arguments.value(param)?;
        }
        for (lent, decl) in launch.buffers.iter().zip(self.signature.buffers()) {
            let region = lent.region.as_any().downcast_ref::<ClRegion>();
            let region = region.filter(|region| region.is_of(&self.opened));
            let region = region.expect("a region of the storage of the device that runs the kernel");
            arguments.memory(region.memory())?;
            if with_shifts {
                arguments.value(&Const::u64((lent.offset / decl.ty.bytes()) as u64))?;
            }
            arguments.value(&Const::u64(lent.elements as u64))?;
        }
        arguments.memory(Some(&slot.exit))
    }
}

impl Executable for ClKernel {
    fn built(&self) -> &Built {
        &self.built
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<Exit, Error> {
        self.signature.check(launch);
        if launch.lanes.is_empty() {
            return Ok(Exit::Done);
        }
        if launch.buffers.iter().all(|lent| lent.offset == 0) {
            self.launch_on(&self.plain, false, launch)
        } else {
            self.launch_on(&*self.shifted()?, true, launch)
        }
    }
}

impl Entry {
    fn build(
        opened: &Opened,
        cache: &Cache,
        name: &str,
        arguments: usize,
        text: &str,
    ) -> Result<(Self, Built), Error> {
        let name = CString::new(name).map_err(|error| Error::Build(error.to_string()))?;
        let (program, built) = build::program(opened, cache, text)?;
        let kernel = build::kernel(opened, &program, &name, arguments)?;
        let group = Group::of(opened, &kernel);
        Ok((Entry { program, name, arguments, group, slots: Mutex::default() }, built))
    }
}

impl Slot {
    fn new(opened: &Opened, entry: &Entry) -> Result<Self, Error> {
        let kernel = build::kernel(opened, &entry.program, &entry.name, entry.arguments)?;
        let no_room = |why| Error::Memory { bytes: EXIT_BYTES, why };
        let exit = Memory::new(&opened.context, EXIT_BYTES, &opened.live);
        let exit = exit.map_err(|code| no_room(code_name(code)))?;
        opened.with_queue(no_room, |queue| {
            region::zero(queue, &exit, EXIT_BYTES).map_err(|code| no_room(code_name(code)))
        })?;
        Ok(Slot { kernel, exit })
    }

    /// Runs so many work items, and reads the exit code.
    fn run(&self, queue: &Queue, items: u64, block: u32) -> Result<u32, Error> {
        let block = block as usize;
        let size = (items as usize).next_multiple_of(block);
        // SAFETY: kernel and queue are alive, one dimension is described by one number each, and all arguments are set. What
        // the kernel does with its memory is bounded by the lengths that it gets.
        let event = unsafe {
            cl3::command_queue::enqueue_nd_range_kernel(
                queue.raw(),
                self.kernel.raw(),
                1,
                ptr::null(),
                &raw const size,
                &raw const block,
                0,
                ptr::null(),
            )
        };
        let event = Event::own(event.map_err(|code| failed(code_name(code)))?);
        let mut code = [0; 4];
        let read = region::read(queue, &self.exit, 0, &mut code);
        // If the kernel failed, that is the reason why nothing could be read.
        event.wait().and(read).map_err(|code| failed(code_name(code)))?;
        Ok(u32::from_le_bytes(code))
    }
}

/// The arguments of a kernel, set one after the other.
struct Arguments<'k> {
    kernel: &'k Kernel,
    next: u32,
}

impl Arguments<'_> {
    fn value(&mut self, value: &Const) -> Result<(), Error> {
        let (bytes, size) = arguments::bytes(value);
        self.set(size, bytes.as_ptr().cast())
    }

    /// The address of a memory, or none.
    fn memory(&mut self, memory: Option<&Memory>) -> Result<(), Error> {
        let raw = memory.map_or(ptr::null_mut(), Memory::raw);
        self.set(size_of_val(&raw), (&raw const raw).cast())
    }

    fn set(&mut self, size: usize, value: *const c_void) -> Result<(), Error> {
        // SAFETY: the callers point to so many bytes, which the library copies; it compares their number with what the
        // kernel declares.
        let set = unsafe { cl3::kernel::set_kernel_arg(self.kernel.raw(), self.next, size, value) };
        set.map_err(|code| failed(format!("argument {}: {}", self.next, code_name(code))))?;
        self.next += 1;
        Ok(())
    }
}

fn failed(why: String) -> Error {
    Error::Launch(why)
}
