//! The one definition of the bits of `exp`, `log` and `pow`: the pure-Rust port of musl's libm
//! (crate `libm`), the same operations on every machine.

use crate::operations::MathFn;

/// Applies a function; `y` is ignored by functions of one argument.
pub fn apply(f: MathFn, x: f64, y: f64) -> f64 {
    match f {
        MathFn::Exp => libm::exp(x),
        MathFn::Log => libm::log(x),
        MathFn::Pow => libm::pow(x, y),
    }
}
