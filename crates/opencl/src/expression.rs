//! Whole-number expressions over parameters, ids of work-items and counters of loops.
//!
//! Bounds of loops, conditions, sizes of launches and constraints are such expressions. Arithmetic is that of C on 64 bits
//! (division truncates), but faults where C would overflow. Constructors fold constants.

mod parse;
mod print;
mod range;

pub use parse::{Mistake, parse};
pub(crate) use parse::{floored, number, parse_c};
pub use print::Printer;
pub(crate) use range::Ranges;

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Limit of the depth of expressions: functions may recurse over any expression.
pub const DEPTH_LIMIT: u16 = 120;

/// Names of parameters and sizes: expressions refer to them by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<String>);

/// Number of a name in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

impl Names {
    /// The number of `name`, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> NameId {
        let at = self.0.iter().position(|known| known == name).unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        });
        NameId(at as u32)
    }

    /// The number of `name`, if it is known.
    pub fn find(&self, name: &str) -> Option<NameId> {
        self.0.iter().position(|known| known == name).map(|at| NameId(at as u32))
    }

    /// The text of a name.
    pub fn text(&self, id: NameId) -> &str {
        &self.0[id.0 as usize]
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All names, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// An operator with two operands. Comparisons and connectives give 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their names say it
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Min,
    Max,
    Pow,
}

/// An expression. Parts are shared: the value of a variable occurs in statement after statement, and copies
/// would grow with each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Int(i64),
    /// A parameter, a size or another named number.
    Name(NameId),
    /// The id of the work-item within its group, in a dimension.
    Local(u8),
    /// The id of the group, in a dimension.
    Group(u8),
    /// The number of iterations of a loop that have ended.
    Counter(u16),
    /// 1 for 0, else 0.
    Not(Arc<Expr>, u16),
    /// Two operands; the depth of the tree.
    Binary(Op, Arc<(Expr, Expr)>, u16),
    /// The second if the first is not 0, else the third; the depth of the tree.
    Choose(Arc<(Expr, Expr, Expr)>, u16),
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// A division by zero, or a shift by less than 0 or more than 62.
    Undefined,
    /// A result beyond 64 bits.
    Overflow,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Fault::Undefined => "a division by zero or an impossible shift",
            Fault::Overflow => "a number beyond 64 bits",
        })
    }
}

/// What the leaves of an expression mean.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// By number of the name.
    pub names: &'a [i64],
    /// The id of the work-item within its group.
    pub local: [i64; 3],
    /// The id of the group.
    pub group: [i64; 3],
    /// By number of the loop.
    pub counters: &'a [i64],
}

impl<'a> Values<'a> {
    /// Values of names alone.
    pub fn of(names: &'a [i64]) -> Self {
        Values { names, local: [0; 3], group: [0; 3], counters: &[] }
    }
}

/// What the value of an expression depends on, besides parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dependence {
    /// The id of the work-item within its group.
    pub local: bool,
    /// The id of the group.
    pub group: bool,
    /// Counters of loops.
    pub counters: bool,
}

impl Dependence {
    /// Either of both.
    #[must_use]
    pub fn or(self, other: Dependence) -> Dependence {
        Dependence {
            local: self.local | other.local,
            group: self.group | other.group,
            counters: self.counters | other.counters,
        }
    }
}

impl Expr {
    /// `a op b`, folded if both are constants or if one of them cannot change the result.
    pub fn binary(op: Op, a: Expr, b: Expr) -> Expr {
        use Expr::Int;
        match (op, &a, &b) {
            (_, Int(x), Int(y)) => {
                if let Ok(value) = apply(op, *x, *y) {
                    return Int(value);
                }
            }
            (Op::Add | Op::BitOr | Op::BitXor, Int(0), _) => return b,
            (Op::Add | Op::Sub | Op::Shl | Op::Shr | Op::BitOr | Op::BitXor, _, Int(0)) => return a,
            (Op::Mul, Int(0), _) | (Op::Mul, _, Int(1)) | (Op::Div, _, Int(1)) => return a,
            (Op::Mul, Int(1), _) | (Op::Mul, _, Int(0)) => return b,
            // Conditions are 0 or 1, but connectives take any number: so only the deciding constant may be
            // dropped.
            (Op::And, Int(0), _) | (Op::Or, _, Int(0)) if a.is_truth() => return a,
            (Op::And, Int(1), _) | (Op::Or, Int(0), _) if b.is_truth() => return b,
            (Op::And, _, Int(1)) if a.is_truth() => return a,
            _ => {}
        }
        let depth = a.depth().max(b.depth()).saturating_add(1);
        Expr::Binary(op, Arc::new((a, b)), depth)
    }

    /// The negation of a condition.
    #[must_use]
    pub fn negate(self) -> Expr {
        match self {
            Expr::Int(value) => Expr::Int(i64::from(value == 0)),
            Expr::Not(inner, _) if inner.is_truth() => Arc::unwrap_or_clone(inner),
            other => {
                let depth = other.depth().saturating_add(1);
                Expr::Not(Arc::new(other), depth)
            }
        }
    }

    /// `test ? yes : no`.
    pub fn choose(test: Expr, yes: Expr, no: Expr) -> Expr {
        if let Expr::Int(value) = test {
            return if value != 0 { yes } else { no };
        }
        let depth = test.depth().max(yes.depth()).max(no.depth()).saturating_add(1);
        Expr::Choose(Arc::new((test, yes, no)), depth)
    }

    /// Height of the tree; leaves have 0.
    pub fn depth(&self) -> u16 {
        match self {
            Expr::Not(_, depth) | Expr::Binary(_, _, depth) | Expr::Choose(_, depth) => *depth,
            _ => 0,
        }
    }

    /// Whether it nests too deep to be worked on.
    pub fn is_too_deep(&self) -> bool {
        self.depth() > DEPTH_LIMIT
    }

    /// Whether it can only be 0 or 1.
    pub fn is_truth(&self) -> bool {
        match self {
            Expr::Int(value) => matches!(value, 0 | 1),
            Expr::Not(..) => true,
            Expr::Binary(op, ..) => op.is_condition(),
            _ => false,
        }
    }

    /// Calls `see` with every leaf.
    pub fn leaves(&self, see: &mut impl FnMut(&Expr)) {
        match self {
            Expr::Not(inner, _) => inner.leaves(see),
            Expr::Binary(_, both, _) => {
                both.0.leaves(see);
                both.1.leaves(see);
            }
            Expr::Choose(all, _) => {
                all.0.leaves(see);
                all.1.leaves(see);
                all.2.leaves(see);
            }
            leaf => see(leaf),
        }
    }

    /// The same expression with some leaves replaced.
    #[must_use]
    pub fn replace(&self, with: &mut impl FnMut(&Expr) -> Option<Expr>) -> Expr {
        match self {
            Expr::Not(inner, _) => inner.replace(with).negate(),
            Expr::Binary(op, both, _) => Expr::binary(*op, both.0.replace(with), both.1.replace(with)),
            Expr::Choose(all, _) => {
                Expr::choose(all.0.replace(with), all.1.replace(with), all.2.replace(with))
            }
            leaf => with(leaf).unwrap_or_else(|| leaf.clone()),
        }
    }

    /// What its value depends on.
    pub fn dependence(&self) -> Dependence {
        let mut found = Dependence::default();
        self.leaves(&mut |leaf| match leaf {
            Expr::Local(_) => found.local = true,
            Expr::Group(_) => found.group = true,
            Expr::Counter(_) => found.counters = true,
            _ => {}
        });
        found
    }

    /// Whether the counter occurs in it.
    pub fn uses_counter(&self, counter: u16) -> bool {
        let mut found = false;
        self.leaves(&mut |leaf| found |= *leaf == Expr::Counter(counter));
        found
    }

    /// Its value.
    pub fn value(&self, values: &Values<'_>) -> Result<i64, Fault> {
        Ok(match self {
            Expr::Int(value) => *value,
            Expr::Name(id) => values.names[id.0 as usize],
            Expr::Local(dimension) => values.local[usize::from(*dimension)],
            Expr::Group(dimension) => values.group[usize::from(*dimension)],
            Expr::Counter(counter) => values.counters[usize::from(*counter)],
            Expr::Not(inner, _) => i64::from(inner.value(values)? == 0),
            Expr::Binary(op, both, _) => {
                let a = both.0.value(values)?;
                match op {
                    Op::And if a == 0 => 0,
                    Op::Or if a != 0 => 1,
                    _ => apply(*op, a, both.1.value(values)?)?,
                }
            }
            Expr::Choose(all, _) => {
                if all.0.value(values)? != 0 {
                    all.1.value(values)?
                } else {
                    all.2.value(values)?
                }
            }
        })
    }

    /// Whether its value is not 0.
    pub fn holds(&self, values: &Values<'_>) -> Result<bool, Fault> {
        self.value(values).map(|value| value != 0)
    }
}

impl Op {
    /// Whether it gives a truth value.
    pub fn is_condition(self) -> bool {
        use Op::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        matches!(self, And | Or | Lt | Le | Gt | Ge | Eq | Ne)
    }
}

/// The value of `a op b`.
fn apply(op: Op, a: i64, b: i64) -> Result<i64, Fault> {
    let shift = || u32::try_from(b).ok().filter(|&by| by < 63).ok_or(Fault::Undefined);
    let result = match op {
        Op::Add => a.checked_add(b),
        Op::Sub => a.checked_sub(b),
        Op::Mul => a.checked_mul(b),
        Op::Div if b == 0 => return Err(Fault::Undefined),
        Op::Div => a.checked_div(b),
        Op::Rem if b == 0 => return Err(Fault::Undefined),
        Op::Rem => a.checked_rem(b),
        Op::Shl => {
            let by = shift()?;
            a.checked_mul(1 << by)
        }
        // A loop may shift all bits out before it ends.
        Op::Shr if b > 62 => Some(if a < 0 { -1 } else { 0 }),
        Op::Shr => Some(a >> shift()?),
        Op::BitAnd => Some(a & b),
        Op::BitOr => Some(a | b),
        Op::BitXor => Some(a ^ b),
        Op::And => Some(i64::from(a != 0 && b != 0)),
        Op::Or => Some(i64::from(a != 0 || b != 0)),
        Op::Lt => Some(i64::from(a < b)),
        Op::Le => Some(i64::from(a <= b)),
        Op::Gt => Some(i64::from(a > b)),
        Op::Ge => Some(i64::from(a >= b)),
        Op::Eq => Some(i64::from(a == b)),
        Op::Ne => Some(i64::from(a != b)),
        Op::Min => Some(a.min(b)),
        Op::Max => Some(a.max(b)),
        Op::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
    };
    result.ok_or(Fault::Overflow)
}

/// `a + b`.
pub fn add(a: Expr, b: Expr) -> Expr {
    Expr::binary(Op::Add, a, b)
}

/// `a * b`.
pub fn mul(a: Expr, b: Expr) -> Expr {
    Expr::binary(Op::Mul, a, b)
}
