//! The importance of a state: how near it is to the target. Paths are split by importance.
//!
//! Only the work depends on it: an estimate is unbiased with any importance, and precise with a good one.

use volvelle_kernel::interp::Evaluator;
use volvelle_kernel::{Const, ExprId};
use volvelle_model::{Domain, Program};

/// Importance of states: the larger, the nearer to the target.
#[derive(Clone, Debug)]
pub enum Importance {
    /// A table over the values of some fields. Where it is zero, the target is unreachable.
    Table(Table),
    /// An expression of the program of type `i64`, within `0..2^31 - 1`, that never fails.
    Expression(ExprId),
}

/// Importance by the values of some fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// For each field: its index, its least value, and the distance between entries of neighbouring values.
    pub fields: Vec<(usize, i64, u32)>,
    /// One entry for each combination.
    pub entries: Vec<u16>,
    /// Number of combinations examined.
    pub explored: usize,
}

impl Importance {
    /// The importance of a state.
    pub fn of(&self, program: &Program, state: &[i64]) -> i32 {
        match self {
            Importance::Table(table) => table.of(state),
            Importance::Expression(expr) => {
                let fields = program.fields.iter().zip(state);
                let locals: Vec<Const> = fields
                    .map(|(field, &value)| match field.domain {
                        Domain::Bool => Const::bool(value != 0),
                        _ => Const::i64(value),
                    })
                    .collect();
                let value = Evaluator::new().eval(&program.exprs, *expr, &locals);
                value.ok().and_then(Const::as_i64).and_then(|v| i32::try_from(v).ok()).unwrap_or(0)
            }
        }
    }

    /// Whether the target cannot be reached from states of this importance.
    pub fn is_hopeless(&self, importance: i32) -> bool {
        matches!(self, Importance::Table(_)) && importance == 0
    }

    /// A readable description.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Importance::Table(table) => {
                let names: Vec<&str> =
                    table.fields.iter().map(|&(field, ..)| program.fields[field].name.as_str()).collect();
                format!("probability of reaching the target, abstracted to {}", names.join(", "))
            }
            Importance::Expression(_) => "distance of the variables from satisfying the target".to_owned(),
        }
    }
}

impl Table {
    /// The entry of a state.
    pub fn of(&self, state: &[i64]) -> i32 {
        let index: usize = self
            .fields
            .iter()
            .map(|&(field, least, stride)| (state[field] - least) as usize * stride as usize)
            .sum();
        self.entries.get(index).copied().unwrap_or(0).into()
    }
}
