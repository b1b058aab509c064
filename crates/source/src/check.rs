//! When operations fail, and what they give where they do not.

use crate::library::Helper;
use crate::operation::Writer;
use crate::value::{Level, Value, View, infix};
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Type};

/// An operation that may fail, in C; operands are used several times.
pub(crate) struct Checked {
    /// A condition under which it fails; `None` where it cannot.
    pub(crate) fails: Option<Value>,
    pub(crate) value: Value,
}

impl Writer {
    /// All but powers, which need a place for their value.
    pub(crate) fn checked(&mut self, op: CheckedOp, lhs: Value, rhs: Value) -> Checked {
        let ty = lhs.ty;
        if ty.is_float() {
            let zero = Value::constant(self.dialect, Const { ty, bits: 0 });
            let fails = Some(self.binary(BinaryOp::Eq, rhs.clone(), zero));
            return Checked { fails, value: self.binary(BinaryOp::Div, lhs, rhs) };
        }
        let (lhs, rhs) = (lhs.exact(), rhs.exact());
        match op {
            CheckedOp::Add => Checked {
                fails: self.sum_overflows(op, &lhs, &rhs),
                value: self.binary(BinaryOp::Add, lhs, rhs),
            },
            CheckedOp::Sub => Checked {
                fails: self.sum_overflows(op, &lhs, &rhs),
                value: self.binary(BinaryOp::Sub, lhs, rhs),
            },
            CheckedOp::Mul | CheckedOp::Pow => Checked {
                fails: Some(self.call(Helper::MulOverflows(ty), Type::Bool, &[&lhs, &rhs])),
                value: self.binary(BinaryOp::Mul, lhs, rhs),
            },
            CheckedOp::Div => Checked {
                fails: self.division_fails(&lhs, &rhs, true),
                value: infix(ty, View::Exact, "/", Level::Product, &lhs, &rhs),
            },
            CheckedOp::Rem => Checked {
                fails: self.division_fails(&lhs, &rhs, true),
                value: infix(ty, View::Exact, "%", Level::Product, &lhs, &rhs),
            },
            CheckedOp::Mod => Checked {
                fails: self.division_fails(&lhs, &rhs, false),
                value: if ty.is_signed() {
                    self.call(Helper::Mod(ty), ty, &[&lhs, &rhs])
                } else {
                    infix(ty, View::Exact, "%", Level::Product, &lhs, &rhs)
                },
            },
        }
    }

    /// With a constant, a comparison with the largest or smallest operand that is left.
    fn sum_overflows(&mut self, op: CheckedOp, lhs: &Value, rhs: &Value) -> Option<Value> {
        let ty = lhs.ty;
        let helper = if op == CheckedOp::Add { Helper::AddOverflows(ty) } else { Helper::SubOverflows(ty) };
        let Some(c) = rhs.constant else {
            return Some(self.call(helper, Type::Bool, &[lhs, rhs]));
        };
        let (least, most) = bounds(ty);
        let change = if op == CheckedOp::Add { exact(c) } else { -exact(c) };
        match change {
            0 => None,
            1.. => Some(self.compare(BinaryOp::Gt, lhs, most - change)),
            _ => Some(self.compare(BinaryOp::Lt, lhs, least - change)),
        }
    }

    /// `overflows`: whether the smallest number divided by -1 counts.
    fn division_fails(&mut self, lhs: &Value, rhs: &Value, overflows: bool) -> Option<Value> {
        let ty = lhs.ty;
        let overflows = overflows && ty.is_signed();
        let zero = match rhs.constant {
            Some(c) if c.bits != 0 => None,
            _ => Some(self.compare(BinaryOp::Eq, rhs, 0)),
        };
        let not_minus_one = rhs.constant.is_some_and(|c| exact(c) != -1);
        let not_least = lhs.constant.is_some_and(|c| exact(c) != bounds(ty).0);
        if !overflows || not_minus_one || not_least {
            return zero;
        }
        let least = self.compare(BinaryOp::Eq, lhs, bounds(ty).0);
        let minus_one = self.compare(BinaryOp::Eq, rhs, -1);
        let both = infix(Type::Bool, View::Exact, "&&", Level::And, &least, &minus_one);
        Some(match zero {
            None => both,
            Some(zero) => infix(Type::Bool, View::Exact, "||", Level::Or, &zero, &both),
        })
    }

    /// When a number has no place in an integer type.
    pub(crate) fn conversion_fails(&mut self, to: Type, arg: &Value) -> Option<Value> {
        let (least, most) = bounds(to);
        if !arg.ty.is_float() {
            return self.out_of(arg, least, most);
        }
        // Fractions are cut off, so what is less than one beyond the bounds has a place.
        let float = |value: f64| {
            Value::constant(
                self.dialect,
                match arg.ty {
                    Type::F32 => Const::f32(value as f32),
                    _ => Const::f64(value),
                },
            )
        };
        let (below, above) = ((least - 1) as f64, float((most + 1) as f64));
        let is_float = if arg.ty == Type::F32 { f64::from(below as f32) == below } else { true };
        let lower = if is_float && below as i128 == least - 1 {
            infix(Type::Bool, View::Exact, ">", Level::Order, arg, &float(below))
        } else {
            infix(Type::Bool, View::Exact, ">=", Level::Order, arg, &float(least as f64))
        };
        let upper = infix(Type::Bool, View::Exact, "<", Level::Order, arg, &above);
        let fits = infix(Type::Bool, View::Exact, "&&", Level::And, &lower, &upper);
        // NaN fits nowhere.
        Some(Value { text: format!("!({})", fits.text), level: Level::Prefix, ..fits })
    }

    /// When an integer is not between two numbers (inclusively).
    pub(crate) fn out_of(&mut self, arg: &Value, least: i128, most: i128) -> Option<Value> {
        let (lo, hi) = bounds(arg.ty);
        let below = (least > lo).then(|| self.below(arg, least));
        let above = (most < hi).then(|| self.above(arg, most));
        match (below, above) {
            (Some(below), Some(above)) => {
                Some(infix(Type::Bool, View::Exact, "||", Level::Or, &below, &above))
            }
            (one, other) => one.or(other),
        }
    }

    fn below(&mut self, arg: &Value, least: i128) -> Value {
        if least > bounds(arg.ty).1 { always() } else { self.compare(BinaryOp::Lt, arg, least) }
    }

    fn above(&mut self, arg: &Value, most: i128) -> Value {
        if most < bounds(arg.ty).0 { always() } else { self.compare(BinaryOp::Gt, arg, most) }
    }

    fn compare(&mut self, op: BinaryOp, value: &Value, with: i128) -> Value {
        let constant = Value::constant(self.dialect, Const::int(value.ty, with as i64));
        self.binary(op, value.clone(), constant)
    }
}

fn always() -> Value {
    Value::name(Type::Bool, "true".into())
}

/// Smallest and largest number of an integer type.
pub(crate) fn bounds(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The number that an integer constant is.
pub(crate) fn exact(c: Const) -> i128 {
    if c.ty.is_signed() { c.bits as i64 as i128 } else { c.bits as i128 }
}
