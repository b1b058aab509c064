//! Arithmetic on rationals and infinities, for formulas.

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::cmp::Ordering;
use volvelle_logic::{Comparison, Formula, Ratio};

/// Powers with more bits than this are refused.
const MOST_BITS: u64 = 1 << 20;

/// Why an operation has no rational result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticError {
    /// The operation has no result.
    Undefined,
    /// Its result is irrational, as a rule: which operation.
    Irrational(&'static str),
    /// Its result is too large to be written down.
    TooLarge,
}

/// An arithmetic operator. One operand is given twice.
pub fn arithmetic(formula: &Formula, x: &Ratio, y: &Ratio) -> Result<Ratio, ArithmeticError> {
    match formula {
        Formula::Add(..) => add(x, y),
        Formula::Sub(..) => add(x, &negated(y)),
        Formula::Mul(..) => mul(x, y),
        Formula::Div(..) => div(x, y),
        Formula::Min(..) => Ok(x.min(y).clone()),
        Formula::Max(..) => Ok(x.max(y).clone()),
        Formula::Floor(_) => Ok(rounded(x, |v| v.floor())),
        Formula::Ceil(_) => Ok(rounded(x, |v| v.ceil())),
        Formula::Round(_) => {
            let half = RBig::from_parts(IBig::ONE, UBig::from(2u8));
            Ok(rounded(x, |v| (v + &half).floor()))
        }
        Formula::Pow(..) => pow(x, y),
        Formula::Mod(..) => modulo(x, y),
        Formula::Log(..) => Err(ArithmeticError::Irrational("a logarithm")),
        _ => Err(ArithmeticError::Undefined),
    }
}

fn negated(x: &Ratio) -> Ratio {
    match x {
        Ratio::MinusInfinity => Ratio::Infinity,
        Ratio::Finite(x) => Ratio::Finite(-x.clone()),
        Ratio::Infinity => Ratio::MinusInfinity,
    }
}

/// Sum.
pub fn add(x: &Ratio, y: &Ratio) -> Result<Ratio, ArithmeticError> {
    match (x, y) {
        (Ratio::Finite(x), Ratio::Finite(y)) => Ok(Ratio::Finite(x + y)),
        (Ratio::Infinity, Ratio::MinusInfinity) | (Ratio::MinusInfinity, Ratio::Infinity) => {
            Err(ArithmeticError::Undefined)
        }
        (Ratio::Finite(_), infinite) | (infinite, _) => Ok(infinite.clone()),
    }
}

fn is_negative(x: &Ratio) -> bool {
    *x < Ratio::ZERO
}

fn mul(x: &Ratio, y: &Ratio) -> Result<Ratio, ArithmeticError> {
    match (x, y) {
        (Ratio::Finite(x), Ratio::Finite(y)) => Ok(Ratio::Finite(x * y)),
        _ if *x == Ratio::ZERO || *y == Ratio::ZERO => Err(ArithmeticError::Undefined),
        _ if is_negative(x) == is_negative(y) => Ok(Ratio::Infinity),
        _ => Ok(Ratio::MinusInfinity),
    }
}

/// Quotient.
pub fn div(x: &Ratio, y: &Ratio) -> Result<Ratio, ArithmeticError> {
    match (x, y) {
        (_, Ratio::Finite(y)) if y.is_zero() => Err(ArithmeticError::Undefined),
        (Ratio::Finite(x), Ratio::Finite(y)) => Ok(Ratio::Finite(x / y)),
        (Ratio::Finite(_), _) => Ok(Ratio::ZERO),
        (_, Ratio::Finite(_)) if is_negative(x) == is_negative(y) => Ok(Ratio::Infinity),
        (_, Ratio::Finite(_)) => Ok(Ratio::MinusInfinity),
        _ => Err(ArithmeticError::Undefined),
    }
}

fn rounded(x: &Ratio, f: impl Fn(&RBig) -> IBig) -> Ratio {
    match x {
        Ratio::Finite(x) => Ratio::Finite(RBig::from(f(x))),
        infinite => infinite.clone(),
    }
}

fn pow(x: &Ratio, y: &Ratio) -> Result<Ratio, ArithmeticError> {
    let (Ratio::Finite(x), Ratio::Finite(y)) = (x, y) else { return Err(ArithmeticError::Undefined) };
    if y.is_zero() || x.is_one() {
        return Ok(RBig::ONE.into());
    }
    if !y.is_int() {
        return Err(ArithmeticError::Irrational("a power with a non-integer exponent"));
    }
    let negative = *y < RBig::ZERO;
    if x.is_zero() {
        return if negative { Err(ArithmeticError::Undefined) } else { Ok(Ratio::ZERO) };
    }
    let times = i64::try_from(y.numerator()).map_err(|_| ArithmeticError::TooLarge)?.unsigned_abs();
    let bits = x.numerator().bit_len().max(x.denominator().bit_len()) as u64;
    if bits.saturating_mul(times) > MOST_BITS {
        return Err(ArithmeticError::TooLarge);
    }
    let (numerator, denominator) = x.clone().into_parts();
    let power = RBig::from_parts(numerator.pow(times as usize), denominator.pow(times as usize));
    Ok(Ratio::Finite(if negative { RBig::ONE / power } else { power }))
}

/// The remainder of integers, with the sign of the divisor.
fn modulo(x: &Ratio, y: &Ratio) -> Result<Ratio, ArithmeticError> {
    match (x, y) {
        (Ratio::Finite(x), Ratio::Finite(y)) if x.is_int() && y.is_int() && !y.is_zero() => {
            let times = RBig::from((x / y).floor());
            Ok(Ratio::Finite(x - times * y))
        }
        _ => Err(ArithmeticError::Undefined),
    }
}

/// Whether two numbers compare like that.
pub fn holds(comparison: Comparison, x: &Ratio, y: &Ratio) -> bool {
    let order = x.cmp(y);
    match comparison {
        Comparison::Lt => order == Ordering::Less,
        Comparison::Le => order != Ordering::Greater,
        Comparison::Gt => order == Ordering::Greater,
        Comparison::Ge => order != Ordering::Less,
    }
}

#[cfg(test)]
mod tests {
    use super::{ArithmeticError, arithmetic};
    use dashu_ratio::RBig;
    use volvelle_logic::{Formula, FormulaId, Ratio};

    fn ratio(numerator: i64, denominator: u64) -> Ratio {
        RBig::from_parts(numerator.into(), denominator.into()).into()
    }

    #[test]
    fn operators() {
        let id = FormulaId(0);
        let of = |formula: Formula, x: &Ratio, y: &Ratio| arithmetic(&formula, x, y);
        let (a, b) = (ratio(7, 2), ratio(-2, 3));
        assert_eq!(of(Formula::Add(id, id), &a, &b), Ok(ratio(17, 6)));
        assert_eq!(of(Formula::Sub(id, id), &a, &b), Ok(ratio(25, 6)));
        assert_eq!(of(Formula::Mul(id, id), &a, &b), Ok(ratio(-7, 3)));
        assert_eq!(of(Formula::Div(id, id), &a, &b), Ok(ratio(-21, 4)));
        assert_eq!(of(Formula::Min(id, id), &a, &b), Ok(b.clone()));
        assert_eq!(of(Formula::Max(id, id), &a, &b), Ok(a.clone()));
        assert_eq!(of(Formula::Floor(id), &b, &b), Ok(ratio(-1, 1)));
        assert_eq!(of(Formula::Ceil(id), &b, &b), Ok(ratio(0, 1)));
        // Halves go up.
        assert_eq!(of(Formula::Round(id), &a, &a), Ok(ratio(4, 1)));
        assert_eq!(of(Formula::Round(id), &ratio(-7, 2), &a), Ok(ratio(-3, 1)));
        assert_eq!(of(Formula::Pow(id, id), &b, &ratio(-3, 1)), Ok(ratio(-27, 8)));
        assert_eq!(of(Formula::Mod(id, id), &ratio(-1, 1), &ratio(3, 1)), Ok(ratio(2, 1)));
        assert_eq!(of(Formula::Mod(id, id), &ratio(1, 1), &ratio(-3, 1)), Ok(ratio(-2, 1)));
    }

    #[test]
    fn infinities_and_what_has_no_result() {
        let id = FormulaId(0);
        let of = |formula: Formula, x: &Ratio, y: &Ratio| arithmetic(&formula, x, y);
        let (two, inf) = (ratio(2, 1), Ratio::Infinity);
        assert_eq!(of(Formula::Sub(id, id), &two, &inf), Ok(Ratio::MinusInfinity));
        assert_eq!(of(Formula::Sub(id, id), &inf, &inf), Err(ArithmeticError::Undefined));
        assert_eq!(of(Formula::Mul(id, id), &inf, &Ratio::ZERO), Err(ArithmeticError::Undefined));
        assert_eq!(of(Formula::Mul(id, id), &inf, &ratio(-1, 2)), Ok(Ratio::MinusInfinity));
        assert_eq!(of(Formula::Div(id, id), &two, &inf), Ok(Ratio::ZERO));
        assert_eq!(of(Formula::Div(id, id), &two, &Ratio::ZERO), Err(ArithmeticError::Undefined));
        assert!(matches!(of(Formula::Pow(id, id), &two, &ratio(1, 2)), Err(ArithmeticError::Irrational(_))));
        assert!(matches!(of(Formula::Log(id, id), &two, &two), Err(ArithmeticError::Irrational(_))));
        assert_eq!(of(Formula::Pow(id, id), &two, &ratio(1 << 40, 1)), Err(ArithmeticError::TooLarge));
    }
}
