//! The text of a value, with the facts for embedding it into a larger text.
//!
//! Signed integers must not overflow in C, so they are calculated with as unsigned ones. To cast back after each operation
//! would be right and unreadable; so a value may be [`View::Low`] for a while: its text has an unsigned type of 32 or 64 bits
//! of which only as many of the lowest bits mean something as the type of the value has. Sums, products and the like of such
//! values are right in these bits, and so is what an assignment stores. It is cast (made [`View::Exact`]) where other bits
//! matter: comparisons, divisions, shifts to the right, conversions to wider types.
//!
//! Integers narrower than 32 bits are promoted to `int` by C; exact values are not changed by that.

use crate::constant::{literal, unsigned};
use crate::dialect::Dialect;
use volvelle_kernel::{Const, Type};

/// How tight operators bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// `? :`
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    /// Signs, casts.
    Prefix,
    /// Names, literals, calls, elements.
    Primary,
}

/// Which bits of the text are those of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// All: the text has the type of the value, or what C promotes it to.
    Exact,
    /// See the module.
    Low,
}

/// An expression of C.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) ty: Type,
    pub(crate) text: String,
    pub(crate) level: Level,
    pub(crate) view: View,
    /// Operators inside of one another.
    pub(crate) depth: u32,
    /// Where it is a constant: the text is its literal.
    pub(crate) constant: Option<Const>,
    /// Whether the text may be written down several times: a name or a literal, perhaps with a cast.
    pub(crate) simple: bool,
}

impl Value {
    /// A name.
    pub(crate) fn name(ty: Type, text: String) -> Self {
        Value { simple: true, ..Value::primary(ty, text, 0) }
    }

    /// Text that binds as tight as can be.
    pub(crate) fn primary(ty: Type, text: String, depth: u32) -> Self {
        Value { ty, text, level: Level::Primary, view: View::Exact, depth, constant: None, simple: false }
    }

    pub(crate) fn constant(dialect: Dialect, c: Const) -> Self {
        let (text, signed) = literal(dialect, c);
        let level = if signed { Level::Prefix } else { Level::Primary };
        Value { ty: c.ty, text, level, view: View::Exact, depth: 0, constant: Some(c), simple: true }
    }

    /// The text, in parentheses where it binds less tight than `least`.
    pub(crate) fn within(&self, least: Level) -> String {
        if self.level < least { format!("({})", self.text) } else { self.text.clone() }
    }

    /// A cast of the text.
    pub(crate) fn cast(&self, to: Type) -> Value {
        let text = format!("({to}){}", self.within(Level::Prefix));
        let simple = self.simple && self.depth == 0;
        Value {
            ty: to,
            text,
            level: Level::Prefix,
            view: View::Exact,
            depth: self.depth + 1,
            constant: None,
            simple,
        }
    }

    /// With all bits that of the value.
    pub(crate) fn exact(self) -> Value {
        if self.view == View::Low { self.cast(self.ty) } else { self }
    }

    /// The unsigned type in which an integer is calculated with.
    pub(crate) fn wide(&self) -> Type {
        if self.ty.bits() == 64 { Type::U64 } else { Type::U32 }
    }

    /// Whether the text itself has the type [`Value::wide`].
    pub(crate) fn is_wide(&self) -> bool {
        self.view == View::Low || self.ty == self.wide()
    }

    /// A constant as a literal of the type [`Value::wide`]; other values as they are.
    pub(crate) fn unsigned(self, dialect: Dialect) -> Value {
        let Some(c) = self.constant.filter(|_| !self.is_wide()) else { return self };
        let wide = self.wide();
        let bits = if wide == Type::U32 { c.bits & 0xffff_ffff } else { c.bits };
        let text = unsigned(dialect, bits, wide.bits());
        Value { text, level: Level::Primary, view: View::Low, constant: None, ..self }
    }

    /// With text of the type [`Value::wide`].
    pub(crate) fn low(self, dialect: Dialect) -> Value {
        let value = self.unsigned(dialect);
        if value.is_wide() {
            return value;
        }
        let ty = value.ty;
        Value { view: View::Low, ty, ..value.cast(value.wide()) }
    }

    /// The view that text of type [`Value::wide`] is of this type.
    pub(crate) fn view_of_wide(ty: Type) -> View {
        if matches!(ty, Type::U32 | Type::U64) { View::Exact } else { View::Low }
    }
}

/// `lhs operator rhs`, for operators that group to the left.
pub(crate) fn infix(ty: Type, view: View, operator: &str, level: Level, lhs: &Value, rhs: &Value) -> Value {
    let tighter = match level {
        Level::Product => Level::Prefix,
        Level::Sum => Level::Product,
        // Parentheses avoid a compiler warning, and help the reader.
        Level::Shift | Level::BitAnd | Level::BitXor | Level::BitOr => Level::Prefix,
        Level::Order | Level::Equality => Level::Sum,
        Level::And => Level::BitOr,
        _ => Level::Equality,
    };
    let left = match level {
        Level::Shift => Level::Prefix,
        Level::Order | Level::Equality => Level::Sum,
        // Chains of one operator.
        Level::BitAnd | Level::BitXor | Level::BitOr | Level::And | Level::Or => {
            if lhs.level == level {
                level
            } else {
                tighter
            }
        }
        _ => level,
    };
    Value {
        ty,
        text: format!("{} {operator} {}", lhs.within(left), rhs.within(tighter)),
        level,
        view,
        depth: lhs.depth.max(rhs.depth) + 1,
        constant: None,
        simple: false,
    }
}
