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
pub(crate) mod sorts;
pub mod terms;
pub(crate) mod typing;

use builtin::Builtin;
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;

/// Number of a sort.
pub type SortId = usize;
/// Number of an operation.
pub type OperationId = usize;
/// Number of a variable: one for each place where one is bound.
pub type VariableId = usize;
/// Number of a typed value expression.
pub type ExpressionId = usize;

/// The truth values.
pub const BOOL: SortId = 0;
/// The natural numbers of the range.
pub const NAT: SortId = 1;
/// The integers of the range.
pub const INT: SortId = 2;

/// A sort.
#[derive(Clone, Debug)]
pub struct Sort {
    /// Its name, in upper case.
    pub name: String,
    /// Where it was declared; `None` for those of the language.
    pub span: Option<Span>,
    /// Its constructors, in the order of their declarations.
    pub constructors: Vec<OperationId>,
    /// Of a finite sort: how many values the constructors before each of them make.
    pub(crate) firsts: Vec<i64>,
    /// The place of each constructor in these lists, where `firsts` are known.
    pub(crate) places: FxHashMap<OperationId, usize>,
    /// The form of its values.
    pub kind: SortKind,
}

/// The form of the values of a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKind {
    /// Truth values.
    Bool,
    /// Numbers of a range.
    Number {
        /// Smallest.
        lo: i64,
        /// Largest.
        hi: i64,
    },
    /// Numbers written with a zero and a successor.
    Numeral {
        /// 0
        zero: OperationId,
        /// + 1
        successor: OperationId,
        /// Largest.
        hi: i64,
    },
    /// Finitely many terms, which are numbered from 0.
    Finite {
        /// How many.
        count: i64,
    },
    /// Terms without a bound.
    Recursive,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name, in upper case.
    pub name: String,
    /// The name by which labels show it, where that is another.
    pub shown: Option<String>,
    /// Whether it is written between its operands.
    pub infix: bool,
    /// Sorts of operands.
    pub arguments: Vec<SortId>,
    /// Sort of the value.
    pub result: SortId,
    /// What it does.
    pub meaning: Meaning,
    /// Where it was declared.
    pub span: Option<Span>,
}

/// What an operation does.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// It makes a value.
    Constructor,
    /// It is part of the language.
    Builtin(Builtin),
    /// Rules, tried in this order.
    Defined(Vec<Rule>),
}

/// `conditions => f(patterns) = right`
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its variables are `first..first + count`.
    pub first: VariableId,
    /// How many variables it has.
    pub count: usize,
    /// The operands to which it applies.
    pub patterns: Vec<Pattern>,
    /// Truth values that must hold.
    pub conditions: Vec<ExpressionId>,
    /// The value.
    pub right: ExpressionId,
    /// The equation.
    pub span: Span,
}

/// What an operand has to be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Anything; the same at every place.
    Variable(VariableId),
    /// A number.
    Number(i64),
    /// A value made by a constructor.
    Apply(OperationId, Vec<Pattern>),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, in upper case.
    pub name: String,
    /// Its sort.
    pub sort: SortId,
}

/// A value expression whose names are resolved.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its form.
    pub kind: ExpressionKind,
    /// Its sort.
    pub sort: SortId,
    /// Its place.
    pub span: Span,
}

/// The form of a value expression.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A variable.
    Variable(VariableId),
    /// A number.
    Number(i64),
    /// An operation on operands.
    Apply(OperationId, Vec<ExpressionId>),
}

/// Ranges of the numbers of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// The largest natural number; the smallest is 0.
    pub nat: i64,
    /// Integers lie in `-int - 1..=int`.
    pub int: i64,
}

impl Default for Ranges {
    fn default() -> Self {
        Ranges { nat: 255, int: 127 }
    }
}

/// All sorts, operations, variables and value expressions of a specification.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// Sorts.
    pub sorts: Vec<Sort>,
    /// Operations.
    pub operations: Vec<Operation>,
    /// Variables.
    pub variables: Vec<Variable>,
    /// Value expressions; operands have smaller numbers.
    pub expressions: Vec<Expression>,
    /// Whether the specification asks for a type with numbers.
    has_numbers: bool,
    /// Operations that stand for a constructor on left sides of equations.
    views: FxHashMap<OperationId, OperationId>,
    operations_by_name: FxHashMap<String, Vec<OperationId>>,
    /// The first operation with a name, sorts of operands, and sort of its value.
    signatures: FxHashMap<(String, Vec<SortId>, SortId), OperationId>,
    sorts_by_name: FxHashMap<String, SortId>,
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
