//! The location for which code is generated, and the locations known so far.

use super::plan::Plan;
use rustc_hash::FxHashMap;
use volvelle_kernel::interp::Evaluator;
use volvelle_kernel::{Const, ExprId, Exprs, Stmt, Type};
use volvelle_model::Domain;

/// Limits of the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Valuations of control fields.
    pub locations: usize,
    /// Statements of all blocks.
    pub statements: usize,
}

/// Values of the control fields, and whether no step leaves the state.
pub type Key = (Vec<i64>, bool);

/// The location for which code is generated, and the locations known so far.
pub(super) struct Place {
    /// Values of the control fields, and whether no step leaves the state.
    pub here: Key,
    /// The control fields, in increasing order.
    pub fields: Vec<usize>,
    /// For each field its place among them.
    positions: Vec<Option<usize>>,
    numbers: FxHashMap<Key, u32>,
    /// In the order of their numbers.
    pub keys: Vec<Key>,
    evaluator: Evaluator,
    /// Values here; those of other fields are meaningless.
    values: Vec<Const>,
}

impl Place {
    /// The location of the initial state.
    pub fn new(plan: &Plan, fields: &[usize]) -> Self {
        let mut positions = vec![None; plan.program.fields.len()];
        for (position, &field) in fields.iter().enumerate() {
            positions[field] = Some(position);
        }
        let here = (fields.iter().map(|&field| plan.initial[field]).collect::<Vec<i64>>(), false);
        let zero = |field: &volvelle_model::Field| match field.domain {
            Domain::Bool => Const::bool(false),
            _ => Const::i64(0),
        };
        Place {
            numbers: FxHashMap::from_iter([(here.clone(), 0)]),
            keys: vec![here.clone()],
            here,
            fields: fields.to_vec(),
            positions,
            evaluator: Evaluator::new(),
            values: plan.program.fields.iter().map(zero).collect(),
        }
    }

    /// Whether a field is a control field.
    pub fn knows(&self, field: usize) -> bool {
        self.positions[field].is_some()
    }

    /// Its place among the control fields.
    pub fn position(&self, field: usize) -> Option<usize> {
        self.positions[field]
    }

    /// Values of the control fields here.
    pub fn here(&self) -> &[i64] {
        &self.here.0
    }

    /// The value of a control field here.
    pub fn value(&self, field: usize) -> Option<i64> {
        self.positions[field].map(|position| self.here.0[position])
    }

    /// The value here of an expression that reads only control fields; `None` if it fails.
    pub fn evaluate(&mut self, exprs: &Exprs, expr: ExprId) -> Option<i64> {
        let value = self.evaluator.eval(exprs, expr, &self.values).ok()?;
        value.as_bool().map(i64::from).or(value.as_i64())
    }

    /// Goes to the location with a number.
    pub fn enter(&mut self, number: usize) {
        self.here = self.keys[number].clone();
        for (position, &field) in self.fields.iter().enumerate() {
            let value = self.here.0[position];
            self.values[field] = match self.values[field].ty {
                Type::Bool => Const::bool(value != 0),
                ty => Const::int(ty, value),
            };
        }
    }

    /// A jump to a location.
    pub fn goto(&mut self, target: Vec<i64>, absorbed: bool) -> Stmt {
        let key = (target, absorbed);
        let next = self.keys.len() as u32;
        let keys = &mut self.keys;
        let block = *self.numbers.entry(key).or_insert_with_key(|key| {
            keys.push(key.clone());
            next
        });
        Stmt::Goto { block }
    }
}
