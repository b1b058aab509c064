//! The syntax tree of a program, with the places of everything in its text.
//!
//! Trees are at most [`DEEPEST`] deep: the parser reports what is nested deeper, so that what walks over them may call itself.

use crate::system::{Binary, Unary};
use volvelle_diagnostics::Span;

/// How deep statements and expressions are nested at most.
pub const DEEPEST: u32 = 160;

/// A program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Declarations, as they stand in the text.
    pub items: Vec<Item>,
}

impl Tree {
    /// Names and default values of the constants, as written.
    pub fn constants(&self) -> Vec<(&str, &str)> {
        self.items
            .iter()
            .filter_map(|item| match item {
                Item::Constant(constant) => Some((constant.name.text.as_str(), constant.text.as_str())),
                _ => None,
            })
            .collect()
    }
}

/// A name in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `const packets = 1;`
    Constant(Constant),
    /// `type packet = 0 .. 2;`
    Type(Name, Type),
    /// `shared x : 0..1;`
    Shared(Box<Shared>),
    /// `private w[k: 0..1] : 0..1;`
    Private(Private),
    /// `channel mail : packet;`
    Channel(Channel),
    /// `procedure send(i, j) { }`
    Procedure(Procedure),
    /// `process P0 { }`
    Process(Process),
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Expr,
    /// The text of the value.
    pub text: String,
}

/// `lo .. hi`
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Least value.
    pub lo: Expr,
    /// Greatest value.
    pub hi: Expr,
    /// The text.
    pub span: Span,
}

/// `[i : lo .. hi]`
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// The index, for the expressions of the declaration.
    pub name: Name,
    /// Its values.
    pub range: Range,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// The type.
    pub kind: TypeKind,
    /// The text.
    pub span: Span,
}

/// Kinds of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `lo .. hi`
    Range(Box<Range>),
    /// Values without meaning.
    Data,
    /// `0 .. 1`
    Bool,
    /// `0 .. n - 1`, and `fetch_add` goes on with 0.
    Modulo(Expr),
    /// A declared type.
    Name(String),
}

/// Shared variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Their name.
    pub name: Name,
    /// Indices.
    pub dimensions: Vec<Dimension>,
    /// Variables or structures.
    pub content: Content,
    /// Where they are.
    pub home: Option<Home>,
    /// Their class.
    pub class: Option<Name>,
    /// The line that they share with others.
    pub line: Option<Name>,
}

/// What a shared declaration declares.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A variable for each index.
    Variable(Option<Box<Type>>, Option<Box<Expr>>),
    /// A structure for each index: its lines.
    Structure(Vec<Group>),
}

/// The home of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Home {
    /// The number of a process.
    Process(Expr),
    /// A place of the topology.
    Place(String),
}

/// The fields on one line of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name of the line.
    pub name: Option<Name>,
    /// Fields.
    pub fields: Vec<Field>,
    /// The word `line`.
    pub span: Span,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Indices.
    pub dimensions: Vec<Dimension>,
    /// Its type.
    pub kind: Option<Type>,
    /// Its initial value.
    pub initial: Option<Expr>,
    /// Its class.
    pub class: Option<Name>,
}

/// Variables of each process.
#[derive(Clone, Debug, PartialEq)]
pub struct Private {
    /// Their name.
    pub name: Name,
    /// Indices.
    pub dimensions: Vec<Dimension>,
    /// Their type.
    pub kind: Option<Type>,
    /// Their initial value.
    pub initial: Option<Expr>,
}

/// Ghost channels.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Their name.
    pub name: Name,
    /// Indices.
    pub dimensions: Vec<Dimension>,
    /// What messages contain.
    pub kind: Option<Type>,
    /// How many messages may be under way.
    pub capacity: Option<Expr>,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Its body.
    pub body: Block,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Whether it stands for a shared variable, not for a value.
    pub shared: bool,
}

/// A process, or a family of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its name.
    pub name: Name,
    /// The index of a family.
    pub family: Option<Dimension>,
    /// Its body.
    pub body: Block,
}

/// `{ ... }`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Statements.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The statement.
    pub kind: StatementKind,
    /// Its text; of a statement with a body, up to the body.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `local k : 0..1 = 0, n;`
    Local(Vec<Local>),
    /// `place = value;`
    Assign(Place, Expr),
    /// `read place;`
    Read(Place),
    /// `write place;`
    Write(Place),
    /// `if (condition) statement else statement`
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// `while (condition) statement`
    While(Expr, Box<Statement>),
    /// `repeat block until (condition);`
    Repeat(Block, Expr),
    /// `loop statement`
    Loop(Box<Statement>),
    /// `for (name : range) statement`
    For(Name, Range, Box<Statement>),
    /// `either block or block`
    Either(Vec<Block>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<Expr>),
    /// `measure NAME;`
    Measure(Name),
    /// `work value;`
    Work(Work),
    /// `enter place;`
    Enter(Place),
    /// `leave place;`
    Leave(Place),
    /// `sent channel, value;`
    Sent(Place, Option<Expr>),
    /// `received channel, value;`
    Received(Place, Option<Expr>),
    /// `assert (condition);`
    Assert(Expr),
    /// A call, or an atomic operation whose result nobody wants.
    Evaluate(Expr),
    /// `{ ... }`
    Block(Block),
    /// `;`
    Empty,
}

impl StatementKind {
    /// The statements in it, one level deep.
    pub fn for_each_inner<'t>(&'t self, mut visit: impl FnMut(&'t Statement)) {
        match self {
            StatementKind::If(_, yes, no) => {
                visit(yes);
                no.iter().for_each(|no| visit(no));
            }
            StatementKind::While(_, body) | StatementKind::Loop(body) | StatementKind::For(_, _, body) => {
                visit(body)
            }
            StatementKind::Repeat(block, _) | StatementKind::Block(block) => {
                block.statements.iter().for_each(visit)
            }
            StatementKind::Either(ways) => ways.iter().flat_map(|way| &way.statements).for_each(visit),
            _ => {}
        }
    }

    /// The expressions in it, but for those of inner statements and of declarations of locals.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            StatementKind::Local(locals) => {
                locals.iter().filter_map(|local| local.initial.as_ref()).collect()
            }
            StatementKind::Assign(place, value) => place.all_indices().chain([value]).collect(),
            StatementKind::Read(place)
            | StatementKind::Write(place)
            | StatementKind::Enter(place)
            | StatementKind::Leave(place) => place.all_indices().collect(),
            StatementKind::Sent(place, value) | StatementKind::Received(place, value) => {
                place.all_indices().chain(value).collect()
            }
            StatementKind::If(value, ..)
            | StatementKind::While(value, _)
            | StatementKind::Repeat(_, value)
            | StatementKind::Return(Some(value))
            | StatementKind::Work(Work::Value(value, _))
            | StatementKind::Assert(value)
            | StatementKind::Evaluate(value) => vec![value],
            StatementKind::For(_, range, _) => vec![&range.lo, &range.hi],
            _ => Vec::new(),
        }
    }
}

/// A local variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub kind: Option<Type>,
    /// Its initial value.
    pub initial: Option<Expr>,
}

/// How long `work` takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// A decimal number, as written.
    Decimal(String),
    /// A constant, with its text.
    Value(Expr, String),
}

/// What can be read and written: `packet[p].slot[2]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The name.
    pub name: Name,
    /// Indices.
    pub indices: Vec<Expr>,
    /// The field and its indices.
    pub field: Option<(Name, Vec<Expr>)>,
    /// The text.
    pub span: Span,
}

impl Place {
    /// The indices of the name and of the field.
    pub fn all_indices(&self) -> impl Iterator<Item = &Expr> {
        self.indices.iter().chain(self.field.iter().flat_map(|(_, indices)| indices))
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The expression.
    pub kind: ExprKind,
    /// Its text.
    pub span: Span,
    /// Levels of nested expressions, from 1.
    pub depth: u32,
}

/// Kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number or truth value.
    Number(i64),
    /// A name, or a variable that is read.
    Place(Place),
    /// `-a`, `!a`
    Unary(Unary, Box<Expr>),
    /// `a + b`
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f(a, b)`
    Call(Name, Vec<Expr>),
    /// `tas(place)`
    Operation(Atomic, Place, Vec<Expr>),
}

/// Atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// `tas(place)`
    TestAndSet,
    /// `swap(place, value)`
    Swap,
    /// `cas(place, old, new)`
    CompareAndSwap,
    /// `fetch_add(place, value)`
    FetchAdd,
}

impl Atomic {
    /// The operation with a name.
    pub fn named(name: &str) -> Option<Atomic> {
        Some(match name {
            "tas" => Atomic::TestAndSet,
            "swap" => Atomic::Swap,
            "cas" => Atomic::CompareAndSwap,
            "fetch_add" => Atomic::FetchAdd,
            _ => return None,
        })
    }

    /// How it is written, and how many values it has.
    pub fn form(self) -> (&'static str, usize) {
        match self {
            Atomic::TestAndSet => ("tas(variable)", 0),
            Atomic::Swap => ("swap(variable, value)", 1),
            Atomic::CompareAndSwap => ("cas(variable, old, new)", 2),
            Atomic::FetchAdd => ("fetch_add(variable, value)", 1),
        }
    }
}

impl Expr {
    /// An expression around others.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        let expr = Expr { kind, span, depth: 0 };
        let depth = 1 + expr.parts().into_iter().map(|part| part.depth).max().unwrap_or(0);
        Expr { depth, ..expr }
    }

    /// The expressions in it, one level deep, from left to right.
    pub fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Number(_) => Vec::new(),
            ExprKind::Place(place) => place.all_indices().collect(),
            ExprKind::Unary(_, a) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Conditional(a, b, c) => vec![a, b, c],
            ExprKind::Call(_, arguments) => arguments.iter().collect(),
            ExprKind::Operation(_, place, values) => place.all_indices().chain(values).collect(),
        }
    }

    /// Whether it calls a procedure.
    pub fn calls(&self) -> bool {
        matches!(self.kind, ExprKind::Call(..)) || self.parts().into_iter().any(Expr::calls)
    }
}
