//! Weighted CCS: process terms whose steps have an action and a weight, and whose states have propositions.
//!
//! ```text
//! file     := { NAME ":=" choice ";" }             # the first definition is the initial process, unless another one is named
//! choice   := parallel { "+" parallel }
//! parallel := prefix { "|" prefix }
//! prefix   := "<" action ["!"] ["," weight] ">" "." prefix | label ":" prefix | postfix
//! postfix  := trivial { "\" "{" actions "}" | "[" map {"," map} "]" }
//! map      := action "->" action | proposition "=>" proposition
//! trivial  := "(" choice ")" | "0" | NAME
//! ```
//!
//! Comments begin with `#` or `//`. The language is that of WKTool (J. F. Jensen, K. G. Larsen, J. Srba, L. K. Oestergaard, *Efficient
//! model-checking of weighted CTL with upper-bound constraints*, STTT 18, 2016); weights may also be decimal numbers and fractions here.
//!
//! # Meaning
//! - `<a,w>.P` has one step with action `a` and weight `w` (0 where none is written) to `P`, and no propositions.
//! - `P + Q` has the steps of both. `P | Q` has the steps of one while the other stays, and for each pair of an input `a` and an output
//!   `a!` a handshake: a step with the internal action `tau`, whose weight is the larger of the two weights.
//! - `P \ {a}` has the steps of `P` but for those with `a` or `a!`; `P[a -> b, p => q]` calls the action `a` `b`, and the proposition `p`
//!   `q`, all names of the list at once. `tau` is neither restricted nor renamed.
//! - `p : P` has the steps of `P`, and the proposition `p` once more than `P`. Propositions have multiplicities: those of the parts of
//!   `P + Q` and `P | Q` are added, as are those of propositions that are renamed to the same name. A name of a process has the
//!   propositions and the steps of its definition.
//!
//! Every step of a term is a step of the weighted Kripke structure, whatever its action.

mod check;
mod lexer;
mod parser;
mod project;
mod term;
mod unfolding;

pub use lexer::Kind as Token;
pub use term::{OUTPUT, Process, Relabelling, TAU, Term, Wccs};

pub use project::{Project, ProjectFormula, read_project};
pub use unfolding::{NoStructure, TooLarge, Unfolding};

use volvelle_diagnostics::{Diagnostic, FileId, has_errors};

impl Wccs {
    /// The number of the process with this name.
    pub fn process(&self, name: &str) -> Option<u32> {
        self.processes.iter().position(|process| process.name == name).map(|number| number as u32)
    }

    /// The number of a proposition.
    pub fn proposition(&self, name: &str) -> Option<u32> {
        self.propositions.iter().position(|known| known == name).map(|number| number as u32)
    }
}

/// Reads the text of a file. There is a system unless there are errors.
pub fn read(file: FileId, text: &str) -> (Option<Wccs>, Vec<Diagnostic>) {
    let (system, mut diagnostics) = parser::parse(file, text);
    if let Some(system) = &system {
        check::unguarded(system, &mut diagnostics);
    }
    let system = system.filter(|_| !has_errors(&diagnostics));
    (system, diagnostics)
}
