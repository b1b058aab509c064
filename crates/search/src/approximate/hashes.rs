//! Options of approximate searches, and sets of hashes.

use crate::visited::Halt;
use volvelle_control::Control;

/// The representation of visited states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// An array of this many bits, rounded up to a power of two; each state sets some of them.
    Bits {
        /// All bits.
        bits: u64,
        /// Number of bits that a state sets.
        functions: u32,
    },
    /// A number of 64 bits for each state.
    Fingerprints,
}

/// Options of a search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The representation of visited states.
    pub memory: Memory,
    /// Whether to continue after errors, with the first one of each site. Otherwise the search ends with the
    /// first error.
    pub all_errors: bool,
    /// Most states on the stack.
    pub max_depth: Option<u64>,
    /// Whether to leave out successors that are not needed ([`System::partial_order_reducing_expander`](crate::System::partial_order_reducing_expander)).
    pub reduce: bool,
}

/// The hashes of the visited states.
pub(super) trait VisitedHashes {
    /// Inserts the hash of a state; returns whether it is new.
    fn insert(&mut self, hash: u64, control: &Control<'_>) -> Result<bool, Halt>;

    /// Bytes held.
    fn bytes(&self) -> u64;

    /// Whether it is so full that few states are new.
    fn is_exhausted(&self) -> bool;
}

/// Mixes all bits of a number into all others.
pub(super) fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
