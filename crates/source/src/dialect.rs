//! The two languages, and where they differ.

use volvelle_kernel::Type;

/// A language for devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// OpenCL C 1.2.
    OpenCl,
    /// CUDA C++, as NVRTC compiles it without headers.
    Cuda,
}

impl Dialect {
    /// Both.
    pub const ALL: [Dialect; 2] = [Dialect::OpenCl, Dialect::Cuda];

    /// The usual spelling of its name.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::OpenCl => "OpenCL C",
            Dialect::Cuda => "CUDA C",
        }
    }

    /// Ending of files.
    pub fn extension(self) -> &'static str {
        match self {
            Dialect::OpenCl => "cl",
            Dialect::Cuda => "cu",
        }
    }

    /// Options without which compilers may give other bits. (The second of OpenCL C concerns single precision only; devices
    /// that cannot divide correctly there refuse it, and with it kernels that need [`crate::Source::needs_f32`].)
    pub fn options(self) -> &'static [&'static str] {
        match self {
            Dialect::OpenCl => &["-cl-std=CL1.2", "-cl-fp32-correctly-rounded-divide-sqrt"],
            Dialect::Cuda => {
                &["--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"]
            }
        }
    }

    /// The type that a name of the IR is made a name of.
    pub(crate) fn c_type(self, ty: Type) -> &'static str {
        let cuda = self == Dialect::Cuda;
        match ty {
            Type::Bool => "bool",
            Type::I8 if cuda => "signed char",
            Type::I8 => "char",
            Type::I16 => "short",
            Type::I32 => "int",
            Type::I64 if cuda => "long long",
            Type::I64 => "long",
            Type::U8 => "unsigned char",
            Type::U16 => "unsigned short",
            Type::U32 => "unsigned int",
            Type::U64 if cuda => "unsigned long long",
            Type::U64 => "unsigned long",
            Type::F32 => "float",
            Type::F64 => "double",
        }
    }

    /// An atomic increment: gives the value at an address, and adds one to it.
    pub(crate) fn taken(self, address: &str) -> String {
        match self {
            Dialect::OpenCl => format!("atomic_inc({address})"),
            Dialect::Cuda => format!("atomicAdd({address}, 1u)"),
        }
    }

    /// The suffix of literals of 64 bits.
    pub(crate) fn long_suffix(self) -> &'static str {
        match self {
            Dialect::OpenCl => "L",
            Dialect::Cuda => "LL",
        }
    }

    /// In front of a function that others call.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Dialect::OpenCl => "static",
            Dialect::Cuda => "static __device__",
        }
    }
}
