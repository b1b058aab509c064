//! Conversions between types.

use super::Lowering;
use super::NOWHERE;
use super::arithmetic::bounds;
use crate::program::{Arith, Class, Cmp, Conversion, Inst, Logic, Num, Reg, Unary};
use volvelle_kernel::{Const, Site, Type};

impl Lowering<'_> {
    /// Whether a value differs from zero.
    pub(super) fn is_nonzero(&mut self, ty: Type, a: Reg) -> Reg {
        let num = Num::of(ty);
        let zero = self.constant(num.class(), 0);
        self.compare(Cmp::Ne, num, a, zero)
    }

    /// Total conversion, as the reference interpreter has it.
    pub(super) fn convert(&mut self, from: Type, to: Type, a: Reg) -> Reg {
        if from == to {
            return a;
        }
        if to == Type::Bool {
            return self.is_nonzero(from, a);
        }
        if from == Type::Bool {
            let one = if to.is_float() {
                if to == Type::F64 { Const::f64(1.0) } else { Const::f32(1.0) }
            } else {
                Const::int(to, 1)
            };
            let (yes, no) = (self.typed(one), self.constant(Class::of(to), 0));
            return self.blend(Class::of(to), a, yes, no);
        }
        match (from.is_float(), to.is_float()) {
            (true, true) if from == Type::F32 => self.convert_op(Conversion::Promote, a),
            (true, true) => self.convert_op(Conversion::Demote, a),
            (true, false) => self.saturate(from, to, a),
            (false, true) if to == Type::F64 => self.convert_op(Conversion::ToF64(Num::of(from)), a),
            (false, true) => self.convert_op(Conversion::ToF32(Num::of(from)), a),
            (false, false) => self.convert_integer(from, to, a),
        }
    }

    /// The integer with the same low bits, sign- or zero-extended as `from` says.
    fn convert_integer(&mut self, from: Type, to: Type, a: Reg) -> Reg {
        match (from.bits() == 64, to.bits() == 64) {
            (true, true) => a,
            (true, false) => {
                let low = self.convert_op(Conversion::Truncate, a);
                self.wrap(to, low)
            }
            (false, true) if from.is_signed() => self.convert_op(Conversion::SignExtend, a),
            (false, true) => self.convert_op(Conversion::ZeroExtend, a),
            (false, false) => {
                let (lo, hi) = bounds(from);
                let (least, most) = bounds(to);
                // A type of 32 bits accepts any bits, a narrow one only its own values.
                if to.bits() == 32 || (least <= lo && hi <= most) { a } else { self.wrap(to, a) }
            }
        }
    }

    /// The same bits as another type. For a NaN, the bits are those of the reference interpreter.
    pub(super) fn reinterpret(&mut self, from: Type, to: Type, a: Reg) -> Reg {
        if from.is_float() && !to.is_float() {
            if self.magnitude(a, 8).is_some_and(f64::is_finite) {
                return a;
            }
            let num = Num::of(from);
            return self.value(num.class(), Inst::Unary { op: Unary::Quiet, num, dst: NOWHERE, a });
        }
        // Narrow types are canonical in 32 bits.
        if from.is_float() { a } else { self.wrap(to, a) }
    }

    /// A bound on the magnitude of a float that cannot be NaN; inspects `levels` levels of arithmetic.
    fn magnitude(&self, a: Reg, levels: u32) -> Option<f64> {
        if self.class(a) == Class::Double
            && let Some(bits) = self.as_constant(a)
        {
            return Some(f64::from_bits(bits).abs()).filter(|x| x.is_finite());
        }
        match self.def(a)? {
            Inst::Convert { op: Conversion::ToF64(_) | Conversion::ToF32(_), .. } => Some(2f64.powi(64)),
            Inst::Binary { op, num: Num::F64, a, b, .. } if levels > 0 => {
                let (x, y) = (self.magnitude(a, levels - 1)?, self.magnitude(b, levels - 1)?);
                match op {
                    Arith::Add | Arith::Sub => Some(x + y),
                    Arith::Mul => Some(x * y),
                    _ => None,
                }
            }
            _ => None,
        }
        // Far from infinity, so that rounding cannot get there.
        .filter(|bound| *bound < 1e300)
    }

    fn saturate(&mut self, from: Type, to: Type, a: Reg) -> Reg {
        let wide = if from == Type::F32 { self.convert_op(Conversion::Promote, a) } else { a };
        let num = match to {
            Type::U32 => Num::U32,
            _ if to.bits() < 64 => Num::I32,
            _ => Num::of(to),
        };
        let result = self.convert_op(Conversion::Saturate(num), wide);
        if to.bits() >= 32 {
            return result;
        }
        let (lo, hi) = bounds(to);
        let (lo, hi) = (self.constant(Class::Word, lo as u64), self.constant(Class::Word, hi as u64));
        let above = self.arith(Arith::Max, Num::I32, result, lo);
        self.arith(Arith::Min, Num::I32, above, hi)
    }

    /// Converts a number to an integer type; fails if it does not fit.
    pub(super) fn checked_convert(&mut self, from: Type, to: Type, a: Reg, site: Site) -> Reg {
        let (lo, hi) = bounds(to);
        if !from.is_float() {
            let (least, most) = bounds(from);
            let (lo, hi) = (lo.max(least), hi.min(most));
            // If the operand is a `u64`, the bounds are passed as its bits.
            self.range(from, a, lo as u64 as i64, hi as u64 as i64, site);
            return self.convert_integer(from, to, a);
        }
        let wide = if from == Type::F32 { self.convert_op(Conversion::Promote, a) } else { a };
        // After truncation it fits if it lies strictly between `lo − 1` and `hi + 1`. Both are exact in f64,
        // except `lo − 1` of `i64`: there `>= lo` is equivalent, since no f64 lies between.
        let (lowest, low_op) =
            if to == Type::I64 { (lo as f64, Cmp::Ge) } else { ((lo - 1) as f64, Cmp::Gt) };
        let low = self.typed(Const::f64(lowest));
        let high = self.typed(Const::f64((hi + 1) as f64));
        let (above, below) =
            (self.compare(low_op, Num::F64, wide, low), self.compare(Cmp::Lt, Num::F64, wide, high));
        let fits = self.logic(Logic::And, above, below);
        let bad = self.not(fits);
        self.fail_if(bad, site);
        self.saturate(from, to, a)
    }
}
