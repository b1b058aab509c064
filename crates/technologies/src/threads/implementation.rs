//! Implementations of a function: a closure, vector code, scalar code, or the reference interpreter.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Code, Compiler, Const, Exit, Kernel, RawParts};
use volvelle_native::{Native, Options};
use volvelle_runtime::{Closure, Error, Function};
use volvelle_vector::{Level, Vector, VectorCode};

/// Which implementations are requested.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// The reference interpreter, or a closure if there is no kernel.
    Reference,
    /// A closure if there is one; otherwise vector code of this level; otherwise scalar code.
    Machine(Option<Level>),
}

impl Choice {
    /// Approximate number of lanes that run at once on a thread.
    pub(super) fn width(self) -> u64 {
        match self {
            Choice::Machine(Some(Level::Avx512)) => 16,
            Choice::Machine(Some(Level::Avx2)) => 8,
            _ => 1,
        }
    }
}

/// Runs lanes of one function.
pub(super) enum Implementation {
    /// In Rust.
    Closure(Arc<Closure>),
    /// Lane by lane.
    Scalar(Box<dyn Code>),
    /// Many lanes at once.
    Wide(Box<Wide>),
}

/// Vector code for a fixed number of lanes. Scalar code, made on first use, runs the rest.
pub(super) struct Wide {
    code: VectorCode,
    kernel: Kernel,
    rest: OnceLock<Box<dyn Code>>,
}

impl Implementation {
    /// The best that there is of the choice.
    pub(super) fn of(function: &Function, choice: Choice) -> Result<Self, Error> {
        function.check()?;
        let closure = function.closure.as_ref().map(|closure| Implementation::Closure(closure.clone()));
        match (choice, &function.ir, closure) {
            (Choice::Machine(_), _, Some(closure)) | (Choice::Reference, None, Some(closure)) => Ok(closure),
            (Choice::Reference, Some(kernel), _) => interpreted(kernel).map(Implementation::Scalar),
            (Choice::Machine(level), Some(kernel), None) => machine(kernel, level),
            (_, None, None) => Err(Error::Refused(format!(
                "`{}` has no implementation for processors, neither a kernel nor a closure",
                function.name
            ))),
        }
    }

    /// Number of lanes that it runs at once.
    pub(super) fn width(&self) -> u64 {
        match self {
            Implementation::Wide(wide) => wide.code.lanes() as u64,
            _ => 1,
        }
    }

    /// Runs some lanes, up to the first one that fails. The first entry of `params` is a place for the number
    /// of the lane.
    ///
    /// # Safety
    /// For each lane as for `Code::run_shared`. Lanes of one call do not access what others of them store.
    pub(super) unsafe fn run(&self, lanes: Range<u64>, params: &mut [Const], buffers: &[RawParts]) -> Exit {
        match self {
            Implementation::Closure(closure) => {
                params[0] = Const::u64(lanes.start);
                closure(lanes, params, buffers)
            }
            // SAFETY: the contract is that of this function.
            Implementation::Scalar(code) => unsafe { code.run_lanes(lanes, params, buffers) },
            Implementation::Wide(wide) => {
                let width = wide.code.lanes() as u64;
                let rest = lanes.end - (lanes.end - lanes.start) % width;
                // SAFETY: as above.
                let exit = unsafe { wide.code.run_lanes(lanes.start..rest, params, buffers) };
                if exit != Exit::Done || rest == lanes.end {
                    return exit;
                }
                let code = wide.rest.get_or_init(|| {
                    scalar(&wide.kernel)
                        .or_else(|_| interpreted(&wide.kernel))
                        .expect("the interpreter takes every kernel that vector code was made of")
                });
                // SAFETY: as above.
                unsafe { code.run_lanes(rest..lanes.end, params, buffers) }
            }
        }
    }
}

fn machine(kernel: &Kernel, level: Option<Level>) -> Result<Implementation, Error> {
    let wide = |level| {
        let code = Vector::new(level).compile(kernel).ok()?;
        let wide = Wide { code, kernel: kernel.clone(), rest: OnceLock::new() };
        Some(Implementation::Wide(Box::new(wide)))
    };
    // Portable vector code is interpreted: slower than scalar machine code, and used only without it.
    let fast = level.filter(|level| *level != Level::Portable).and_then(wide);
    if let Some(fast) = fast {
        return Ok(fast);
    }
    match scalar(kernel) {
        Ok(code) => Ok(Implementation::Scalar(code)),
        Err(error) => wide(Level::Portable).ok_or(error),
    }
}

fn scalar(kernel: &Kernel) -> Result<Box<dyn Code>, Error> {
    let compiled = Native::new(Options::default()).and_then(|native| native.compile_well(kernel));
    compiled.map_err(|error| Error::Build(error.to_string()))
}

fn interpreted(kernel: &Kernel) -> Result<Box<dyn Code>, Error> {
    Interpreter.compile(kernel).map_err(|error| Error::Build(error.to_string()))
}
