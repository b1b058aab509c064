//! Where the processes of a packed state are.

use volvelle_model::{LocationId, NetworkLayout, Program};

/// The location of the process in a slot.
pub fn position(program: &Program, layout: &NetworkLayout, state: &[u64], slot: usize) -> LocationId {
    match program.network.location {
        Some(field) if layout.has(field, slot) => LocationId(layout.get(state, field, slot, 0) as u32),
        _ => LocationId::NOWHERE,
    }
}

/// The locations of all processes, by slot.
pub fn positions(program: &Program, layout: &NetworkLayout, state: &[u64]) -> Vec<LocationId> {
    let live = live(program, layout, state, 0);
    (0..live).map(|slot| position(program, layout, state, slot)).collect()
}

/// Slots of a pool that are in use.
pub fn live(program: &Program, layout: &NetworkLayout, state: &[u64], pool: usize) -> usize {
    let Some(pool) = program.network.pools.get(pool) else { return 0 };
    layout.get(state, pool.count, 0, 0) as usize
}
