//! Syntax trees of Promela models.
//!
//! Macros and inlines are expanded before a tree is made; a [`Place`] leads to the text in a file and to the calls through
//! which it came. Expressions live in one arena ([`Exprs`]); children have smaller ids than parents. Names
//! are kept as written; nothing is resolved here. Statements nest by ownership: the parser limits how deep.

use crate::definitions::Definitions;
use rustc_hash::FxHashSet;
use volvelle_kernel::{EntityVec, entity};

pub use crate::place::{Place, PlaceInfo, Places};

/// A name where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

entity!(
    /// An expression of an arena ([`Exprs`]).
    ExprId
);

/// Operators on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `[]`, `always`
    Always,
    /// `<>`, `eventually`
    Eventually,
    /// `X`, `next`
    Next,
}

/// Operators on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    /// `&&`, and `/\` in formulas
    And,
    /// `||`, and `\/` in formulas
    Or,
    /// `->`, `implies`: in formulas only
    Implies,
    /// `<->`, `equivalent`: in formulas only
    Equivalent,
    /// `U`, `until`, `stronguntil`
    Until,
    /// `W`, `weakuntil`
    WeakUntil,
    /// `V`, `release`
    Release,
}

/// Predicates on a channel, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum ChannelQuery {
    Len,
    Empty,
    NonEmpty,
    Full,
    NonFull,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // operands are named by their role
pub enum ExprKind {
    /// A number, `true`, `false`, `skip` (1), or a character.
    Number(i64),
    /// A variable, a constant of an `mtype`, or a predefined name (`_pid`, `_last`, `_nr_pr`, `_`, `np_`).
    Name(Name),
    /// `base[index]`
    Index {
        base: ExprId,
        index: ExprId,
    },
    /// `base.field`
    Field {
        base: ExprId,
        field: Name,
    },
    Unary {
        op: UnaryOp,
        arg: ExprId,
    },
    Binary {
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
    },
    /// `(cond -> yes : no)`
    Conditional {
        cond: ExprId,
        yes: ExprId,
        no: ExprId,
    },
    /// `run name(args) priority p`
    Run {
        name: Name,
        args: Vec<ExprId>,
        priority: Option<ExprId>,
    },
    /// `len(q)`, `empty(q)`, `nempty(q)`, `full(q)`, `nfull(q)`
    Query {
        query: ChannelQuery,
        channel: ExprId,
    },
    /// `q?[args]`, `q??[args]`: whether the receive could happen
    Poll {
        channel: ExprId,
        random: bool,
        args: Vec<ExprId>,
    },
    /// `eval(e)`, in the arguments of a receive
    Eval(ExprId),
    /// `enabled(pid)`
    Enabled(ExprId),
    /// `pc_value(pid)`
    PcValue(ExprId),
    /// `get_priority(pid)`
    GetPriority(ExprId),
    /// `set_priority(pid, priority)`
    SetPriority(ExprId, ExprId),
    /// `timeout`
    Timeout,
    /// `else`: only as a statement of its own, or as the first of an alternative.
    Else,
    /// `process@label`, `process[pid]@label`
    RemoteLabel {
        process: Name,
        pid: Option<ExprId>,
        label: Name,
    },
    /// `process:variable`, `process[pid]:variable`; `variable` is a name with indices and fields.
    RemoteVariable {
        process: Name,
        pid: Option<ExprId>,
        variable: ExprId,
    },
    /// A text in quotes, as an argument of a call; never in a valid expression.
    Text(String),
    /// An expression that could not be parsed; the error has been reported.
    Error,
}

impl ExprKind {
    /// Visits the expressions directly below.
    pub fn for_each_child(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            ExprKind::Number(_)
            | ExprKind::Name(_)
            | ExprKind::Timeout
            | ExprKind::Else
            | ExprKind::Text(_)
            | ExprKind::Error => {}
            ExprKind::Index { base, index } => [*base, *index].into_iter().for_each(visit),
            ExprKind::Field { base, .. } => visit(*base),
            ExprKind::Unary { arg, .. } => visit(*arg),
            ExprKind::Binary { lhs, rhs, .. } => [*lhs, *rhs].into_iter().for_each(visit),
            ExprKind::Conditional { cond, yes, no } => [*cond, *yes, *no].into_iter().for_each(visit),
            ExprKind::Run { args, priority, .. } => args.iter().copied().chain(*priority).for_each(visit),
            ExprKind::Query { channel, .. } => visit(*channel),
            ExprKind::Poll { channel, args, .. } => {
                args.iter().copied().chain([*channel]).for_each(visit);
            }
            ExprKind::Eval(arg)
            | ExprKind::Enabled(arg)
            | ExprKind::PcValue(arg)
            | ExprKind::GetPriority(arg) => visit(*arg),
            ExprKind::SetPriority(process, priority) => [*process, *priority].into_iter().for_each(visit),
            ExprKind::RemoteLabel { pid, .. } => pid.iter().copied().for_each(visit),
            ExprKind::RemoteVariable { pid, variable, .. } => {
                pid.iter().copied().chain([*variable]).for_each(visit);
            }
        }
    }
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// All of its text.
    pub place: Place,
    /// Operators and brackets above the deepest operand: passes over expressions recurse as deep.
    pub depth: u32,
}

/// The arena.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exprs(pub EntityVec<ExprId, Expr>);

impl Exprs {
    /// Adds an expression.
    pub fn add(&mut self, kind: ExprKind, place: Place) -> ExprId {
        let mut depth = 0;
        kind.for_each_child(|child| depth = depth.max(self.get(child).depth + 1));
        self.0.push(Expr { kind, place, depth })
    }

    /// An expression.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.0[id]
    }
}

/// Type of a declared variable.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the names say it
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// `unsigned x : bits`; the width belongs to the declarator.
    Unsigned,
    /// `mtype`, or `mtype:set`
    Mtype(Option<Name>),
    Chan,
    /// A `typedef`
    User(Name),
}

/// The keywords of a declaration that determine how a variable is shown and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Visibility {
    /// `hidden`: no part of the state.
    pub hidden: bool,
    /// `show`: traced.
    pub show: bool,
    /// `local`: only one process uses it (a promise, to be checked).
    pub local: bool,
}

/// `[capacity] of { types }`
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelInit {
    /// Messages it holds; 0 is a rendezvous.
    pub capacity: ExprId,
    /// Types of the fields of a message.
    pub fields: Vec<TypeName>,
    /// All of it.
    pub place: Place,
}

/// The initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the names say it
pub enum Initial {
    Value(ExprId),
    /// `{ a, b, c }`, for arrays
    List(Vec<ExprId>),
    Channel(ChannelInit),
}

/// One variable of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// `[length]`
    pub length: Option<ExprId>,
    /// `: bits` of an `unsigned`
    pub bits: Option<ExprId>,
    /// `= value`
    pub initial: Option<Initial>,
}

/// `type a, b = 1, c[3]`
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Shown, hidden, local.
    pub visibility: Visibility,
    /// The type.
    pub ty: TypeName,
    /// At least one.
    pub variables: Vec<Variable>,
    /// All of it.
    pub place: Place,
}

/// Statements in order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Sequence {
    /// In order.
    pub statements: Vec<Statement>,
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// `label:` before it; several labels may stand before one statement.
    pub labels: Vec<Name>,
    /// Its kind.
    pub kind: StatementKind,
    /// All of it, without labels.
    pub place: Place,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // operands are named by their role
pub enum StatementKind {
    Declaration(Declaration),
    /// `xr a, b` or `xs a, b`
    Exclusive {
        receive: bool,
        channels: Vec<ExprId>,
    },
    /// An expression as a guard; `skip`, `else`, `timeout`, `run …`, `set_priority(…)` too.
    Expression(ExprId),
    Assign {
        target: ExprId,
        value: ExprId,
    },
    /// `x++`
    Increment(ExprId),
    /// `x--`
    Decrement(ExprId),
    /// `q!args`, `q!!args`
    Send {
        channel: ExprId,
        sorted: bool,
        args: Vec<ExprId>,
    },
    /// `q?args`, `q??args`, `q?<args>`, `q??<args>`
    Receive {
        channel: ExprId,
        random: bool,
        keep: bool,
        args: Vec<ExprId>,
    },
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    /// `for (variable : from .. to) { body }`
    For {
        variable: ExprId,
        from: ExprId,
        to: ExprId,
        body: Sequence,
    },
    /// `for (variable in collection) { body }`: an array or a channel
    ForIn {
        variable: ExprId,
        collection: ExprId,
        body: Sequence,
    },
    /// `select (variable : from .. to)`
    Select {
        variable: ExprId,
        from: ExprId,
        to: ExprId,
    },
    Atomic(Sequence),
    DStep(Sequence),
    Block(Sequence),
    /// `{ main } unless { escape }`
    Unless {
        main: Sequence,
        escape: Sequence,
    },
    Break,
    Goto(Name),
    /// `printf("format", args)`; the format without quotes, escapes as written.
    Printf {
        format: String,
        args: Vec<ExprId>,
    },
    Printm(ExprId),
    Assert(ExprId),
    /// A statement that could not be parsed; the error has been reported.
    Error,
}

/// A process type, or `init`.
#[derive(Clone, Debug, PartialEq)]
pub struct Proctype {
    /// Name; `init` for the initial process.
    pub name: Name,
    /// `init { … }`
    pub is_init: bool,
    /// `active`, `active [count]`: `Some(None)` is one.
    pub active: Option<Option<ExprId>>,
    /// `D_proctype`: at most one statement may be executable at a time (a promise).
    pub deterministic: bool,
    /// Parameters.
    pub parameters: Vec<Declaration>,
    /// `priority n`
    pub priority: Option<ExprId>,
    /// `provided (condition)`
    pub provided: Option<ExprId>,
    /// Its statements.
    pub body: Sequence,
    /// All of it.
    pub place: Place,
}

/// A part of a model.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the names say it
pub enum Unit {
    Declaration(Declaration),
    /// `mtype:set = { names }`, in the order in which they stand
    Mtype {
        set: Option<Name>,
        names: Vec<Name>,
        place: Place,
    },
    Typedef {
        name: Name,
        fields: Vec<Declaration>,
        place: Place,
    },
    Proctype(Proctype),
    /// `never name { … }`
    Never {
        name: Option<Name>,
        body: Sequence,
        place: Place,
    },
    /// `trace { … }` or `notrace { … }`
    Trace {
        negated: bool,
        name: Option<Name>,
        body: Sequence,
        place: Place,
    },
    /// `ltl name { formula }`
    Ltl {
        name: Option<Name>,
        formula: ExprId,
        place: Place,
    },
}

/// A model.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Model {
    /// In the order of the text.
    pub units: Vec<Unit>,
    /// All expressions.
    pub exprs: Exprs,
    /// Where everything stands.
    pub places: Places,
    /// Macros and inlines, for formulas that are parsed after the model.
    pub definitions: Definitions,
    /// The calls of inlines, among those through which places came.
    pub inline_calls: FxHashSet<Place>,
}

impl Model {
    /// The call of an inline that brought a place, the innermost one.
    pub fn inline_call(&self, place: Place) -> Option<Place> {
        self.places.calls(place).find(|call| self.inline_calls.contains(call))
    }
}
