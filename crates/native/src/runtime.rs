//! The Rust functions that generated code calls.
//!
//! Mathematical functions are those of [`volvelle_kernel::math`], so their bits are the interpreter's.
//! The rounding functions stand in for instructions that old x86-64 processors lack (SSE4.1).

use cranelift_codegen::ir::LibCall;
use volvelle_kernel::{MathFn, Type, math};

/// The address of a mathematical function of one `f64`.
pub(crate) fn math1(f: MathFn) -> usize {
    let function: extern "C" fn(f64) -> f64 = match f {
        MathFn::Exp => exp,
        MathFn::Log => log,
        MathFn::Pow => unreachable!("pow has two arguments"),
    };
    function as usize
}

/// The address of a mathematical function of two `f64`.
pub(crate) fn math2(f: MathFn) -> usize {
    let function: extern "C" fn(f64, f64) -> f64 = match f {
        MathFn::Pow => pow,
        MathFn::Exp | MathFn::Log => unreachable!("one argument"),
    };
    function as usize
}

extern "C" fn exp(x: f64) -> f64 {
    math::apply(MathFn::Exp, x, x)
}

extern "C" fn log(x: f64) -> f64 {
    math::apply(MathFn::Log, x, x)
}

extern "C" fn pow(x: f64, y: f64) -> f64 {
    math::apply(MathFn::Pow, x, y)
}

/// The address of a function that generated code calls where the processor has no instruction, if there is one.
pub(crate) fn library_function(called: LibCall) -> Option<usize> {
    match called {
        LibCall::FmaF64 => return Some(fma as extern "C" fn(f64, f64, f64) -> f64 as usize),
        LibCall::FmaF32 => return Some(fmaf as extern "C" fn(f32, f32, f32) -> f32 as usize),
        _ => {}
    }
    let double: extern "C" fn(f64) -> f64 = match called {
        LibCall::FloorF64 => floor,
        LibCall::CeilF64 => ceil,
        LibCall::TruncF64 => trunc,
        LibCall::NearestF64 => nearest,
        _ => return single(called),
    };
    Some(double as usize)
}

fn single(called: LibCall) -> Option<usize> {
    let single: extern "C" fn(f32) -> f32 = match called {
        LibCall::FloorF32 => floorf,
        LibCall::CeilF32 => ceilf,
        LibCall::TruncF32 => truncf,
        LibCall::NearestF32 => nearestf,
        _ => return None,
    };
    Some(single as usize)
}

extern "C" fn fma(x: f64, y: f64, z: f64) -> f64 {
    x.mul_add(y, z)
}

extern "C" fn fmaf(x: f32, y: f32, z: f32) -> f32 {
    x.mul_add(y, z)
}

extern "C" fn floor(x: f64) -> f64 {
    x.floor()
}

extern "C" fn ceil(x: f64) -> f64 {
    x.ceil()
}

extern "C" fn trunc(x: f64) -> f64 {
    x.trunc()
}

extern "C" fn nearest(x: f64) -> f64 {
    x.round_ties_even()
}

extern "C" fn floorf(x: f32) -> f32 {
    x.floor()
}

extern "C" fn ceilf(x: f32) -> f32 {
    x.ceil()
}

extern "C" fn truncf(x: f32) -> f32 {
    x.trunc()
}

extern "C" fn nearestf(x: f32) -> f32 {
    x.round_ties_even()
}

/// The address of integer power at 64 bits: `fn(base, exponent, &mut result) -> fits`.
pub(crate) fn integer_power(ty: Type) -> usize {
    match ty {
        Type::I64 => power_i64 as extern "C" fn(i64, i64, &mut i64) -> bool as usize,
        _ => power_u64 as extern "C" fn(u64, u64, &mut u64) -> bool as usize,
    }
}

/// Fails on a negative exponent or overflow.
extern "C" fn power_i64(base: i64, exponent: i64, result: &mut i64) -> bool {
    let power = match (base, u64::try_from(exponent)) {
        (_, Err(_)) => None,
        // Bases whose powers stay small whatever the exponent.
        (0 | 1, Ok(n)) => Some(if n == 0 { 1 } else { base }),
        (-1, Ok(n)) => Some(if n % 2 == 0 { 1 } else { -1 }),
        (_, Ok(n)) => u32::try_from(n).ok().and_then(|n| base.checked_pow(n)),
    };
    power.inspect(|&p| *result = p).is_some()
}

/// Fails on overflow.
extern "C" fn power_u64(base: u64, exponent: u64, result: &mut u64) -> bool {
    let power = match (base, exponent) {
        (0 | 1, n) => Some(if n == 0 { 1 } else { base }),
        (_, n) => u32::try_from(n).ok().and_then(|n| base.checked_pow(n)),
    };
    power.inspect(|&p| *result = p).is_some()
}
