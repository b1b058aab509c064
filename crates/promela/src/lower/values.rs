//! Values of expressions, with the intervals that they lie in.
//!
//! Values are those of C's `int`: 64 bits while the interval of a value lies within 32 bits, truncated to 32 bits where it does
//! not.

use super::code::Code;
use super::reports::Once;
use super::types::Scalar;
use crate::ast::{self, BinaryOp};
use volvelle_kernel::{BinaryOp as Op, CheckedOp, ExprId, FailKind, Node, Type as Ty, UnaryOp as Un};
use volvelle_model::SiteSubject;

/// A value with the interval that it lies in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// `i64`
    pub id: ExprId,
    pub lo: i64,
    pub hi: i64,
}

impl Code<'_, '_> {
    /// A constant.
    pub(super) fn number(&mut self, value: i64) -> Value {
        Value { id: self.out.program.exprs.i64(value), lo: value, hi: value }
    }

    /// 0 or 1.
    pub(super) fn truth(&mut self, cond: ExprId) -> Value {
        Value { id: self.out.program.exprs.convert(Ty::I64, cond), lo: 0, hi: 1 }
    }

    pub(super) fn nonzero(&mut self, value: Value) -> ExprId {
        if let Node::Convert { to: Ty::I64, arg } = self.out.program.exprs.node(value.id)
            && self.out.program.exprs.ty(arg) == Ty::Bool
        {
            return arg;
        }
        let e = &mut self.out.program.exprs;
        let zero = e.i64(0);
        e.binary(Op::Ne, value.id, zero)
    }

    /// `-a`
    pub(super) fn negated(&mut self, a: Value) -> Value {
        let id = self.out.program.exprs.unary(Un::Neg, a.id);
        self.int(Value { id, lo: -a.hi, hi: -a.lo })
    }

    /// `~a`
    pub(super) fn complemented(&mut self, a: Value) -> Value {
        let id = self.out.program.exprs.unary(Un::Not, a.id);
        Value { id, lo: !a.hi, hi: !a.lo }
    }

    /// The value of an arithmetic or bitwise operator; `rhs` is the place of its right operand.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, a: Value, b: Value, rhs: ast::Place) -> Value {
        use BinaryOp::*;
        let (all_lo, all_hi) = Scalar::Int.bounds();
        let all = |id| Value { id, lo: all_lo, hi: all_hi };
        let bits = |v: i64| if v <= 0 { 0 } else { (1i64 << (64 - v.leading_zeros())) - 1 };
        let nonnegative = a.lo >= 0 && b.lo >= 0;
        let value = match op {
            Add => Value { id: self.op(Op::Add, a, b), lo: a.lo + b.lo, hi: a.hi + b.hi },
            Sub => Value { id: self.op(Op::Sub, a, b), lo: a.lo - b.hi, hi: a.hi - b.lo },
            Mul => {
                let products = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
                let lo = products.into_iter().min().unwrap_or(0);
                let hi = products.into_iter().max().unwrap_or(0);
                Value { id: self.op(Op::Mul, a, b), lo, hi }
            }
            Div | Rem => {
                let checked = if op == Div { CheckedOp::Div } else { CheckedOp::Rem };
                let site = self.site(FailKind::Division, SiteSubject::Expression, rhs);
                let id = self.out.program.exprs.checked(checked, a.id, b.id, site);
                if nonnegative {
                    let hi = if op == Div { a.hi } else { a.hi.min((b.hi - 1).max(0)) };
                    Value { id, lo: 0, hi }
                } else {
                    Value { id, lo: all_lo, hi: all_hi + 1 }
                }
            }
            BitAnd if nonnegative => Value { id: self.op(Op::BitAnd, a, b), lo: 0, hi: a.hi.min(b.hi) },
            BitAnd => all(self.op(Op::BitAnd, a, b)),
            BitOr if nonnegative => Value { id: self.op(Op::BitOr, a, b), lo: 0, hi: bits(a.hi | b.hi) },
            BitOr => all(self.op(Op::BitOr, a, b)),
            BitXor if nonnegative => Value { id: self.op(Op::BitXor, a, b), lo: 0, hi: bits(a.hi | b.hi) },
            BitXor => all(self.op(Op::BitXor, a, b)),
            Shl | Shr => {
                if b.lo == b.hi && !(0..32).contains(&b.lo) {
                    let message = format!("a shift by {} is one by {} here", b.lo, b.lo & 31);
                    let note = "an `int` has 32 bits; what C does, and with it SPIN, depends on the compiler";
                    self.warning_once(Once::WideShift(rhs), message, rhs, note);
                }
                // As on the processors that SPIN runs on: the amount is taken modulo 32.
                let amount = if b.lo >= 0 && b.hi < 32 {
                    b.id
                } else {
                    let e = &mut self.out.program.exprs;
                    let mask = e.i64(31);
                    e.binary(Op::BitAnd, b.id, mask)
                };
                let id =
                    self.out.program.exprs.binary(if op == Shl { Op::Shl } else { Op::Shr }, a.id, amount);
                if op == Shr {
                    Value { id, lo: a.lo.min(0), hi: a.hi.max(0) }
                } else if a.lo >= 0 && b.lo >= 0 && b.hi < 31 {
                    Value { id, lo: 0, hi: a.hi << b.hi }
                } else {
                    Value { id, lo: i64::MIN, hi: i64::MAX }
                }
            }
            _ => unreachable!("logical and temporal operators are no arithmetic"),
        };
        self.int(value)
    }

    pub(super) fn op(&mut self, op: Op, a: Value, b: Value) -> ExprId {
        self.out.program.exprs.binary(op, a.id, b.id)
    }

    /// Truncates a value to 32 bits where it may not fit.
    fn int(&mut self, value: Value) -> Value {
        let (lo, hi) = Scalar::Int.bounds();
        if value.lo >= lo && value.hi <= hi {
            return value;
        }
        let e = &mut self.out.program.exprs;
        let narrow = e.convert(Ty::I32, value.id);
        Value { id: e.convert(Ty::I64, narrow), lo, hi }
    }

    /// Truncates a value as a store to a variable of this type does.
    pub(super) fn wrapped(&mut self, value: Value, ty: Scalar) -> Value {
        let (lo, hi) = ty.bounds();
        if value.lo >= lo && value.hi <= hi {
            return value;
        }
        if let Some(c) = self.out.program.exprs.as_const(value.id).and_then(|c| c.as_i64()) {
            return self.number(ty.wrap(c));
        }
        let e = &mut self.out.program.exprs;
        let id = match ty {
            Scalar::Short => {
                let narrow = e.convert(Ty::I16, value.id);
                e.convert(Ty::I64, narrow)
            }
            Scalar::Int => {
                let narrow = e.convert(Ty::I32, value.id);
                e.convert(Ty::I64, narrow)
            }
            Scalar::Pid | Scalar::Chan if value.lo < 0 => {
                let (zero, most, byte) = (e.i64(0), e.i64(hi), e.i64(0xff));
                let is_negative = e.binary(Op::Lt, value.id, zero);
                let mask = e.select(is_negative, byte, most);
                e.binary(Op::BitAnd, value.id, mask)
            }
            _ => {
                let mask = e.i64(hi);
                e.binary(Op::BitAnd, value.id, mask)
            }
        };
        Value { id, lo, hi }
    }
}
