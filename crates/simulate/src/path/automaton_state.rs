//! The tables and locals of an automaton in a path kernel.

use volvelle_kernel::{Buffer, Local};

/// Tables and locals of an automaton.
#[derive(Clone, Copy, Debug)]
pub(super) struct AutomatonState {
    /// Table of its steps.
    pub steps: Buffer,
    /// The table of verdicts on repeated letters.
    pub for_ever: Buffer,
    /// The state.
    pub state: Local,
    /// The entry that was read last.
    pub entry: Local,
}
