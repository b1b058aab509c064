//! Expressions over rationals.
//!
//! All nodes that the roots need are evaluated once per state, operands first, without recursion. An
//! operation that fails or has no rational value gives an error *value*, which propagates to its users; so
//! lazy operations need no second evaluation. Integers and truth values use the kernel's own operations;
//! values that are `f64` in the kernel are rational here.

use crate::domain::Domain;
use crate::program::Program;
use dashu_int::{IBig, UBig, ops::BitTest};
use dashu_ratio::RBig;
use volvelle_kernel::{BinaryOp, CheckedOp, Const, ExprId, MathFn, Node, Site, Type, UnaryOp, interp};

/// Limit of the bits of a power's numerator or denominator; larger powers have no value.
const LIMIT_BITS: usize = 1 << 16;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer or truth value.
    Const(Const),
    /// A number.
    Ratio(RBig),
}

impl Value {
    /// The number.
    pub fn ratio(&self) -> Option<&RBig> {
        match self {
            Value::Ratio(value) => Some(value),
            Value::Const(_) => None,
        }
    }

    fn constant(&self) -> Result<Const, Inexact> {
        match self {
            Value::Const(value) => Ok(*value),
            Value::Ratio(_) => Err(Inexact::Unsupported),
        }
    }

    fn number(&self) -> Result<&RBig, Inexact> {
        self.ratio().ok_or(Inexact::Unsupported)
    }
}

/// Why an expression has no rational value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inexact {
    /// An operation whose results are irrational in general.
    Irrational(&'static str),
    /// A constant (given by its double) that stands for no rational number, or for several.
    Constant(f64),
    /// The number has too many digits.
    TooLarge,
    /// A division by zero.
    DivisionByZero,
    /// A check that holds in floating point fails in rational arithmetic.
    Failed(Site),
    /// A node that has no meaning here.
    Unsupported,
}

impl std::fmt::Display for Inexact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Inexact::Irrational(what) => write!(f, "{what} has no rational value"),
            Inexact::Constant(value) => write!(f, "a constant ({value}) has no rational value"),
            Inexact::TooLarge => f.write_str("a number is too large to represent"),
            Inexact::DivisionByZero => f.write_str("a division by zero has no value"),
            Inexact::Failed(_) => f.write_str("a check that holds with rounded numbers fails"),
            Inexact::Unsupported => f.write_str("an operation is not defined over rationals"),
        }
    }
}

/// Evaluates some expressions of a program in one state after the other.
pub struct Evaluator<'p> {
    program: &'p Program,
    order: Vec<ExprId>,
    /// Place in `order` of each node of the arena.
    place: Vec<u32>,
    values: Vec<Result<Value, Inexact>>,
}

impl<'p> Evaluator<'p> {
    /// For these expressions.
    pub fn new(program: &'p Program, roots: impl IntoIterator<Item = ExprId>) -> Self {
        let order = program.exprs.needed(roots);
        let mut place = vec![u32::MAX; program.exprs.len()];
        for (i, id) in order.iter().enumerate() {
            place[id.index()] = i as u32;
        }
        let values = vec![Err(Inexact::Unsupported); order.len()];
        Evaluator { program, order, place, values }
    }

    /// Evaluates all expressions in a state, given by one value per field.
    pub fn load(&mut self, state: &[i64]) {
        for i in 0..self.order.len() {
            self.values[i] = self.node(self.order[i], state);
        }
    }

    /// The value of one of the expressions in the state that was loaded last.
    pub fn get(&self, id: ExprId) -> Result<&Value, Inexact> {
        self.values[self.place[id.index()] as usize].as_ref().map_err(|why| *why)
    }

    /// Like [`Evaluator::get`], for a number.
    pub fn ratio(&self, id: ExprId) -> Result<&RBig, Inexact> {
        self.get(id)?.number()
    }

    /// Like [`Evaluator::get`], for a truth value.
    pub fn truth(&self, id: ExprId) -> Result<bool, Inexact> {
        self.get(id)?.constant()?.as_bool().ok_or(Inexact::Unsupported)
    }

    /// Like [`Evaluator::get`], for a value of a field: Booleans as 0 and 1.
    pub fn integer(&self, id: ExprId) -> Result<i64, Inexact> {
        let value = self.get(id)?.constant()?;
        value.as_bool().map(i64::from).or_else(|| value.as_i64()).ok_or(Inexact::Unsupported)
    }

    fn node(&self, id: ExprId, state: &[i64]) -> Result<Value, Inexact> {
        match self.program.exprs.node(id) {
            Node::Const(c) if c.ty.is_float() => self.constant(id, c),
            Node::Const(c) => Ok(Value::Const(c)),
            Node::Local(local, _) => {
                // Exchanged values exist only within a step.
                let value = *state.get(local.index()).ok_or(Inexact::Unsupported)?;
                Ok(Value::Const(match self.program.fields[local.0 as usize].domain {
                    Domain::Bool => Const::bool(value != 0),
                    _ => Const::i64(value),
                }))
            }
            Node::Unary { op, arg } => match self.get(arg)? {
                Value::Const(c) => Ok(Value::Const(interp::unary(op, *c))),
                Value::Ratio(x) => unary(op, x).map(Value::Ratio),
            },
            Node::Binary { op, lhs, rhs } => match (self.get(lhs)?, self.get(rhs)?) {
                (Value::Const(a), Value::Const(b)) => Ok(Value::Const(interp::binary(op, *a, *b))),
                (a, b) => binary(op, a.number()?, b.number()?),
            },
            Node::Checked { op, lhs, rhs, site } => match (op, self.get(lhs)?, self.get(rhs)?) {
                (_, Value::Const(a), Value::Const(b)) => {
                    interp::checked(op, *a, *b).map(Value::Const).ok_or(Inexact::Failed(site))
                }
                (CheckedOp::Div, a, b) if b.number()?.is_zero() => {
                    a.number()?;
                    Err(Inexact::Failed(site))
                }
                (CheckedOp::Div, a, b) => Ok(Value::Ratio(a.number()? / b.number()?)),
                _ => Err(Inexact::Unsupported),
            },
            Node::Convert { to, arg } => convert(to, self.get(arg)?),
            Node::CheckedConvert { to, arg, site } => {
                let converted = match self.get(arg)? {
                    Value::Const(c) => interp::checked_convert(to, *c),
                    Value::Ratio(x) => {
                        i64::try_from(x.trunc()).ok().and_then(|v| interp::checked_convert(to, Const::i64(v)))
                    }
                };
                converted.map(Value::Const).ok_or(Inexact::Failed(site))
            }
            Node::Range { arg, lo, hi, site } => {
                let value = self.get(arg)?.constant()?;
                interp::in_range(value, lo, hi).then_some(Value::Const(value)).ok_or(Inexact::Failed(site))
            }
            Node::Select { cond, yes, no } => self.get(if self.truth(cond)? { yes } else { no }).cloned(),
            Node::And { lhs, rhs } => Ok(Value::Const(Const::bool(self.truth(lhs)? && self.truth(rhs)?))),
            Node::Or { lhs, rhs } => Ok(Value::Const(Const::bool(self.truth(lhs)? || self.truth(rhs)?))),
            Node::Math { f, args } => self.math(f, args),
            Node::Load { .. } | Node::Len(_) | Node::Reinterpret { .. } | Node::MulAdd { .. } => {
                Err(Inexact::Unsupported)
            }
        }
    }

    fn constant(&self, id: ExprId, c: Const) -> Result<Value, Inexact> {
        let double = c.as_f64().ok_or(Inexact::Unsupported)?;
        let known = match self.program.exact.get(id) {
            Some(known) => known.cloned(),
            None => RBig::try_from(double).ok(),
        };
        known.map(Value::Ratio).ok_or(Inexact::Constant(double))
    }

    fn math(&self, f: MathFn, args: [ExprId; 2]) -> Result<Value, Inexact> {
        let x = self.ratio(args[0])?;
        match f {
            MathFn::Exp if x.is_zero() => Ok(Value::Ratio(RBig::ONE)),
            MathFn::Exp => Err(Inexact::Irrational("an exponential")),
            MathFn::Log if x.is_one() => Ok(Value::Ratio(RBig::ZERO)),
            MathFn::Log => Err(Inexact::Irrational("a logarithm")),
            MathFn::Pow => power(x, self.ratio(args[1])?).map(Value::Ratio),
        }
    }
}

fn unary(op: UnaryOp, x: &RBig) -> Result<RBig, Inexact> {
    Ok(match op {
        UnaryOp::Neg => -x.clone(),
        UnaryOp::Abs => {
            if *x < RBig::ZERO {
                -x.clone()
            } else {
                x.clone()
            }
        }
        UnaryOp::Floor => RBig::from(x.floor()),
        UnaryOp::Ceil => RBig::from(x.ceil()),
        UnaryOp::Trunc => RBig::from(x.trunc()),
        UnaryOp::Sqrt => return Err(Inexact::Irrational("a square root")),
        UnaryOp::Not => return Err(Inexact::Unsupported),
    })
}

fn binary(op: BinaryOp, a: &RBig, b: &RBig) -> Result<Value, Inexact> {
    use BinaryOp::*;
    let truth = |holds: bool| Ok(Value::Const(Const::bool(holds)));
    Ok(Value::Ratio(match op {
        Add => a + b,
        Sub => a - b,
        Mul => a * b,
        Div if b.is_zero() => return Err(Inexact::DivisionByZero),
        Div => a / b,
        Min => a.min(b).clone(),
        Max => a.max(b).clone(),
        Eq => return truth(a == b),
        Ne => return truth(a != b),
        Lt => return truth(a < b),
        Le => return truth(a <= b),
        Gt => return truth(a > b),
        Ge => return truth(a >= b),
        BitAnd | BitOr | BitXor | Shl | Shr => return Err(Inexact::Unsupported),
    }))
}

fn convert(to: Type, value: &Value) -> Result<Value, Inexact> {
    match (value, to) {
        (Value::Ratio(x), Type::F64) => Ok(Value::Ratio(x.clone())),
        (Value::Ratio(x), to) if to.is_int() => {
            let clamped = match i64::try_from(x.trunc()) {
                Ok(value) => value,
                Err(_) if *x < RBig::ZERO => i64::MIN,
                Err(_) => i64::MAX,
            };
            Ok(Value::Const(interp::convert(to, Const::i64(clamped))))
        }
        (Value::Const(c), Type::F64) => {
            let value = c.as_bool().map(i64::from).or_else(|| c.as_i64()).ok_or(Inexact::Unsupported)?;
            Ok(Value::Ratio(RBig::from(IBig::from(value))))
        }
        (Value::Const(c), to) if !to.is_float() => Ok(Value::Const(interp::convert(to, *c))),
        _ => Err(Inexact::Unsupported),
    }
}

/// A power with an integer exponent.
///
/// # Errors
/// The exponent is no whole number, the number has too many digits, or it would be one divided by zero.
pub fn power(base: &RBig, exponent: &RBig) -> Result<RBig, Inexact> {
    if exponent.is_zero() || base.is_one() {
        return Ok(RBig::ONE);
    }
    if !exponent.is_int() {
        return Err(Inexact::Irrational("a power with a non-integer exponent"));
    }
    let negative = *exponent < RBig::ZERO;
    if base.is_zero() {
        return if negative { Err(Inexact::DivisionByZero) } else { Ok(RBig::ZERO) };
    }
    let times = i64::try_from(exponent.numerator().clone()).map_err(|_| Inexact::TooLarge)?.unsigned_abs();
    let (numerator, denominator) = base.clone().into_parts();
    let bits = numerator.bit_len().max(denominator.bit_len());
    if (bits as u64).saturating_mul(times) > LIMIT_BITS as u64 && bits > 1 {
        return Err(Inexact::TooLarge);
    }
    let (top, bottom): (IBig, UBig) = if bits > 1 {
        (numerator.pow(times as usize), denominator.pow(times as usize))
    } else {
        // ±1
        (if times % 2 == 0 { IBig::ONE } else { numerator }, UBig::ONE)
    };
    let power = RBig::from_parts(top, bottom);
    Ok(if negative { RBig::ONE / power } else { power })
}
