//! What a parser keeps while it reads.

use crate::classes::Kind;
use volvelle_trees::Placed;

/// What holds in the part that is being read.
#[derive(Clone, Copy, Default)]
pub(super) struct Context {
    /// `in` is no operator: at the beginning of `for`.
    pub no_in: bool,
    /// Between `?` and `:`, where `(x) : T` is no beginning of a function.
    pub in_then: bool,
    pub in_async: bool,
    pub in_generator: bool,
}

/// An operator whose right operand is being read.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub binding: u8,
    pub kind: Kind,
    pub operator: Placed,
    pub left: Placed,
}
