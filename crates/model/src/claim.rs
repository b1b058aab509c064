//! Claims about runs, over numbered labels of a program: formulas of linear temporal logic, or automata that
//! accept the forbidden runs.

use crate::Origin;

/// A node of a formula of linear temporal logic. Operands precede the nodes that use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Formula {
    /// A label of the program.
    Proposition(usize),
    Constant(bool),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Implies(usize, usize),
    Equivalent(usize, usize),
    Next(usize),
    Always(usize),
    Eventually(usize),
    Until(usize, usize),
    WeakUntil(usize, usize),
    Release(usize, usize),
}

/// A step of a never claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimStep {
    /// The label that must hold; `None` means always.
    pub guard: Option<usize>,
    /// A label that must also hold; if it does not, this is a violation.
    pub assertion: Option<usize>,
    /// The state of the claim that it leads to.
    pub target: usize,
}

/// A state of a never claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimState {
    /// Whether runs that visit this state infinitely often violate the claim.
    pub is_accepting: bool,
    /// Whether this is the closing brace: reaching it is a violation.
    pub is_end: bool,
    /// The steps from here.
    pub steps: Vec<ClaimStep>,
    /// Where it is in the text.
    pub origin: Option<Origin>,
}

/// A claim about the runs of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A formula that must hold on every run, given by its nodes; the last one is the root.
    Ltl(Vec<Formula>),
    /// An automaton that must accept no run; state 0 is the first.
    Never(Vec<ClaimState>),
}
