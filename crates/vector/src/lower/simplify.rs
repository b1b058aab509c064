//! Facts about a value that hold before it is computed.

use super::{Lowering, NOWHERE};
use crate::program::{Arith, Class, Cmp, Conversion, Inst, Logic, Num, Reg, Shift};

impl Lowering<'_> {
    /// A cheaper instruction with the same result.
    pub(super) fn simplify(&mut self, inst: &Inst) -> Option<Reg> {
        match *inst {
            Inst::Logic { op, a, b, .. } => self.simplify_logic(op, a, b),
            Inst::Blend { mask, yes, no, .. } => match self.as_constant(mask) {
                _ if yes == no => Some(yes),
                Some(0) => Some(no),
                Some(_) => Some(yes),
                None => None,
            },
            Inst::Convert { op, a, .. } => self.simplify_conversion(op, a),
            Inst::Binary { op, num, a, b, .. } => self.simplify_binary(op, num, a, b),
            Inst::Shift { by: 0, a, .. } => Some(a),
            Inst::Compare { op, num: Num::U64, a, b, .. } => {
                let (a, b) = (self.zero_extended(a)?, self.zero_extended(b)?);
                Some(self.compare(op, Num::U32, a, b))
            }
            _ => None,
        }
    }

    fn simplify_logic(&mut self, op: Logic, a: Reg, b: Reg) -> Option<Reg> {
        let known = |c: Option<u64>| c.map(|bits| bits != 0);
        let (x, y) = (known(self.as_constant(a)), known(self.as_constant(b)));
        match (op, x, y) {
            (Logic::And, Some(true), _) => Some(b),
            (Logic::And, _, Some(true)) => Some(a),
            (Logic::And, Some(false), _) | (Logic::And, _, Some(false)) => {
                Some(self.constant(Class::Mask, 0))
            }
            (Logic::Or, Some(false), _) => Some(b),
            (Logic::Or, _, Some(false)) => Some(a),
            (Logic::Or, Some(true), _) | (Logic::Or, _, Some(true)) => Some(self.constant(Class::Mask, 1)),
            (Logic::AndNot, Some(false), _) => Some(b),
            (Logic::AndNot, Some(true), _) | (Logic::AndNot, _, Some(false)) => {
                Some(self.constant(Class::Mask, 0))
            }
            (Logic::AndNot, None, Some(true)) => Some(self.not(a)),
            (Logic::Xor, Some(x), Some(y)) => Some(self.constant(Class::Mask, u64::from(x != y))),
            (Logic::Xor, Some(false), None) => Some(b),
            (Logic::Xor, None, Some(false)) => Some(a),
            (Logic::Xor, Some(true), None) => Some(self.not(b)),
            (Logic::Xor, None, Some(true)) => match self.def(a) {
                // Twice negated.
                Some(Inst::Logic { op: Logic::Xor, a: inner, b: all, .. }) if all == b => Some(inner),
                _ => None,
            },
            (Logic::And | Logic::Or, None, None) if a == b && !self.is_variable(a) => Some(a),
            _ => None,
        }
    }

    fn simplify_conversion(&mut self, op: Conversion, a: Reg) -> Option<Reg> {
        if let Some(bits) = self.as_constant(a) {
            let folded = match op {
                Conversion::SignExtend => bits as i32 as u64,
                Conversion::ZeroExtend => u64::from(bits as u32),
                Conversion::Truncate => u64::from(bits as u32),
                Conversion::HighHalf => bits >> 32,
                _ => return None,
            };
            return Some(self.constant(op.classes().1, folded));
        }
        let def = self.def(a)?;
        match (op, def) {
            (
                Conversion::Truncate,
                Inst::Convert { op: Conversion::SignExtend | Conversion::ZeroExtend, a: word, .. },
            ) => Some(word),
            (Conversion::Truncate, Inst::Shift { op: Shift::Right, by: 32, a: double, .. }) => {
                Some(self.convert_op(Conversion::HighHalf, double))
            }
            (Conversion::Truncate, Inst::Binary { op, num: Num::U64, a: x, b: y, .. })
                if matches!(
                    op,
                    Arith::Add | Arith::Sub | Arith::Mul | Arith::And | Arith::Or | Arith::Xor
                ) =>
            {
                // The low half of the result depends only on the low halves of the operands.
                let (x, y) = (self.low_half(x)?, self.low_half(y)?);
                Some(self.arith(op, Num::U32, x, y))
            }
            (Conversion::HighHalf, Inst::Convert { op: Conversion::ZeroExtend, .. }) => {
                Some(self.constant(Class::Word, 0))
            }
            (Conversion::HighHalf, Inst::Binary { op: Arith::Mul, num: Num::U64, a: x, b: y, .. }) => {
                let (x, y) = (self.zero_extended(x)?, self.zero_extended(y)?);
                Some(self.value(Class::Word, Inst::MulHigh { dst: NOWHERE, a: x, b: y }))
            }
            (Conversion::ToF64(Num::U64), Inst::Convert { op: Conversion::ZeroExtend, a: word, .. }) => {
                Some(self.convert_op(Conversion::ToF64(Num::U32), word))
            }
            (Conversion::ToF64(Num::I64), Inst::Convert { op: Conversion::ZeroExtend, a: word, .. }) => {
                Some(self.convert_op(Conversion::ToF64(Num::U32), word))
            }
            (Conversion::ToF64(Num::I64), Inst::Convert { op: Conversion::SignExtend, a: word, .. }) => {
                Some(self.convert_op(Conversion::ToF64(Num::I32), word))
            }
            _ => None,
        }
    }

    fn simplify_binary(&mut self, op: Arith, num: Num, a: Reg, b: Reg) -> Option<Reg> {
        if num.is_float() {
            return None;
        }
        let width = if num.is_wide() { 64 } else { 32 };
        let (x, y) = (self.as_constant(a), self.as_constant(b));
        match (op, x, y) {
            (Arith::Add | Arith::Or | Arith::Xor, Some(0), _) => Some(b),
            (Arith::Add | Arith::Sub | Arith::Or | Arith::Xor, _, Some(0)) => Some(a),
            (Arith::Mul | Arith::And, Some(0), _) => Some(a),
            (Arith::Mul | Arith::And, _, Some(0)) => Some(b),
            (Arith::Mul, Some(1), _) => Some(b),
            (Arith::Mul, _, Some(1)) => Some(a),
            (Arith::Mul, _, Some(power)) if power.is_power_of_two() => {
                Some(self.shift(Shift::Left, num, power.trailing_zeros() as u8, a))
            }
            (Arith::Shl, _, Some(by)) => Some(self.shift(Shift::Left, num, by as u8, a)),
            (Arith::Shr, _, Some(by)) => Some(self.shift(Shift::Right, num, by as u8, a)),
            (Arith::Or | Arith::Xor | Arith::Add, None, None) => {
                // x << n | x >> (width − n)
                let (left, right) = (self.def(a)?, self.def(b)?);
                let (left, right) = match left {
                    Inst::Shift { op: Shift::Left, .. } => (left, right),
                    _ => (right, left),
                };
                let Inst::Shift { op: Shift::Left, num: n, by, a: x, .. } = left else { return None };
                let Inst::Shift { op: Shift::Right, num: m, by: back, a: y, .. } = right else { return None };
                let unsigned = !matches!(m, Num::I32 | Num::I64);
                let whole = x == y && unsigned && by + back == width && n.is_wide() == num.is_wide();
                let inst = Inst::Shift { op: Shift::Rotate, num, by, dst: NOWHERE, a: x };
                whole.then(|| self.value(num.class(), inst))
            }
            _ => None,
        }
    }

    /// The word that a double extends, or the low half of a constant.
    fn low_half(&mut self, double: Reg) -> Option<Reg> {
        if let Some(bits) = self.as_constant(double) {
            return Some(self.constant(Class::Word, bits));
        }
        match self.def(double)? {
            Inst::Convert { op: Conversion::SignExtend | Conversion::ZeroExtend, a, .. } => Some(a),
            _ => None,
        }
    }

    /// The word that is the same number as a double.
    fn zero_extended(&mut self, double: Reg) -> Option<Reg> {
        if let Some(bits) = self.as_constant(double) {
            return (bits >> 32 == 0).then(|| self.constant(Class::Word, bits));
        }
        match self.def(double)? {
            Inst::Convert { op: Conversion::ZeroExtend, a, .. } => Some(a),
            _ => None,
        }
    }

    // Instructions, made.

    pub(super) fn arith(&mut self, op: Arith, num: Num, a: Reg, b: Reg) -> Reg {
        use Arith::*;
        let num = match (op, num) {
            // The same bits for either view.
            (Add | Sub | Mul | And | Or | Xor | Shl, Num::I32) => Num::U32,
            (Add | Sub | Mul | And | Or | Xor | Shl, Num::I64) => Num::U64,
            _ => num,
        };
        self.value(num.class(), Inst::Binary { op, num, dst: NOWHERE, a, b })
    }

    pub(super) fn compare(&mut self, op: Cmp, num: Num, a: Reg, b: Reg) -> Reg {
        let num = match (op, num) {
            (Cmp::Eq | Cmp::Ne, Num::I32) => Num::U32,
            (Cmp::Eq | Cmp::Ne, Num::I64) => Num::U64,
            _ => num,
        };
        self.value(Class::Mask, Inst::Compare { op, num, dst: NOWHERE, a, b })
    }

    pub(super) fn shift(&mut self, op: Shift, num: Num, by: u8, a: Reg) -> Reg {
        let num = match (op, num) {
            (Shift::Left, Num::I32) => Num::U32,
            (Shift::Left, Num::I64) => Num::U64,
            _ => num,
        };
        self.value(num.class(), Inst::Shift { op, num, by, dst: NOWHERE, a })
    }

    pub(super) fn convert_op(&mut self, op: Conversion, a: Reg) -> Reg {
        self.value(op.classes().1, Inst::Convert { op, dst: NOWHERE, a })
    }
}
