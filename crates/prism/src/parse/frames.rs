//! The stack of the expression parser: what waits for an operand.
//!
//! Two sorts of frames alternate. *Operators* wait for their right operand and are finished when an operator
//! of a weaker level follows. *Enclosures* (parentheses, arguments, the parts of `P=? [ … ]`) wait for a
//! complete expression, and the token after it decides how to continue. The stack is explicit, so that the
//! depth of an input is a matter of memory and of [`NESTING_LIMIT`](crate::parse::NESTING_LIMIT), never of
//! the call stack.

use crate::ast::{
    BinaryOp, Coalition, Counted, ExprId, Function, Name, Optimum, QuantileVariable, Query, RewardName,
    RewardPath, Temporal, TimeBound,
};
use crate::parse::level;
use volvelle_diagnostics::Span;

/// The expressions that are allowed: PRISM's grammar has one set of rules with the same switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    /// Labels, `P`, `R`, `S`, `filter`, … may stand here.
    pub property: bool,
    /// Temporal operators may stand here.
    pub path: bool,
    /// Another expression follows without a separator, as behind the bound of `F<=t (x=1)`.
    pub juxtaposed: bool,
}

impl Mode {
    /// Expressions of models; constants and bounds of properties.
    pub const PLAIN: Mode = Mode { property: false, path: false, juxtaposed: false };
    /// A time bound without brackets.
    pub const TIME_BOUND: Mode = Mode { juxtaposed: true, ..Mode::PLAIN };
    /// A property or a state formula.
    pub const PROPERTY: Mode = Mode { property: true, ..Mode::PLAIN };
    /// Inside `P=? [ … ]`.
    pub const PATH: Mode = Mode { path: true, ..Mode::PROPERTY };
}

/// `!` or `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    Not,
    Neg,
}

/// A temporal operator whose bound or right operand has not been read.
#[derive(Debug)]
pub(super) struct PendingTemporal {
    pub op: Temporal,
    pub lhs: Option<ExprId>,
    /// First token of the whole formula.
    pub start: Span,
    /// The bounds that have been read.
    pub bounds: Vec<TimeBound>,
    /// What the bound limits that is being read.
    pub counted: Counted,
    /// The brace that opens a list of bounds.
    pub list: Option<Span>,
    /// The operator `R` whose `C` the bounds belong to, in place of a temporal operator.
    pub cumulative: Option<Box<Operator>>,
}

impl PendingTemporal {
    pub fn new(op: Temporal, lhs: Option<ExprId>, start: Span) -> Self {
        PendingTemporal {
            op,
            lhs,
            start,
            bounds: Vec::new(),
            counted: Counted::Time,
            list: None,
            cumulative: None,
        }
    }
}

/// The part of a time bound that is being read; the Booleans say whether the end is excluded.
#[derive(Clone, Copy, Debug)]
pub(super) enum BoundPart {
    Upper { strict: bool },
    Lower { strict: bool },
    Equal,
    IntervalLower,
    IntervalUpper { lower: ExprId },
}

/// `P`, `R`, `S` or `T`.
#[derive(Debug)]
pub(super) enum Head {
    Prob,
    Reward(RewardName),
    Steady,
    Time,
}

/// The contents of the brackets.
#[derive(Debug)]
pub(super) enum Body {
    Formula(ExprId),
    Reward(RewardPath),
}

/// `P`, `R`, `S` or `T` as far as it has been read.
#[derive(Debug)]
pub(super) struct Operator {
    pub head: Head,
    pub optimum: Option<Optimum>,
    pub query: Query,
    /// First token.
    pub start: Span,
    /// The opening bracket.
    pub open: Span,
    /// Length of the arena at the first token.
    pub mark: usize,
    /// A construct that is read only to be refused.
    pub refused: Option<&'static str>,
    /// The first reward structure of a ratio.
    pub dividend: Option<RewardName>,
}

/// `HOA: { … }` as far as it has been read.
#[derive(Debug)]
pub(super) struct PendingAutomaton {
    pub file: Name,
    pub propositions: Vec<(Name, ExprId)>,
    /// First token.
    pub start: Span,
    /// The opening brace.
    pub open: Span,
    pub outer: Mode,
}

/// The owner of arguments in parentheses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Callee {
    Function(Function),
    /// Reported already.
    Unknown,
    /// `<<p>> ( … )`; the coalition is the last of the parser.
    Strategy,
}

/// A construct that waits for an operand.
#[derive(Debug)]
pub(super) enum Frame {
    // Operators.
    Binary { op: BinaryOp, lhs: ExprId },
    Prefix { op: Prefix, start: Span },
    Temporal { pending: PendingTemporal, bound: crate::ast::TimeBound },
    IteYes { cond: ExprId },
    IteNo { cond: ExprId, yes: ExprId },
    Conditional { path: ExprId },
    Strategy { coalition: Coalition },
    // Enclosures; `outer` is the mode to return to.
    Paren { open: Span, outer: Mode },
    Arguments { callee: Callee, args: Vec<ExprId>, start: Span, mark: usize, outer: Mode },
    TimeBound { pending: PendingTemporal, part: BoundPart, start: Span, outer: Mode },
    RewardIndex { operator: Operator, outer: Mode },
    Threshold { operator: Operator, relation: BinaryOp, outer: Mode },
    Body { operator: Operator, outer: Mode },
    Cumulative { operator: Operator, outer: Mode },
    Instantaneous { operator: Operator, outer: Mode },
    OldFilter { operator: Operator, body: Body, open: Span, outer: Mode },
    Quantifier { all: bool, start: Span, outer: Mode },
    FilterProperty { op: Name, start: Span, outer: Mode },
    Quantile { variables: Vec<QuantileVariable>, start: Span, outer: Mode },
    Proposition { automaton: PendingAutomaton, name: Name },
    Discount { operator: Operator, upto: Option<ExprId>, outer: Mode },
    FilterStates { op: Name, property: ExprId, start: Span, outer: Mode },
}

impl Frame {
    /// The binding level of a pending operator; `None` for enclosures and for `c ? a`, which waits for its `:`.
    pub(super) fn level(&self) -> Option<u8> {
        Some(match self {
            Frame::Binary { op, .. } => level::binary(*op),
            Frame::Prefix { op: Prefix::Not, .. } => level::NOT,
            Frame::Prefix { op: Prefix::Neg, .. } => level::NEG,
            Frame::Temporal { pending, .. } if pending.lhs.is_some() => level::UNTIL,
            Frame::Temporal { .. } => level::TEMPORAL,
            Frame::IteNo { .. } => level::ITE,
            Frame::Conditional { .. } => level::CONDITIONAL,
            Frame::Strategy { .. } => level::ATOM,
            _ => return None,
        })
    }
}
