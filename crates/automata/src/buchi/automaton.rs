//! Büchi automata: states with edges under cubes of propositions.

/// A Büchi automaton: a word is accepted if a run over it visits accepting states infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    /// The states.
    pub states: Vec<BuchiState>,
    /// Index of the state where runs begin.
    pub initial: u32,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuchiState {
    /// Whether runs that visit it infinitely often accept.
    pub accepting: bool,
    /// The edges that leave it.
    pub edges: Vec<BuchiEdge>,
}

/// An edge, for letters that have all bits of `must` and none of `must_not`. The two have no bit in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuchiEdge {
    /// Propositions that must hold, as bits.
    pub must: u64,
    /// Propositions that must not hold, as bits.
    pub must_not: u64,
    /// Index of the state it leads to.
    pub target: u32,
}
