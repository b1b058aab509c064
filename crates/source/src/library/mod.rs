//! Functions and macros that the text of a kernel may call; those that it does are printed in front of it.

mod math;

use crate::dialect::Dialect;
use std::collections::BTreeSet;
use volvelle_kernel::Type;

/// A function or macro; in the order in which they are printed, since some call others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Helper {
    /// Leaves the kernel with the code of a site.
    Failed,
    /// Leaves the kernel with the code of a buffer.
    OutOfBounds,
    /// A float from its bits.
    OfBits(Type),
    /// Bits of a float that is no NaN.
    RawBits(Type),
    /// Bits of a float; all NaNs have those of one.
    Bits(Type),
    /// The upper half of a product of 64-bit integers.
    MulHigh(Type),
    Min(Type),
    Max(Type),
    /// Of a signed integer; wraps.
    Abs(Type),
    /// The remainder with the sign of the divisor.
    Mod(Type),
    /// Whether a sum overflows.
    AddOverflows(Type),
    SubOverflows(Type),
    MulOverflows(Type),
    /// A power of integers; whether it fails.
    PowerFails(Type),
    /// An integer type from a float, the nearest value; 0 for NaN.
    Saturated(Type, Type),
    /// A product and a sum, rounded once.
    MulAdd(Type),
    Exp,
    Log,
    Pow,
}

/// The helpers in use.
pub(crate) type Helpers = BTreeSet<Helper>;

impl Helper {
    /// The name that calls it.
    pub(crate) fn name(self) -> String {
        match self {
            Helper::Failed => "FAILED".into(),
            Helper::OutOfBounds => "OUT_OF_BOUNDS".into(),
            Helper::OfBits(ty) => format!("{ty}_of_bits"),
            Helper::RawBits(ty) => format!("raw_bits_{ty}"),
            Helper::Bits(ty) => format!("bits_{ty}"),
            Helper::MulHigh(ty) => format!("mul_high_{ty}"),
            Helper::Min(ty) => format!("min_{ty}"),
            Helper::Max(ty) => format!("max_{ty}"),
            Helper::Abs(ty) => format!("abs_{ty}"),
            Helper::Mod(ty) => format!("mod_{ty}"),
            Helper::AddOverflows(ty) => format!("add_overflows_{ty}"),
            Helper::SubOverflows(ty) => format!("sub_overflows_{ty}"),
            Helper::MulOverflows(ty) => format!("mul_overflows_{ty}"),
            Helper::PowerFails(ty) => format!("power_fails_{ty}"),
            Helper::Saturated(from, to) => format!("{to}_of_{from}"),
            Helper::MulAdd(ty) => format!("fma_{ty}"),
            Helper::Exp => "exp_f64".into(),
            Helper::Log => "log_f64".into(),
            Helper::Pow => "pow_f64".into(),
        }
    }

    /// The helpers that it calls.
    fn calls(self) -> Vec<Helper> {
        use Helper::*;
        match self {
            Min(ty) | Max(ty) if ty.is_float() => vec![OfBits(ty), RawBits(ty)],
            Bits(ty) => vec![RawBits(ty)],
            MulOverflows(ty @ (Type::I64 | Type::U64)) => vec![MulHigh(ty)],
            PowerFails(ty) => vec![MulOverflows(ty)],
            Exp | Log | Pow => vec![OfBits(Type::F64), RawBits(Type::F64)],
            _ => vec![],
        }
    }

    /// The definition.
    fn text(self, dialect: Dialect) -> String {
        let name = self.name();
        let text = match self {
            Helper::Failed => leaving(dialect, &name, "site", 1),
            Helper::OutOfBounds => leaving(dialect, &name, "buffer", 2),
            Helper::OfBits(ty) | Helper::RawBits(ty) => {
                let bits = if ty == Type::F64 { Type::U64 } else { Type::U32 };
                let (of_bits, opencl, cuda) = match (self, ty) {
                    (Helper::OfBits(_), Type::F64) => {
                        (true, "as_double(bits)", "__longlong_as_double((i64)bits)")
                    }
                    (Helper::OfBits(_), _) => (true, "as_float(bits)", "__uint_as_float(bits)"),
                    (_, Type::F64) => (false, "as_ulong(x)", "(u64)__double_as_longlong(x)"),
                    _ => (false, "as_uint(x)", "__float_as_uint(x)"),
                };
                let value = if dialect == Dialect::OpenCl { opencl } else { cuda };
                if of_bits {
                    format!("FN {ty} {name}({bits} bits) {{ return {value}; }}\n")
                } else {
                    format!("FN {bits} {name}({ty} x) {{ return {value}; }}\n")
                }
            }
            Helper::Bits(ty) => {
                let (bits, nan) =
                    if ty == Type::F64 { ("u64", "0x7ff8000000000000$UL") } else { ("u32", "0x7fc00000u") };
                format!(
                    "// NaN has but one form.\nFN {bits} {name}({ty} x) {{ return x == x ? raw_bits_{ty}(x) : {nan}; }}\n"
                )
            }
            Helper::MulHigh(ty) => {
                let value = match (dialect, ty) {
                    (Dialect::OpenCl, _) => "mul_hi(x, y)",
                    (Dialect::Cuda, Type::I64) => "__mul64hi(x, y)",
                    (Dialect::Cuda, _) => "__umul64hi(x, y)",
                };
                format!("FN {ty} {name}({ty} x, {ty} y) {{ return {value}; }}\n")
            }
            Helper::Min(ty) if ty.is_float() => float_choice(ty, &name, '<', '|'),
            Helper::Max(ty) if ty.is_float() => float_choice(ty, &name, '>', '&'),
            Helper::Min(ty) => format!("FN {ty} {name}({ty} x, {ty} y) {{ return x < y ? x : y; }}\n"),
            Helper::Max(ty) => format!("FN {ty} {name}({ty} x, {ty} y) {{ return x > y ? x : y; }}\n"),
            Helper::Abs(ty) => {
                let wide = wide(ty);
                format!("FN {ty} {name}({ty} x) {{ return ({ty})(x < 0 ? 0u - ({wide})x : ({wide})x); }}\n")
            }
            Helper::Mod(ty) => format!(
                "// The remainder has the sign of the divisor.\n\
                 FN {ty} {name}({ty} x, {ty} y) {{\n    \
                     if (y == -1) return 0;\n    \
                     const {ty} r = ({ty})(x % y);\n    \
                     return (r != 0 && (r < 0) != (y < 0)) ? ({ty})(r + y) : r;\n\
                 }}\n"
            ),
            Helper::AddOverflows(ty) => overflows(ty, &name, '+'),
            Helper::SubOverflows(ty) => overflows(ty, &name, '-'),
            Helper::MulOverflows(ty) => mul_overflows(ty, &name),
            Helper::PowerFails(ty) => power(ty, &name),
            Helper::Saturated(from, to) => saturated(from, to, &name),
            Helper::MulAdd(ty) => {
                let function = if dialect == Dialect::Cuda && ty == Type::F32 { "fmaf" } else { "fma" };
                format!("FN {ty} {name}({ty} x, {ty} y, {ty} z) {{ return {function}(x, y, z); }}\n")
            }
            Helper::Exp => math::exp(&name),
            Helper::Log => math::log(&name),
            Helper::Pow => math::pow(&name),
        };
        let suffix = if dialect == Dialect::OpenCl { "UL" } else { "ULL" };
        text.replace("$UL", suffix).replace("FN ", &format!("{} ", dialect.function()))
    }
}

/// The definitions of all that are in use and of what they call.
pub(crate) fn definitions(helpers: &Helpers, dialect: Dialect) -> String {
    let mut all = helpers.clone();
    let mut waiting: Vec<Helper> = helpers.iter().copied().collect();
    while let Some(helper) = waiting.pop() {
        waiting.extend(helper.calls().into_iter().filter(|&called| all.insert(called)));
    }
    let mut text = String::new();
    for helper in all {
        text.push_str(&helper.text(dialect));
        text.push('\n');
    }
    text
}

fn leaving(dialect: Dialect, name: &str, what: &str, add: u32) -> String {
    let exchange = if dialect == Dialect::OpenCl { "atomic_cmpxchg" } else { "atomicCAS" };
    format!(
        "#define {name}({what}) do {{ {exchange}(exit_code, 0u, 2u * ({what}) + {add}u); return; }} while (0)\n"
    )
}

/// The type in which integers wrap.
fn wide(ty: Type) -> Type {
    if ty.bits() == 64 { Type::U64 } else { Type::U32 }
}

/// NaN where either is; -0 is below +0.
fn float_choice(ty: Type, name: &str, order: char, zeros: char) -> String {
    format!(
        "// NaN if either is; -0 is less than +0.\n\
         FN {ty} {name}({ty} x, {ty} y) {{\n    \
             if (x {order} y) return x;\n    \
             if (y {order} x) return y;\n    \
             return x == y ? {ty}_of_bits(raw_bits_{ty}(x) {zeros} raw_bits_{ty}(y)) : x + y;\n\
         }}\n"
    )
}

fn overflows(ty: Type, name: &str, operator: char) -> String {
    let head = format!("FN bool {name}({ty} x, {ty} y)");
    match (ty, operator) {
        (Type::I64, '+') => format!(
            "{head} {{\n    const i64 r = (i64)((u64)x + (u64)y);\n    return ((x ^ r) & (y ^ r)) < 0;\n}}\n"
        ),
        (Type::I64, _) => format!(
            "{head} {{\n    const i64 r = (i64)((u64)x - (u64)y);\n    return ((x ^ y) & (x ^ r)) < 0;\n}}\n"
        ),
        _ if ty.is_signed() => {
            format!("{head} {{\n    const i64 r = (i64)x {operator} (i64)y;\n    return r != ({ty})r;\n}}\n")
        }
        (_, '+') => format!("{head} {{ return ({ty})(x + y) < x; }}\n"),
        _ => format!("{head} {{ return x < y; }}\n"),
    }
}

fn mul_overflows(ty: Type, name: &str) -> String {
    let head = format!("FN bool {name}({ty} x, {ty} y)");
    match ty {
        Type::I64 => format!("{head} {{ return mul_high_i64(x, y) != (i64)((u64)x * (u64)y) >> 63; }}\n"),
        Type::U64 => format!("{head} {{ return mul_high_u64(x, y) != 0; }}\n"),
        _ if ty.is_signed() => {
            format!("{head} {{\n    const i64 r = (i64)x * (i64)y;\n    return r != ({ty})r;\n}}\n")
        }
        _ => format!("{head} {{\n    const u64 r = (u64)x * (u64)y;\n    return r != ({ty})r;\n}}\n"),
    }
}

/// Where an intermediate power leaves the type, all that follow do: their magnitude at least doubles.
fn power(ty: Type, name: &str) -> String {
    let wide = wide(ty);
    let (negative, minus_one) = if ty.is_signed() {
        (
            "    if (exponent < 0) return true;\n",
            "    if (base == -1 && (exponent & 1) == 0) { *power = 1; return false; }\n",
        )
    } else {
        ("", "")
    };
    let same = if ty.is_signed() { "base == 0 || base == 1 || base == -1" } else { "base <= 1" };
    format!(
        "// base^exponent; whether it is no number of the type.\n\
         FN bool {name}({ty} base, {ty} exponent, {ty} *power) {{\n\
         {negative}    \
             if (exponent == 0) {{ *power = 1; return false; }}\n\
         {minus_one}    \
             *power = base;\n    \
             if ({same}) return false;\n    \
             for (; exponent > 1; --exponent) {{\n        \
                 if (mul_overflows_{ty}(*power, base)) return true;\n        \
                 *power = ({ty})(({wide})*power * ({wide})base);\n    \
             }}\n    \
             return false;\n\
         }}\n"
    )
}

/// The bounds of a conversion are powers of two, which floats have: 2^`bits` and, for signed types, its negative.
fn saturated(from: Type, to: Type, name: &str) -> String {
    let suffix = if from == Type::F32 { "f" } else { "" };
    let bits = if to.is_signed() { to.bits() - 1 } else { to.bits() };
    let above = format!("0x1p+{bits}{suffix}");
    let most = (u64::MAX >> (64 - bits)).to_string();
    let most = if to.bits() == 64 { format!("{most}$UL") } else { format!("{most}u") };
    let (below, least) = if to.is_signed() {
        (format!("x < -{above}"), format!("({to})({most} + 1u)"))
    } else {
        (format!("x < 1.0{suffix}"), "0".to_owned())
    };
    format!(
        "// The nearest integer on the way to zero; 0 for NaN.\n\
         FN {to} {name}({from} x) {{\n    \
             if (x >= {above}) return ({to}){most};\n    \
             if ({below}) return {least};\n    \
             return x == x ? ({to})x : 0;\n\
         }}\n"
    )
}
