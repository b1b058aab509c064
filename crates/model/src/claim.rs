//! Claims about runs, over numbered labels of a program: formulas of linear temporal logic, and automata of runs that must
//! not happen.

/// A formula of linear temporal logic; operands come before what uses them.
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
    /// Label of the program; `None` is always.
    pub guard: Option<usize>,
    /// A label that must hold too, or this is a violation.
    pub assertion: Option<usize>,
    /// Where it leads: a state of the claim.
    pub target: usize,
}

/// A state of a never claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimState {
    /// Runs that come here again and again violate the claim.
    pub is_accepting: bool,
    /// The closing brace: to come here is a violation.
    pub is_end: bool,
    /// The steps from here.
    pub steps: Vec<ClaimStep>,
}

/// A claim about the runs of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Must hold on every run: the nodes of a formula, the last of which is all of it.
    Ltl(Vec<Formula>),
    /// Must not happen on any run; state 0 is the first.
    Never(Vec<ClaimState>),
}
