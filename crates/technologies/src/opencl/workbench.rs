//! A device on which a user's kernels are built and timed, whatever their arguments.
//!
//! Kernels of the product go through [`Executor`](volvelle_runtime::Executor), which checks their accesses.
//! These kernels run unchecked, and one that writes outside its buffers may crash the process. So measure
//! unknown kernels in a separate process.

use super::OpenCl;
use super::code_name;
use super::find::{self, ListedDevice, text};
use super::handles::{Context, DeviceId, Event, Kernel, Memory, Program, Queue};
use super::region;
use crate::live::Live;
use cl3::error_codes as codes;
use cl3::types::{CL_TRUE, cl_int};
use cl3::{command_queue as clq, event as cle, kernel as clk, program as clp};
use std::ffi::{CString, c_void};
use std::ptr;
use volvelle_runtime::Error;

/// Why a kernel did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The compiler rejects the text; contains its messages.
    Compile(String),
    /// The device has not enough local memory for a group.
    LocalMemory(String),
    /// The device does not launch the kernel, or stops it.
    Launch(String),
}

/// What the driver says about a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// The name of the device.
    pub name: String,
    /// Version of the standard, the driver and its version.
    pub driver: String,
    /// Whether the processors of this machine are the device.
    pub is_cpu: bool,
    /// Compute units.
    pub units: u32,
    /// Limit of work items in a group.
    pub work_group_max: u64,
    /// Bytes of local memory for a group.
    pub local_memory_bytes: u64,
    /// Bytes of a line of the cache of global memory, 0 if unknown.
    pub cache_line_bytes: u32,
    /// Work items that the hardware prefers to run together for a simple kernel.
    pub preferred_multiple: u32,
}

/// A device in use.
pub struct Workbench {
    facts: DeviceFacts,
    queue: Queue,
    device: DeviceId,
    live: Live,
    /// Goes last: fields are dropped in their order.
    context: Context,
}

/// Memory of the device.
pub struct Buffer {
    /// `None` if there are no bytes.
    memory: Option<Memory>,
    bytes: usize,
}

/// A kernel, ready to run.
pub struct Built {
    kernel: Kernel,
    /// Goes after the kernel.
    _program: Program,
    /// The compiler's messages.
    pub log: String,
}

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// A buffer.
    Buffer(&'a Buffer),
    /// Bytes of local memory.
    Local(usize),
    /// The bytes of a number.
    Scalar(&'a [u8]),
}

impl OpenCl {
    /// Opens a device for a user's kernels.
    ///
    /// # Errors
    /// There is no such device, or it does not answer.
    pub fn workbench(&self, number: usize) -> Result<Workbench, Error> {
        let mut devices = find::devices()?;
        if number >= devices.len() {
            let count = devices.len();
            return Err(Error::Unavailable(format!(
                "there is no device opencl:{number}, only {count} of them"
            )));
        }
        let ListedDevice { id, offer, facts } = devices.swap_remove(number);
        let silent =
            |code| Error::Unavailable(format!("opencl:{number} does not answer: {}", code_name(code)));
        let context = Context::new(id, &self.live).map_err(silent)?;
        let queue = Queue::with_times(&context, id, &self.live).map_err(silent)?;
        let number = |what| {
            let bytes = cl3::device::get_device_data(id.0, what).unwrap_or_default();
            let mut whole = [0; 8];
            whole[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
            u64::from_le_bytes(whole)
        };
        let facts = DeviceFacts {
            name: offer.device.name,
            driver: offer.driver,
            is_cpu: facts.is_cpu,
            units: facts.units.max(1),
            work_group_max: facts.most_in_group as u64,
            local_memory_bytes: number(cl3::device::CL_DEVICE_LOCAL_MEM_SIZE),
            cache_line_bytes: number(cl3::device::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE) as u32,
            preferred_multiple: 1,
        };
        let mut bench = Workbench { facts, queue, device: id, live: self.live.clone(), context };
        let simple = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }";
        if let Ok(built) = bench.build(simple, "", "k") {
            let what = clk::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE;
            let bytes = clk::get_kernel_work_group_data(built.kernel.raw(), id.0, what).unwrap_or_default();
            let multiple = bytes.try_into().map_or(1, usize::from_ne_bytes);
            bench.facts.preferred_multiple = u32::try_from(multiple).unwrap_or(1).max(1);
        }
        Ok(bench)
    }
}

impl Workbench {
    /// What the driver says about the device.
    pub fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    /// Memory with zeros.
    ///
    /// # Errors
    /// The device has not enough.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer, Refusal> {
        if bytes == 0 {
            return Ok(Buffer { memory: None, bytes });
        }
        let refused = |code| Refusal::Launch(format!("no memory of {bytes} bytes: {}", code_name(code)));
        // Zeros are written in pieces of 16 bytes.
        let rounded = bytes.next_multiple_of(16);
        let memory = Memory::new(&self.context, rounded, &self.live).map_err(refused)?;
        region::zero(&self.queue, &memory, rounded).map_err(refused)?;
        Ok(Buffer { memory: Some(memory), bytes })
    }

    /// Writes all bytes of a buffer.
    ///
    /// # Errors
    /// The device fails.
    pub fn write(&self, buffer: &Buffer, from: &[u8]) -> Result<(), Refusal> {
        assert_eq!(buffer.bytes, from.len(), "all bytes of a buffer");
        let Some(memory) = &buffer.memory else { return Ok(()) };
        // SAFETY: the memory is alive and as large as `from`; the call returns when `from` has been read.
        let event = unsafe {
            let raw = memory.raw();
            clq::enqueue_write_buffer(
                self.queue.raw(),
                raw,
                CL_TRUE,
                0,
                from.len(),
                from.as_ptr().cast(),
                0,
                ptr::null(),
            )
        };
        event.and_then(|event| Event::own(event).wait()).map_err(launch)
    }

    /// Reads all bytes of a buffer.
    ///
    /// # Errors
    /// The device fails.
    pub fn read(&self, buffer: &Buffer, to: &mut Vec<u8>) -> Result<(), Refusal> {
        to.clear();
        to.resize(buffer.bytes, 0);
        match &buffer.memory {
            Some(memory) => region::read(&self.queue, memory, 0, to).map_err(launch),
            None => Ok(()),
        }
    }

    /// Builds a kernel from a text in OpenCL C with options of the compiler.
    ///
    /// # Errors
    /// The compiler rejects it, or it has no such kernel.
    pub fn build(&self, source: &str, options: &str, name: &str) -> Result<Built, Refusal> {
        let wrong = |why: &str| Refusal::Compile(why.to_owned());
        let options = CString::new(options).map_err(|_| wrong("the options contain a zero"))?;
        let name = CString::new(name).map_err(|_| wrong("the name contains a zero"))?;
        if source.contains('\0') {
            return Err(wrong("the text contains a zero"));
        }
        let failed = |code| Refusal::Compile(format!("the compiler stops with {}", code_name(code)));
        let program = Program::from_text(&self.context, source, &self.live).map_err(failed)?;
        let log = || {
            let log = clp::get_program_build_data(program.raw(), self.device.0, clp::CL_PROGRAM_BUILD_LOG);
            text(&log.unwrap_or_default())
        };
        program.build(self.device, &options).map_err(|code| match (code, log()) {
            (codes::CL_BUILD_PROGRAM_FAILURE, log) if !log.is_empty() => Refusal::Compile(log),
            (code, _) => failed(code),
        })?;
        let kernel = Kernel::new(&program, &name, &self.live).map_err(|code| match code {
            codes::CL_INVALID_KERNEL_NAME => {
                Refusal::Compile(format!("the text has no kernel `{}`", name.to_string_lossy()))
            }
            code => failed(code),
        })?;
        Ok(Built { kernel, log: log(), _program: program })
    }

    /// Sets all arguments of a kernel.
    ///
    /// # Errors
    /// Their number or the size of one differs from the kernel's declaration.
    pub fn set(&self, built: &Built, arguments: &[Argument<'_>]) -> Result<(), Refusal> {
        let count = clk::get_kernel_data(built.kernel.raw(), clk::CL_KERNEL_NUM_ARGS).map_err(launch)?;
        let count = count.try_into().map_or(0, u32::from_ne_bytes) as usize;
        if count != arguments.len() {
            let given = arguments.len();
            return Err(Refusal::Launch(format!(
                "the kernel takes {count} arguments, and {given} are described"
            )));
        }
        for (i, argument) in arguments.iter().enumerate() {
            let raw = match argument {
                Argument::Buffer(buffer) => buffer.memory.as_ref().map_or(ptr::null_mut(), Memory::raw),
                _ => ptr::null_mut(),
            };
            let (size, address): (usize, *const c_void) = match argument {
                Argument::Buffer(_) => (size_of_val(&raw), (&raw const raw).cast()),
                Argument::Local(bytes) => ((*bytes).max(1), ptr::null()),
                Argument::Scalar(bytes) => (bytes.len(), bytes.as_ptr().cast()),
            };
            // SAFETY: `address` points to `size` bytes, which the library copies, or is null for local memory; the library
            // compares sizes with what the kernel declares.
            let set = unsafe { clk::set_kernel_arg(built.kernel.raw(), i as u32, size, address) };
            set.map_err(|code| Refusal::Launch(format!("argument {}: {}", i + 1, code_name(code))))?;
        }
        Ok(())
    }

    /// Runs a kernel with the arguments set before. Returns its duration in nanoseconds, by the device's
    /// clock. Sizes have one to three dimensions.
    ///
    /// # Errors
    /// The device does not launch it, or stops it.
    pub fn run(&self, built: &Built, global: &[usize], local: &[usize]) -> Result<u64, Refusal> {
        assert!((1..=3).contains(&global.len()) && local.len() == global.len(), "one to three dimensions");
        let use_of_local =
            clk::get_kernel_work_group_data(built.kernel.raw(), self.device.0, clk::CL_KERNEL_LOCAL_MEM_SIZE);
        let needed = use_of_local.ok().and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_ne_bytes);
        let available = self.facts.local_memory_bytes;
        if needed > available {
            let why = format!("a group needs {needed} bytes of local memory, the device has {available}");
            return Err(Refusal::LocalMemory(why));
        }
        // SAFETY: queue and kernel are alive, and both sizes have as many numbers as the dimension says. What the kernel does
        // with its memory is the user's business (see above).
        let event = unsafe {
            clq::enqueue_nd_range_kernel(
                self.queue.raw(),
                built.kernel.raw(),
                global.len() as u32,
                ptr::null(),
                global.as_ptr(),
                local.as_ptr(),
                0,
                ptr::null(),
            )
        };
        let event = Event::own(event.map_err(launch)?);
        event.wait().map_err(launch)?;
        event.nanoseconds().map_err(launch)
    }
}

fn launch(code: cl_int) -> Refusal {
    match code {
        codes::CL_OUT_OF_RESOURCES => Refusal::Launch("the device has not enough resources".to_owned()),
        code => Refusal::Launch(code_name(code)),
    }
}

impl Queue {
    /// A queue whose commands are timed.
    fn with_times(context: &Context, device: DeviceId, live: &Live) -> Result<Self, cl_int> {
        Queue::with_properties(context, device, clq::CL_QUEUE_PROFILING_ENABLE, live)
    }
}

impl Event {
    /// The time from start to end of a command that has ended.
    fn nanoseconds(&self) -> Result<u64, cl_int> {
        let at = |what| {
            let bytes = cle::get_event_profiling_data(self.raw(), what)?;
            bytes.try_into().map(u64::from_ne_bytes).map_err(|_| codes::CL_INVALID_VALUE)
        };
        Ok(at(cle::CL_PROFILING_COMMAND_END)?.saturating_sub(at(cle::CL_PROFILING_COMMAND_START)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "kernel void scale(global float *a, local float *t, const float by) {
        t[get_local_id(0)] = a[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = by * t[WG - 1 - get_local_id(0)];
    }";

    #[test]
    fn kernels_of_a_user() {
        let technology = OpenCl::default();
        let Ok(bench) = technology.workbench(0) else {
            // No OpenCL here: the error is tested by the technology's own tests.
            return;
        };
        let built = bench.build(TEXT, "-D WG=4", "scale").unwrap();
        let buffer = bench.buffer(8 * 4).unwrap();
        let numbers: Vec<u8> = (0..8_u8).flat_map(|i| f32::from(i).to_le_bytes()).collect();
        bench.write(&buffer, &numbers).unwrap();
        let by = 2.0_f32.to_le_bytes();
        let arguments = [Argument::Buffer(&buffer), Argument::Local(16), Argument::Scalar(&by)];
        bench.set(&built, &arguments).unwrap();
        bench.run(&built, &[8], &[4]).unwrap();
        let mut found = Vec::new();
        bench.read(&buffer, &mut found).unwrap();
        let found: Vec<f32> =
            found.chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert_eq!(found, [6.0, 4.0, 2.0, 0.0, 14.0, 12.0, 10.0, 8.0]);

        assert!(matches!(bench.build(TEXT, "", "scale"), Err(Refusal::Compile(log)) if log.contains("WG")));
        assert!(matches!(bench.build(TEXT, "-D WG=4", "scales"), Err(Refusal::Compile(_))));
        assert!(
            matches!(bench.set(&built, &arguments[..2]), Err(Refusal::Launch(why)) if why.contains("takes 3"))
        );
        let wide = [Argument::Buffer(&buffer), Argument::Local(16), Argument::Scalar(&[0; 8])];
        assert!(matches!(bench.set(&built, &wide), Err(Refusal::Launch(why)) if why.contains("argument 3")));
        assert!(matches!(bench.run(&built, &[8], &[3]), Err(Refusal::Launch(_))));
        let much = [Argument::Buffer(&buffer), Argument::Local(1 << 30), Argument::Scalar(&by)];
        let refused = bench.set(&built, &much).and_then(|()| bench.run(&built, &[8], &[4]).map(|_| ()));
        assert!(matches!(refused, Err(Refusal::LocalMemory(_) | Refusal::Launch(_))), "{refused:?}");
        drop((built, buffer, bench));
        assert_eq!(technology.alive(), crate::Alive::default());
    }
}
