//! Arithmetic of floating point in whole numbers: results and flags are exact, in every rounding mode, on every machine.
//!
//! Follows IEEE 754-2019 with what the unprivileged specification chooses: results that are not numbers are canonical (12.3), and a result is
//! tiny if it is so after rounding (12.2). Values come in and go out as bits, those of single precision in the lower half.

mod arithmetic;
mod compare;
mod convert;
mod round;

pub use arithmetic::{add, divide, fused, multiply, square_root};
pub use compare::{class, equal, less, less_or_equal, maximum, minimum};
pub use convert::{Integer, from_integer, narrow, to_integer, widen};

/// A binary format.
pub trait Format {
    /// Bits of the fraction.
    const FRACTION: u32;
    /// Bits of the exponent.
    const EXPONENT: u32;
    /// What is added to the exponent.
    const BIAS: i32 = (1 << (Self::EXPONENT - 1)) - 1;
    /// The sign.
    const SIGN: u64 = 1 << (Self::FRACTION + Self::EXPONENT);
    /// Infinity without a sign.
    const INFINITY: u64 = ((1 << Self::EXPONENT) - 1) << Self::FRACTION;
    /// The one value that is no number which operations result in.
    const NAN: u64 = Self::INFINITY | 1 << (Self::FRACTION - 1);
}

/// Single precision: 32 bits.
pub struct Single;

impl Format for Single {
    const FRACTION: u32 = 23;
    const EXPONENT: u32 = 8;
}

/// Double precision: 64 bits.
pub struct Double;

impl Format for Double {
    const FRACTION: u32 = 52;
    const EXPONENT: u32 = 11;
}

/// Where results are rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, ties to even.
    NearestEven,
    /// Towards zero.
    Zero,
    /// Down.
    Down,
    /// Up.
    Up,
    /// To the nearest, ties away from zero.
    NearestAway,
}

impl Rounding {
    /// The mode of the number in instructions and in `frm`; 5 and 6 are reserved, 7 stands for `frm` (12.2).
    pub fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Rounding::NearestEven),
            1 => Some(Rounding::Zero),
            2 => Some(Rounding::Down),
            3 => Some(Rounding::Up),
            4 => Some(Rounding::NearestAway),
            _ => None,
        }
    }
}

/// Exceptions that were met, as in `fflags` (12.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// The result is not exact.
    pub const INEXACT: u8 = 1;
    /// It is tiny and not exact.
    pub const UNDERFLOW: u8 = 2;
    /// It is beyond the largest number.
    pub const OVERFLOW: u8 = 4;
    /// A number was divided by zero.
    pub const DIVIDE_BY_ZERO: u8 = 8;
    /// There is no result.
    pub const INVALID: u8 = 16;

    /// Notes exceptions.
    pub fn raise(&mut self, flags: u8) {
        self.0 |= flags;
    }
}

/// How a result is rounded, and the exceptions on the way.
pub struct Context {
    /// Where to.
    pub rounding: Rounding,
    /// Exceptions so far.
    pub flags: Flags,
}

impl Context {
    /// No exceptions yet.
    pub fn new(rounding: Rounding) -> Self {
        Context { rounding, flags: Flags::default() }
    }

    fn invalid<F: Format>(&mut self) -> u64 {
        self.flags.raise(Flags::INVALID);
        F::NAN
    }
}

/// A value taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Zero,
    /// `significand * 2^exponent`, with the highest bit of the format's significand set.
    Finite {
        significand: u64,
        exponent: i32,
    },
    Infinite,
    Nan {
        is_signalling: bool,
    },
}

fn is_negative<F: Format>(bits: u64) -> bool {
    bits & F::SIGN != 0
}

fn sign_bit<F: Format>(is_negative: bool) -> u64 {
    if is_negative { F::SIGN } else { 0 }
}

fn unpack<F: Format>(bits: u64) -> Value {
    let fraction = bits & ((1 << F::FRACTION) - 1);
    let biased = (bits & F::INFINITY) >> F::FRACTION;
    let least = 1 - F::BIAS - F::FRACTION as i32;
    if biased == 0 {
        if fraction == 0 {
            return Value::Zero;
        }
        let shift = fraction.leading_zeros() - (63 - F::FRACTION);
        return Value::Finite { significand: fraction << shift, exponent: least - shift as i32 };
    }
    if bits & F::INFINITY == F::INFINITY {
        return match fraction {
            0 => Value::Infinite,
            _ => Value::Nan { is_signalling: fraction >> (F::FRACTION - 1) == 0 },
        };
    }
    Value::Finite { significand: fraction | 1 << F::FRACTION, exponent: least + biased as i32 - 1 }
}

/// The result if an operand is no number.
fn nan<F: Format>(values: &[Value], context: &mut Context) -> Option<u64> {
    let mut result = None;
    for value in values {
        if let Value::Nan { is_signalling } = value {
            if *is_signalling {
                context.flags.raise(Flags::INVALID);
            }
            result = Some(F::NAN);
        }
    }
    result
}
