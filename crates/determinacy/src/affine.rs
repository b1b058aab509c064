//! Operations on values that are affine in the numbers of iterations.
//!
//! An operation gives the affine value of its results in all iterations at once, or says that there is none.

use crate::value::{Nest, Undecided, Value};
use volvelle_kernel::interp;
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Site, Type, UnaryOp};

/// Why code stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A decision is not the same in all iterations of a loop.
    Undecided,
    /// A site fails.
    Failed(Site),
    /// A slot or an element does not exist.
    OutOfBounds,
    /// A cell whose value is not known.
    Unknown,
    /// A loop within one step has too many rounds.
    Limit,
}

impl From<Undecided> for Stop {
    fn from(_: Undecided) -> Self {
        Stop::Undecided
    }
}

/// A value of a type, by its bits.
pub(crate) fn constant(ty: Type, bits: i64) -> Const {
    Const { ty, bits: bits as u64 }
}

pub(crate) fn unary(op: UnaryOp, ty: Type, arg: Value) -> Result<Value, Stop> {
    if let Some(value) = arg.as_constant() {
        return Ok(Value::constant(interp::unary(op, constant(ty, value)).bits as i64));
    }
    match (op, ty) {
        (UnaryOp::Neg, Type::I64) => Ok(arg.times(-1)?),
        _ => Err(Stop::Undecided),
    }
}

/// The result of an operation, for all iterations.
///
/// # Errors
/// It is no affine value, or the iterations decide differently.
pub fn binary(op: BinaryOp, ty: Type, lhs: Value, rhs: Value, nest: &mut Nest) -> Result<Value, Stop> {
    if let (Some(a), Some(b)) = (lhs.as_constant(), rhs.as_constant()) {
        return Ok(Value::constant(interp::binary(op, constant(ty, a), constant(ty, b)).bits as i64));
    }
    let truth = |value: bool| Value::constant(i64::from(value));
    // Signed and unsigned order agree where no number has the highest bit.
    if ty == Type::U64 {
        if nest.is_negative(&lhs)? || nest.is_negative(&rhs)? {
            return Err(Stop::Undecided);
        }
    } else if ty != Type::I64 {
        return Err(Stop::Undecided);
    }
    Ok(match op {
        BinaryOp::Add => lhs.plus(rhs)?,
        BinaryOp::Sub if ty == Type::I64 => lhs.minus(rhs)?,
        BinaryOp::Mul => match (lhs.as_constant(), rhs.as_constant()) {
            (Some(factor), _) => rhs.times(factor)?,
            (_, Some(factor)) => lhs.times(factor)?,
            _ => return Err(Stop::Undecided),
        },
        BinaryOp::Shl => match rhs.as_constant() {
            Some(by @ 0..=61) => lhs.times(1 << by)?,
            _ => return Err(Stop::Undecided),
        },
        BinaryOp::Lt => truth(nest.is_less(&lhs, &rhs)?),
        BinaryOp::Le => truth(!nest.is_less(&rhs, &lhs)?),
        BinaryOp::Gt => truth(nest.is_less(&rhs, &lhs)?),
        BinaryOp::Ge => truth(!nest.is_less(&lhs, &rhs)?),
        BinaryOp::Eq => truth(nest.are_equal(&lhs, &rhs)?),
        BinaryOp::Ne => truth(!nest.are_equal(&lhs, &rhs)?),
        BinaryOp::Min => {
            if nest.is_less(&rhs, &lhs)? {
                rhs
            } else {
                lhs
            }
        }
        BinaryOp::Max => {
            if nest.is_less(&lhs, &rhs)? {
                rhs
            } else {
                lhs
            }
        }
        _ => return Err(Stop::Undecided),
    })
}

/// The result of an operation that fails at `site` where it is not defined.
///
/// # Errors
/// It fails, it is no affine value, or the iterations decide differently.
pub fn checked(
    op: CheckedOp,
    ty: Type,
    lhs: Value,
    rhs: Value,
    site: Site,
    nest: &mut Nest,
) -> Result<Value, Stop> {
    if let (Some(a), Some(b)) = (lhs.as_constant(), rhs.as_constant()) {
        let value = interp::checked(op, constant(ty, a), constant(ty, b)).ok_or(Stop::Failed(site))?;
        return Ok(Value::constant(value.bits as i64));
    }
    if ty != Type::I64 {
        return Err(Stop::Undecided);
    }
    Ok(match op {
        // An affine value stays within its ends over all iterations, and both ends fit an `i64`.
        CheckedOp::Add => lhs.plus(rhs)?,
        CheckedOp::Sub => lhs.minus(rhs)?,
        CheckedOp::Mul => match (lhs.as_constant(), rhs.as_constant()) {
            (Some(factor), _) => rhs.times(factor)?,
            (_, Some(factor)) => lhs.times(factor)?,
            _ => return Err(Stop::Undecided),
        },
        CheckedOp::Div | CheckedOp::Rem | CheckedOp::Mod => {
            let Some(divisor) = rhs.as_constant().filter(|&d| d > 0) else { return Err(Stop::Undecided) };
            // The quotient is affine only if each iteration changes the dividend by a multiple of the
            // divisor, without a change of sign.
            if lhs.slopes.iter().any(|slope| slope % divisor != 0) || nest.is_negative(&lhs)? {
                return Err(Stop::Undecided);
            }
            match op {
                CheckedOp::Div => {
                    let mut quotient = lhs;
                    quotient.base /= divisor;
                    quotient.slopes.iter_mut().for_each(|slope| *slope /= divisor);
                    quotient
                }
                _ => Value::constant(lhs.base % divisor),
            }
        }
        CheckedOp::Pow => return Err(Stop::Undecided),
    })
}

pub(crate) fn convert(from: Type, to: Type, arg: Value, nest: &mut Nest) -> Result<Value, Stop> {
    if let Some(value) = arg.as_constant() {
        return Ok(Value::constant(interp::convert(to, constant(from, value)).bits as i64));
    }
    if !from.is_int() {
        return Err(Stop::Undecided);
    }
    let (lo, hi) = match (to, to.limits()) {
        (Type::Bool, _) => {
            let is_zero = nest.is_zero(&arg)?;
            return Ok(Value::constant(i64::from(!is_zero)));
        }
        (Type::I64 | Type::U64, _) if from == to => return Ok(arg),
        (Type::I64 | Type::U64, _) => (0, i64::MAX),
        (_, Some(limits)) => limits,
        (_, None) => return Err(Stop::Undecided),
    };
    if in_range(Type::I64, &arg, lo, hi, nest)? { Ok(arg) } else { Err(Stop::Undecided) }
}

pub(crate) fn in_range(ty: Type, arg: &Value, lo: i64, hi: i64, nest: &mut Nest) -> Result<bool, Stop> {
    if let Some(value) = arg.as_constant() {
        return Ok(interp::in_range(constant(ty, value), lo, hi));
    }
    let below = nest.is_less(arg, &Value::constant(lo))?;
    let above = hi != i64::MAX && nest.is_less(&Value::constant(hi), arg)?;
    Ok(!below && !above)
}
