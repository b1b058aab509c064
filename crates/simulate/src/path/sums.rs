//! Sums of weights, from which choices are drawn.

use crate::weights::Arithmetic;
use volvelle_kernel::{ExprId, Exprs, Type};

/// Sums of weights up to each choice, as constants or locals; the last is the total.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    pub(super) arithmetic: Arithmetic,
    pub(super) upto: Vec<ExprId>,
}

impl Sums {
    /// Type of the numbers.
    pub fn ty(&self) -> Type {
        number_type(self.arithmetic)
    }

    /// The sum of all weights.
    pub fn total(&self) -> ExprId {
        *self.upto.last().expect("there is something to choose from")
    }

    /// Number of choices.
    pub fn len(&self) -> usize {
        self.upto.len()
    }

    /// The sum up to the choice before.
    pub fn before(&self, choice: usize) -> Option<ExprId> {
        choice.checked_sub(1).map(|i| self.upto[i])
    }

    /// The sum up to a choice.
    pub fn upto(&self, choice: usize) -> ExprId {
        self.upto[choice]
    }

    /// Whether a choice never has a weight.
    pub fn is_nothing(&self, exprs: &Exprs, choice: usize) -> bool {
        match self.before(choice) {
            Some(before) => before == self.upto[choice],
            None => exprs.as_const(self.upto[choice]).is_some_and(|c| c.bits == 0),
        }
    }
}

/// Type of sums of weights.
pub(super) fn number_type(arithmetic: Arithmetic) -> Type {
    match arithmetic {
        Arithmetic::Exact32 => Type::I32,
        Arithmetic::Exact64 => Type::I64,
        Arithmetic::Float => Type::F64,
    }
}
