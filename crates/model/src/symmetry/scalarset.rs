//! Scalarsets: interchangeable instances, and why others are not.

use crate::ids::{FieldId, LocationId, Origin};
use crate::network::Network;
use std::collections::BTreeSet;

/// A scalarset: numbers of processes (their slots), each with a constant added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scalarset {
    /// The constant that is added to the slot.
    pub offset: i64,
}

/// Interchangeable processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    /// Types of processes whose instances may be exchanged.
    pub types: Vec<usize>,
    /// Fields whose values are numbers of processes.
    pub numbers: Vec<(FieldId, Scalarset)>,
    /// Arrays whose indices are numbers of processes.
    pub arrays: Vec<(FieldId, Scalarset)>,
    /// Ranges of channel slots that are numbers of processes.
    pub channels: Vec<(Scalarset, i64, i64)>,
    /// Slots of processes that stay fixed.
    pub fixed: BTreeSet<i64>,
    /// Ranges that numbers must keep to. Processes whose numbers leave them stay fixed, too.
    pub ranges: Vec<(Scalarset, i64, i64)>,
}

/// Why no processes are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymmetryViolation {
    /// A statement reads other processes, or the process that moved last.
    LooksAround,
    /// An expression reads the number of processes.
    Counts,
    /// Processes end, while others are started again and again.
    ComesAndGoes,
    /// Processes may end before others are started, which then get their numbers.
    EndsEarly,
    /// The program computes with the number of a process in a way that distinguishes processes.
    Computes(Origin),
    /// A variable or an index is a number of a process here, and something else elsewhere.
    Mixes(Origin),
    /// The observed labels distinguish processes.
    Claim,
    /// Channels are chosen by numbers of processes, and also in other ways.
    Channels,
}

pub(super) fn has_ends(network: &Network) -> bool {
    network.alternatives().any(|t| t.target() == LocationId::NOWHERE)
}
