//! Instructions between fetch and retirement.

use volvelle_coherence::Operation;

/// An instruction in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flying {
    pub fetch: u64,
    /// When its operands are available.
    pub ready: u64,
    pub issue: u64,
    pub complete: u64,
    pub retire: u64,
    pub address: u64,
    /// The previous entry of its destination: see `Registers`.
    pub overwritten: u64,
    /// The state of its core before it: the cycle of the last retirement, and the number of instructions
    /// retired in it.
    pub before: Retired,
    /// Cycles by which a miss held up its fetch.
    pub stall: u32,
    /// Cycles from issue to completion with a hit.
    pub latency: u32,
    /// Cycles more.
    pub extra: u32,
    /// Begin and end of the list of its producers in memory.
    pub producers: (u32, u32),
    pub core: u8,
    pub destination: u8,
    pub sources: [u8; 3],
    pub size: u8,
    pub is_memory: bool,
    pub operation: Operation,
    /// Whether its extra cycles are due to a block that another core took away, or to getting the right to
    /// write.
    pub is_coherence: bool,
    /// When its core took the tasks that begin with it, if cores are independent and tasks begin here.
    pub begin: u64,
    /// Whether a misprediction held up that beginning.
    pub is_after_squash: bool,
}

/// How far a core has retired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Retired {
    pub cycle: u64,
    pub count: u32,
}

/// The cycles of an instruction, for timelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Times {
    /// Its number in the stream, from 0.
    pub instruction: u64,
    /// Its core.
    pub core: u8,
    /// When it is fetched.
    pub fetch: u64,
    /// When it issues.
    pub issue: u64,
    /// When its result is there.
    pub complete: u64,
    /// When it retires.
    pub retire: u64,
}
