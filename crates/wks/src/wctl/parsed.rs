//! Formulas that were read, and their limits.

use volvelle_diagnostics::Span;
use volvelle_logic::WctlFormula;

/// Operators that may wait for their operands at the same time.
pub(super) const NESTING: usize = 2_000;

/// Nodes that a formula may have.
pub(super) const NODES: usize = 1_000_000;

/// A formula and where its parts are in the text.
#[derive(Clone, Debug)]
pub struct ParsedFormula {
    /// The formula.
    pub formula: WctlFormula,
    /// Its outermost operator is an until with `[<=?]`, for which the formula has all weights: wanted is the least bound with which it holds.
    pub asks: bool,
    /// Where each name of the formula is first used, by name.
    pub name_spans: Vec<Span>,
    /// Where each node of the formula first is, by node.
    pub node_spans: Vec<Span>,
}
