//! Terms and processes.

use dashu_ratio::RBig;
use volvelle_diagnostics::Span;

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
