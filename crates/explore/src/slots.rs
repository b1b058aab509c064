//! How many slots a pool of processes gets when one is lacking.

/// Number of slots from which on a pool grows by several at once.
const MANY_SLOTS: usize = 16;

/// Number of states after which every pool does: then restarting a search costs more than unused room.
pub const MANY_STATES: u64 = 1000;

/// Slots from which on a pool doubles; smaller ones grow by half.
const DOUBLING: usize = 64;

/// Limit of slots of a pool, given by the range of step numbers.
pub const MAX_SLOTS: usize = 32_767;

/// The last slot that gets room when one of a pool's slots lacks it, after a number of states.
pub fn last_slot(lacking: usize, slots: usize, states: u64) -> usize {
    let last = match lacking {
        _ if lacking < MANY_SLOTS && states < MANY_STATES => lacking,
        // If one slot gets a larger component, the later ones will, too.
        _ if lacking < slots => slots - 1,
        DOUBLING.. => lacking * 2,
        _ => lacking + lacking / 2 + 1,
    };
    last.min(MAX_SLOTS - 1)
}
