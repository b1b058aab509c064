//! Kernels as source text for devices.
//!
//! Takes a verified kernel of the IR whose first parameter is the number of a lane; gives OpenCL C or CUDA C that means the
//! same, bit for bit (any NaN that an operation gives for any other). Knows no device and no library.
//!
//! # Calling convention
//!
//! `NAME(u64 first_lane, u64 end_lane, parameters behind the lane, for every buffer a pointer and its length, exit code)`:
//! parameters are passed by value, Booleans as bytes; a buffer is a pointer to its elements (Booleans are bytes, 0 or 1) and
//! their number as `u64`; the exit code is a pointer to one `u32`. Work item `i` runs lane `first_lane + i`, and returns at
//! once where that is at or beyond `end_lane`, so that the number of work items may be rounded up. Buffers do not overlap;
//! one without elements may be a null pointer.
//!
//! The exit code is zero before the launch. A lane that fails puts its code there, unless one is there already: see
//! [`exit_of_code`]. Other lanes go on, or stop early.
//!
//! # What compilers and devices must do
//!
//! Compile with [`Dialect::options`]. Arithmetic of floats must be that of IEEE 754 in round-to-nearest, with subnormal
//! numbers, and division and square root correctly rounded: in double precision every device with `cl_khr_fp64` and every
//! CUDA device does so; in single precision ([`Source::needs_f32`]) an OpenCL device must have `CL_FP_DENORM`,
//! `CL_FP_INF_NAN` and `CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT`. Products and sums are not contracted: OpenCL text has the pragma
//! for that, CUDA has an option. Signed integers are calculated with as unsigned ones, so nothing hangs on what overflow does;
//! shifts of negative integers to the right are arithmetic ones, and conversions between integers wrap, as all these compilers
//! have it.
//!
//! # How it is done
//!
//! `statement` walks over statements, which are structured in both languages. Expressions (`expression`) become infix text;
//! what may fail is checked by a statement of its own in front, in the order of evaluation, and lazy operands that may fail
//! become branches. What one statement uses several times is computed once, as a constant of the innermost block that needs it
//! (`sharing`). `operation` and `check` have the meaning of single operations, `library` the functions that some of them need,
//! and `value` the way signed integers wrap without a cast for every operation.

mod check;
mod constant;
mod dialect;
mod expression;
mod layout;
mod laziness;
mod library;
mod lines;
mod names;
mod operation;
mod printer;
mod sharing;
mod statement;
mod traits;
mod value;

pub use dialect::Dialect;
pub use layout::{source, source_with};

use volvelle_kernel::{Buffer, Exit, Local, Site};

/// A kernel as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A translation unit.
    pub text: String,
    /// Name of its only kernel function.
    pub entry: String,
    /// Whether it calculates in double precision.
    pub needs_f64: bool,
    /// Whether it calculates in single precision.
    pub needs_f32: bool,
}

/// How control comes from one location of a machine to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Jumps {
    /// By a number, and a `switch` in a loop: what lanes that run in step can follow.
    #[default]
    Numbers,
    /// By `goto`: for processors, which predict each of many jumps better than the one of a `switch`. OpenCL C leaves it to devices
    /// whether they take control flow that is not reducible; processors do.
    Labels,
}

/// Comments for readers of the text, in the words of the model. They have no effect.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Lines at the head.
    pub header: Vec<String>,
    /// The meanings of locals.
    pub locals: Vec<(Local, String)>,
    /// The failures of sites.
    pub sites: Vec<(Site, String)>,
}

/// Why a kernel has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The verifier does not accept it.
    Invalid(String),
    /// Its first parameter is not the number of a lane.
    NoLane,
    /// This buffer grows.
    Growing(String),
    /// Blocks nest deeper than compilers allow.
    TooDeep,
    /// The text would be larger than compilers can take.
    TooLarge,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unsupported::Invalid(why) => write!(f, "the kernel is not valid: {why}"),
            Unsupported::NoLane => {
                f.write_str("the first parameter of the kernel is not a lane number of type u64")
            }
            Unsupported::Growing(name) => {
                write!(f, "the buffer `{name}` grows, but the lanes of a device append in no defined order")
            }
            Unsupported::TooDeep => {
                f.write_str("the blocks of the kernel are nested too deeply for device compilers")
            }
            Unsupported::TooLarge => f.write_str("the text of the kernel is too large for device compilers"),
        }
    }
}

impl std::error::Error for Unsupported {}

/// The exit code of a lane: 0 where it came to its end, odd for a site that failed, even for a buffer that was left. No lane
/// ends with [`Exit::Full`].
pub fn code_of_exit(exit: Exit) -> Option<u32> {
    match exit {
        Exit::Done => Some(0),
        Exit::Failed(Site(site)) => site.checked_mul(2)?.checked_add(1),
        Exit::OutOfBounds(Buffer(buffer)) => buffer.checked_mul(2)?.checked_add(2),
        Exit::Full(_) => None,
    }
}

/// The exit that a code stands for.
pub fn exit_of_code(code: u32) -> Exit {
    match code {
        0 => Exit::Done,
        odd if odd % 2 == 1 => Exit::Failed(Site(odd / 2)),
        even => Exit::OutOfBounds(Buffer(even / 2 - 1)),
    }
}
