//! Binding levels of operators; a higher level binds tighter.
//!
//! PRISM manual, *The PRISM Language*, *Expressions*; PRISM's grammar for the temporal operators.

use crate::ast::BinaryOp;

/// `φ || ψ` of conditional probabilities (Storm).
pub(crate) const CONDITIONAL: u8 = 0;
/// `U`, `W`, `R`; do not associate.
pub(crate) const UNTIL: u8 = 1;
/// `X`, `F`, `G`.
pub(crate) const TEMPORAL: u8 = 2;
/// `? :`, to the right.
pub(crate) const ITE: u8 = 3;
/// `!`, weaker than comparisons: `!x=1` is `!(x=1)`.
pub(crate) const NOT: u8 = 8;
/// Unary minus.
pub(crate) const NEG: u8 = 13;
/// `^`; does not associate.
pub(crate) const POW: u8 = 14;
/// The operand of a coalition; literals, names, calls, parentheses.
pub(crate) const ATOM: u8 = 15;

/// Binary operators; they associate to the left, `=>` too.
pub(crate) fn binary(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Implies => 4,
        BinaryOp::Iff => 5,
        BinaryOp::Or => 6,
        BinaryOp::And => 7,
        BinaryOp::Eq | BinaryOp::Ne => 9,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 10,
        BinaryOp::Add | BinaryOp::Sub => 11,
        BinaryOp::Mul | BinaryOp::Div => 12,
        BinaryOp::Pow => POW,
    }
}
