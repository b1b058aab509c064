//! Rule files as written: nothing is resolved here.
//!
//! Expressions lie in one table, so that their depth costs no stack.

use crate::tokens::Kind;
use volvelle_diagnostics::Span;
use volvelle_entity::{EntityVec, entity};

entity!(
    /// An expression or a premise.
    ExprId
);

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A type: `Name<A, B>`, or `(A, B) => C`, whose name is `=>` and whose last argument is the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRef {
    /// Its name.
    pub name: Name,
    /// Arguments.
    pub args: Vec<TypeRef>,
}

/// `Type name`
#[derive(Clone, Debug)]
pub struct Param {
    /// Its type; parameters of closures may have none.
    pub ty: Option<TypeRef>,
    /// Its name.
    pub name: Name,
}

/// What is said about a failure.
#[derive(Clone, Debug, Default)]
pub struct Blame {
    /// The message.
    pub message: Option<ExprId>,
    /// The node to which it belongs.
    pub source: Option<ExprId>,
    /// The field of that node.
    pub feature: Option<ExprId>,
    /// Anything else.
    pub data: Option<ExprId>,
}

impl Blame {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.message.is_none() && self.source.is_none() && self.feature.is_none() && self.data.is_none()
    }
}

/// `cached { entryPoints = NONE condition = expr }`
#[derive(Clone, Debug)]
pub struct Cached {
    /// Where it is written.
    pub span: Span,
    /// When results are kept.
    pub condition: Option<ExprId>,
    /// Whether calls from outside are looked up, too.
    pub entry: bool,
}

/// `data Name(field: Type) extends Above`
#[derive(Clone, Debug)]
pub struct Data {
    /// Its name.
    pub name: Name,
    /// Whether only kinds of it are made.
    pub is_abstract: bool,
    /// Its fields.
    pub fields: Vec<(Name, TypeRef)>,
    /// What it is a kind of.
    pub supertypes: Vec<Name>,
}

/// `val Type name = value`
#[derive(Clone, Debug)]
pub struct Field {
    /// Whether it may be assigned.
    pub is_var: bool,
    /// Its type, where written.
    pub ty: Option<TypeRef>,
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Option<ExprId>,
}

/// `name(Type param) : Type`
#[derive(Clone, Debug)]
pub struct AuxiliaryDecl {
    /// Whether its language has it.
    pub host: bool,
    /// Whether it replaces an inherited one.
    pub overrides: bool,
    /// Its name.
    pub name: Name,
    /// Parameters.
    pub params: Vec<Param>,
    /// Its result; a predicate has none.
    pub result: Option<TypeRef>,
    /// Whether results are kept.
    pub cached: Option<Cached>,
    /// The value where a call is within itself.
    pub cycle: Option<ExprId>,
    /// What is said when it fails.
    pub blame: Blame,
}

/// A place of a judgment.
#[derive(Clone, Debug)]
pub struct Place {
    /// The type.
    pub ty: TypeRef,
    /// The name of an input; outputs have none.
    pub name: Option<Name>,
}

/// `name |- Type input : output Type`
#[derive(Clone, Debug)]
pub struct Judgment {
    /// Whether it replaces an inherited one.
    pub overrides: bool,
    /// Its name.
    pub name: Name,
    /// The symbol behind the environment.
    pub symbol: Kind,
    /// The symbols between places.
    pub relations: Vec<Kind>,
    /// The places.
    pub places: Vec<Place>,
    /// Whether results are kept.
    pub cached: Option<Cached>,
    /// The outcome where a judgment is within itself.
    pub cycle: Option<ExprId>,
    /// What is said when it fails.
    pub blame: Blame,
}

/// `auxiliary name(Type param) { … }`
#[derive(Clone, Debug)]
pub struct AuxiliaryBody {
    /// Whether it replaces an inherited one.
    pub overrides: bool,
    /// Its name.
    pub name: Name,
    /// Parameters.
    pub params: Vec<Param>,
    /// What it does.
    pub body: ExprId,
}

/// A place of a conclusion.
#[derive(Clone, Debug)]
pub enum Element {
    /// `Type name`: an input, or an output that premises assign.
    Param(TypeRef, Name),
    /// The value of an output.
    Value(ExprId),
}

/// A rule or an axiom.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Whether it replaces an inherited one.
    pub overrides: bool,
    /// Its name.
    pub name: Name,
    /// The name of the environment.
    pub env: Name,
    /// The symbol behind it.
    pub symbol: Kind,
    /// The symbols between places.
    pub relations: Vec<Kind>,
    /// The places.
    pub elements: Vec<Element>,
    /// What is said when it fails.
    pub blame: Blame,
    /// Premises; axioms have none.
    pub body: Option<ExprId>,
    /// All of it.
    pub span: Span,
}

/// `checkrule Name for Type param from { … }`
#[derive(Clone, Debug)]
pub struct CheckRule {
    /// Whether it replaces an inherited one.
    pub overrides: bool,
    /// Its name.
    pub name: Name,
    /// The node that is checked.
    pub param: Param,
    /// Premises.
    pub body: ExprId,
}

/// `switch` cases.
#[derive(Clone, Debug)]
pub struct Case {
    /// The type of values that it is for.
    pub guard: Option<TypeRef>,
    /// The value that it is for.
    pub value: Option<ExprId>,
    /// What it gives.
    pub body: ExprId,
}

/// An environment: mappings, each over those before it.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// An environment, or a key.
    pub key: ExprId,
    /// The value of a key.
    pub value: Option<ExprId>,
}

/// A use of a judgment.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Its environment.
    pub env: Vec<Mapping>,
    /// The symbol.
    pub symbol: Kind,
    /// Where that stands.
    pub at: Span,
    /// The symbols between arguments.
    pub relations: Vec<Kind>,
    /// Arguments.
    pub args: Vec<ExprId>,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Binary {
    Assign,
    Add,
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Pair,
    Elvis,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

/// What an expression is.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ExprKind {
    Null,
    Truth(bool),
    Number(i64),
    Text(String),
    Name(String),
    Empty,
    Env(Vec<Mapping>),
    List(Vec<ExprId>),
    Closure {
        params: Vec<Param>,
        implicit: bool,
        body: ExprId,
    },
    Block(Vec<ExprId>),
    If {
        condition: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
    },
    Switch {
        on: ExprId,
        binder: Option<Name>,
        cases: Vec<Case>,
        default: Option<ExprId>,
    },
    While {
        condition: ExprId,
        body: ExprId,
    },
    For {
        variable: Param,
        over: ExprId,
        body: ExprId,
    },
    Member {
        on: ExprId,
        name: Name,
        args: Option<Vec<ExprId>>,
        safe: bool,
    },
    Call {
        name: Name,
        args: Vec<ExprId>,
    },
    /// `env(G, key, Type)`
    Lookup {
        env: ExprId,
        key: ExprId,
        ty: TypeRef,
    },
    New {
        ty: TypeRef,
        args: Vec<ExprId>,
    },
    Binary(Binary, ExprId, ExprId),
    Not(ExprId),
    Negate(ExprId),
    InstanceOf(ExprId, TypeRef),
    As(ExprId, TypeRef),
    Declare {
        is_var: bool,
        ty: Option<TypeRef>,
        name: Name,
        value: Option<ExprId>,
    },
    Ask(Box<Ask>),
    Or(Vec<ExprId>),
    Fail(Blame),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
    /// How many are within one another.
    pub depth: u32,
}

/// The language of programs.
#[derive(Clone, Debug)]
pub struct Language {
    /// The file of a grammar, or the name of a language.
    pub name: Name,
    /// Whether it is a file.
    pub is_file: bool,
}

/// A rule file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its name.
    pub system: Option<Name>,
    /// The file of the system that it extends, and whether that is only for checks.
    pub extends: Option<(Name, bool)>,
    /// The language of programs.
    pub language: Option<Language>,
    /// Files of further declarations.
    pub imports: Vec<Name>,
    /// Types.
    pub data: Vec<Data>,
    /// Fields.
    pub fields: Vec<Field>,
    /// Functions, declared.
    pub auxiliaries: Vec<AuxiliaryDecl>,
    /// Judgments.
    pub judgments: Vec<Judgment>,
    /// Functions.
    pub bodies: Vec<AuxiliaryBody>,
    /// Rules.
    pub rules: Vec<Rule>,
    /// Rules for checks.
    pub checks: Vec<CheckRule>,
    /// Expressions.
    pub exprs: EntityVec<ExprId, Expr>,
}
