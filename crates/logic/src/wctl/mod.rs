//! Formulas of weighted CTL (WCTL): computation tree logic whose temporal operators bound the accumulated weight.
//!
//! `E(f U[l,u] g)`: some infinite path has a state with `g` at an accumulated weight in the interval, and `f` in all states before it.
//! `A(f U[l,u] g)`: every infinite path has. `EX[l,u] f`: some step with a weight in the interval leads to `f`; `AX[l,u] f`: every step
//! with a weight in the interval does, so that `AX` is `not EX not`. Intervals may be open at either end. Bounds are numbers as written,
//! not multiples of the unit of a structure.
//!
//! Source: L. Foshammer, K. G. Larsen, R. Mardare, B. Xue, *Weighted Branching Preorders and Distances*; the derived operators are those
//! of CTL: `EF f` is `E(true U f)`, `AG f` is `not EF not f`, `E(f W g)` is `not A(not g U (not f and not g))`.

mod text;

pub use text::{is_reserved, quoted_name};

use crate::cost::Limit;
use dashu_ratio::RBig;
use std::fmt;
use volvelle_entity::entity;

entity!(
    /// Index of a node of a [`WctlFormula`].
    WctlId
);

entity!(
    /// Index of an atom of a [`WctlFormula`].
    AtomId
);

/// Over which paths, or steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// Some: `E`.
    Exists,
    /// All: `A`.
    All,
}

impl Quantifier {
    /// The other one.
    pub fn dual(self) -> Self {
        match self {
            Quantifier::Exists => Quantifier::All,
            Quantifier::All => Quantifier::Exists,
        }
    }
}

/// An interval of weights.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightInterval {
    /// The lower end; not negative.
    pub lower: Limit,
    /// The upper end; `None`: any weight.
    pub upper: Option<Limit>,
}

impl WeightInterval {
    /// All weights: `[0, infinity)`.
    pub fn any() -> Self {
        WeightInterval { lower: Limit { amount: RBig::ZERO, strict: false }, upper: None }
    }

    /// Whether all weights are in it.
    pub fn is_any(&self) -> bool {
        self.upper.is_none() && self.starts_at_zero()
    }

    /// Whether nothing but the upper end, if there is one, limits weights.
    pub fn starts_at_zero(&self) -> bool {
        self.lower.amount == RBig::ZERO && !self.lower.strict
    }

    /// Whether it contains a weight.
    pub fn contains(&self, weight: &RBig) -> bool {
        let above = match self.lower.strict {
            true => *weight > self.lower.amount,
            false => *weight >= self.lower.amount,
        };
        above
            && self.upper.as_ref().is_none_or(|upper| match upper.strict {
                true => *weight < upper.amount,
                false => *weight <= upper.amount,
            })
    }
}

/// As it is written in formulas: nothing for all weights, `[<=5]`, `[>2]`, `[2,5)`.
impl fmt::Display for WeightInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let starts_at_zero = self.starts_at_zero();
        match &self.upper {
            None if starts_at_zero => Ok(()),
            None => write!(f, "[{}{}]", if self.lower.strict { ">" } else { ">=" }, self.lower.amount),
            Some(upper) if starts_at_zero => {
                write!(f, "[{}{}]", if upper.strict { "<" } else { "<=" }, upper.amount)
            }
            Some(upper) => {
                let (open, close) =
                    (if self.lower.strict { '(' } else { '[' }, if upper.strict { ')' } else { ']' });
                write!(f, "{open}{},{}{close}", self.lower.amount, upper.amount)
            }
        }
    }
}

/// A node of a formula. Operands are nodes before it.
#[derive(Clone, Debug, PartialEq)]
pub enum Wctl {
    /// `true`, `false`
    Constant(bool),
    /// A condition on a state.
    Atom(AtomId),
    /// `not f`
    Not(WctlId),
    /// `f and g`
    And(WctlId, WctlId),
    /// `f or g`
    Or(WctlId, WctlId),
    /// `EX[l,u] f`, `AX[l,u] f`
    Next(Quantifier, WeightInterval, WctlId),
    /// `E(f U[l,u] g)`, `A(f U[l,u] g)`
    Until(Quantifier, WctlId, WeightInterval, WctlId),
}

/// A comparison of amounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Relational {
    Lt,
    Le,
    Eq,
    Ne,
    Ge,
    Gt,
}

impl Relational {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Relational::Lt => "<",
            Relational::Le => "<=",
            Relational::Eq => "==",
            Relational::Ne => "!=",
            Relational::Ge => ">=",
            Relational::Gt => ">",
        }
    }

    /// Whether it holds between two amounts.
    pub fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Relational::Lt => left < right,
            Relational::Le => left <= right,
            Relational::Eq => left == right,
            Relational::Ne => left != right,
            Relational::Ge => left >= right,
            Relational::Gt => left > right,
        }
    }
}

/// A part of an amount in postfix order: operands come before their operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AmountPart {
    /// The amount behind a name: the multiplicity of a proposition, or the value of a variable. An index into [`WctlFormula::names`].
    Name(u32),
    /// An integer.
    Number(i64),
    /// The sum of two amounts.
    Add,
    /// The difference of two amounts.
    Subtract,
    /// The product of two amounts.
    Multiply,
    /// An amount with the other sign.
    Negate,
}

/// A condition on a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// A proposition holds: its multiplicity, or the value behind its name, is not 0. An index into [`WctlFormula::names`].
    Holds(u32),
    /// Two amounts compare.
    Compares(Vec<AmountPart>, Relational, Vec<AmountPart>),
}

impl Atom {
    /// Whether it holds, where `value` gives the amount behind a name; `None` where 128 bits are not enough for an amount.
    pub fn evaluate(&self, mut value: impl FnMut(u32) -> i64) -> Option<bool> {
        match self {
            Atom::Holds(name) => Some(value(*name) != 0),
            Atom::Compares(left, relational, right) => {
                Some(relational.holds(amount(left, &mut value)?, amount(right, &mut value)?))
            }
        }
    }
}

fn amount(parts: &[AmountPart], value: &mut impl FnMut(u32) -> i64) -> Option<i128> {
    let mut stack: Vec<i128> = Vec::new();
    for part in parts {
        let result = match part {
            AmountPart::Name(name) => i128::from(value(*name)),
            AmountPart::Number(number) => i128::from(*number),
            AmountPart::Negate => stack.pop()?.checked_neg()?,
            AmountPart::Add | AmountPart::Subtract | AmountPart::Multiply => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                match part {
                    AmountPart::Add => left.checked_add(right)?,
                    AmountPart::Subtract => left.checked_sub(right)?,
                    _ => left.checked_mul(right)?,
                }
            }
        };
        stack.push(result);
    }
    stack.pop()
}

/// A formula: nodes in an order in which operands come before their operators.
#[derive(Clone, Debug, PartialEq)]
pub struct WctlFormula {
    /// The nodes.
    pub nodes: Vec<Wctl>,
    /// The node that is the whole formula.
    pub root: WctlId,
    /// The conditions on states.
    pub atoms: Vec<Atom>,
    /// The names that conditions use, without quotation marks.
    pub names: Vec<String>,
}

impl WctlFormula {
    /// A node.
    pub fn node(&self, id: WctlId) -> &Wctl {
        &self.nodes[id.index()]
    }
}

/// The operands of a node.
pub fn operands(node: &Wctl) -> impl Iterator<Item = WctlId> + use<> {
    let (first, second) = match *node {
        Wctl::Constant(_) | Wctl::Atom(_) => (None, None),
        Wctl::Not(inner) | Wctl::Next(_, _, inner) => (Some(inner), None),
        Wctl::And(left, right) | Wctl::Or(left, right) | Wctl::Until(_, left, _, right) => {
            (Some(left), Some(right))
        }
    };
    first.into_iter().chain(second)
}

impl fmt::Display for Quantifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantifier::Exists => "E",
            Quantifier::All => "A",
        })
    }
}
