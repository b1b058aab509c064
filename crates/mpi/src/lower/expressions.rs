//! Expressions over the locals of a process.

use super::Lowering;
use super::fields::elements;
use crate::system::{Binary, Expr, Index, ProcessId, Unary};
use volvelle_kernel::{BinaryOp, CheckedOp, ExprId, FailKind, Type};
use volvelle_model::{Origin, SiteInfo, SiteSubject, interval};

/// Values of the locals of a process.
pub type Env = Vec<ExprId>;

/// A value, and whether it exists.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// `i64`; anything where it does not exist.
    pub value: ExprId,
    /// `bool`: no division by zero.
    pub exists: ExprId,
}

impl Lowering<'_> {
    /// The locals of a process in the state before the step.
    pub fn locals(&mut self, process: ProcessId) -> Env {
        let system = self.system;
        let locals = &system.processes[process.index()].locals;
        let fields = self.of(process).locals.clone();
        let read = |(local, field): (&crate::system::Local, Option<_>)| match field {
            Some(field) => self.program.field(field),
            None => self.program.exprs.i64(local.initial),
        };
        locals.iter().zip(fields).map(read).collect()
    }

    /// The locals of a process where it begins.
    pub fn initial_locals(&mut self, process: ProcessId) -> Env {
        let system = self.system;
        let locals = &system.processes[process.index()].locals;
        locals.iter().map(|local| self.program.exprs.i64(local.initial)).collect()
    }

    /// The value of an expression. Recursion is as deep as expressions nest, which the parser limits.
    pub fn value(&mut self, expr: &Expr, env: &Env) -> Value {
        match expr {
            Expr::Constant(number) => {
                Value { value: self.program.exprs.i64(*number), exists: self.program.exprs.bool(true) }
            }
            Expr::Local(local) => Value { value: env[local.index()], exists: self.program.exprs.bool(true) },
            Expr::Unary(op, operand) => {
                let Value { value, exists } = self.value(operand, env);
                let zero = self.program.exprs.i64(0);
                match op {
                    Unary::Negate => {
                        let zero = Value { value: zero, exists: self.program.exprs.bool(true) };
                        self.arithmetic(BinaryOp::Sub, zero, Value { value, exists })
                    }
                    Unary::Not => {
                        let exprs = &mut self.program.exprs;
                        let is_zero = exprs.binary(BinaryOp::Eq, value, zero);
                        Value { value: exprs.convert(Type::I64, is_zero), exists }
                    }
                }
            }
            Expr::Binary(op, left, right) => {
                let left = self.value(left, env);
                let right = self.value(right, env);
                self.binary(*op, left, right)
            }
        }
    }

    fn binary(&mut self, op: Binary, left: Value, right: Value) -> Value {
        let exists = self.program.exprs.and(left.exists, right.exists);
        let (lhs, rhs) = (left.value, right.value);
        let arithmetic = match op {
            Binary::Add => Some(BinaryOp::Add),
            Binary::Subtract => Some(BinaryOp::Sub),
            Binary::Multiply => Some(BinaryOp::Mul),
            _ => None,
        };
        let comparison = match op {
            Binary::Equal => Some(BinaryOp::Eq),
            Binary::NotEqual => Some(BinaryOp::Ne),
            Binary::Less => Some(BinaryOp::Lt),
            Binary::LessEqual => Some(BinaryOp::Le),
            Binary::Greater => Some(BinaryOp::Gt),
            Binary::GreaterEqual => Some(BinaryOp::Ge),
            _ => None,
        };
        if let Some(op) = arithmetic {
            return self.arithmetic(op, left, right);
        }
        if let Some(op) = comparison {
            let truth = self.program.exprs.binary(op, lhs, rhs);
            return Value { value: self.program.exprs.convert(Type::I64, truth), exists };
        }
        match op {
            Binary::Divide | Binary::Remainder => self.division(op, lhs, rhs, exists),
            // The right operand counts only where the left one does not decide.
            _ => {
                let a = self.is_true(lhs);
                let b = self.is_true(rhs);
                let exprs = &mut self.program.exprs;
                let (truth, decided) = match op {
                    Binary::And => (exprs.and(a, b), exprs.not(a)),
                    _ => (exprs.or(a, b), a),
                };
                let right = exprs.or(decided, right.exists);
                let exists = exprs.and(left.exists, right);
                Value { value: exprs.convert(Type::I64, truth), exists }
            }
        }
    }

    /// A sum, difference or product, which exists unless it is too large for a number.
    pub fn arithmetic(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        let (lhs, rhs) = (left.value, right.value);
        let exists = self.program.exprs.and(left.exists, right.exists);
        let value = self.program.exprs.binary(op, lhs, rhs);
        let env = interval::Env::new(&self.program);
        let known = |id| interval::of(&self.program.exprs, id, &env);
        if known(lhs).zip(known(rhs)).is_some_and(|(lhs, rhs)| interval::arithmetic(op, lhs, rhs).is_some()) {
            return Value { value, exists };
        }
        let info = SiteInfo {
            kind: FailKind::Division,
            subject: SiteSubject::Expression,
            origin: Origin(0),
            command: None,
        };
        let site = (op == BinaryOp::Mul).then(|| self.program.site(info));
        let exprs = &mut self.program.exprs;
        let zero = exprs.i64(0);
        let fits = if let Some(site) = site {
            // A product is right if it can be divided again; 0 and -1 are no divisors for that.
            let (one, minus_one, least) = (exprs.i64(1), exprs.i64(-1), exprs.i64(i64::MIN));
            let is_zero = exprs.binary(BinaryOp::Eq, lhs, zero);
            let is_minus_one = exprs.binary(BinaryOp::Eq, lhs, minus_one);
            let is_special = exprs.or(is_zero, is_minus_one);
            let divisor = exprs.select(is_special, one, lhs);
            let quotient = exprs.checked(CheckedOp::Div, value, divisor, site);
            let divides = exprs.binary(BinaryOp::Eq, quotient, rhs);
            let is_not_least = exprs.binary(BinaryOp::Ne, rhs, least);
            let divides = exprs.select(is_minus_one, is_not_least, divides);
            exprs.or(is_zero, divides)
        } else {
            // A number that is not negative makes a sum no smaller, and a difference no larger.
            let grows = match op {
                BinaryOp::Add => exprs.binary(BinaryOp::Ge, value, lhs),
                _ => exprs.binary(BinaryOp::Le, value, lhs),
            };
            let is_positive = exprs.binary(BinaryOp::Ge, rhs, zero);
            exprs.binary(BinaryOp::Eq, grows, is_positive)
        };
        Value { value, exists: self.program.exprs.and(exists, fits) }
    }

    /// Rounds down; the remainder has the sign of the divisor.
    fn division(&mut self, op: Binary, lhs: ExprId, rhs: ExprId, exists: ExprId) -> Value {
        let info = SiteInfo {
            kind: FailKind::Division,
            subject: SiteSubject::Expression,
            origin: Origin(0),
            command: None,
        };
        let constant = self.program.exprs.as_const(rhs).and_then(|rhs| rhs.as_i64());
        let site = self.program.site(info);
        let env = interval::Env::new(&self.program);
        let known = |id| interval::of(&self.program.exprs, id, &env);
        let is_positive = known(lhs).zip(known(rhs)).is_some_and(|(lhs, rhs)| lhs.lo >= 0 && rhs.lo >= 0);
        let may_overflow = known(lhs).is_none_or(|lhs| lhs.lo == i64::MIN)
            && known(rhs).is_none_or(|rhs| rhs.lo <= -1 && rhs.hi >= -1);
        let exprs = &mut self.program.exprs;
        let (zero, one) = (exprs.i64(0), exprs.i64(1));
        let is_zero = exprs.binary(BinaryOp::Eq, rhs, zero);
        // Never zero, so that nothing fails where the value does not exist.
        let mut divisor =
            if constant.is_some_and(|rhs| rhs != 0) { rhs } else { exprs.select(is_zero, one, rhs) };
        // The least number has no quotient by -1; the remainder is 0.
        let (least, minus_one) = (exprs.i64(i64::MIN), exprs.i64(-1));
        let is_least = exprs.binary(BinaryOp::Eq, lhs, least);
        let by_minus_one = exprs.binary(BinaryOp::Eq, rhs, minus_one);
        let is_least = exprs.and(is_least, by_minus_one);
        let overflows = op == Binary::Divide && may_overflow;
        if overflows {
            divisor = exprs.select(is_least, one, divisor);
        }
        let value = match op {
            Binary::Remainder => exprs.checked(CheckedOp::Mod, lhs, divisor, site),
            _ => {
                // The quotient is rounded towards zero, which is up where the signs differ.
                let quotient = exprs.checked(CheckedOp::Div, lhs, divisor, site);
                if is_positive {
                    quotient
                } else {
                    let remainder = exprs.checked(CheckedOp::Mod, lhs, divisor, site);
                    let has_rest = exprs.binary(BinaryOp::Ne, remainder, zero);
                    let (below, divisor_below) =
                        (exprs.binary(BinaryOp::Lt, lhs, zero), exprs.binary(BinaryOp::Lt, divisor, zero));
                    let differ = exprs.binary(BinaryOp::Ne, below, divisor_below);
                    let rounded_up = exprs.and(has_rest, differ);
                    let one_less = exprs.convert(Type::I64, rounded_up);
                    exprs.binary(BinaryOp::Sub, quotient, one_less)
                }
            }
        };
        let is_not_zero = exprs.not(is_zero);
        let mut exists = exprs.and(exists, is_not_zero);
        if overflows {
            let fits = exprs.not(is_least);
            exists = exprs.and(exists, fits);
        }
        Value { value, exists }
    }

    /// Whether a number is not zero.
    pub fn is_true(&mut self, number: ExprId) -> ExprId {
        if let volvelle_kernel::Node::Convert { arg, .. } = self.program.exprs.node(number)
            && self.program.exprs.ty(arg) == Type::Bool
        {
            return arg;
        }
        let zero = self.program.exprs.i64(0);
        self.program.exprs.binary(BinaryOp::Ne, number, zero)
    }

    /// Whether a number lies in a range.
    pub fn is_within(&mut self, number: ExprId, lo: i64, hi: i64) -> ExprId {
        let exprs = &mut self.program.exprs;
        let (lo, hi) = (exprs.i64(lo), exprs.i64(hi));
        let above = exprs.binary(BinaryOp::Ge, number, lo);
        let below = exprs.binary(BinaryOp::Le, number, hi);
        exprs.and(above, below)
    }

    /// The elements that a reference may mean, each with the condition that it does; and the condition that it means one.
    pub fn resolved(&mut self, base: u32, indices: &[Index], env: &Env) -> (Vec<(u32, ExprId)>, Value) {
        let mut all = Value { value: self.program.exprs.bool(true), exists: self.program.exprs.bool(true) };
        let mut values = Vec::new();
        for index in indices {
            let Value { value, exists } = self.value(&index.value, env);
            let inside = self.is_within(value, index.lo, index.hi);
            let exprs = &mut self.program.exprs;
            all.value = exprs.and(all.value, inside);
            all.exists = exprs.and(all.exists, exists);
            values.push(value);
        }
        let each = |(number, wanted): (u32, Vec<i64>)| {
            let exprs = &mut self.program.exprs;
            // What does not exist may look like any number.
            let mut cond = all.exists;
            for (&value, wanted) in values.iter().zip(wanted) {
                let wanted = exprs.i64(wanted);
                let equal = exprs.binary(BinaryOp::Eq, value, wanted);
                cond = exprs.and(cond, equal);
            }
            (number, cond)
        };
        let possible = elements(base, indices).into_iter().map(each).collect::<Vec<_>>();
        let exprs = &self.program.exprs;
        let is_false = |cond: ExprId| exprs.as_const(cond).and_then(|c| c.as_bool()) == Some(false);
        (possible.into_iter().filter(|&(_, cond)| !is_false(cond)).collect(), all)
    }
}
