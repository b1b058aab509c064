//! Operations of floating point on registers: boxes, rounding modes, flags.

use crate::float::{self, Context, Double, Flags, Format, Integer, Single};
use crate::hart::Hart;
use crate::operation::{FLOATS, Float, Operation};

/// Double precision by the machine that this runs on, where result and flags are known to be those of the specification; and boxes.
pub mod double {
    use super::{Flags, Hart};
    use crate::operation::{Code, DYNAMIC, Operation};

    /// A value of single precision in a register: the upper half is all ones (unprivileged specification, 13.2).
    #[inline(always)]
    pub fn boxed(bits: u32) -> u64 {
        u64::from(bits) | 0xffff_ffff_0000_0000
    }

    /// Executes an operation, if it is sure to be right.
    ///
    /// All machines round to the nearest as IEEE 754 says. Once inexactness is noted no operation changes the flags whose result is
    /// neither zero, nor tiny, nor near overflow, nor infinite, nor no number: whatever is exceptional has such a result.
    #[inline(always)]
    pub fn is_done(hart: &mut Hart, operation: &Operation) -> bool {
        let mode = (operation.immediate & 15) as u8;
        let is_nearest = mode == 0 || mode == DYNAMIC && hart.rounding == 0;
        if !is_nearest || hart.flags & Flags::INEXACT == 0 {
            return false;
        }
        let a = f64::from_bits(hart.registers[usize::from(operation.rs1)]);
        let b = f64::from_bits(hart.registers[usize::from(operation.rs2)]);
        let result = match operation.code {
            Code::FaddD => a + b,
            Code::FsubD => a - b,
            Code::FmulD => a * b,
            Code::FdivD => a / b,
            _ => return false,
        };
        let bits = result.to_bits();
        let exponent = bits >> 52 & 0x7ff;
        if !(2..0x7fe).contains(&exponent) {
            return false;
        }
        hart.registers[usize::from(operation.rd)] = bits;
        true
    }
}

/// Executes an operation; `false`: the rounding mode in `frm` is reserved.
#[inline(never)]
pub fn execute_float(hart: &mut Hart, operation: &Operation) -> bool {
    let number = (operation.immediate >> 8) as usize;
    let Some(rounding) = hart.rounding_of((operation.immediate & 15) as u8) else { return false };
    let is_double = operation.immediate & 16 != 0;
    let mut context = Context::new(rounding);
    let [a, b, c] =
        [operation.rs1, operation.rs2, operation.third & 63].map(|at| hart.registers[usize::from(at)]);
    let float = FLOATS[number % FLOATS.len()];
    let result = match is_double {
        true => of_format::<Double>(float, operation.third, [a, b, c], &mut context),
        false => of_singles(float, operation.third, [a, b, c], &mut context),
    };
    hart.registers[usize::from(operation.rd)] = result;
    hart.raise(context.flags);
    true
}

/// Single precision: operands out of their boxes, the result into one.
fn of_singles(float: Float, detail: u8, operands: [u64; 3], context: &mut Context) -> u64 {
    match float {
        Float::ToBits => return i64::from(operands[0] as i32) as u64,
        Float::FromBits => return double::boxed(operands[0] as u32),
        Float::FromInteger | Float::Convert => {
            return double::boxed(of_format::<Single>(float, detail, operands, context) as u32);
        }
        _ => {}
    }
    // What is not boxed counts as no number.
    let unboxed = |bits: u64| if bits >> 32 == 0xffff_ffff { bits & 0xffff_ffff } else { Single::NAN };
    let result = of_format::<Single>(float, detail, operands.map(unboxed), context);
    match float {
        Float::Eq | Float::Lt | Float::Le | Float::Class | Float::ToInteger => result,
        _ => double::boxed(result as u32),
    }
}

fn of_format<F: Format>(float: Float, detail: u8, [a, b, c]: [u64; 3], context: &mut Context) -> u64 {
    let sign = F::SIGN;
    match float {
        Float::Add => float::add::<F>(a, b, context),
        Float::Sub => float::add::<F>(a, b ^ sign, context),
        Float::Mul => float::multiply::<F>(a, b, context),
        Float::Div => float::divide::<F>(a, b, context),
        Float::Sqrt => float::square_root::<F>(a, context),
        Float::Madd => float::fused::<F>(a, b, c, context),
        Float::Msub => float::fused::<F>(a, b, c ^ sign, context),
        Float::Nmsub => float::fused::<F>(a ^ sign, b, c, context),
        Float::Nmadd => float::fused::<F>(a ^ sign, b, c ^ sign, context),
        Float::Sgnj => a & !sign | b & sign,
        Float::Sgnjn => a & !sign | !b & sign,
        Float::Sgnjx => a ^ b & sign,
        Float::Min => float::minimum::<F>(a, b, context),
        Float::Max => float::maximum::<F>(a, b, context),
        Float::Eq => float::equal::<F>(a, b, context).into(),
        Float::Lt => float::less::<F>(a, b, context).into(),
        Float::Le => float::less_or_equal::<F>(a, b, context).into(),
        Float::Class => float::class::<F>(a),
        Float::Convert if F::FRACTION == Single::FRACTION => float::narrow(a, context),
        Float::Convert if a >> 32 == 0xffff_ffff => float::widen(a & 0xffff_ffff, context),
        Float::Convert => float::widen(Single::NAN, context),
        Float::ToInteger => float::to_integer::<F>(a, Integer::from_number(detail), context),
        Float::FromInteger => float::from_integer::<F>(a, Integer::from_number(detail), context),
        Float::ToBits | Float::FromBits => a,
    }
}
