//! Fetch of a core.

use crate::caches::{Caches, Touch};
use crate::stage::Op;
use volvelle_coherence::Operation;

/// The fetching part of a core.
#[derive(Clone, Debug)]
pub(super) struct Front {
    pub cycle: u64,
    pub used: u32,
    pub icache: Option<Caches>,
    /// The block of the last instruction: it is cached, and is the most recently used one.
    block: u64,
    /// Up to which cycle the stack accounts for the core.
    pub accounted: u64,
}

/// Cycles of misses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// In the first level.
    pub miss: u32,
    /// Additional cycles if the second level misses, too.
    pub memory: u32,
}

impl Front {
    pub fn new(icache: Option<Caches>) -> Self {
        Front { cycle: 0, used: 0, icache, block: u64::MAX, accounted: 0 }
    }

    /// Cycles by which a miss of its block delays the fetch of an instruction.
    #[inline]
    pub fn stall(&mut self, op: &Op, costs: Costs, l2: &mut Option<Caches>) -> u32 {
        let Some(icache) = &mut self.icache else { return 0 };
        let length = op.length.max(1);
        let (first, last) = (icache.block(op.pc), icache.block(op.pc.saturating_add(u64::from(length) - 1)));
        let is_new = last != self.block || first != last;
        self.block = last;
        if !is_new || icache.access(0, Operation::Load, op.pc, length).touch != Touch::Miss {
            return 0;
        }
        costs.miss + below(l2, op.pc, length, costs)
    }
}

/// Cycles more of an access that the first level missed.
#[inline]
pub(super) fn below(l2: &mut Option<Caches>, address: u64, size: u8, costs: Costs) -> u32 {
    match l2.as_mut().map(|l2| l2.access(0, Operation::Load, address, size).touch) {
        Some(Touch::Miss) => costs.memory,
        _ => 0,
    }
}
