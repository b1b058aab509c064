//! Kernels in many lanes at once, with one path per lane.
//!
//! Takes a [`Kernel`] as a *single program over many lanes*: its first parameter is the number of the lane
//! (`u64`). A run gets the number of its first lane; its lane `i` runs the kernel with that number plus `i`,
//! and with the same other parameters. A run leaves in the buffers what the reference interpreter
//! ([`volvelle_kernel::interp`]) leaves after running the lanes one after the other, bit for bit, except for
//! which NaN an operation gives. Condition: no lane reads or stores what another one stores, since the order
//! of lanes is undefined.
//!
//! A run ends with [`Exit::Done`] when all lanes are done. If a lane fails, the run may end at once with the
//! exit of one of the failing lanes, and the contents of buffers are undefined: to know more, the caller runs
//! the lanes one by one. Buffers that grow are rejected.
//!
//! The stages: `lower` turns the structured statements into a linear `program` with masks; `tidy` cleans it
//! up; `portable` interprets it on arrays of 128 lanes, and `native` makes machine code of it, for sixteen
//! lanes with AVX-512 and for eight with AVX2. Functions of [`volvelle_kernel::math`], 64-bit integer
//! division and powers run lane by lane.
//!
//! ```
//! use volvelle_kernel::{BufferMut, Code, Const, Exit, text::parse};
//! use volvelle_vector::{Level, Vector};
//!
//! let text = "
//!     kernel squares(lane: u64) {
//!         buffer out: write u64;
//!         if lane < len(out) { out[lane] = lane * lane; }
//!     }";
//! let kernel = parse(text).unwrap().remove(0);
//! let code = Vector::new(Level::best()).compile(&kernel).unwrap();
//! let mut out = [0; 5];
//! for first in (0..5).step_by(code.lanes()) {
//!     assert_eq!(code.run(&[Const::u64(first)], &mut [BufferMut::U64(&mut out)]), Exit::Done);
//! }
//! assert_eq!(out, [0, 1, 4, 9, 16]);
//! ```

mod lower;
#[cfg(all(target_arch = "x86_64", unix))]
mod native;
mod portable;
mod program;
mod scalar;
mod sink;
mod spans;
mod summary;
mod tidy;
mod uniform;

use portable::Portable;
use program::Program;
use std::ops::Range;
use volvelle_kernel::verify::verify;
use volvelle_kernel::{BufferDecl, BufferMut, Code, CompileError, Const, Exit, Kernel, RawParts, Type};

/// The instruction set of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Any machine: an interpreter that works on arrays of lanes.
    Portable,
    /// Machine code for x86-64 with AVX2 and FMA.
    Avx2,
    /// Machine code for x86-64 with AVX-512 (F, DQ, VL and BW).
    Avx512,
}

impl Level {
    /// All of them, the best last.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// Whether this machine has the required instructions.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(all(target_arch = "x86_64", unix))]
            Level::Avx2 => native::has_avx2(),
            #[cfg(all(target_arch = "x86_64", unix))]
            Level::Avx512 => native::has_avx512(),
            #[cfg(not(all(target_arch = "x86_64", unix)))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The best that this machine has.
    pub fn best() -> Level {
        Level::ALL.into_iter().rfind(|level| level.is_available()).unwrap_or(Level::Portable)
    }
}

/// The back end.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    level: Level,
}

impl Vector {
    /// A back end of a level.
    pub fn new(level: Level) -> Self {
        Vector { level }
    }

    /// Compiles a kernel.
    ///
    /// # Errors
    /// The kernel is not valid, its first parameter is not a `u64`, it has buffers that grow, it is too
    /// large, or this machine lacks instructions of the level.
    pub fn compile(&self, kernel: &Kernel) -> Result<VectorCode, CompileError> {
        let program = self.lower(kernel)?;
        Ok(VectorCode {
            params: kernel.locals[..kernel.params].iter().map(|l| l.ty).collect(),
            buffers: kernel.buffers.clone(),
            machine: self.machine(&program, &kernel.buffers)?,
        })
    }

    fn machine(&self, program: &Program, buffers: &[BufferDecl]) -> Result<Machine, CompileError> {
        match self.level {
            #[cfg(all(target_arch = "x86_64", unix))]
            Level::Avx2 => Ok(Machine::Native(native::NativeCode::avx2(program, buffers)?)),
            #[cfg(all(target_arch = "x86_64", unix))]
            Level::Avx512 => Ok(Machine::Native(native::NativeCode::avx512(program, buffers)?)),
            _ => Ok(Machine::Portable(Portable::new(program, buffers))),
        }
    }

    /// The masked program of a kernel as text, one instruction per line, for inspection.
    ///
    /// # Errors
    /// As [`Vector::compile`].
    pub fn explain(&self, kernel: &Kernel) -> Result<String, CompileError> {
        Ok(self.lower(kernel)?.to_string())
    }

    fn lower(&self, kernel: &Kernel) -> Result<Program, CompileError> {
        if let Err(errors) = verify(kernel) {
            let first = errors.first().map(ToString::to_string).unwrap_or_default();
            return Err(CompileError(format!("the kernel is not valid: {first}")));
        }
        if !self.level.is_available() {
            return Err(CompileError(format!("this machine has no {:?}", self.level)));
        }
        let choices = lower::Choices { skip_cost: if self.level == Level::Portable { 6 } else { 16 } };
        let mut program = lower::lower(kernel, choices)?;
        tidy::tidy(&mut program, &kernel.buffers);
        Ok(program)
    }
}

/// A kernel as code for many lanes.
pub struct VectorCode {
    params: Vec<Type>,
    buffers: Vec<BufferDecl>,
    machine: Machine,
}

enum Machine {
    Portable(Portable),
    #[cfg(all(target_arch = "x86_64", unix))]
    Native(native::NativeCode),
}

impl VectorCode {
    /// Number of lanes in a run.
    pub fn lanes(&self) -> usize {
        match &self.machine {
            Machine::Portable(_) => portable::LANES,
            #[cfg(all(target_arch = "x86_64", unix))]
            Machine::Native(code) => code.lanes(),
        }
    }
}

impl VectorCode {
    fn check_params(&self, params: &[Const]) {
        assert!(
            params.len() == self.params.len() && params.iter().zip(&self.params).all(|(p, ty)| p.ty == *ty),
            "parameters do not match the declarations of the kernel"
        );
    }
}

impl Code for VectorCode {
    /// Runs the lanes from `params[0]` on.
    fn run(&self, params: &[Const], buffers: &mut [BufferMut<'_>]) -> Exit {
        assert!(
            buffers.len() == self.buffers.len() && buffers.iter().zip(&self.buffers).all(|(b, d)| b.fits(d)),
            "buffers do not match the declarations of the kernel"
        );
        let parts: Vec<RawParts> = buffers.iter_mut().map(BufferMut::raw_parts).collect();
        // SAFETY: the buffers are those of the declarations and are borrowed for the call; none is for
        // appending, since `lower` rejects those.
        unsafe { self.run_shared(params, &parts) }
    }

    /// Runs the lanes from `params[0]` on.
    unsafe fn run_shared(&self, params: &[Const], buffers: &[RawParts]) -> Exit {
        self.check_params(params);
        // SAFETY: the contract is that of this function.
        unsafe { self.groups(params[0].bits, 1, params, buffers) }
    }

    unsafe fn run_lanes(&self, lanes: Range<u64>, params: &[Const], buffers: &[RawParts]) -> Exit {
        self.check_params(params);
        let (count, width) = (lanes.end.saturating_sub(lanes.start), self.lanes() as u64);
        assert!(count.is_multiple_of(width), "{count} lanes are not a multiple of {width}");
        // SAFETY: the contract is that of this function.
        unsafe { self.groups(lanes.start, count / width, params, buffers) }
    }
}

impl VectorCode {
    /// Runs several groups of lanes.
    ///
    /// # Safety
    /// As for `Code::run_lanes`.
    unsafe fn groups(&self, first: u64, groups: u64, params: &[Const], buffers: &[RawParts]) -> Exit {
        assert_eq!(buffers.len(), self.buffers.len(), "number of buffers");
        match &self.machine {
            Machine::Portable(code) => {
                let firsts = (0..groups).map(|group| first.wrapping_add(group * portable::LANES as u64));
                // SAFETY: the contract is that of this function.
                let exits = firsts.map(|first| unsafe { code.run(first, params, buffers) });
                exits.into_iter().find(|exit| *exit != Exit::Done).unwrap_or(Exit::Done)
            }
            #[cfg(all(target_arch = "x86_64", unix))]
            // SAFETY: as above.
            Machine::Native(code) => unsafe { code.run(first, groups, params, buffers) },
        }
    }
}

#[cfg(test)]
mod tests;
