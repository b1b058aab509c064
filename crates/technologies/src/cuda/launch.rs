//! Kernels: compiled, given their arguments, run.

use super::compiler::Compiled;
use super::handles::{Function, Memory, Module, Status, Stream};
use super::opened::Opened;
use super::region::CudaRegion;
use crate::arguments::{self, Signature};
use crate::cache::{Cache, Key};
use crate::text::Text;
use std::any::Any;
use std::ffi::{CString, c_void};
use std::ops::Range;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use volvelle_kernel::{Const, Exit};
use volvelle_runtime::{Built, Command, Error, Executable, Launch, Region, in_turn};
use volvelle_source::Dialect;

/// A kernel built for an open device.
pub(super) struct CudaKernel {
    opened: Arc<Opened>,
    signature: Signature,
    function: Function,
    /// Limit of threads in a block.
    most_in_block: u32,
    built: Built,
    /// Free memory for exit codes, 0 between launches.
    exits: Mutex<Vec<Memory>>,
}

/// The default number of threads in a block: enough to hide latencies, few enough for kernels with many registers.
const BLOCK: u32 = 128;
/// Bytes of an exit code.
const EXIT_BYTES: usize = 4;

impl CudaKernel {
    /// Builds a text with the kernel of a signature, or takes a kept binary.
    ///
    /// # Errors
    /// The compiler rejects the text, or the kernel is missing or has other parameters.
    pub(super) fn build(
        opened: &Arc<Opened>,
        cache: &Cache,
        signature: Signature,
        text: &Text,
    ) -> Result<Self, Error> {
        let started = Instant::now();
        let key = Key::new(&[
            "cuda",
            &text.text,
            &Dialect::Cuda.options().join(" "),
            &opened.found.capability.to_string(),
            &opened.found.offer.device.name,
            &opened.found.offer.driver,
        ]);
        if let Some(binary) = cache.get(&key) {
            if let Ok(function) = function(opened, &signature, &text.entry, &binary) {
                let built = Built { compile_time: started.elapsed(), from_cache: true, log: String::new() };
                return CudaKernel::of(opened, signature, function, built);
            }
            cache.forget(&key);
        }
        let (function, Compiled { binary, log }) = compiled(opened, &signature, text)?;
        let built = Built { compile_time: started.elapsed(), from_cache: false, log };
        cache.put(&key, &binary);
        CudaKernel::of(opened, signature, function, built)
    }

    fn of(
        opened: &Arc<Opened>,
        signature: Signature,
        function: Function,
        built: Built,
    ) -> Result<Self, Error> {
        let most = function.most_in_block().map_err(|code| Error::Refused(opened.says(code)))?;
        let exits = Mutex::default();
        Ok(CudaKernel { opened: opened.clone(), signature, function, most_in_block: most, built, exits })
    }

    /// Memory for an exit code, which is 0.
    fn exit(&self) -> Result<Memory, Error> {
        if let Some(exit) = self.exits.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(exit);
        }
        let no_room = |code| Error::Memory { bytes: EXIT_BYTES, why: self.opened.says(code) };
        let exit = Memory::new(&self.opened.context, EXIT_BYTES).map_err(no_room)?;
        self.opened.with_stream(|stream| stream.zero(&exit, EXIT_BYTES)).map_err(no_room)?;
        Ok(exit)
    }

    /// Puts some lanes into a stream.
    fn begin(
        &self,
        stream: &Stream,
        lanes: Range<u64>,
        launch: &Launch<'_>,
        exit: &Memory,
    ) -> Result<(), Status> {
        let block = launch.block.unwrap_or(BLOCK).clamp(1, self.most_in_block);
        let block = arguments::block_within(block, lanes.end);
        let items = lanes.end - lanes.start;
        // Below the limit of blocks in a grid, since a launch is run in parts.
        let grid = items.div_ceil(u64::from(block)) as u32;
        let mut values = self.values(&lanes, launch, exit);
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        // SAFETY: the values follow the calling convention. Each occupies eight bytes, of which a parameter
        // takes the first ones. If the driver reports the sizes of the parameters, they were compared when
        // the kernel was built.
        unsafe { stream.launch(&self.function, grid, block, &mut pointers) }
    }

    fn give_back(&self, exit: Memory) {
        self.exits.lock().unwrap_or_else(PoisonError::into_inner).push(exit);
    }

    /// All arguments in their order.
    fn values(&self, lanes: &Range<u64>, launch: &Launch<'_>, exit: &Memory) -> Vec<[u8; 8]> {
        let mut values = vec![lanes.start.to_le_bytes(), lanes.end.to_le_bytes()];
        values.extend(launch.params.iter().map(|param: &Const| arguments::bytes(param).0));
        for lent in launch.buffers {
            let address = if lent.elements == 0 { 0 } else { self.region(lent.region).address(lent.offset) };
            values.push(address.to_le_bytes());
            values.push((lent.elements as u64).to_le_bytes());
        }
        values.push(exit.address.to_le_bytes());
        values
    }

    fn region<'r>(&self, region: &'r dyn Region) -> &'r CudaRegion {
        let region = region.as_any().downcast_ref::<CudaRegion>();
        let ours = region.filter(|region| region.is_of(&self.opened));
        ours.expect("a region of the storage of the device that runs the kernel")
    }
}

impl Executable for CudaKernel {
    fn built(&self) -> &Built {
        &self.built
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<Exit, Error> {
        if launch.lanes.is_empty() {
            self.signature.check(launch);
            return Ok(Exit::Done);
        }
        run(&self.opened, &[(self, launch)])
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Waits for a stream, and reads an exit code.
fn code(stream: &Stream, exit: &Memory) -> Result<u32, Status> {
    let mut code = [0; EXIT_BYTES];
    stream.read(exit, 0, &mut code)?;
    Ok(u32::from_le_bytes(code))
}

/// Runs kernels of a device one after the other: all are queued in a stream before the first wait.
pub(super) fn run_in_order(opened: &Opened, commands: &[Command<'_>]) -> Result<Exit, Error> {
    fn ours<'c>(command: &'c Command<'_>) -> Option<(&'c CudaKernel, &'c Launch<'c>)> {
        Some((command.code.as_any().downcast_ref()?, &command.launch))
    }
    let Some(launches) = commands.iter().map(ours).collect::<Option<Vec<_>>>() else {
        return in_turn(commands);
    };
    run(opened, &launches)
}

/// The same, of our own kernels.
fn run(opened: &Opened, launches: &[(&CudaKernel, &Launch<'_>)]) -> Result<Exit, Error> {
    // One for each kernel.
    let mut exits: Vec<(&CudaKernel, Memory)> = Vec::new();
    for &(kernel, launch) in launches {
        kernel.signature.check(launch);
        if !exits.iter().any(|&(known, _)| ptr::eq(known, kernel)) {
            exits.push((kernel, kernel.exit()?));
        }
    }
    let codes = opened.with_stream(|stream| {
        for &(kernel, launch) in launches {
            let Some((_, exit)) = exits.iter().find(|&&(known, _)| ptr::eq(known, kernel)) else { continue };
            for (first, count) in arguments::parts(&launch.lanes) {
                kernel.begin(stream, first..first + count, launch, exit)?;
            }
        }
        exits.iter().map(|(_, exit)| code(stream, exit)).collect::<Result<Vec<u32>, Status>>()
    });
    let codes = codes.map_err(|code| Error::Launch(opened.says(code)))?;
    let mut exit = Ok(Exit::Done);
    for ((kernel, memory), code) in exits.into_iter().zip(codes) {
        // A code other than 0 stays in its memory, so this memory is not reused.
        if code == 0 {
            kernel.give_back(memory);
        } else if matches!(exit, Ok(Exit::Done)) {
            exit = kernel.signature.exit(code);
        }
    }
    exit
}

/// Compiles a text for a device and loads it: as machine code, or as PTX if the compiler is older than the
/// device or newer than the driver.
fn compiled(opened: &Opened, signature: &Signature, text: &Text) -> Result<(Function, Compiled), Error> {
    let (compiler, capability) = (&opened.ready.compiler, opened.found.capability);
    let known = compiler.architectures()?;
    if known.contains(&capability) {
        let compiled = compiler.compile(&text.text, &format!("sm_{capability}"))?;
        match function(opened, signature, &text.entry, &compiled.binary) {
            Err(Error::Refused(_)) => {}
            Err(error) => return Err(error),
            Ok(function) => return Ok((function, compiled)),
        }
    }
    let Some(nearest) = known.into_iter().rfind(|known| *known <= capability) else {
        let version = compiler.version();
        return Err(Error::Refused(format!(
            "NVRTC {version} does not support the old architecture sm_{capability}"
        )));
    };
    let compiled = compiler.compile(&text.text, &format!("compute_{nearest}"))?;
    let function = function(opened, signature, &text.entry, &compiled.binary)?;
    Ok((function, compiled))
}

/// The function `entry` with the parameters of a signature, from a compiler's output.
///
/// # Errors
/// The driver rejects it ([`Error::Refused`]), or there is no such function with such parameters
/// ([`Error::Build`]).
fn function(opened: &Opened, signature: &Signature, entry: &str, binary: &[u8]) -> Result<Function, Error> {
    /// `CUDA_ERROR_NOT_FOUND`.
    const NOT_FOUND: Status = Status(500);
    let refused = |code| Error::Refused(opened.says(code));
    let name = CString::new(entry).map_err(|error| Error::Build(error.to_string()))?;
    let module = Arc::new(Module::load(&opened.context, binary).map_err(refused)?);
    let function = module.function(&name).map_err(|code| match code {
        NOT_FOUND => Error::Build(format!("the text has no kernel `{entry}`")),
        code => refused(code),
    })?;
    let sizes = function.parameters().map_err(refused)?;
    if let Some(found) = sizes.filter(|found| *found != signature.sizes()) {
        return Err(Error::Build(format!(
            "kernel `{entry}` takes parameters of {found:?} bytes instead of {:?}",
            signature.sizes()
        )));
    }
    Ok(function)
}
