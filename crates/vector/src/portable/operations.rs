//! Arithmetic of the vectorised interpreter.

use super::machine::{LANES, Machine};
use crate::program::{Arith, Cmp, Conversion, Inst, Num, QUIET_F32, QUIET_F64, Reg, Shift, Unary};

/// An instruction on one or two operands of one view.
#[derive(Clone, Copy)]
pub(super) struct Simple {
    pub(super) dst: Reg,
    op: Op,
    num: Num,
    a: Reg,
    b: Reg,
}

#[derive(Clone, Copy)]
enum Op {
    Unary(Unary),
    Arith(Arith),
    Shift(Shift, u8),
    Cmp(Cmp),
    MulHigh,
}

impl Simple {
    pub(super) fn of(inst: Inst) -> Option<Self> {
        Some(match inst {
            Inst::Unary { op, num, dst, a } => Simple { dst, op: Op::Unary(op), num, a, b: a },
            Inst::Binary { op, num, dst, a, b } => Simple { dst, op: Op::Arith(op), num, a, b },
            Inst::Shift { op, num, by, dst, a } => Simple { dst, op: Op::Shift(op, by), num, a, b: a },
            Inst::Compare { op, num, dst, a, b } => Simple { dst, op: Op::Cmp(op), num, a, b },
            Inst::MulHigh { dst, a, b } => Simple { dst, op: Op::MulHigh, num: Num::U32, a, b },
            _ => return None,
        })
    }
}

/// A mask of one lane.
fn mask(holds: bool) -> u32 {
    0u32.wrapping_sub(u32::from(holds))
}

fn low(x: u64) -> f64 {
    f64::from_bits(x)
}

fn single(x: u32) -> f32 {
    f32::from_bits(x)
}

macro_rules! float_extremum {
    ($min:ident, $max:ident, $float:ident) => {
        fn $min(x: $float, y: $float) -> $float {
            if x.is_nan() || y.is_nan() {
                $float::NAN
            } else if x < y || (x == y && x.is_sign_negative()) {
                x
            } else {
                y
            }
        }

        fn $max(x: $float, y: $float) -> $float {
            if x.is_nan() || y.is_nan() {
                $float::NAN
            } else if x < y || (x == y && x.is_sign_negative()) {
                y
            } else {
                x
            }
        }
    };
}

float_extremum!(min64, max64, f64);
float_extremum!(min32, max32, f32);

/// Applies an operation to every lane. Since references do not alias, the compiler vectorises it.
pub(super) fn one<A: Copy, R>(out: &mut [R; LANES], a: &[A; LANES], f: impl Fn(A) -> R) {
    for i in 0..LANES {
        out[i] = f(a[i]);
    }
}

/// As [`one`], on two operands.
pub(super) fn two<A: Copy, R>(out: &mut [R; LANES], a: &[A; LANES], b: &[A; LANES], f: impl Fn(A, A) -> R) {
    for i in 0..LANES {
        out[i] = f(a[i], b[i]);
    }
}

impl Machine<'_> {
    fn words_of_one(&mut self, a: Reg, f: impl Fn(u32) -> u32) {
        one(&mut self.spare_words, &self.words[a.index()], f);
    }

    pub(super) fn words_of_two(&mut self, a: Reg, b: Reg, f: impl Fn(u32, u32) -> u32) {
        two(&mut self.spare_words, &self.words[a.index()], &self.words[b.index()], f);
    }

    fn doubles_of_one(&mut self, a: Reg, f: impl Fn(u64) -> u64) {
        one(&mut self.spare_doubles, &self.doubles[a.index()], f);
    }

    fn doubles_of_two(&mut self, a: Reg, b: Reg, f: impl Fn(u64, u64) -> u64) {
        two(&mut self.spare_doubles, &self.doubles[a.index()], &self.doubles[b.index()], f);
    }

    /// A mask from two doubles.
    fn compare_doubles(&mut self, a: Reg, b: Reg, f: impl Fn(u64, u64) -> bool) {
        two(&mut self.spare_words, &self.doubles[a.index()], &self.doubles[b.index()], |x, y| mask(f(x, y)));
    }

    fn widen(&mut self, a: Reg, f: impl Fn(u32) -> u64) {
        one(&mut self.spare_doubles, &self.words[a.index()], f);
    }

    fn narrow(&mut self, a: Reg, f: impl Fn(u64) -> u32) {
        one(&mut self.spare_words, &self.doubles[a.index()], f);
    }

    /// Leaves the result in the spare place of its class.
    pub(super) fn simple(&mut self, simple: Simple) {
        let Simple { op, num, a, b, .. } = simple;
        match num {
            Num::I32 | Num::U32 => self.simple_words(op, num == Num::I32, a, b),
            Num::I64 | Num::U64 => self.simple_doubles(op, num == Num::I64, a, b),
            Num::F32 => self.simple_f32(op, a, b),
            Num::F64 => self.simple_f64(op, a, b),
        }
    }

    fn simple_words(&mut self, op: Op, signed: bool, a: Reg, b: Reg) {
        match op {
            Op::Unary(_) => self.words_of_one(a, |x| (x as i32).wrapping_abs() as u32),
            Op::MulHigh => self.words_of_two(a, b, |x, y| ((u64::from(x) * u64::from(y)) >> 32) as u32),
            Op::Shift(Shift::Left, by) => self.words_of_one(a, |x| x.wrapping_shl(by.into())),
            Op::Shift(Shift::Rotate, by) => self.words_of_one(a, |x| x.rotate_left(by.into())),
            Op::Shift(Shift::Right, by) if signed => {
                self.words_of_one(a, |x| (x as i32).wrapping_shr(by.into()) as u32);
            }
            Op::Shift(Shift::Right, by) => self.words_of_one(a, |x| x.wrapping_shr(by.into())),
            Op::Arith(op) => match op {
                Arith::Add => self.words_of_two(a, b, u32::wrapping_add),
                Arith::Sub => self.words_of_two(a, b, u32::wrapping_sub),
                Arith::Mul => self.words_of_two(a, b, u32::wrapping_mul),
                Arith::Min if signed => self.words_of_two(a, b, |x, y| (x as i32).min(y as i32) as u32),
                Arith::Min => self.words_of_two(a, b, u32::min),
                Arith::Max if signed => self.words_of_two(a, b, |x, y| (x as i32).max(y as i32) as u32),
                Arith::Max => self.words_of_two(a, b, u32::max),
                Arith::And => self.words_of_two(a, b, |x, y| x & y),
                Arith::Or => self.words_of_two(a, b, |x, y| x | y),
                Arith::Xor => self.words_of_two(a, b, |x, y| x ^ y),
                Arith::Shl => self.words_of_two(a, b, u32::wrapping_shl),
                Arith::Shr if signed => self.words_of_two(a, b, |x, y| (x as i32).wrapping_shr(y) as u32),
                Arith::Shr => self.words_of_two(a, b, u32::wrapping_shr),
                Arith::Div => unreachable!("integers are divided lane by lane"),
            },
            Op::Cmp(op) => {
                // A signed order is the unsigned one with the sign bit flipped.
                let flip = if signed { 1 << 31 } else { 0 };
                match op {
                    Cmp::Eq => self.words_of_two(a, b, |x, y| mask(x == y)),
                    Cmp::Ne => self.words_of_two(a, b, |x, y| mask(x != y)),
                    Cmp::Lt => self.words_of_two(a, b, |x, y| mask(x ^ flip < y ^ flip)),
                    Cmp::Le => self.words_of_two(a, b, |x, y| mask(x ^ flip <= y ^ flip)),
                    Cmp::Gt => self.words_of_two(a, b, |x, y| mask(x ^ flip > y ^ flip)),
                    Cmp::Ge => self.words_of_two(a, b, |x, y| mask(x ^ flip >= y ^ flip)),
                }
            }
        }
    }

    fn simple_doubles(&mut self, op: Op, signed: bool, a: Reg, b: Reg) {
        match op {
            Op::Unary(_) => self.doubles_of_one(a, |x| (x as i64).wrapping_abs() as u64),
            Op::MulHigh => unreachable!("words only"),
            Op::Shift(Shift::Left, by) => self.doubles_of_one(a, |x| x.wrapping_shl(by.into())),
            Op::Shift(Shift::Rotate, by) => self.doubles_of_one(a, |x| x.rotate_left(by.into())),
            Op::Shift(Shift::Right, by) if signed => {
                self.doubles_of_one(a, |x| (x as i64).wrapping_shr(by.into()) as u64);
            }
            Op::Shift(Shift::Right, by) => self.doubles_of_one(a, |x| x.wrapping_shr(by.into())),
            Op::Arith(op) => match op {
                Arith::Add => self.doubles_of_two(a, b, u64::wrapping_add),
                Arith::Sub => self.doubles_of_two(a, b, u64::wrapping_sub),
                Arith::Mul => self.doubles_of_two(a, b, u64::wrapping_mul),
                Arith::Min if signed => self.doubles_of_two(a, b, |x, y| (x as i64).min(y as i64) as u64),
                Arith::Min => self.doubles_of_two(a, b, u64::min),
                Arith::Max if signed => self.doubles_of_two(a, b, |x, y| (x as i64).max(y as i64) as u64),
                Arith::Max => self.doubles_of_two(a, b, u64::max),
                Arith::And => self.doubles_of_two(a, b, |x, y| x & y),
                Arith::Or => self.doubles_of_two(a, b, |x, y| x | y),
                Arith::Xor => self.doubles_of_two(a, b, |x, y| x ^ y),
                Arith::Shl => self.doubles_of_two(a, b, |x, y| x.wrapping_shl(y as u32)),
                Arith::Shr if signed => {
                    self.doubles_of_two(a, b, |x, y| (x as i64).wrapping_shr(y as u32) as u64);
                }
                Arith::Shr => self.doubles_of_two(a, b, |x, y| x.wrapping_shr(y as u32)),
                Arith::Div => unreachable!("integers are divided lane by lane"),
            },
            Op::Cmp(op) => {
                let flip = if signed { 1 << 63 } else { 0 };
                match op {
                    Cmp::Eq => self.compare_doubles(a, b, |x, y| x == y),
                    Cmp::Ne => self.compare_doubles(a, b, |x, y| x != y),
                    Cmp::Lt => self.compare_doubles(a, b, |x, y| x ^ flip < y ^ flip),
                    Cmp::Le => self.compare_doubles(a, b, |x, y| x ^ flip <= y ^ flip),
                    Cmp::Gt => self.compare_doubles(a, b, |x, y| x ^ flip > y ^ flip),
                    Cmp::Ge => self.compare_doubles(a, b, |x, y| x ^ flip >= y ^ flip),
                }
            }
        }
    }

    fn simple_f32(&mut self, op: Op, a: Reg, b: Reg) {
        let f = |x: f32| x.to_bits();
        match op {
            Op::Unary(op) => match op {
                Unary::Sqrt => self.words_of_one(a, |x| f(single(x).sqrt())),
                Unary::Floor => self.words_of_one(a, |x| f(single(x).floor())),
                Unary::Ceil => self.words_of_one(a, |x| f(single(x).ceil())),
                Unary::Trunc => self.words_of_one(a, |x| f(single(x).trunc())),
                Unary::Quiet => self.words_of_one(a, |x| if single(x).is_nan() { QUIET_F32 } else { x }),
                Unary::Abs => unreachable!("an operation on bits"),
            },
            Op::Arith(op) => match op {
                Arith::Add => self.words_of_two(a, b, |x, y| f(single(x) + single(y))),
                Arith::Sub => self.words_of_two(a, b, |x, y| f(single(x) - single(y))),
                Arith::Mul => self.words_of_two(a, b, |x, y| f(single(x) * single(y))),
                Arith::Div => self.words_of_two(a, b, |x, y| f(single(x) / single(y))),
                Arith::Min => self.words_of_two(a, b, |x, y| f(min32(single(x), single(y)))),
                Arith::Max => self.words_of_two(a, b, |x, y| f(max32(single(x), single(y)))),
                _ => unreachable!("an operation on bits"),
            },
            Op::Cmp(op) => match op {
                Cmp::Eq => self.words_of_two(a, b, |x, y| mask(single(x) == single(y))),
                Cmp::Ne => self.words_of_two(a, b, |x, y| mask(single(x) != single(y))),
                Cmp::Lt => self.words_of_two(a, b, |x, y| mask(single(x) < single(y))),
                Cmp::Le => self.words_of_two(a, b, |x, y| mask(single(x) <= single(y))),
                Cmp::Gt => self.words_of_two(a, b, |x, y| mask(single(x) > single(y))),
                Cmp::Ge => self.words_of_two(a, b, |x, y| mask(single(x) >= single(y))),
            },
            Op::Shift(..) | Op::MulHigh => unreachable!("an operation on bits"),
        }
    }

    fn simple_f64(&mut self, op: Op, a: Reg, b: Reg) {
        let f = |x: f64| x.to_bits();
        match op {
            Op::Unary(op) => match op {
                Unary::Sqrt => self.doubles_of_one(a, |x| f(low(x).sqrt())),
                Unary::Floor => self.doubles_of_one(a, |x| f(low(x).floor())),
                Unary::Ceil => self.doubles_of_one(a, |x| f(low(x).ceil())),
                Unary::Trunc => self.doubles_of_one(a, |x| f(low(x).trunc())),
                Unary::Quiet => self.doubles_of_one(a, |x| if low(x).is_nan() { QUIET_F64 } else { x }),
                Unary::Abs => unreachable!("an operation on bits"),
            },
            Op::Arith(op) => match op {
                Arith::Add => self.doubles_of_two(a, b, |x, y| f(low(x) + low(y))),
                Arith::Sub => self.doubles_of_two(a, b, |x, y| f(low(x) - low(y))),
                Arith::Mul => self.doubles_of_two(a, b, |x, y| f(low(x) * low(y))),
                Arith::Div => self.doubles_of_two(a, b, |x, y| f(low(x) / low(y))),
                Arith::Min => self.doubles_of_two(a, b, |x, y| f(min64(low(x), low(y)))),
                Arith::Max => self.doubles_of_two(a, b, |x, y| f(max64(low(x), low(y)))),
                _ => unreachable!("an operation on bits"),
            },
            Op::Cmp(op) => match op {
                Cmp::Eq => self.compare_doubles(a, b, |x, y| low(x) == low(y)),
                Cmp::Ne => self.compare_doubles(a, b, |x, y| low(x) != low(y)),
                Cmp::Lt => self.compare_doubles(a, b, |x, y| low(x) < low(y)),
                Cmp::Le => self.compare_doubles(a, b, |x, y| low(x) <= low(y)),
                Cmp::Gt => self.compare_doubles(a, b, |x, y| low(x) > low(y)),
                Cmp::Ge => self.compare_doubles(a, b, |x, y| low(x) >= low(y)),
            },
            Op::Shift(..) | Op::MulHigh => unreachable!("an operation on bits"),
        }
    }

    /// Leaves the result in the spare place of its class.
    pub(super) fn convert(&mut self, op: Conversion, a: Reg) {
        match op {
            Conversion::SignExtend => self.widen(a, |x| x as i32 as u64),
            Conversion::ZeroExtend => self.widen(a, u64::from),
            Conversion::Truncate => self.narrow(a, |x| x as u32),
            Conversion::HighHalf => self.narrow(a, |x| (x >> 32) as u32),
            Conversion::Promote => self.widen(a, |x| f64::from(single(x)).to_bits()),
            Conversion::Demote => self.narrow(a, |x| (low(x) as f32).to_bits()),
            Conversion::ToF64(from) => match from {
                Num::I32 => self.widen(a, |x| f64::from(x as i32).to_bits()),
                Num::U32 => self.widen(a, |x| f64::from(x).to_bits()),
                Num::I64 => self.doubles_of_one(a, |x| (x as i64 as f64).to_bits()),
                _ => self.doubles_of_one(a, |x| (x as f64).to_bits()),
            },
            Conversion::ToF32(from) => match from {
                Num::I32 => self.words_of_one(a, |x| (x as i32 as f32).to_bits()),
                Num::U32 => self.words_of_one(a, |x| (x as f32).to_bits()),
                Num::I64 => self.narrow(a, |x| (x as i64 as f32).to_bits()),
                _ => self.narrow(a, |x| (x as f32).to_bits()),
            },
            Conversion::Saturate(to) => match to {
                Num::I32 => self.narrow(a, |x| low(x) as i32 as u32),
                Num::U32 => self.narrow(a, |x| low(x) as u32),
                Num::I64 => self.doubles_of_one(a, |x| low(x) as i64 as u64),
                _ => self.doubles_of_one(a, |x| low(x) as u64),
            },
        }
    }
}
