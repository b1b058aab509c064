//! Objects of the library, each released when it is dropped.
//!
//! Failing releases are ignored: a device that is gone has nothing to free.

use crate::live::{Counted, Kind, Live};
use cl3::types::{
    cl_bitfield, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_mem, cl_program,
};
use std::ffi::CStr;
use std::ptr;

/// A device of a driver, valid as long as the process.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceId(pub(super) cl_device_id);

// SAFETY: the standard lets any thread use any handle at any time, except for setting arguments of one kernel in two threads
// (OpenCL 1.2, appendix A.2).
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ty, $kind:expr, $release:path) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name {
            raw: $raw,
            _counted: Counted,
        }

        // SAFETY: the standard lets any thread use any handle (OpenCL 1.2, appendix A.2).
        unsafe impl Send for $name {}

        impl $name {
            fn own(raw: $raw, live: &Live) -> Self {
                $name { raw, _counted: live.count($kind) }
            }

            /// For calls of the library.
            pub(super) fn raw(&self) -> $raw {
                self.raw
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the handle is owned, and this is its end. The library keeps what commands under way still need.
                let _ = unsafe { $release(self.raw) };
            }
        }
    };
}

handle!(
    /// A context with one device.
    Context, cl_context, Kind::Context, cl3::context::release_context
);
handle!(
    /// A queue whose commands run one after the other.
    Queue, cl_command_queue, Kind::Queue, cl3::command_queue::release_command_queue
);
handle!(
    /// Memory of a device.
    Memory, cl_mem, Kind::Memory, cl3::memory::release_mem_object
);
handle!(
    /// A program.
    Program, cl_program, Kind::Program, cl3::program::release_program
);
handle!(
    /// A kernel with its arguments: one thread at a time.
    Kernel, cl_kernel, Kind::Kernel, cl3::kernel::release_kernel
);

// SAFETY: no arguments belong to these, so any number of threads may use them (OpenCL 1.2, appendix A.2).
unsafe impl Sync for Context {}
// SAFETY: as above.
unsafe impl Sync for Memory {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Context {
    pub(super) fn new(device: DeviceId, live: &Live) -> Result<Self, cl_int> {
        let raw = cl3::context::create_context(&[device.0], ptr::null(), None, ptr::null_mut())?;
        Ok(Context::own(raw, live))
    }
}

impl Queue {
    pub(super) fn new(context: &Context, device: DeviceId, live: &Live) -> Result<Self, cl_int> {
        Queue::with_properties(context, device, 0, live)
    }

    pub(super) fn with_properties(
        context: &Context,
        device: DeviceId,
        properties: cl_bitfield,
        live: &Live,
    ) -> Result<Self, cl_int> {
        // SAFETY: the context is alive and has this device. Version 1.2 of the call, which every version has.
        let raw = unsafe { cl3::command_queue::create_command_queue(context.raw(), device.0, properties) }?;
        Ok(Queue::own(raw, live))
    }

    /// Waits for everything in the queue.
    pub(super) fn finish(&self) -> Result<(), cl_int> {
        cl3::command_queue::finish(self.raw)
    }
}

impl Memory {
    /// Allocates `bytes` bytes with arbitrary contents.
    pub(super) fn new(context: &Context, bytes: usize, live: &Live) -> Result<Self, cl_int> {
        let flags = cl3::memory::CL_MEM_READ_WRITE;
        // SAFETY: the context is alive, and no memory of ours is named.
        let raw = unsafe { cl3::memory::create_buffer(context.raw(), flags, bytes, ptr::null_mut()) }?;
        Ok(Memory::own(raw, live))
    }
}

impl Program {
    /// From a text, not yet built.
    pub(super) fn from_text(context: &Context, text: &str, live: &Live) -> Result<Self, cl_int> {
        Ok(Program::own(cl3::program::create_program_with_source(context.raw(), &[text])?, live))
    }

    /// From a binary that the same driver produced for the same device; not built yet.
    pub(super) fn from_binary(
        context: &Context,
        device: DeviceId,
        binary: &[u8],
        live: &Live,
    ) -> Result<Self, cl_int> {
        // SAFETY: the context is alive and has this device.
        let raw = unsafe { cl3::program::create_program_with_binary(context.raw(), &[device.0], &[binary]) }?;
        Ok(Program::own(raw, live))
    }

    pub(super) fn build(&self, device: DeviceId, options: &CStr) -> Result<(), cl_int> {
        cl3::program::build_program(self.raw, &[device.0], options, None, ptr::null_mut())
    }
}

impl Kernel {
    pub(super) fn new(program: &Program, name: &CStr, live: &Live) -> Result<Self, cl_int> {
        Ok(Kernel::own(cl3::kernel::create_kernel(program.raw, name)?, live))
    }
}

/// A command in progress or done.
pub(super) struct Event(cl_event);

impl Event {
    /// That a command gave.
    pub(super) fn own(raw: cl_event) -> Self {
        Event(raw)
    }

    /// For calls of the library.
    pub(super) fn raw(&self) -> cl_event {
        self.0
    }

    /// Waits for the command, and returns how it ended.
    pub(super) fn wait(&self) -> Result<(), cl_int> {
        let waited = cl3::event::wait_for_events(&[self.0]);
        let status = cl3::event::CL_EVENT_COMMAND_EXECUTION_STATUS;
        let bytes = cl3::event::get_event_data(self.0, status)?;
        match bytes.try_into().map(i32::from_ne_bytes) {
            // The error of the command itself is more precise than that of waiting for it.
            Ok(code) if code < 0 => Err(code),
            _ => waited,
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event is owned, and this is its end.
        let _ = unsafe { cl3::event::release_event(self.0) };
    }
}
