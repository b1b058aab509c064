//! The natural logarithm and the exponential function as arithmetic of kernels, with the bits of
//! [`volvelle_kernel::math`].
//!
//! The algorithms are those of FreeBSD's `e_log.c` and `e_exp.c` (Sun Microsystems, 1993 and 2004), which the
//! definition follows: argument reduction, a minimax polynomial, and the order of operations that its error
//! analysis assumes. Each operation of IEEE 754 here corresponds to one there, so the results are the same.
//! Only the decomposition into bits and exponents differs: it works on whole words, without branches.
//! Integers (the exponent of an argument, the multiple of ln 2) are converted to and from floats by adding
//! them to the last bits of a large float, since not every vector unit converts 64-bit integers.

mod exp;
mod log;

pub use exp::{exp, plain_exp};
pub(crate) use log::LogLocals;
pub use log::{log, log_of_normal, plain_log_of_normal};

/// 2^-53.
pub(crate) const SCALE_53: f64 = 1.0 / (1u64 << 53) as f64;

/// ln 2 in two parts: products of the high part with integers below 2^20 are exact.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
/// The low part.
const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// Bits of a mantissa.
const MANTISSA_BITS: u32 = 52;
/// The bias of exponents.
const BIAS: u64 = 1023;
