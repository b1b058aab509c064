//! Where the processes of a packed state are.

use volvelle_model::{Arrangement, LocationId, Program};

/// The location of the process in a slot.
pub(crate) fn position(
    program: &Program,
    arrangement: &Arrangement,
    state: &[u64],
    slot: usize,
) -> LocationId {
    match program.network.location {
        Some(field) if arrangement.has(field, slot) => {
            LocationId(arrangement.get(state, field, slot, 0) as u32)
        }
        _ => LocationId::NOWHERE,
    }
}

/// The locations of all processes, by slot.
pub(crate) fn positions(program: &Program, arrangement: &Arrangement, state: &[u64]) -> Vec<LocationId> {
    let live = live(program, arrangement, state, 0);
    (0..live).map(|slot| position(program, arrangement, state, slot)).collect()
}

/// Slots of a pool that are in use.
pub(crate) fn live(program: &Program, arrangement: &Arrangement, state: &[u64], pool: usize) -> usize {
    let Some(pool) = program.network.pools.get(pool) else { return 0 };
    arrangement.get(state, pool.count, 0, 0) as usize
}
