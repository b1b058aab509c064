//! Pairs of states and vertices, and what is known of them.

/// A vertex in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub state: u32,
    pub vertex: u32,
}

pub(super) const UNKNOWN: u8 = 0;

pub(super) const FALSE: u8 = 1;

pub(super) const TRUE: u8 = 2;

/// A search has met it and has not decided it.
pub(super) const OPEN: u8 = 3;

pub(super) fn known(value: bool) -> u8 {
    if value { TRUE } else { FALSE }
}
