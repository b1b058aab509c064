//! The back end: the target, and compiling one kernel.

use crate::abi::Entry;
use crate::code::NativeCode;
use crate::lower::{self, TooLarge, Uses};
use crate::memory::Executable;
use crate::options::{Options, Plan};
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::{Builder as IsaBuilder, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable, SetResult};
use std::sync::{Mutex, PoisonError};
use volvelle_kernel::verify::verify;
use volvelle_kernel::{Code, CompileError, Compiler, Effort, Kernel};

/// Stack that generated code may take: little enough for any thread.
const MAX_FRAME_BYTES: u32 = 256 << 10;

/// The back end that makes machine code.
pub struct Native {
    options: Options,
    isa_builder: IsaBuilder,
    /// The targets that were needed so far.
    isas: Mutex<Vec<(Plan, OwnedTargetIsa)>>,
}

impl Native {
    /// A back end for the machine this runs on; an error where Cranelift has none for it.
    pub fn new(options: Options) -> Result<Self, CompileError> {
        let isa_builder =
            cranelift_native::builder_with_options(options.host_features).map_err(unsupported)?;
        let native = Native { options, isa_builder, isas: Mutex::default() };
        native.isa(options.plan(0, Effort::Usual))?;
        Ok(native)
    }

    fn isa(&self, plan: Plan) -> Result<OwnedTargetIsa, CompileError> {
        let mut isas = self.isas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, isa)) = isas.iter().find(|(p, _)| *p == plan) {
            return Ok(isa.clone());
        }
        let flags = settings::Flags::new(self.flags(plan).map_err(unsupported)?);
        let isa = self.isa_builder.finish(flags).map_err(unsupported)?;
        isas.push((plan, isa.clone()));
        Ok(isa)
    }

    fn flags(&self, plan: Plan) -> SetResult<settings::Builder> {
        let mut flags = settings::builder();
        flags.set("opt_level", if plan.optimise { "speed" } else { "none" })?;
        flags.set("regalloc_algorithm", if plan.single_pass { "single_pass" } else { "backtracking" })?;
        flags.set("enable_verifier", if self.options.verify_ir { "true" } else { "false" })?;
        flags.set("is_pic", "false")?;
        flags.set("use_colocated_libcalls", "false")?;
        // Nothing unwinds through generated code: the functions that it calls do not panic.
        flags.set("unwind_info", "false")?;
        // A large kernel may need a frame of more than a page: touch each page of it, so that a full stack
        // meets its guard page.
        flags.set("enable_probestack", "true")?;
        flags.set("probestack_strategy", "inline")?;
        Ok(flags)
    }

    /// The Cranelift function of a kernel, as text before optimisation, for readers who look
    /// into generated code.
    pub fn explain(&self, kernel: &Kernel) -> Result<String, CompileError> {
        let uses = accept(kernel)?;
        let isa = self.isa(self.options.plan(uses.operations, Effort::Usual))?;
        Ok(self.lower(kernel, &uses, &isa)?.display().to_string())
    }

    /// The optimised machine code of a kernel, as text, for readers who look into generated code.
    ///
    /// # Errors
    /// As for compiling.
    pub fn assembly(&self, kernel: &Kernel) -> Result<String, CompileError> {
        let uses = accept(kernel)?;
        let isa = self.isa(self.options.plan(uses.operations, Effort::Thorough))?;
        let function = self.lower(kernel, &uses, &isa)?;
        let mut context = Context::for_function(function);
        context.want_disasm = true;
        let code = context.compile(&*isa, &mut ControlPlane::default()).map_err(|e| failed(e.inner))?;
        code.vcode.clone().ok_or_else(|| failed("there is no text of it"))
    }

    fn lower(&self, kernel: &Kernel, uses: &Uses, isa: &OwnedTargetIsa) -> Result<Function, CompileError> {
        lower::lower(kernel, uses, self.options.max_register_uses, &**isa)
            .map_err(|TooLarge| failed("the kernel is too large"))
    }

    /// Compiles as planned; nothing where the code would take more than [`MAX_FRAME_BYTES`] of stack.
    fn compile_as(
        &self,
        kernel: &Kernel,
        uses: &Uses,
        plan: Plan,
    ) -> Result<Option<NativeCode>, CompileError> {
        let isa = self.isa(plan)?;
        let function = self.lower(kernel, uses, &isa)?;
        let mut context = Context::for_function(function);
        let code = context.compile(&*isa, &mut ControlPlane::default()).map_err(|e| failed(e.inner))?;
        if code.buffer.frame_layout().is_some_and(|frame| frame.frame_to_fp_offset > MAX_FRAME_BYTES) {
            return Ok(None);
        }
        let pages = Executable::new(code).map_err(failed)?;
        // SAFETY: `lower` gives the function the signature of `Entry` and the C calling convention.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(pages.start()) };
        // SAFETY: `entry` was generated for `kernel`, which is verified, and lies in `pages`.
        Ok(Some(unsafe { NativeCode::new(kernel, entry, pages) }))
    }
}

/// Refuses kernels that are not valid: generated code relies on what the verifier checks.
fn accept(kernel: &Kernel) -> Result<Uses, CompileError> {
    match verify(kernel) {
        Ok(()) => Ok(Uses::of(kernel)),
        Err(errors) => Err(CompileError(format!(
            "the kernel is not valid: {}",
            errors.first().map(ToString::to_string).unwrap_or_default()
        ))),
    }
}

fn unsupported(error: impl std::fmt::Display) -> CompileError {
    CompileError(format!("no native code on this machine: {error}"))
}

fn failed(error: impl std::fmt::Display) -> CompileError {
    CompileError(format!("native code generation failed: {error}"))
}

impl Compiler for Native {
    fn compile_with(&self, kernel: &Kernel, effort: Effort) -> Result<Box<dyn Code>, CompileError> {
        let uses = accept(kernel)?;
        let plan = self.options.plan(uses.operations, effort);
        let mut code = self.compile_as(kernel, &uses, plan)?;
        if code.is_none() && plan.single_pass && !self.options.is_large(uses.operations) {
            // It gives every value that it spills a place of its own; the other allocator shares them.
            code = self.compile_as(kernel, &uses, Plan { single_pass: false, ..plan })?;
        }
        match code {
            Some(code) => Ok(Box::new(code)),
            None => Err(failed("the kernel needs too much stack")),
        }
    }

    fn name(&self) -> &'static str {
        "native (Cranelift)"
    }
}
