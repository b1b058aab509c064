//! Names: those of the kernel where C allows it, distinct from what the languages and the text itself have.

use rustc_hash::FxHashSet;
use volvelle_kernel::Kernel;

/// Names of everything in the kernel function.
pub(crate) struct Names {
    pub(crate) entry: String,
    pub(crate) locals: Vec<String>,
    pub(crate) buffers: Vec<String>,
    /// Numbers of elements of the buffers.
    pub(crate) lens: Vec<String>,
    pub(crate) first: String,
    pub(crate) end: String,
    pub(crate) exit_code: String,
    taken: FxHashSet<String>,
    temporaries: u32,
}

impl Names {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        let mut names = Names {
            entry: String::new(),
            locals: Vec::new(),
            buffers: Vec::new(),
            lens: Vec::new(),
            first: String::new(),
            end: String::new(),
            exit_code: String::new(),
            taken: FxHashSet::default(),
            temporaries: 0,
        };
        // Names inside the function may shadow the function's own name.
        names.entry = names.distinct(&kernel.name);
        names.taken.clear();
        // The macros name it.
        names.exit_code = names.distinct("exit_code");
        names.locals = kernel.locals.iter().map(|local| names.distinct(&local.name)).collect();
        names.buffers = kernel.buffers.iter().map(|buffer| names.distinct(&buffer.name)).collect();
        let lens = names.buffers.iter().map(|name| format!("{name}_len")).collect::<Vec<_>>();
        names.lens = lens.iter().map(|name| names.distinct(name)).collect();
        names.first = names.distinct("first_lane");
        names.end = names.distinct("end_lane");
        names
    }

    /// A name that nothing else has.
    pub(crate) fn distinct(&mut self, wanted: &str) -> String {
        let wanted = match wanted {
            _ if begins_as_reserved(wanted) => format!("my_{wanted}"),
            _ if is_reserved(wanted) => format!("{wanted}_"),
            _ => wanted.to_owned(),
        };
        let mut name = wanted.clone();
        let mut number = 1u32;
        while is_reserved(&name) || self.taken.contains(&name) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        self.taken.insert(name.clone());
        name
    }

    /// A name for an intermediate value.
    pub(crate) fn temporary(&mut self) -> String {
        loop {
            self.temporaries += 1;
            let name = format!("t{}", self.temporaries);
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// Whether a name may mean something to a compiler, or to the text around the kernel.
fn is_reserved(name: &str) -> bool {
    WORDS.contains(&name) || name.ends_with("_t") || is_vector_type(name)
}

/// Whether all names that begin like this one may.
fn begins_as_reserved(name: &str) -> bool {
    let conversion = name.split_once("_of_").is_some_and(|(to, _)| TYPES.contains(&to));
    let helper =
        HELPERS.iter().any(|prefix| name.starts_with(prefix)) && TYPES.iter().any(|ty| name.ends_with(ty));
    name.starts_with('_') || conversion || helper || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// `float4`, `uchar16`.
fn is_vector_type(name: &str) -> bool {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    base.len() < name.len() && SCALARS.contains(&base)
}

/// Names of types in the text.
const TYPES: [&str; 10] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"];

/// How functions of the text begin that end with a type.
const HELPERS: [&str; 15] = [
    "min_", "max_", "abs_", "mod_", "bits_", "add_", "sub_", "mul_", "power_", "exp_", "log_", "pow_",
    "raw_", "upper_", "fma_",
];

/// How names of constants and functions of the compilers begin, which are often macros.
const PREFIXES: [&str; 21] = [
    "as_", "atomic_", "async_", "barrier", "convert_", "get_", "half_", "native_", "read_", "write_", "CL_",
    "CLK_", "CHAR_", "DBL_", "FLT_", "INT_", "HUGE_", "LONG_", "M_", "cl_", "cuda",
];

const SCALARS: [&str; 14] = [
    "bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "float",
    "double",
    "half",
];

/// Keywords of C, C++ and OpenCL C, types and constants known without a declaration, functions, and names of the text.
const WORDS: &[&str] = &[
    // Types of the text, and its names.
    "bool",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "f32",
    "f64",
    "FAILED",
    "OUT_OF_BOUNDS",
    "f64_of_bits",
    "f32_of_bits",
    "mul_high_i64",
    "mul_high_u64",
    // C and C++.
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "compl",
    "complex",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "imaginary",
    "import",
    "inline",
    "int",
    "long",
    "main",
    "module",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "override",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "linux",
    "unix",
    "std",
    "NULL",
    "offsetof",
    "assert",
    "printf",
    "memcpy",
    "memset",
    // OpenCL C.
    "kernel",
    "global",
    "local",
    "constant",
    "generic",
    "pipe",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "half",
    "quad",
    "read_only",
    "write_only",
    "read_write",
    "vec_step",
    "INFINITY",
    "NAN",
    "MAXFLOAT",
    "UCHAR_MAX",
    "SCHAR_MAX",
    "SCHAR_MIN",
    "SHRT_MAX",
    "SHRT_MIN",
    "USHRT_MAX",
    "UINT_MAX",
    "ULONG_MAX",
    "popcount",
    "clz",
    "ctz",
    "rotate",
    "mad24",
    "mul24",
    "mad_hi",
    "mul_hi",
    "mad_sat",
    "add_sat",
    "sub_sat",
    "hadd",
    "rhadd",
    "abs_diff",
    "upsample",
    "select",
    "bitselect",
    "any",
    "all",
    "dot",
    "cross",
    "length",
    "distance",
    "normalize",
    "fast_length",
    "clamp",
    "degrees",
    "mix",
    "radians",
    "step",
    "smoothstep",
    "sign",
    "shuffle",
    "shuffle2",
    "prefetch",
    "mem_fence",
    "wait_group_events",
    "signbit",
    "isequal",
    "isless",
    "isgreater",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "isordered",
    "isunordered",
    // CUDA.
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "dim3",
    "atomicCAS",
    "atomicAdd",
    "clock",
    "clock64",
    // Functions of both.
    "abs",
    "labs",
    "llabs",
    "min",
    "max",
    "umin",
    "umax",
    "acos",
    "acosh",
    "acospi",
    "asin",
    "asinh",
    "asinpi",
    "atan",
    "atan2",
    "atanh",
    "atanpi",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cyl_bessel_i0",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmaf",
    "fmax",
    "fmin",
    "fmod",
    "fract",
    "frexp",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log2",
    "log10",
    "log1p",
    "logb",
    "lrint",
    "lround",
    "mad",
    "maxmag",
    "minmag",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "norm",
    "pow",
    "pown",
    "powr",
    "powi",
    "remainder",
    "remquo",
    "rint",
    "rootn",
    "round",
    "rsqrt",
    "scalbn",
    "scalbln",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "sqrt",
    "tan",
    "tanh",
    "tanpi",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "yn",
    "floorf",
    "ceilf",
    "truncf",
    "sqrtf",
    "fabsf",
    "index",
    "malloc",
    "free",
    "abort",
    "exit",
    "signal",
    "time",
    "pi",
];

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_kernel::{Access, Type};

    #[test]
    fn names_are_kept_where_they_can_be() {
        let mut kernel = Kernel::new("double");
        for name in ["lane", "queue", "float4", "exit_code", "_x", "y1", "t1", "fma_f64"] {
            kernel.local(name, Type::U64);
        }
        kernel.buffer("queue", Type::I8, Access::Read);
        let mut names = Names::new(&kernel);
        assert_eq!(names.entry, "double_");
        assert_eq!(
            names.locals,
            ["lane", "queue", "float4_", "exit_code_2", "my__x", "y1_", "t1", "my_fma_f64"]
        );
        assert_eq!((names.buffers[0].as_str(), names.lens[0].as_str()), ("queue_2", "queue_2_len"));
        assert_eq!([names.temporary(), names.temporary()], ["t2", "t3"]);
    }
}
