//! Formulas of weighted CTL: text in, [`WctlFormula`](volvelle_logic::WctlFormula) and diagnostics with places out.
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
mod parsed;
mod written;

pub use parsed::ParsedFormula;
use parsed::{NESTING, NODES};

use volvelle_diagnostics::{Diagnostic, FileId, has_errors};

/// Reads a formula. There is none exactly if a diagnostic is an error.
pub fn formula(file: FileId, text: &str) -> (Option<ParsedFormula>, Vec<Diagnostic>) {
    let (formula, diagnostics) = parse::parse(file, text);
    (formula.filter(|_| !has_errors(&diagnostics)), diagnostics)
}
