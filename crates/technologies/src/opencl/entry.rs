//! Functions of programs that the host calls: building, setting arguments, running.

use super::build::{self, Group, Source};
use super::code_name;
use super::handles::{Event, Kernel, Memory, Program, Queue};
use super::opened::Opened;
use super::region::{self, ClRegion};
use crate::arguments::{self, Signature};
use crate::cache::Cache;
use cl3::error_codes::{CL_INVALID_ARG_SIZE, CL_INVALID_ARG_VALUE};
use cl3::types::cl_int;
use std::ffi::{CStr, CString, c_void};
use std::ops::Range;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use volvelle_kernel::{Const, Exit};
use volvelle_runtime::{Built, Error, Launch, Region};

/// A function of a program, ready to be called.
pub(super) struct Entry {
    pub(super) signature: Arc<Signature>,
    /// Whether it takes the number of the first element of every buffer.
    shifts: bool,
    name: CString,
    group: Group,
    /// Free kernels, with their arguments.
    slots: Mutex<Vec<Slot>>,
    program: Program,
    pub(super) opened: Arc<Opened>,
}

/// A kernel with its arguments and its exit code, for one thread at a time.
struct Slot {
    kernel: Kernel,
    /// The exit code, 0 between launches.
    exit: Memory,
}

/// Size of the memory for an exit code in bytes; the first four are used.
const EXIT_BYTES: usize = 16;

impl Entry {
    /// Builds a text and finds the kernel `name` in it, or takes a kept binary.
    ///
    /// # Errors
    /// The compiler rejects the text, or the kernel is missing or has other parameters.
    pub(super) fn build(
        opened: &Arc<Opened>,
        cache: &Cache,
        signature: Arc<Signature>,
        name: &str,
        shifts: bool,
        text: &str,
    ) -> Result<(Self, Built), Error> {
        let name = CString::new(name).map_err(|error| Error::Build(error.to_string()))?;
        let started = Instant::now();
        let source = Source::new(opened, text);
        let ready = |program| Entry::of(opened, signature.clone(), &name, shifts, program);
        if let Some(entry) = source.kept(cache, ready) {
            let built = Built { compile_time: started.elapsed(), from_cache: true, log: String::new() };
            return Ok((entry, built));
        }
        let (program, log) = source.compile()?;
        let entry = ready(program)?;
        let built = Built { compile_time: started.elapsed(), from_cache: false, log };
        source.keep(cache, &entry.program);
        Ok((entry, built))
    }

    /// The kernel of a program.
    fn of(
        opened: &Arc<Opened>,
        signature: Arc<Signature>,
        name: &CStr,
        shifts: bool,
        program: Program,
    ) -> Result<Self, Error> {
        let starts = if shifts { signature.buffers().len() } else { 0 };
        let kernel = build::kernel(opened, &program, name, signature.arguments() + starts)?;
        let group = Group::of(opened, &kernel);
        let slot = Slot::new(opened, kernel)?;
        let entry = Entry {
            opened: opened.clone(),
            signature,
            shifts,
            program,
            name: name.to_owned(),
            group,
            slots: Mutex::default(),
        };
        entry.set_arguments(&slot, &(0..0), None).map_err(|code| match code {
            CL_INVALID_ARG_SIZE | CL_INVALID_ARG_VALUE => Error::Build(format!(
                "the parameters of kernel `{}` have other types than it is called with",
                entry.signature.name()
            )),
            code => entry.failed(code),
        })?;
        if opened.facts.is_cpu {
            // Some drivers for processors compile for a size of groups when a kernel first runs with it. This
            // run makes that a part of the building time and of the kept binary.
            entry.run(&slot, 0..0, None)?;
        }
        entry.give_back(slot);
        Ok(entry)
    }

    /// A kernel for this thread.
    fn slot(&self) -> Result<Slot, Error> {
        if let Some(free) = self.slots.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(free);
        }
        let kernel = Kernel::new(&self.program, &self.name, &self.opened.live);
        Slot::new(&self.opened, kernel.map_err(|code| self.failed(code))?)
    }

    fn give_back(&self, slot: Slot) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }

    /// Runs some lanes and returns the exit code. Without a launch, all parameters are zero, and no buffer
    /// has elements.
    fn run(&self, slot: &Slot, lanes: Range<u64>, launch: Option<&Launch<'_>>) -> Result<u32, Error> {
        self.opened.with_queue(Error::Launch, |queue| {
            let event = self.begin(queue, slot, lanes, launch)?;
            let code = slot.code(queue);
            // If the kernel failed, its error explains why nothing could be read.
            event.wait().and(code).map_err(|code| self.failed(code))
        })
    }

    /// Puts some lanes into a queue.
    fn begin(
        &self,
        queue: &Queue,
        slot: &Slot,
        lanes: Range<u64>,
        launch: Option<&Launch<'_>>,
    ) -> Result<Event, Error> {
        let block = self.group.size(launch.and_then(|launch| launch.block));
        let block = arguments::block_within(block, lanes.end);
        self.set_arguments(slot, &lanes, launch).map_err(|code| self.failed(code))?;
        let items = (lanes.end - lanes.start).max(1);
        slot.begin(queue, items, block).map_err(|code| self.failed(code))
    }

    fn set_arguments(
        &self,
        slot: &Slot,
        lanes: &Range<u64>,
        launch: Option<&Launch<'_>>,
    ) -> Result<(), cl_int> {
        let mut arguments = Arguments { kernel: &slot.kernel, next: 0 };
        arguments.value(Const::u64(lanes.start))?;
        arguments.value(Const::u64(lanes.end))?;
        for (i, decl) in self.signature.params().iter().enumerate() {
            arguments.value(launch.map_or(Const { ty: decl.ty, bits: 0 }, |launch| launch.params[i]))?;
        }
        for (i, decl) in self.signature.buffers().iter().enumerate() {
            let lent = launch.map(|launch| launch.buffers[i]);
            arguments.memory(lent.and_then(|lent| self.region(lent.region).memory()))?;
            if self.shifts {
                let start = lent.map_or(0, |lent| lent.offset / decl.ty.bytes());
                arguments.value(Const::u64(start as u64))?;
            }
            arguments.value(Const::u64(lent.map_or(0, |lent| lent.elements) as u64))?;
        }
        arguments.memory(Some(&slot.exit))
    }

    fn failed(&self, code: cl_int) -> Error {
        Error::Launch(format!("{}: {}", self.opened.name, code_name(code)))
    }

    fn region<'r>(&self, region: &'r dyn Region) -> &'r ClRegion {
        let region = region.as_any().downcast_ref::<ClRegion>();
        let ours = region.filter(|region| region.is_of(&self.opened));
        ours.expect("a region of the storage of the device that runs the kernel")
    }
}

impl Slot {
    fn new(opened: &Opened, kernel: Kernel) -> Result<Self, Error> {
        let no_room = |why| Error::Memory { bytes: EXIT_BYTES, why };
        let exit = Memory::new(&opened.context, EXIT_BYTES, &opened.live);
        let exit = exit.map_err(|code| no_room(code_name(code)))?;
        opened.with_queue(no_room, |queue| {
            region::zero(queue, &exit, EXIT_BYTES).map_err(|code| no_room(code_name(code)))
        })?;
        Ok(Slot { kernel, exit })
    }

    /// Queues `items` work items, with the arguments as they are set now.
    fn begin(&self, queue: &Queue, items: u64, block: u32) -> Result<Event, cl_int> {
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
        Ok(Event::own(event?))
    }

    /// Waits for the queue, and reads the exit code.
    fn code(&self, queue: &Queue) -> Result<u32, cl_int> {
        let mut code = [0; 4];
        region::read(queue, &self.exit, 0, &mut code)?;
        Ok(u32::from_le_bytes(code))
    }
}

/// Runs functions one after the other: all are queued before the first wait.
pub(super) fn run_in_order(opened: &Opened, launches: &[(&Entry, &Launch<'_>)]) -> Result<Exit, Error> {
    // One slot for each function: an argument is copied when a command is put into a queue.
    let mut slots: Vec<(&Entry, Slot)> = Vec::new();
    let mut events = Vec::new();
    // They outlive the commands that write to them: even a failing queue is finished before this function
    // returns.
    let mut codes = vec![[0; 4]; launches.len()];
    let ended = opened.with_queue(Error::Launch, |queue| {
        for &(entry, launch) in launches {
            let at = match slots.iter().position(|&(known, _)| ptr::eq(known, entry)) {
                Some(at) => at,
                None => {
                    slots.push((entry, entry.slot()?));
                    slots.len() - 1
                }
            };
            for (first, count) in arguments::parts(&launch.lanes) {
                let event = entry.begin(queue, &slots[at].1, first..first + count, Some(launch))?;
                events.push((entry, event));
            }
        }
        let reads: Vec<(&Entry, Result<Event, cl_int>)> = slots
            .iter()
            .zip(&mut codes)
            .map(|((entry, slot), code)| {
                // SAFETY: the codes live until the queue is finished, or forever, and are read only after all
                // commands have ended.
                (*entry, unsafe { region::begin_read(queue, &slot.exit, code) })
            })
            .collect();
        // With the last, all have ended: one wait in place of many.
        if let Some((_, Ok(last))) = reads.last() {
            let _ = last.wait();
        }
        // If a kernel failed, its error explains why nothing could be read.
        for (entry, event) in &events {
            event.wait().map_err(|code| entry.failed(code))?;
        }
        let read = |(entry, event): (&Entry, Result<Event, cl_int>)| {
            event.and_then(|event| event.wait()).map_err(|code| entry.failed(code))
        };
        reads.into_iter().try_for_each(read)
    });
    if let Err(error) = ended {
        // If waiting for the queue failed, commands may write to them later, so they are never freed.
        std::mem::forget(codes);
        return Err(error);
    }
    let codes = codes.into_iter().map(u32::from_le_bytes);
    let mut exit = Ok(Exit::Done);
    for ((entry, slot), code) in slots.into_iter().zip(codes) {
        if code == 0 {
            entry.give_back(slot);
        } else if matches!(exit, Ok(Exit::Done)) {
            // The code stays in the slot's memory, so the slot is not reused.
            exit = entry.signature.exit(code);
        }
    }
    exit
}

/// The arguments of a kernel, set one after the other.
struct Arguments<'k> {
    kernel: &'k Kernel,
    next: u32,
}

impl Arguments<'_> {
    fn value(&mut self, value: Const) -> Result<(), cl_int> {
        let (bytes, size) = arguments::bytes(&value);
        self.set(size, bytes.as_ptr().cast())
    }

    /// The address of a memory, or a null address.
    fn memory(&mut self, memory: Option<&Memory>) -> Result<(), cl_int> {
        let raw = memory.map_or(ptr::null_mut(), Memory::raw);
        self.set(size_of_val(&raw), (&raw const raw).cast())
    }

    fn set(&mut self, size: usize, value: *const c_void) -> Result<(), cl_int> {
        // SAFETY: the callers point to `size` bytes, which the library copies; it compares their number with what the
        // kernel declares.
        unsafe { cl3::kernel::set_kernel_arg(self.kernel.raw(), self.next, size, value) }?;
        self.next += 1;
        Ok(())
    }
}
