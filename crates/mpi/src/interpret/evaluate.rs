//! Expressions over the locals of a process, and what references mean.

use crate::system::{Binary, Expr, Index, Mistake, Unary};

/// The value of an expression; `None` for a division by zero, or a number that is too large. Recursion is as deep as expressions nest,
/// which the parser limits.
pub fn value(expr: &Expr, locals: &[i64]) -> Option<i64> {
    match expr {
        Expr::Constant(number) => Some(*number),
        Expr::Local(local) => Some(locals[local.index()]),
        Expr::Unary(op, operand) => {
            let operand = value(operand, locals)?;
            match op {
                Unary::Negate => operand.checked_neg(),
                Unary::Not => Some(i64::from(operand == 0)),
            }
        }
        // The right operand counts only where the left one does not decide.
        Expr::Binary(Binary::And, left, right) => match value(left, locals)? {
            0 => Some(0),
            _ => Some(i64::from(value(right, locals)? != 0)),
        },
        Expr::Binary(Binary::Or, left, right) => match value(left, locals)? {
            0 => Some(i64::from(value(right, locals)? != 0)),
            _ => Some(1),
        },
        Expr::Binary(op, left, right) => {
            let (left, right) = (value(left, locals)?, value(right, locals)?);
            let truth = |truth: bool| Some(i64::from(truth));
            match op {
                Binary::Add => left.checked_add(right),
                Binary::Subtract => left.checked_sub(right),
                Binary::Multiply => left.checked_mul(right),
                Binary::Divide => {
                    let towards_zero = left.checked_div(right)?;
                    let is_below = left % right != 0 && (left < 0) != (right < 0);
                    Some(towards_zero - i64::from(is_below))
                }
                Binary::Remainder => remainder(left, right),
                Binary::Equal => truth(left == right),
                Binary::NotEqual => truth(left != right),
                Binary::Less => truth(left < right),
                Binary::LessEqual => truth(left <= right),
                Binary::Greater => truth(left > right),
                Binary::GreaterEqual => truth(left >= right),
                Binary::And | Binary::Or => unreachable!("matched above"),
            }
        }
    }
}

/// The remainder with the sign of the divisor.
pub fn remainder(left: i64, right: i64) -> Option<i64> {
    if right == 0 {
        return None;
    }
    // The remainder by -1 is 0, though the quotient may be too large.
    let rest = left.wrapping_rem(right);
    Some(if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest })
}

/// The element that indices select: a value that does not exist is an error before an index that is outside.
pub fn element(base: u32, indices: &[Index], locals: &[i64]) -> Result<u32, Mistake> {
    if indices.iter().any(|index| value(&index.value, locals).is_none()) {
        return Err(Mistake::Arithmetic);
    }
    let mut number = base;
    for index in indices {
        let place = value(&index.value, locals).expect("it exists");
        if !(index.lo..=index.hi).contains(&place) {
            return Err(Mistake::Index);
        }
        number += (place - index.lo) as u32 * index.stride;
    }
    Ok(number)
}
