//! Operations that cannot fail, in C.

use crate::dialect::Dialect;
use crate::library::{Helper, Helpers};
use crate::value::{Level, Value, View, infix};
use volvelle_kernel::{BinaryOp, Const, MathFn, Type, UnaryOp};

/// Writes operations, and notes which helpers they need.
pub(crate) struct Writer {
    pub(crate) dialect: Dialect,
    pub(crate) helpers: Helpers,
}

impl Writer {
    /// A call of a helper.
    pub(crate) fn call(&mut self, helper: Helper, ty: Type, args: &[&Value]) -> Value {
        self.helpers.insert(helper);
        called(ty, &helper.name(), args)
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, arg: Value) -> Value {
        let ty = arg.ty;
        if ty.is_float() {
            return match op {
                UnaryOp::Neg => prefix("-", ty, View::Exact, &arg),
                UnaryOp::Abs => called(ty, self.float_function("fabs", ty), &[&arg]),
                UnaryOp::Sqrt => called(ty, self.float_function("sqrt", ty), &[&arg]),
                UnaryOp::Floor => called(ty, self.float_function("floor", ty), &[&arg]),
                UnaryOp::Ceil => called(ty, self.float_function("ceil", ty), &[&arg]),
                _ => called(ty, self.float_function("trunc", ty), &[&arg]),
            };
        }
        match op {
            UnaryOp::Not if ty == Type::Bool => prefix("!", ty, View::Exact, &arg),
            UnaryOp::Not | UnaryOp::Neg => {
                let operator = if op == UnaryOp::Not { "~" } else { "-" };
                prefix(operator, ty, Value::view_of_wide(ty), &arg.low(self.dialect))
            }
            _ => self.call(Helper::Abs(ty), ty, &[&arg.exact()]),
        }
    }

    /// OpenCL C has one name for all types.
    fn float_function(&self, name: &'static str, ty: Type) -> &'static str {
        if self.dialect == Dialect::OpenCl || ty == Type::F64 {
            return name;
        }
        match name {
            "fabs" => "fabsf",
            "sqrt" => "sqrtf",
            "floor" => "floorf",
            "ceil" => "ceilf",
            _ => "truncf",
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, lhs: Value, rhs: Value) -> Value {
        use BinaryOp::*;
        let ty = lhs.ty;
        match op {
            Eq | Ne | Lt | Le | Gt | Ge => {
                let (operator, level) = match op {
                    Eq => ("==", Level::Equality),
                    Ne => ("!=", Level::Equality),
                    Lt => ("<", Level::Order),
                    Le => ("<=", Level::Order),
                    Gt => (">", Level::Order),
                    _ => (">=", Level::Order),
                };
                infix(Type::Bool, View::Exact, operator, level, &lhs.exact(), &rhs.exact())
            }
            Min => self.call(Helper::Min(ty), ty, &[&lhs.exact(), &rhs.exact()]),
            Max => self.call(Helper::Max(ty), ty, &[&lhs.exact(), &rhs.exact()]),
            Div => infix(ty, View::Exact, "/", Level::Product, &lhs, &rhs),
            Add | Sub | Mul if ty.is_float() => {
                let (operator, level) = sum_or_product(op);
                infix(ty, View::Exact, operator, level, &lhs, &rhs)
            }
            Add | Sub | Mul => self.wrapping(op, lhs, rhs),
            BitAnd | BitOr | BitXor => self.bitwise(op, lhs, rhs),
            Shl | Shr => self.shift(op, lhs, rhs),
        }
    }

    /// Sums and products of integers; one operand of an unsigned type makes all of it unsigned.
    fn wrapping(&mut self, op: BinaryOp, lhs: Value, rhs: Value) -> Value {
        let ty = lhs.ty;
        let (op, rhs) = self.negated(op, rhs);
        let (operator, level) = sum_or_product(op);
        let rhs = rhs.unsigned(self.dialect);
        let lhs = if rhs.is_wide() { lhs.unsigned(self.dialect) } else { lhs.low(self.dialect) };
        infix(ty, Value::view_of_wide(ty), operator, level, &lhs, &rhs)
    }

    /// To add a small negative number is to subtract a positive one.
    fn negated(&self, op: BinaryOp, rhs: Value) -> (BinaryOp, Value) {
        let other = match op {
            BinaryOp::Add => BinaryOp::Sub,
            BinaryOp::Sub => BinaryOp::Add,
            _ => return (op, rhs),
        };
        let Some(c) = rhs.constant.filter(|c| c.ty.is_signed() || c.ty.bits() >= 32) else {
            return (op, rhs);
        };
        let shift = 64 - c.ty.bits();
        let signed = (c.bits << shift) as i64 >> shift;
        if !(-0xffff..0).contains(&signed) {
            return (op, rhs);
        }
        (other, Value::constant(self.dialect, Const::int(c.ty, -signed)))
    }

    fn bitwise(&mut self, op: BinaryOp, lhs: Value, rhs: Value) -> Value {
        let ty = lhs.ty;
        let (operator, level) = match op {
            BinaryOp::BitAnd => ("&", Level::BitAnd),
            BinaryOp::BitOr => ("|", Level::BitOr),
            _ => ("^", Level::BitXor),
        };
        let exact = lhs.view == View::Exact && rhs.view == View::Exact;
        let (view, lhs, rhs) = if exact {
            (View::Exact, lhs, rhs)
        } else {
            (View::Low, lhs.unsigned(self.dialect), rhs.unsigned(self.dialect))
        };
        infix(ty, view, operator, level, &lhs, &rhs)
    }

    /// The amount is taken modulo the width.
    fn shift(&mut self, op: BinaryOp, lhs: Value, rhs: Value) -> Value {
        let ty = lhs.ty;
        let last = u64::from(ty.bits() - 1);
        let amount = match rhs.constant {
            Some(c) => Value::name(Type::U32, (c.bits & last).to_string()),
            None => {
                let mask = Value::name(ty, if rhs.is_wide() { format!("{last}u") } else { last.to_string() });
                infix(ty, View::Exact, "&", Level::BitAnd, &rhs, &mask)
            }
        };
        if op == BinaryOp::Shl {
            let lhs = lhs.low(self.dialect);
            return infix(ty, Value::view_of_wide(ty), "<<", Level::Shift, &lhs, &amount);
        }
        infix(ty, View::Exact, ">>", Level::Shift, &lhs.exact(), &amount)
    }

    /// Conversion as Rust's `as`.
    pub(crate) fn convert(&mut self, to: Type, arg: Value) -> Value {
        let from = arg.ty;
        if from == to {
            return arg;
        }
        if to == Type::Bool {
            let zero = if from.is_float() {
                Value::constant(self.dialect, Const { ty: from, bits: 0 })
            } else {
                Value::name(from, "0".into())
            };
            return infix(Type::Bool, View::Exact, "!=", Level::Equality, &arg.exact(), &zero);
        }
        if from.is_float() && to.is_int() {
            return self.call(Helper::Saturated(from, to), to, &[&arg]);
        }
        if to.is_int() && from.is_int() {
            return resized(to, arg);
        }
        arg.exact().cast(to)
    }

    /// The same bits; `is_number` says that they are known to be those of no NaN.
    pub(crate) fn reinterpret(&mut self, to: Type, arg: Value, is_number: bool) -> Value {
        let from = arg.ty;
        let bits = if to.bits() == 64 { Type::U64 } else { Type::U32 };
        if from.is_float() {
            let helper = if is_number { Helper::RawBits(from) } else { Helper::Bits(from) };
            let unsigned = self.call(helper, bits, &[&arg]);
            return resized(to, unsigned);
        }
        if to.is_float() {
            let bits = resized(bits, arg);
            return self.call(Helper::OfBits(to), to, &[&bits]);
        }
        resized(to, arg)
    }

    /// `x * y + z`, rounded once: a function of both languages.
    pub(crate) fn mul_add(&mut self, args: &[&Value; 3]) -> Value {
        let ty = args[0].ty;
        self.call(Helper::MulAdd(ty), ty, args)
    }

    pub(crate) fn math(&mut self, f: MathFn, args: &[&Value]) -> Value {
        let helper = match f {
            MathFn::Exp => Helper::Exp,
            MathFn::Log => Helper::Log,
            MathFn::Pow => Helper::Pow,
        };
        self.call(helper, Type::F64, args)
    }
}

/// Conversion between integer types.
pub(crate) fn resized(to: Type, arg: Value) -> Value {
    let from = arg.ty;
    if to == from {
        return arg;
    }
    if from.bits() == to.bits() && to.bits() >= 32 && arg.constant.is_none() {
        // The text of an unsigned value of 32 or 64 bits has the bits of the signed one, and the other way round.
        if arg.is_wide() {
            return Value { ty: to, view: Value::view_of_wide(to), ..arg };
        }
    }
    if from.bits() < to.bits() { arg.exact().cast(to) } else { arg.cast(to) }
}

fn called(ty: Type, name: &str, args: &[&Value]) -> Value {
    let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
    let depth = args.iter().map(|arg| arg.depth).max().unwrap_or(0) + 1;
    Value::primary(ty, format!("{name}({})", texts.join(", ")), depth)
}

fn prefix(operator: &str, ty: Type, view: View, arg: &Value) -> Value {
    let least = if arg.text.starts_with('-') { Level::Primary } else { Level::Prefix };
    Value {
        ty,
        text: format!("{operator}{}", arg.within(least)),
        level: Level::Prefix,
        view,
        depth: arg.depth + 1,
        constant: None,
        simple: false,
    }
}

fn sum_or_product(op: BinaryOp) -> (&'static str, Level) {
    match op {
        BinaryOp::Add => ("+", Level::Sum),
        BinaryOp::Sub => ("-", Level::Sum),
        _ => ("*", Level::Product),
    }
}
