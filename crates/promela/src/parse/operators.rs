//! Operators: precedence, as in SPIN's grammar, and text.
//!
//! Unary operators, the temporal ones among them, bind tighter than all others: `[] a == 1` is `([] a) == 1`. All
//! binary operators associate to the left, `->` and `U` too.

use crate::ast::{BinaryOp, UnaryOp};

/// Binary operators in the order of their declaration, with their precedence (greater numbers bind tighter) and their text.
#[rustfmt::skip]
const BINARY: [(BinaryOp, u8, &str); 23] = [
    (BinaryOp::Add, 11, "+"), (BinaryOp::Sub, 11, "-"), (BinaryOp::Mul, 12, "*"),
    (BinaryOp::Div, 12, "/"), (BinaryOp::Rem, 12, "%"), (BinaryOp::BitAnd, 7, "&"),
    (BinaryOp::BitOr, 5, "|"), (BinaryOp::BitXor, 6, "^"), (BinaryOp::Shl, 10, "<<"),
    (BinaryOp::Shr, 10, ">>"), (BinaryOp::Lt, 9, "<"), (BinaryOp::Le, 9, "<="), (BinaryOp::Gt, 9, ">"),
    (BinaryOp::Ge, 9, ">="), (BinaryOp::Eq, 8, "=="), (BinaryOp::Ne, 8, "!="), (BinaryOp::And, 3, "&&"),
    (BinaryOp::Or, 2, "||"), (BinaryOp::Implies, 1, "->"), (BinaryOp::Equivalent, 1, "<->"),
    (BinaryOp::Until, 4, "U"), (BinaryOp::WeakUntil, 4, "W"), (BinaryOp::Release, 4, "V"),
];

/// The precedence of a binary operator; greater numbers bind tighter.
pub fn binding(op: BinaryOp) -> u8 {
    BINARY[op as usize].1
}

/// The precedence of unary operators.
pub const UNARY: u8 = 13;

/// The text of a binary operator.
pub fn binary_text(op: BinaryOp) -> &'static str {
    BINARY[op as usize].2
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

// The table has the order of the operators: they are its indices.
const _: () = {
    let mut at = 0;
    while at < BINARY.len() {
        assert!(BINARY[at].0 as usize == at);
        at += 1;
    }
};
