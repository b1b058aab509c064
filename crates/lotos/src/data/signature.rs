//! Sorts, operations and rules.

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
    /// Where the names of operations stand in value expressions, with what they were found to mean.
    pub uses: Vec<(Span, OperationId)>,
    /// Whether the specification asks for a type with numbers.
    pub(super) has_numbers: bool,
    /// Operations that stand for a constructor on left sides of equations.
    pub(super) views: FxHashMap<OperationId, OperationId>,
    pub(super) operations_by_name: FxHashMap<String, Vec<OperationId>>,
    /// The first operation with a name, sorts of operands, and sort of its value.
    pub(super) signatures: FxHashMap<(String, Vec<SortId>, SortId), OperationId>,
    pub(super) sorts_by_name: FxHashMap<String, SortId>,
}

/// An operation of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Builtin {
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Power,
    Successor,
    Predecessor,
    Negate,
    Min,
    Max,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Different,
    /// A number of one sort as one of another.
    Convert,
    /// Whether a value comes before another: by their constructors in the order of their declarations, then by the operands from the first
    /// on. Only the text of the library knows its name.
    Before,
}
