//! Kernels that many lanes run at once, one path in each.
//!
//! Takes a [`Kernel`] as a *single program over many lanes*: its first parameter is the number of the lane (`u64`).
//! A run is given the number of the first lane; lane `i` of it runs the kernel with that number plus `i`, and with the
//! other parameters as they are. What a run leaves in the buffers is what the reference interpreter
//! ([`volvelle_kernel::interp`]) leaves after running the lanes one after the other, bit for bit (which NaN an operation
//! gives is not defined), provided that no lane reads or stores what another one stores: lanes take turns in any way.
//!
//! A run ends with [`Exit::Done`] when all lanes are done. Where a lane fails, the run may end at once with the exit of
//! one of the lanes that fail, and buffers hold something in between: whoever needs to know more runs the lanes one by
//! one. Buffers that grow are refused.
//!
//! The way through: `lower` turns the structured statements into a linear `program` with masks; `tidy` cleans it up;
//! `portable` interprets it on arrays.

mod bits;
mod lower;
mod portable;
mod program;
mod scalar;
mod spans;
mod summary;
mod tidy;

use portable::Portable;
use volvelle_kernel::verify::verify;
use volvelle_kernel::{BufferDecl, BufferMut, Code, CompileError, Const, Exit, Kernel, Type};

/// What the code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Any machine: an interpreter that works on arrays of lanes.
    Portable,
}

impl Level {
    /// All of them, the best last.
    pub const ALL: [Level; 1] = [Level::Portable];

    /// Whether this machine has what it takes.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
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
    /// Where the kernel is not valid, its first parameter is not a `u64`, it has buffers that grow, it is too large,
    /// or the machine has not what the level takes.
    pub fn compile(&self, kernel: &Kernel) -> Result<VectorCode, CompileError> {
        if let Err(errors) = verify(kernel) {
            let first = errors.first().map(ToString::to_string).unwrap_or_default();
            return Err(CompileError(format!("the kernel is not valid: {first}")));
        }
        if !self.level.is_available() {
            return Err(CompileError(format!("this machine has no {:?}", self.level)));
        }
        let choices = lower::Choices { skip_cost: 6 };
        let mut program = lower::lower(kernel, choices)?;
        tidy::tidy(&mut program);
        Ok(VectorCode {
            params: kernel.locals[..kernel.params].iter().map(|l| l.ty).collect(),
            buffers: kernel.buffers.clone(),
            machine: Machine::Portable(Portable::new(&program)),
        })
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
}

impl VectorCode {
    /// How many lanes a run has.
    pub fn lanes(&self) -> usize {
        match &self.machine {
            Machine::Portable(_) => portable::LANES,
        }
    }
}

impl Code for VectorCode {
    /// Runs the lanes from `params[0]` on.
    fn run(&self, params: &[Const], buffers: &mut [BufferMut<'_>]) -> Exit {
        assert!(
            params.len() == self.params.len() && params.iter().zip(&self.params).all(|(p, ty)| p.ty == *ty),
            "parameters do not match the declarations of the kernel"
        );
        assert!(
            buffers.len() == self.buffers.len() && buffers.iter().zip(&self.buffers).all(|(b, d)| b.fits(d)),
            "buffers do not match the declarations of the kernel"
        );
        match &self.machine {
            Machine::Portable(code) => code.run(params[0].bits, params, buffers),
        }
    }
}
