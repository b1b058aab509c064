//! The back end: options, the target, and compiling one kernel.

use crate::abi::Entry;
use crate::code::{Module, NativeCode};
use crate::lower;
use crate::runtime::library_symbols;
use cranelift_codegen::Context;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module as _, default_libcall_names};
use volvelle_kernel::{Code, CompileError, Compiler, Kernel};

/// How much Cranelift optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptLevel {
    /// As little as possible.
    None,
    /// Value numbering, redundant loads, strength reduction, loop-invariant code.
    Speed,
}

/// Which register allocator Cranelift uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// Better code.
    Backtracking,
    /// Faster compilation, more moves to and from the stack.
    SinglePass,
}

/// How to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Optimisation level.
    pub opt_level: OptLevel,
    /// Register allocator.
    pub allocator: Allocator,
    /// Whether Cranelift verifies its IR before each step.
    pub verify_ir: bool,
    /// Whether code may use every instruction this processor has, or only those of its architecture's
    /// baseline.
    pub host_features: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            opt_level: OptLevel::Speed,
            allocator: Allocator::Backtracking,
            verify_ir: cfg!(debug_assertions),
            host_features: true,
        }
    }
}

/// The back end that makes machine code.
pub struct Native {
    isa: OwnedTargetIsa,
}

impl Native {
    /// A back end for the machine this runs on; an error where Cranelift has none for it.
    pub fn new(options: Options) -> Result<Self, CompileError> {
        let opt_level = match options.opt_level {
            OptLevel::None => "none",
            OptLevel::Speed => "speed",
        };
        let allocator = match options.allocator {
            Allocator::Backtracking => "backtracking",
            Allocator::SinglePass => "single_pass",
        };
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", opt_level),
            ("regalloc_algorithm", allocator),
            (
                "enable_verifier",
                if options.verify_ir { "true" } else { "false" },
            ),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("unwind_info", "false"),
            // A large kernel may spill more than a page: touch each one, so that a full stack meets its
            // guard page.
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
        ] {
            flags.set(name, value).map_err(unsupported)?;
        }
        let isa = cranelift_native::builder_with_options(options.host_features)
            .map_err(unsupported)?
            .finish(settings::Flags::new(flags))
            .map_err(unsupported)?;
        Ok(Native { isa })
    }

    /// The Cranelift function that a kernel becomes, as text, before optimisation: for people who look
    /// into generated code.
    pub fn explain(&self, kernel: &Kernel) -> Result<String, CompileError> {
        Ok(lower::lower(kernel, &*self.isa).display().to_string())
    }
}

fn unsupported(error: impl std::fmt::Display) -> CompileError {
    CompileError(format!("no native code on this machine: {error}"))
}

fn failed(error: impl std::fmt::Display) -> CompileError {
    CompileError(format!("native code generation failed: {error}"))
}

impl Compiler for Native {
    fn compile(&self, kernel: &Kernel) -> Result<Box<dyn Code>, CompileError> {
        let function = lower::lower(kernel, &*self.isa);
        let mut builder = JITBuilder::with_isa(self.isa.clone(), default_libcall_names());
        builder.symbols(library_symbols());
        let mut module = Module::new(JITModule::new(builder));
        let jit = module.get();
        let id = jit
            .declare_function("kernel", Linkage::Local, &function.signature)
            .map_err(failed)?;
        let mut context = Context::for_function(function);
        jit.define_function(id, &mut context).map_err(failed)?;
        jit.finalize_definitions().map_err(failed)?;
        let start = jit.get_finalized_function(id);
        // SAFETY: `lower` gives the function the signature of `Entry` and the C calling convention.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(start) };
        // SAFETY: `entry` was generated for `kernel` and lies in `module`.
        Ok(Box::new(unsafe { NativeCode::new(kernel, entry, module) }))
    }

    fn name(&self) -> &'static str {
        "native (Cranelift)"
    }
}
