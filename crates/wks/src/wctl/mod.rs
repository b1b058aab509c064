//! Formulas of weighted CTL: text in, [`WctlFormula`] and diagnostics with places out.
//!
//! | level | operators |
//! |---|---|
//! | loosest | `<->` |
//! | | `->`, `=>`, which group to the right |
//! | | `or`, `\|`, `\|\|` |
//! | | `and`, `&`, `&&` |
//! | | `not`, `!`, `EX AX EF AF EG AG` with an interval directly behind |
//! | | `<  <=  ==  =  !=  >=  >` |
//! | | `+`, `-` |
//! | | `*` |
//! | tightest | `-` before an amount |
//!
//! `E(f U g)`, `A(f U g)` have parentheses, brackets, or neither: then `f` reaches to the `U`, and `g` as far as it can, so that
//! `E p U q or r` is `E(p U (q or r))`, as WKTool reads it. WKTool also lets `EF` and `!` reach as far as they can, and `&&` and `||` have
//! one precedence there; here they have the usual ones.
//!
//! `R` (release) and `W` (weak until) take the place of `U`. `E(f R[i] g)` is `not A(not f U[i] not g)`: `g` holds wherever the weight is in
//! the interval, unless `f` held before. `E(f W[i] g)` is `not A(not g U[i] (not f and not g))`, and takes upper bounds only.
//! `EG[i] f` is `not AF[i] not f`.
//!
//! Intervals: `[l,u]`, `(l,u]`, `[l,u)`, `(l,u)`, `[<=u]`, `[<u]`, `[>=l]`, `[>l]`, `[=w]`; numbers are decimal or fractions, `inf` is no upper
//! end. A name in a condition is a proposition, or, in a comparison, its amount; words of the language are names in quotation marks.
//!
//! `[<=?]` at the outermost operator, `EF`, `AF` or `U`, asks for the least upper bound with which the formula holds.
//!
//! Equal parts are one node. Operators wait on a stack (E. Dijkstra's shunting yard, 1961), which has a limit.

mod build;
mod interval;
mod parse;
mod written;

use volvelle_diagnostics::{Diagnostic, FileId, Span, has_errors};
use volvelle_logic::WctlFormula;

/// Operators that may wait for their operands at the same time.
const NESTING: usize = 2_000;

/// Nodes that a formula may have.
const NODES: usize = 1_000_000;

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

/// Reads a formula. There is none exactly if a diagnostic is an error.
pub fn formula(file: FileId, text: &str) -> (Option<ParsedFormula>, Vec<Diagnostic>) {
    let (formula, diagnostics) = parse::parse(file, text);
    (formula.filter(|_| !has_errors(&diagnostics)), diagnostics)
}
