//! Operators: precedence, as in SPIN's grammar, and text.
//!
//! Unary operators, the temporal ones among them, bind tighter than all others: `[] a == 1` is `([] a) == 1`. All
//! binary operators associate to the left, `->` and `U` too.

use crate::ast::{BinaryOp, UnaryOp};

/// The precedence of a binary operator; greater numbers bind tighter.
pub fn binding(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Implies | BinaryOp::Equivalent => 1,
        BinaryOp::Or => 2,
        BinaryOp::And => 3,
        BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release => 4,
        BinaryOp::BitOr => 5,
        BinaryOp::BitXor => 6,
        BinaryOp::BitAnd => 7,
        BinaryOp::Eq | BinaryOp::Ne => 8,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 9,
        BinaryOp::Shl | BinaryOp::Shr => 10,
        BinaryOp::Add | BinaryOp::Sub => 11,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 12,
    }
}

/// The precedence of unary operators.
pub const UNARY: u8 = 13;

/// The text of a binary operator.
pub fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Implies => "->",
        BinaryOp::Equivalent => "<->",
        BinaryOp::Until => "U",
        BinaryOp::WeakUntil => "W",
        BinaryOp::Release => "V",
    }
}

/// The binary operator of formulas that a word is.
pub fn binary_word(word: &str) -> Option<BinaryOp> {
    Some(match word {
        "U" | "until" | "stronguntil" => BinaryOp::Until,
        "W" | "weakuntil" => BinaryOp::WeakUntil,
        "V" | "release" => BinaryOp::Release,
        "implies" => BinaryOp::Implies,
        "equivalent" => BinaryOp::Equivalent,
        _ => return None,
    })
}

/// The text of a unary operator.
pub fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::Not => "!",
        UnaryOp::Complement => "~",
        UnaryOp::Always => "[]",
        UnaryOp::Eventually => "<>",
        UnaryOp::Next => "X",
    }
}

/// Whether an operator is temporal: true of a run, not of a state.
pub fn is_temporal(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release)
}
