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
mod unfolding;

pub use project::{Project, ProjectFormula, read_project};
pub use unfolding::{NoStructure, TooLarge, Unfolding};

use dashu_ratio::RBig;
use volvelle_diagnostics::{Diagnostic, FileId, Span, has_errors};

/// The bit of an action that is an output.
pub const OUTPUT: u32 = 1 << 31;

/// The internal action.
pub const TAU: u32 = 0;

/// A term, as it is written. Terms that are written the same have the same number; parts have smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// `0`
    Null,
    /// The name of a process: its number.
    Constant(u32),
    /// `<action,weight>.next`
    Prefix {
        /// [`TAU`], or the number of the name, with [`OUTPUT`] for an output.
        action: u32,
        /// The index of the weight in [`Wccs::weights`].
        weight: u32,
        /// The term behind the step.
        next: u32,
    },
    /// `P + Q + ...`: a list.
    Choice(u32),
    /// `P | Q | ...`: a list.
    Parallel(u32),
    /// `proposition : term`
    Label(u32, u32),
    /// `term \ {actions}`: the list of actions, and the term.
    Restrict(u32, u32),
    /// `term[maps]`: the index into [`Wccs::relabellings`], and the term.
    Relabel(u32, u32),
}

/// New names: pairs of an old and a new number, sorted, each old one once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Relabelling {
    /// Names of actions.
    pub actions: Vec<(u32, u32)>,
    /// Propositions.
    pub propositions: Vec<(u32, u32)>,
}

/// A definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// The term that it stands for.
    pub body: u32,
}

/// A system of definitions: all names are defined, and recursion is guarded.
#[derive(Clone, Debug, PartialEq)]
pub struct Wccs {
    /// The definitions, in the order of the text. The first is the initial one unless another is wanted.
    pub processes: Vec<Process>,
    /// Names of actions; the first one is `tau`.
    pub actions: Vec<String>,
    /// Names of propositions, in the order in which they are met.
    pub propositions: Vec<String>,
    /// Distinct weights in increasing order, as multiples of the unit.
    pub weights: Vec<u64>,
    /// What a weight of one stands for.
    pub unit: RBig,
    /// The terms.
    pub terms: Vec<Term>,
    /// Lists of parts, and lists of restricted actions, which are sorted.
    pub lists: Vec<Box<[u32]>>,
    /// Relabellings.
    pub relabellings: Vec<Relabelling>,
}

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
