//! Data types: sorts, operations, values with their sorts, and rewriting.
//!
//! Equations are rewrite rules that are tried from the top (the CADP dialect of ACT ONE); constructors are operations that no
//! rule defines.

pub(crate) mod builtin;
pub(crate) mod declare;
pub(crate) mod flatten;
pub(crate) mod names;
pub mod rewrite;
mod rules;
mod signature;
pub(crate) mod sorts;
pub mod terms;
pub(crate) mod typing;

pub use signature::{
    BOOL, Builtin, Data, Expression, ExpressionId, ExpressionKind, INT, Meaning, NAT, Operation, OperationId,
    Pattern, Ranges, Rule, Sort, SortId, SortKind, Variable, VariableId,
};

use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;

impl Default for Ranges {
    fn default() -> Self {
        Ranges { nat: 255, int: 127 }
    }
}

impl Data {
    /// The sort with a name.
    pub fn sort(&self, name: &str) -> Option<SortId> {
        self.sorts_by_name.get(name).copied()
    }

    /// The operations with a name.
    pub fn named(&self, name: &str) -> &[OperationId] {
        self.operations_by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The operation with a name and sorts of operands and value.
    pub fn find(&self, name: &str, arguments: &[SortId], result: SortId) -> Option<OperationId> {
        // Every sort has operations of some names: looking through all of a name would take work for each sort.
        self.signatures.get(&(name.to_owned(), arguments.to_vec(), result)).copied()
    }

    pub(crate) fn add_sort(&mut self, name: &str, span: Option<Span>, kind: SortKind) -> SortId {
        let id = self.sorts.len();
        self.sorts.push(Sort {
            name: name.to_owned(),
            span,
            constructors: Vec::new(),
            firsts: Vec::new(),
            places: FxHashMap::default(),
            kind,
        });
        self.sorts_by_name.insert(name.to_owned(), id);
        id
    }

    pub(crate) fn add_operation(&mut self, operation: Operation) -> OperationId {
        let id = self.operations.len();
        self.operations_by_name.entry(operation.name.clone()).or_default().push(id);
        let signature = (operation.name.clone(), operation.arguments.clone(), operation.result);
        self.signatures.entry(signature).or_insert(id);
        self.operations.push(operation);
        id
    }

    pub(crate) fn add_variable(&mut self, name: &str, sort: SortId) -> VariableId {
        self.variables.push(Variable { name: name.to_owned(), sort });
        self.variables.len() - 1
    }

    pub(crate) fn add_expression(&mut self, kind: ExpressionKind, sort: SortId, span: Span) -> ExpressionId {
        self.expressions.push(Expression { kind, sort, span });
        self.expressions.len() - 1
    }

    /// The variables of an expression, each once.
    pub fn free_variables(&self, expression: ExpressionId) -> Vec<VariableId> {
        let (mut found, mut todo) = (Vec::new(), vec![expression]);
        while let Some(next) = todo.pop() {
            match &self.expressions[next].kind {
                ExpressionKind::Variable(variable) => found.push(*variable),
                ExpressionKind::Number(_) => {}
                ExpressionKind::Apply(_, operands) => todo.extend(operands),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
