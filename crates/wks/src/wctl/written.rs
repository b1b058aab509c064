//! An interval of weights behind an operator, as the text has it.

use volvelle_diagnostics::Span;
use volvelle_logic::WeightInterval;

/// An interval as it is written.
pub(super) struct Written {
    /// All weights where none is written, or a wrong one.
    pub weights: WeightInterval,
    /// Where it is.
    pub place: Option<Span>,
    /// It is `[<=?]`: which bound it takes is the question.
    pub asks: bool,
}

impl Written {
    pub fn nothing() -> Self {
        Written { weights: WeightInterval::any(), place: None, asks: false }
    }
}
