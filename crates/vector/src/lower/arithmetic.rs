//! The operations of the IR on registers. Narrow integers are computed in 32 bits and brought back into their
//! canonical form.

use super::{Lowering, NOWHERE};
use crate::program::{Arith, Class, Cmp, Conversion, Inst, Logic, Num, PerLane, Reg, Shift, Unary};
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Site, Type, UnaryOp};

impl Lowering<'_> {
    /// A constant of a type.
    pub(super) fn typed(&mut self, c: Const) -> Reg {
        self.constant(Class::of(c.ty), c.bits)
    }

    /// Makes a narrow integer canonical: sets the bits beyond its width.
    pub(super) fn wrap(&mut self, ty: Type, a: Reg) -> Reg {
        match ty {
            Type::I8 | Type::I16 => {
                let by = 32 - ty.bits() as u8;
                let left = self.shift(Shift::Left, Num::U32, by, a);
                self.shift(Shift::Right, Num::I32, by, left)
            }
            Type::U8 | Type::U16 => {
                let low = self.constant(Class::Word, (1 << ty.bits()) - 1);
                self.arith(Arith::And, Num::U32, a, low)
            }
            _ => a,
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, ty: Type, a: Reg) -> Reg {
        if ty == Type::Bool {
            return self.not(a);
        }
        let num = Num::of(ty);
        let bits = if num.is_wide() { Num::U64 } else { Num::U32 };
        let sign = if num.is_wide() { 1 << 63 } else { 1 << 31 };
        let kind = match op {
            UnaryOp::Not => {
                let ones = self.constant(num.class(), u64::MAX);
                let flipped = self.arith(Arith::Xor, bits, a, ones);
                return self.wrap(ty, flipped);
            }
            UnaryOp::Neg if ty.is_float() => {
                let sign = self.constant(num.class(), sign);
                return self.arith(Arith::Xor, bits, a, sign);
            }
            UnaryOp::Neg => {
                let zero = self.constant(num.class(), 0);
                let negated = self.arith(Arith::Sub, num, zero, a);
                return self.wrap(ty, negated);
            }
            UnaryOp::Abs if ty.is_float() => {
                let rest = self.constant(num.class(), sign - 1);
                return self.arith(Arith::And, bits, a, rest);
            }
            UnaryOp::Abs => Unary::Abs,
            UnaryOp::Sqrt => Unary::Sqrt,
            UnaryOp::Floor => Unary::Floor,
            UnaryOp::Ceil => Unary::Ceil,
            UnaryOp::Trunc => Unary::Trunc,
        };
        let result = self.value(num.class(), Inst::Unary { op: kind, num, dst: NOWHERE, a });
        self.wrap(ty, result)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, ty: Type, a: Reg, b: Reg) -> Reg {
        use BinaryOp as B;
        if ty == Type::Bool {
            return match op {
                B::BitAnd => self.logic(Logic::And, a, b),
                B::BitOr => self.logic(Logic::Or, a, b),
                B::BitXor | B::Ne => self.logic(Logic::Xor, a, b),
                _ => {
                    let differ = self.logic(Logic::Xor, a, b);
                    self.not(differ)
                }
            };
        }
        let num = Num::of(ty);
        let bits = if num.is_wide() { Num::U64 } else { Num::U32 };
        if let Some(op) = comparison(op) {
            return self.compare(op, num, a, b);
        }
        match op {
            B::Add | B::Sub | B::Mul => {
                let op = if op == B::Add {
                    Arith::Add
                } else if op == B::Sub {
                    Arith::Sub
                } else {
                    Arith::Mul
                };
                let result = self.arith(op, num, a, b);
                self.wrap(ty, result)
            }
            B::Div => self.arith(Arith::Div, num, a, b),
            B::Min => self.arith(Arith::Min, num, a, b),
            B::Max => self.arith(Arith::Max, num, a, b),
            B::BitAnd => self.arith(Arith::And, bits, a, b),
            B::BitOr => self.arith(Arith::Or, bits, a, b),
            B::BitXor => self.arith(Arith::Xor, bits, a, b),
            B::Shl => {
                let amount = self.amount(ty, b);
                let result = self.arith(Arith::Shl, num, a, amount);
                self.wrap(ty, result)
            }
            B::Shr => {
                let amount = self.amount(ty, b);
                self.arith(Arith::Shr, num, a, amount)
            }
            B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge => unreachable!("comparisons are done"),
        }
    }

    /// An amount to shift by, modulo the width.
    fn amount(&mut self, ty: Type, b: Reg) -> Reg {
        let num = Num::of(ty);
        let most = u64::from(ty.bits()) - 1;
        if let Some(bits) = self.as_constant(b) {
            return self.constant(num.class(), bits & most);
        }
        let most = self.constant(num.class(), most);
        self.arith(Arith::And, num, b, most)
    }

    /// Fails if a lane of the mask has this condition.
    pub(super) fn fail_if(&mut self, bad: Reg, site: Site) {
        let mask = self.mask;
        let bad = self.and_mask(mask, bad);
        if self.as_constant(bad) == Some(0) {
            return;
        }
        let inst = Inst::Fail { mask: Some(bad), site };
        let key = (inst, self.versions(&inst));
        if self.known(key).is_none() {
            self.push(inst);
            self.enter(key, NOWHERE);
        }
    }

    pub(super) fn range(&mut self, ty: Type, a: Reg, lo: i64, hi: i64, site: Site) {
        let num = Num::of(ty);
        let (least, most) = if ty == Type::U64 {
            (lo as u64 == 0, hi as u64 == u64::MAX)
        } else {
            let (least, most) = bounds(ty);
            (i128::from(lo) <= least, i128::from(hi) >= most)
        };
        // Bounds beyond the type on the wrong side: no value fits.
        let never = ty != Type::U64 && {
            let (least, most) = bounds(ty);
            i128::from(lo) > most || i128::from(hi) < least
        };
        if never {
            let all = self.constant(Class::Mask, 1);
            return self.fail_if(all, site);
        }
        if !least {
            let lo = self.constant(num.class(), lo as u64);
            let below = self.compare(Cmp::Lt, num, a, lo);
            self.fail_if(below, site);
        }
        if !most {
            let hi = self.constant(num.class(), hi as u64);
            let above = self.compare(Cmp::Gt, num, a, hi);
            self.fail_if(above, site);
        }
    }

    pub(super) fn checked(&mut self, op: CheckedOp, ty: Type, a: Reg, b: Reg, site: Site) -> Reg {
        let num = Num::of(ty);
        match op {
            CheckedOp::Div if ty.is_float() => {
                let zero = self.constant(num.class(), 0);
                let is_zero = self.compare(Cmp::Eq, num, b, zero);
                self.fail_if(is_zero, site);
                self.arith(Arith::Div, num, a, b)
            }
            CheckedOp::Add | CheckedOp::Sub if ty.bits() < 32 => {
                let op = if op == CheckedOp::Add { Arith::Add } else { Arith::Sub };
                let exact = self.arith(op, num, a, b);
                self.fits_narrow(ty, exact, site)
            }
            CheckedOp::Add => self.checked_add(num, a, b, site),
            CheckedOp::Sub => self.checked_sub(num, a, b, site),
            CheckedOp::Mul if ty.bits() < 32 => {
                let exact = self.arith(Arith::Mul, num, a, b);
                self.fits_narrow(ty, exact, site)
            }
            CheckedOp::Mul if ty.bits() == 32 => {
                let extend = if ty.is_signed() { Conversion::SignExtend } else { Conversion::ZeroExtend };
                let (x, y) = (self.convert_op(extend, a), self.convert_op(extend, b));
                let exact = self.arith(Arith::Mul, Num::U64, x, y);
                let result = self.arith(Arith::Mul, num, a, b);
                let again = self.convert_op(extend, result);
                let overflow = self.compare(Cmp::Ne, Num::U64, exact, again);
                self.fail_if(overflow, site);
                result
            }
            CheckedOp::Div | CheckedOp::Rem | CheckedOp::Mod if ty.bits() <= 32 => {
                self.divide(op, ty, a, b, site)
            }
            CheckedOp::Mul | CheckedOp::Div | CheckedOp::Rem | CheckedOp::Mod | CheckedOp::Pow => {
                let (mask, op) = (self.mask, PerLane::Checked(op, ty, site));
                self.value(num.class(), Inst::PerLane { op, dst: NOWHERE, a, b, mask })
            }
        }
    }

    /// Fails if 32 bits are not canonical for the narrow type.
    fn fits_narrow(&mut self, ty: Type, exact: Reg, site: Site) -> Reg {
        let wrapped = self.wrap(ty, exact);
        let overflow = self.compare(Cmp::Ne, Num::U32, exact, wrapped);
        self.fail_if(overflow, site);
        wrapped
    }

    fn checked_add(&mut self, num: Num, a: Reg, b: Reg, site: Site) -> Reg {
        let sum = self.arith(Arith::Add, num, a, b);
        let overflow = match (num, self.signed_constant(num, b)) {
            (Num::U32 | Num::U64, _) => self.compare(Cmp::Lt, num, sum, a),
            (_, Some(c)) => self.compare(if c < 0 { Cmp::Gt } else { Cmp::Lt }, num, sum, a),
            (_, None) => {
                // Overflow: the sign of the sum differs from those of both operands.
                let bits = if num.is_wide() { Num::U64 } else { Num::U32 };
                let (x, y) = (self.arith(Arith::Xor, bits, sum, a), self.arith(Arith::Xor, bits, sum, b));
                let both = self.arith(Arith::And, bits, x, y);
                let zero = self.constant(num.class(), 0);
                self.compare(Cmp::Lt, num, both, zero)
            }
        };
        self.fail_if(overflow, site);
        sum
    }

    fn checked_sub(&mut self, num: Num, a: Reg, b: Reg, site: Site) -> Reg {
        let difference = self.arith(Arith::Sub, num, a, b);
        let overflow = match (num, self.signed_constant(num, b)) {
            (Num::U32 | Num::U64, _) => self.compare(Cmp::Lt, num, a, b),
            (_, Some(c)) => self.compare(if c < 0 { Cmp::Lt } else { Cmp::Gt }, num, difference, a),
            (_, None) => {
                // The operands differ in sign, and the difference has not that of the first.
                let bits = if num.is_wide() { Num::U64 } else { Num::U32 };
                let (x, y) =
                    (self.arith(Arith::Xor, bits, a, b), self.arith(Arith::Xor, bits, a, difference));
                let both = self.arith(Arith::And, bits, x, y);
                let zero = self.constant(num.class(), 0);
                self.compare(Cmp::Lt, num, both, zero)
            }
        };
        self.fail_if(overflow, site);
        difference
    }

    /// Division of integers of at most 32 bits, by way of `f64`. The truncated quotient is exact: a quotient
    /// that is no integer differs from the next integer by at least 1/|b|, and rounding changes it by less
    /// than that, since it is at most 2^32/|b|.
    fn divide(&mut self, op: CheckedOp, ty: Type, a: Reg, b: Reg, site: Site) -> Reg {
        let num = Num::of(ty);
        let divisor = self.as_constant(b);
        let (zero, ones) = (self.constant(Class::Word, 0), self.constant(Class::Word, u64::MAX));
        if divisor.is_none_or(|d| d == 0) {
            let is_zero = self.compare(Cmp::Eq, num, b, zero);
            self.fail_if(is_zero, site);
        }
        let by_minus_one = (ty.is_signed() && divisor.is_none_or(|d| d as u32 == u32::MAX))
            .then(|| self.compare(Cmp::Eq, num, b, ones));
        if let Some(by_minus_one) = by_minus_one.filter(|_| op != CheckedOp::Mod) {
            let least = self.typed(Const::int(ty, bounds(ty).0 as i64));
            let is_least = self.compare(Cmp::Eq, num, a, least);
            let overflow = self.logic(Logic::And, is_least, by_minus_one);
            self.fail_if(overflow, site);
        }
        let (x, y) = (self.convert_op(Conversion::ToF64(num), a), self.convert_op(Conversion::ToF64(num), b));
        let exact = self.arith(Arith::Div, Num::F64, x, y);
        let quotient = self.convert_op(Conversion::Saturate(num), exact);
        if op == CheckedOp::Div {
            return quotient;
        }
        let product = self.arith(Arith::Mul, num, quotient, b);
        let remainder = self.arith(Arith::Sub, num, a, product);
        if op == CheckedOp::Rem || !ty.is_signed() {
            return remainder;
        }
        // The quotient is negative if the signs differ. The quotient of the least number and −1 saturates.
        let differ = self.arith(Arith::Xor, Num::U32, remainder, b);
        let differ = self.compare(Cmp::Lt, Num::I32, differ, zero);
        let nonzero = self.compare(Cmp::Ne, num, remainder, zero);
        let crosses = self.logic(Logic::And, differ, nonzero);
        let shifted = self.arith(Arith::Add, num, remainder, b);
        let result = self.blend(Class::Word, crosses, shifted, remainder);
        match by_minus_one {
            Some(by_minus_one) => self.blend(Class::Word, by_minus_one, zero, result),
            None => result,
        }
    }

    fn signed_constant(&self, num: Num, reg: Reg) -> Option<i64> {
        let bits = self.as_constant(reg)?;
        Some(if num.is_wide() { bits as i64 } else { i64::from(bits as i32) })
    }
}

/// Smallest and largest value of an integer type.
pub(super) fn bounds(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn comparison(op: BinaryOp) -> Option<Cmp> {
    Some(match op {
        BinaryOp::Eq => Cmp::Eq,
        BinaryOp::Ne => Cmp::Ne,
        BinaryOp::Lt => Cmp::Lt,
        BinaryOp::Le => Cmp::Le,
        BinaryOp::Gt => Cmp::Gt,
        BinaryOp::Ge => Cmp::Ge,
        _ => return None,
    })
}
