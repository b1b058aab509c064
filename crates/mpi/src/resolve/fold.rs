//! Arithmetic of constants, and building expressions whose constant parts are numbers.

use crate::system::{Binary, Expr, Unary};

/// The quotient rounded down; `None` for a division by zero or a number that is too large.
fn quotient(a: i64, b: i64) -> Option<i64> {
    let rounded = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { rounded - 1 } else { rounded })
}

/// The remainder with the sign of the divisor.
fn remainder(a: i64, b: i64) -> Option<i64> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
}

/// An operation on a number; `None` if the result is too large.
pub fn unary(operator: Unary, a: i64) -> Option<i64> {
    match operator {
        Unary::Negate => a.checked_neg(),
        Unary::Not => Some(i64::from(a == 0)),
    }
}

/// An operation on two numbers; `None` for a division by zero or a number that is too large.
pub fn binary(operator: Binary, a: i64, b: i64) -> Option<i64> {
    let truth = |holds: bool| Some(i64::from(holds));
    match operator {
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::Divide => quotient(a, b),
        Binary::Remainder => remainder(a, b),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::Less => truth(a < b),
        Binary::LessEqual => truth(a <= b),
        Binary::Greater => truth(a > b),
        Binary::GreaterEqual => truth(a >= b),
        Binary::And => truth(a != 0 && b != 0),
        Binary::Or => truth(a != 0 || b != 0),
    }
}

/// Whether an expression is 0 or 1.
pub(super) fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(value) => (0..=1).contains(value),
        Expr::Local(_) | Expr::Unary(Unary::Negate, _) => false,
        Expr::Unary(Unary::Not, _) => true,
        Expr::Binary(operator, ..) => {
            use Binary::{Add, Divide, Multiply, Remainder, Subtract};
            !matches!(operator, Add | Subtract | Multiply | Divide | Remainder)
        }
    }
}

/// The locals of an expression, one by one.
pub(super) fn locals(expr: &Expr, visit: &mut impl FnMut(crate::system::LocalId)) {
    match expr {
        Expr::Constant(_) => {}
        Expr::Local(local) => visit(*local),
        Expr::Unary(_, a) => locals(a, visit),
        Expr::Binary(_, a, b) => {
            locals(a, visit);
            locals(b, visit);
        }
    }
}
