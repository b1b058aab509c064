//! Objects of the driver. Each is released when it is dropped, after its context was made current on that
//! thread.
//!
//! Failing releases are ignored: a device that is gone has nothing to free.

use super::library::{Address, Device, Driver, Handle};
use crate::live::{Counted, Kind, Live};
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

/// A code of the driver that is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status(pub(super) c_uint);

impl Driver {
    /// The name of an error code.
    pub(super) fn name(&self, Status(code): Status) -> String {
        let mut name: *const c_char = ptr::null();
        // SAFETY: there is a place for a pointer; the driver writes one to a static text, or a null pointer.
        let found = unsafe { (self.error_name)(code, &raw mut name) };
        if found != 0 || name.is_null() {
            return format!("CUDA error {code}");
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}

/// The success of a call, or its code.
pub(super) fn check(code: c_uint) -> Result<(), Status> {
    if code == 0 { Ok(()) } else { Err(Status(code)) }
}

/// The primary context of a device.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) driver: Driver,
    device: Device,
    raw: Handle,
    live: Live,
    _counted: Counted,
}

// SAFETY: any thread may use a context, at the same time as others (CUDA C++ Programming Guide, "Driver API", contexts).
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn new(driver: Driver, device: Device, live: &Live) -> Result<Self, Status> {
        let mut raw = ptr::null_mut();
        // SAFETY: the driver is ready, and the device is one of its.
        check(unsafe { (driver.context_retain)(&raw mut raw, device) })?;
        Ok(Context { driver, device, raw, live: live.clone(), _counted: live.count(Kind::Context) })
    }

    /// Makes the context the current one of this thread, which every call below requires.
    pub(super) fn enter(&self) -> Result<&Driver, Status> {
        // SAFETY: the context is alive.
        check(unsafe { (self.driver.context_set)(self.raw) })?;
        Ok(&self.driver)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // No thread may keep a released context as its current one.
        // SAFETY: no context is a context to every thread.
        let _ = unsafe { (self.driver.context_set)(ptr::null_mut()) };
        // SAFETY: what was retained once is released once.
        let _ = unsafe { (self.driver.context_release)(self.device) };
    }
}

/// Memory of a device.
#[derive(Debug)]
pub(super) struct Memory {
    context: Arc<Context>,
    pub(super) address: Address,
    _counted: Counted,
}

impl Memory {
    /// Allocates `bytes` bytes, at least one, with arbitrary contents.
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Status> {
        let mut address = 0;
        // SAFETY: the context is current, and there is a place for an address.
        check(unsafe { (context.enter()?.allocate)(&raw mut address, bytes) })?;
        Ok(Memory { context: context.clone(), address, _counted: context.live.count(Kind::Memory) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Ok(driver) = self.context.enter() {
            // SAFETY: the memory is owned, and this is its end; the driver waits for what still uses it.
            let _ = unsafe { (driver.free)(self.address) };
        }
    }
}

/// A stream, whose commands run one after the other.
#[derive(Debug)]
pub(super) struct Stream {
    context: Arc<Context>,
    raw: Handle,
    _counted: Counted,
}

// SAFETY: any thread may use a stream (CUDA Driver API, "Stream management").
unsafe impl Send for Stream {}

impl Stream {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, Status> {
        /// Does not wait for the shared default stream (`CU_STREAM_NON_BLOCKING`).
        const NON_BLOCKING: c_uint = 1;
        let mut raw = ptr::null_mut();
        // SAFETY: the context is current, and there is a place for a handle.
        check(unsafe { (context.enter()?.stream_create)(&raw mut raw, NON_BLOCKING) })?;
        Ok(Stream { context: context.clone(), raw, _counted: context.live.count(Kind::Queue) })
    }

    /// Waits for all commands, and returns how they ended.
    pub(super) fn wait(&self) -> Result<(), Status> {
        // SAFETY: the stream is alive, and its context current.
        check(unsafe { (self.context.enter()?.stream_wait)(self.raw) })
    }

    /// Writes zeros over the first bytes of a memory.
    pub(super) fn zero(&self, memory: &Memory, bytes: usize) -> Result<(), Status> {
        let driver = self.context.enter()?;
        // SAFETY: the memory is alive until the wait is over; the callers ensure that the range lies inside.
        let started = check(unsafe { (driver.fill)(memory.address, 0, bytes, self.raw) });
        self.finish(started)
    }

    /// Writes bytes into a memory from an offset on; the caller ensures that they fit.
    pub(super) fn write(&self, memory: &Memory, offset: usize, from: &[u8]) -> Result<(), Status> {
        let (driver, to) = (self.context.enter()?, memory.address + offset as u64);
        // SAFETY: the memory has room for the bytes, and both are there until the wait is over.
        let started = check(unsafe { (driver.write)(to, from.as_ptr().cast(), from.len(), self.raw) });
        self.finish(started)
    }

    /// Reads bytes of a memory from an offset on; the callers ensure that the range lies inside.
    pub(super) fn read(&self, memory: &Memory, offset: usize, to: &mut [u8]) -> Result<(), Status> {
        let (driver, from) = (self.context.enter()?, memory.address + offset as u64);
        // SAFETY: the range lies inside the memory, and both are alive until the wait is over.
        let started = check(unsafe { (driver.read)(to.as_mut_ptr().cast(), from, to.len(), self.raw) });
        self.finish(started)
    }

    /// Copies bytes between memories of the context; the caller ensures that the ranges are inside and do not
    /// overlap.
    pub(super) fn copy(
        &self,
        to: (&Memory, usize),
        from: (&Memory, usize),
        bytes: usize,
    ) -> Result<(), Status> {
        let driver = self.context.enter()?;
        let (to, from) = (to.0.address + to.1 as u64, from.0.address + from.1 as u64);
        // SAFETY: both memories are there until the wait is over.
        let started = check(unsafe { (driver.copy)(to, from, bytes, self.raw) });
        self.finish(started)
    }

    /// Runs a function in `grid` blocks of `block` threads each.
    ///
    /// # Safety
    /// `arguments` must point to values for all parameters of the function, of their sizes.
    pub(super) unsafe fn launch(
        &self,
        function: &Function,
        grid: u32,
        block: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<(), Status> {
        let driver = self.context.enter()?;
        // SAFETY: the function's module is alive, and the driver copies the arguments before it returns. That they are what
        // the function takes is promised by the caller.
        check(unsafe {
            (driver.launch)(
                function.raw,
                grid,
                1,
                1,
                block,
                1,
                1,
                0,
                self.raw,
                arguments.as_mut_ptr(),
                ptr::null_mut(),
            )
        })
    }

    /// Waits even if a command could not be started: its arguments must not be in use any more.
    fn finish(&self, started: Result<(), Status>) -> Result<(), Status> {
        let waited = self.wait();
        started.and(waited)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Ok(driver) = self.context.enter() {
            // SAFETY: the stream is owned, and this is its end.
            let _ = unsafe { (driver.stream_destroy)(self.raw) };
        }
    }
}

/// Machine code on a device.
#[derive(Debug)]
pub(super) struct Module {
    context: Arc<Context>,
    raw: Handle,
    _counted: Counted,
}

// SAFETY: any thread may use a module (CUDA Driver API, "Module management").
unsafe impl Send for Module {}
// SAFETY: as above; nothing changes one.
unsafe impl Sync for Module {}

impl Module {
    /// From machine code, which contains its own length, or PTX.
    pub(super) fn load(context: &Arc<Context>, binary: &[u8]) -> Result<Self, Status> {
        let driver = context.enter()?;
        // PTX text ends with a zero; this also terminates a truncated one.
        let mut image = binary.to_vec();
        image.extend([0; 8]);
        let mut raw = ptr::null_mut();
        // SAFETY: the context is current, and the image is what the compiler gave.
        check(unsafe { (driver.module_load)(&raw mut raw, image.as_ptr().cast()) })?;
        Ok(Module { context: context.clone(), raw, _counted: context.live.count(Kind::Program) })
    }

    /// A function of the module.
    pub(super) fn function(self: &Arc<Self>, name: &CStr) -> Result<Function, Status> {
        let driver = self.context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the module is alive, and the name ends with a zero.
        check(unsafe { (driver.module_function)(&raw mut raw, self.raw, name.as_ptr()) })?;
        Ok(Function { module: self.clone(), raw })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Ok(driver) = self.context.enter() {
            // SAFETY: the module is owned, and this is its end: functions keep it alive.
            let _ = unsafe { (driver.module_unload)(self.raw) };
        }
    }
}

/// A function of a module.
#[derive(Debug)]
pub(super) struct Function {
    module: Arc<Module>,
    raw: Handle,
}

// SAFETY: any thread may use a function (CUDA Driver API, "Execution control").
unsafe impl Send for Function {}
// SAFETY: as above; nothing changes one.
unsafe impl Sync for Function {}

impl Function {
    /// Threads that a block of it may have.
    pub(super) fn most_in_block(&self) -> Result<u32, Status> {
        /// `CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK`.
        const MOST_IN_BLOCK: i32 = 0;
        let mut most = 0;
        let driver = self.module.context.enter()?;
        // SAFETY: the function's module is alive, and there is a place for a number.
        check(unsafe { (driver.function_attribute)(&raw mut most, MOST_IN_BLOCK, self.raw) })?;
        Ok(u32::try_from(most).unwrap_or(1).max(1))
    }

    /// The sizes of its parameters, if the driver reports them (since 12.4).
    pub(super) fn parameters(&self) -> Result<Option<Vec<usize>>, Status> {
        /// `CUDA_ERROR_INVALID_VALUE`: there is no such parameter.
        const INVALID_VALUE: Status = Status(1);
        let driver = self.module.context.enter()?;
        let Some(ask) = driver.function_parameter else { return Ok(None) };
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function's module is alive, and there are places for two numbers.
            match check(unsafe { ask(self.raw, sizes.len(), &raw mut offset, &raw mut size) }) {
                Ok(()) => sizes.push(size),
                Err(INVALID_VALUE) => return Ok(Some(sizes)),
                Err(code) => return Err(code),
            }
        }
    }
}
