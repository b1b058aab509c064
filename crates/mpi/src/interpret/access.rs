//! What operations make of variables.

use super::evaluate::{remainder, value};
use crate::system::{Mistake, Operation, Variable};

/// What an operation makes of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Operated {
    /// The new value.
    pub stored: i64,
    /// The result of the operation.
    pub result: i64,
    /// Values in the label, and how many there are.
    pub shown: ([i64; 2], usize),
}

/// An operation on a variable with some value. A variable without values keeps the one it has, and takes any.
pub fn operated(
    operation: &Operation,
    variable: &Variable,
    old: i64,
    locals: &[i64],
) -> Result<Operated, Mistake> {
    let value = |expr| value(expr, locals).ok_or(Mistake::Arithmetic);
    let (stored, result) = match operation {
        Operation::Load => (old, old),
        Operation::Store(expr) => {
            let value = value(expr)?;
            (value, value)
        }
        Operation::TestAndSet => (1, old),
        Operation::Swap(expr) => (value(expr)?, old),
        Operation::CompareAndSwap(expected, new) => {
            let (expected, new) = (value(expected)?, value(new)?);
            if old == expected { (new, 1) } else { (old, 0) }
        }
        Operation::FetchAdd(expr) => {
            let sum = old.checked_add(value(expr)?).ok_or(Mistake::Arithmetic)?;
            let sum = if variable.wraps {
                let offset = sum.checked_sub(variable.lo).ok_or(Mistake::Arithmetic)?;
                variable.lo + remainder(offset, variable.hi - variable.lo + 1).expect("ranges have values")
            } else {
                sum
            };
            (sum, old)
        }
    };
    let shown = match operation {
        Operation::Load | Operation::Store(_) | Operation::TestAndSet => ([result, 0], 1),
        _ => ([old, stored], 2),
    };
    Ok(Operated { stored, result, shown })
}

/// Whether a variable takes a value.
pub fn takes(variable: &Variable, value: i64) -> bool {
    variable.lo == variable.hi || (variable.lo..=variable.hi).contains(&value)
}
