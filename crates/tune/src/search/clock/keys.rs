//! Keys: states without the clock. Values that move with it are replaced by their distance from it.

use super::Clock;
use volvelle_model::{FieldId, LocationId, NetworkLayout, Program};

/// A field that moves.
#[derive(Clone, Copy, Debug)]
struct Moving {
    field: FieldId,
    degree: i8,
    length: usize,
    /// Whether its value is not read any more.
    is_dead: bool,
    /// All smaller distances are equivalent to this one.
    floor: Option<i64>,
}

/// Values from here on cannot be truncated to 32 bits by the constants that comparisons add.
const LEAST: i64 = i32::MIN as i64 + (1 << 24);

/// Computes keys of states.
pub struct Keys<'s> {
    program: &'s Program,
    layout: &'s NetworkLayout,
    globals: Vec<Moving>,
    /// By location of a process: its fields that move.
    own: Vec<Vec<Moving>>,
    key: Vec<u64>,
}

impl<'s> Keys<'s> {
    /// Keys of states in this layout.
    pub fn new(program: &'s Program, layout: &'s NetworkLayout, clock: &Clock) -> Self {
        let network = &program.network;
        let moving = |component, location: Option<LocationId>| {
            let fields = (0..program.fields.len() as u32).map(FieldId);
            let is_of_it = |field: &FieldId| {
                program.fields[field.index()].component == component
                    && clock.degrees.fields[field.index()] != 0
            };
            let of = |field: FieldId| {
                let (degree, length) =
                    (clock.degrees.fields[field.index()], program.fields[field.index()].length as usize);
                let is_dead = match (&clock.live, location) {
                    (Some(live), Some(location)) => !live.may_be_read(field, location),
                    _ => false,
                };
                let floor = clock.floors[field.index()];
                let is_dead = is_dead || floor == Some(i64::MAX);
                Moving { field, degree, length, is_dead, floor }
            };
            fields.filter(is_of_it).map(of).collect::<Vec<Moving>>()
        };
        let own = |location: u32| {
            let location = LocationId(location);
            let ty = network.type_of(location);
            ty.map_or(Vec::new(), |ty| moving(Some(network.types[ty].component), Some(location)))
        };
        Keys {
            program,
            layout,
            globals: moving(None, None),
            own: (0..network.locations.len() as u32).map(own).collect(),
            key: Vec::new(),
        }
    }

    /// The key of a state with a cost. `None` if a distance does not fit into its field.
    pub fn key(&mut self, state: &[u64], cost: i64) -> Option<&[u64]> {
        self.key.clear();
        self.key.extend_from_slice(state);
        let Keys { program, layout, globals, own, key } = self;
        for moving in globals.iter() {
            distances(layout, *moving, cost, 0, state, key)?;
        }
        let network = &program.network;
        let live = network.pools.first().map_or(0, |pool| layout.get(state, pool.count, 0, 0));
        let location = network.location?;
        for slot in 0..live as usize {
            for moving in &own[layout.get(state, location, slot, 0) as usize] {
                distances(layout, *moving, cost, slot, state, key)?;
            }
        }
        Some(&self.key)
    }
}

/// Replaces values by signed distances, in the bits of the field.
fn distances(
    layout: &NetworkLayout,
    moving: Moving,
    cost: i64,
    slot: usize,
    state: &[u64],
    key: &mut [u64],
) -> Option<()> {
    let Moving { field, degree, length, is_dead, floor } = moving;
    let place = layout.place(field);
    for element in 0..length {
        let distance = if is_dead {
            0
        } else {
            let value = layout.get(state, field, slot, element);
            let distance = if degree > 0 { value.checked_sub(cost)? } else { value.checked_add(cost)? };
            match floor {
                // Here adding a constant might truncate the value, so the state is unlike others.
                Some(floor) if distance < floor && value < LEAST => return None,
                Some(floor) => distance.max(floor),
                None => distance,
            }
        };
        let unused = 64 - place.bits;
        if place.bits == 0 || distance << unused >> unused != distance {
            return None;
        }
        layout.set(key, field, slot, element, place.lo.wrapping_add(distance));
    }
    Some(())
}
