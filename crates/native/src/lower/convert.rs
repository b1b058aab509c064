//! Conversions and range checks.

use super::{Lowering, clif_type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use volvelle_kernel::{Const, Exit, Type, interp};

impl Lowering<'_> {
    /// Total conversion, as Rust's `as`; to `bool`: whether the value differs from zero.
    pub(super) fn convert(&mut self, from: Type, to: Type, x: Value) -> Value {
        if from == to {
            return x;
        }
        match (from.is_float(), to) {
            (true, Type::Bool) => {
                let zero = self.constant(Const { ty: from, bits: 0 });
                self.b.ins().fcmp(FloatCC::NotEqual, x, zero)
            }
            (false, Type::Bool) => self.b.ins().icmp_imm_s(IntCC::NotEqual, x, 0),
            (true, Type::F64) => self.b.ins().fpromote(types::F64, x),
            (true, Type::F32) => self.b.ins().fdemote(types::F32, x),
            (false, Type::F64 | Type::F32) => {
                let (wide, x) = self.at_least_32_bits(from, x);
                let to = clif_type(to);
                let ins = self.b.ins();
                if wide.is_signed() { ins.fcvt_from_sint(to, x) } else { ins.fcvt_from_uint(to, x) }
            }
            (true, _) => self.saturate(to, x),
            (false, _) => self.resize(from, to, x),
        }
    }

    /// The bits as another type of the same width; `is_number`: known not to be NaN.
    pub(super) fn reinterpret(&mut self, from: Type, to: Type, x: Value, is_number: bool) -> Value {
        if clif_type(from) == clif_type(to) {
            return x;
        }
        let bits = self.b.ins().bitcast(clif_type(to), MemFlagsData::new(), x);
        if !from.is_float() || is_number {
            return bits;
        }
        // Every NaN counts as the one that the definition gives.
        let quiet = interp::reinterpret(to, interp::convert(from, Const::f64(f64::NAN)));
        let quiet = self.constant(quiet);
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, x, x);
        self.b.ins().select(is_nan, quiet, bits)
    }

    /// Integer or Boolean to integer, keeping the low bits.
    fn resize(&mut self, from: Type, to: Type, x: Value) -> Value {
        let ty = clif_type(to);
        if ty.bits() < clif_type(from).bits() {
            self.b.ins().ireduce(ty, x)
        } else if ty == clif_type(from) {
            x
        } else if from.is_signed() {
            self.b.ins().sextend(ty, x)
        } else {
            self.b.ins().uextend(ty, x)
        }
    }

    /// Widens to a type that Cranelift converts to and from floats.
    fn at_least_32_bits(&mut self, from: Type, x: Value) -> (Type, Value) {
        let wide = wide(from);
        (wide, self.resize(from, wide, x))
    }

    /// Float to integer, saturating; NaN to 0.
    fn saturate(&mut self, to: Type, x: Value) -> Value {
        let wide = wide(to);
        let ins = self.b.ins();
        let value = if to.is_signed() {
            ins.fcvt_to_sint_sat(clif_type(wide), x)
        } else {
            ins.fcvt_to_uint_sat(clif_type(wide), x)
        };
        if wide == to {
            return value;
        }
        let (min, max) = limits(to);
        let (min, max) = (self.int(wide, min as u64), self.int(wide, max as u64));
        let clamped = if to.is_signed() {
            let low = self.b.ins().smax(value, min);
            self.b.ins().smin(low, max)
        } else {
            self.b.ins().umin(value, max)
        };
        self.resize(wide, to, clamped)
    }

    /// Conversion to an integer that leaves where the (truncated) value does not fit.
    pub(super) fn checked_convert(&mut self, from: Type, to: Type, x: Value, exit: Exit) -> Value {
        if from.is_float() {
            let within = self.float_fits(from, to, x);
            self.leave_unless(within, exit);
            return self.saturate(to, x);
        }
        let (min, max) = limits(to);
        // The bounds of `to` among the values of `from`, which is how `within` reads them.
        let (lo, hi) = match from {
            Type::U64 => (0, max.min(u64::MAX as i128) as u64 as i64),
            _ => (min.max(i64::MIN as i128) as i64, max.min(i64::MAX as i128) as i64),
        };
        if let Some(within) = self.within(from, x, lo, hi) {
            self.leave_unless(within, exit);
        }
        self.resize(from, to, x)
    }

    /// Whether a float, truncated, is a value of an integer type. The bounds are zero and powers of two,
    /// hence exact.
    fn float_fits(&mut self, from: Type, to: Type, x: Value) -> Value {
        let (min, max) = limits(to);
        let truncated = self.b.ins().trunc(x);
        let (lo, above) = (self.float(from, min as f64), self.float(from, (max + 1) as f64));
        let not_below = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, truncated, lo);
        let not_above = self.b.ins().fcmp(FloatCC::LessThan, truncated, above);
        self.b.ins().band(not_below, not_above)
    }

    fn float(&mut self, ty: Type, value: f64) -> Value {
        self.constant(if ty == Type::F64 { Const::f64(value) } else { Const::f32(value as f32) })
    }

    /// Whether an integer of type `ty` lies in `lo..=hi` (as `i64`; for `u64` as its bits). `None` where every
    /// value of the type does.
    pub(super) fn within(&mut self, ty: Type, x: Value, lo: i64, hi: i64) -> Option<Value> {
        // Compare in `ty` itself, with the bounds clipped to it.
        let (min, max) = limits(ty);
        let read = |bound: i64| {
            if ty == Type::U64 { bound as u64 as i128 } else { bound as i128 }
        };
        let (lo, hi) = (read(lo).max(min), read(hi).min(max));
        if lo > hi {
            return Some(self.int(Type::Bool, 0));
        }
        if (lo, hi) == (min, max) {
            return None;
        }
        let (at_least, at_most) = if ty.is_signed() {
            (IntCC::SignedGreaterThanOrEqual, IntCC::SignedLessThanOrEqual)
        } else {
            (IntCC::UnsignedGreaterThanOrEqual, IntCC::UnsignedLessThanOrEqual)
        };
        Some(if lo == min {
            let hi = self.int(ty, hi as u64);
            self.b.ins().icmp(at_most, x, hi)
        } else if hi == max {
            let lo = self.int(ty, lo as u64);
            self.b.ins().icmp(at_least, x, lo)
        } else {
            // Below `lo` wraps to something large.
            let width = self.int(ty, (hi - lo) as u64);
            let offset = if lo == 0 {
                x
            } else {
                let lo = self.int(ty, lo as u64);
                self.b.ins().isub(x, lo)
            };
            self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, offset, width)
        })
    }
}

/// The type of at least 32 bits with the same signedness.
fn wide(ty: Type) -> Type {
    match ty {
        Type::I8 | Type::I16 => Type::I32,
        Type::Bool | Type::U8 | Type::U16 => Type::U32,
        ty => ty,
    }
}

/// Smallest and largest value of an integer type.
fn limits(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}
