//! The syntax tree of a specification: names as written (in upper case), with their places. Nothing is resolved here.
//!
//! Behaviours and value expressions live in arenas; operands have smaller numbers than what they are operands of.

use volvelle_diagnostics::Span;

/// A name where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// In upper case.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// Number of a value expression in [`Tree::values`].
pub type ValueId = usize;
/// Number of a behaviour in [`Tree::behaviours`].
pub type BehaviourId = usize;
/// Number of a process in [`Tree::processes`].
pub type ProcessId = usize;

/// A value expression.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its form.
    pub kind: ValueKind,
    /// Its place.
    pub span: Span,
}

/// The form of a value expression.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// An operation with its operands, or a variable.
    Apply(Name, Vec<ValueId>),
    /// `e of S`
    Of(ValueId, Name),
}

/// `[e]`, or `[e1 = e2]`.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// A truth value, or the left side of an equation.
    pub left: ValueId,
    /// The right side of an equation.
    pub right: Option<ValueId>,
}

/// A variable with its sort.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its sort.
    pub sort: Name,
}

/// What an action offers.
#[derive(Clone, Debug)]
pub enum Offer {
    /// `!e`
    Give(ValueId),
    /// `?x:S`
    Take(Parameter),
}

/// A value of `exit`.
#[derive(Clone, Debug)]
pub enum Exit {
    /// `e`
    Value(ValueId),
    /// `any S`
    Any(Name),
}

/// The gates that a parallel operator synchronises.
#[derive(Clone, Debug)]
pub enum Sync {
    /// `|||`, `|[g, h]|`
    Gates(Vec<Name>),
    /// `||`
    All,
}

/// A behaviour.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// Its form.
    pub kind: BehaviourKind,
    /// Its place.
    pub span: Span,
}

/// The form of a behaviour.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // operands are named by their role
pub enum BehaviourKind {
    Stop,
    Exit(Vec<Exit>),
    /// `g !e ?x:S [p]; B`; `i; B` without a gate.
    Prefix {
        gate: Option<Name>,
        offers: Vec<Offer>,
        predicate: Option<Condition>,
        then: BehaviourId,
    },
    Choice(Vec<BehaviourId>),
    Guard(Condition, BehaviourId),
    Parallel {
        sync: Sync,
        left: BehaviourId,
        right: BehaviourId,
    },
    Enable {
        left: BehaviourId,
        accept: Vec<Parameter>,
        right: BehaviourId,
    },
    Disable {
        left: BehaviourId,
        right: BehaviourId,
    },
    Hide {
        gates: Vec<Name>,
        body: BehaviourId,
    },
    Let {
        bindings: Vec<(Parameter, ValueId)>,
        body: BehaviourId,
    },
    ChoiceValues {
        variables: Vec<Parameter>,
        body: BehaviourId,
    },
    ChoiceGates {
        ranges: Vec<(Name, Vec<Name>)>,
        body: BehaviourId,
    },
    ParGates {
        ranges: Vec<(Name, Vec<Name>)>,
        sync: Sync,
        body: BehaviourId,
    },
    Call {
        process: Name,
        gates: Vec<Name>,
        arguments: Vec<ValueId>,
    },
}

/// How a behaviour may end.
#[derive(Clone, Debug)]
pub enum Functionality {
    /// It does not end successfully.
    Noexit,
    /// It may end with values of these sorts.
    Exit(Vec<Name>),
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name.
    pub name: Name,
    /// Formal gates.
    pub gates: Vec<Name>,
    /// Formal values.
    pub parameters: Vec<Parameter>,
    /// How it may end.
    pub functionality: Functionality,
    /// Its behaviour.
    pub body: BehaviourId,
    /// The processes of its `where`.
    pub inner: Vec<ProcessId>,
    /// The process in whose `where` it is declared; the specification is process 0.
    pub outer: Option<ProcessId>,
    /// All of it.
    pub span: Span,
}

/// An operation of a type.
#[derive(Clone, Debug)]
pub struct OperationDeclaration {
    /// Its name.
    pub name: Name,
    /// Whether it is written between its operands.
    pub infix: bool,
    /// Sorts of its operands.
    pub arguments: Vec<Name>,
    /// Sort of its value.
    pub result: Name,
    /// Words of the directives behind its name.
    pub directive: Vec<String>,
    /// The declaration, with operations that have the same sorts.
    pub span: Span,
}

/// `premises => left = right`
#[derive(Clone, Debug)]
pub struct Equation {
    /// Variables, from the outer and the inner `forall`.
    pub variables: Vec<Parameter>,
    /// The sort of its sides, where it is said.
    pub sort: Option<Name>,
    /// Conditions.
    pub premises: Vec<Condition>,
    /// Left side.
    pub left: ValueId,
    /// Right side.
    pub right: ValueId,
    /// Its place.
    pub span: Span,
}

/// `a for b`
#[derive(Clone, Debug)]
pub struct Renaming {
    /// The new name.
    pub new: Name,
    /// The old name.
    pub old: Name,
}

/// How a type is made of another one.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// Names of sorts.
    pub sorts: Vec<Renaming>,
    /// Names of operations.
    pub operations: Vec<Renaming>,
    /// Whether it is `actualizedby` rather than `renamedby`.
    pub actualises: bool,
}

/// A type.
#[derive(Clone, Debug)]
pub struct TypeDefinition {
    /// Its name.
    pub name: Name,
    /// The types that it is made of; of an instance, the first is the one that is renamed or actualised.
    pub imports: Vec<Name>,
    /// For `renamedby` and `actualizedby`.
    pub instance: Option<Instance>,
    /// `formalsorts`
    pub formal_sorts: Vec<Name>,
    /// `formalopns`
    pub formal_operations: Vec<OperationDeclaration>,
    /// `sorts`
    pub sorts: Vec<Name>,
    /// `opns`
    pub operations: Vec<OperationDeclaration>,
    /// `eqns`
    pub equations: Vec<Equation>,
    /// All of it.
    pub span: Span,
}

/// A specification.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Value expressions.
    pub values: Vec<Value>,
    /// Behaviours.
    pub behaviours: Vec<Behaviour>,
    /// Processes; the first is the specification itself, if there is one.
    pub processes: Vec<Process>,
    /// Types, wherever they are declared.
    pub types: Vec<TypeDefinition>,
    /// Types that could not be read, up to the error in each.
    pub broken_types: Vec<TypeDefinition>,
    /// Names of libraries that are asked for.
    pub libraries: Vec<Name>,
}
