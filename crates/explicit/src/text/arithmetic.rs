//! How the numbers of a file are kept: as doubles, as rationals, as texts.

/// How the numbers of a file are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    /// As doubles.
    Double,
    /// As doubles unless a fraction is met, which starts the reading again.
    DoubleUntilFraction,
    /// As rationals.
    Exact,
    /// As texts of expressions.
    Symbolic,
}
