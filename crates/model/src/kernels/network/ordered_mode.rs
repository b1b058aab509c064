//! Where an ordered kernel ([`NetworkOptions::ordered`](super::NetworkOptions::ordered)) begins: bits of the fourth word of its range. The
//! third word is a slot.

/// Processes in the order of their slots, not from the last one down.
pub const ASCENDING: u64 = 1;
/// No process has precedence, not even one whose transitions use only its own resources.
pub const NO_PRECEDENCE: u64 = 2;
/// Begin with the timeout set.
pub const TIMEOUT: u64 = 4;
/// Expand only processes after the slot.
pub const RESUMED: u64 = 8;
/// Set in the end of a state: the process had precedence.
pub const PRECEDES: u32 = 1 << 31;
/// Set in the end of a state: the timeout was set.
pub const AT_TIMEOUT: u32 = 1 << 30;
