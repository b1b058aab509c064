//! Limits of nesting.

/// Greatest depth of nesting of an expression; chains such as `a + b + c` have none, as
/// [`Expr::nesting`](crate::ast::Expr::nesting) says.
pub const NESTING_LIMIT: u32 = 1000;

/// Greatest depth of nesting of a `system … endsystem` composition.
pub const SYSTEM_NESTING_LIMIT: u32 = 100;
