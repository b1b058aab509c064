//! Limits of machines, on which sizes of tables rest.

/// Most cores of a machine.
pub const MOST_CORES: usize = 64;
/// Limit of instructions between the oldest not retired and the youngest fetched.
pub const MOST_IN_FLIGHT: usize = 4096;
