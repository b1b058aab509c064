//! Contested steps: the schedule decides their order, or who takes part.
//!
//! Where the certificate of a path fails, it names the resource for which processes compete: a channel of
//! handshakes, a variable, or a channel with a buffer. From then on, all steps that use this resource are
//! *contested*. So are all other steps of a process that has such a step at its location, and all handshakes
//! at the channels where it has offers there. [`crate::branches`] says what follows.

use crate::affine::Stop;
use crate::machine::{Machine, Notes};
use crate::memory::{Home, Memory};
use crate::program::Compiled;
use rustc_hash::FxHashSet;
use volvelle_model::{FieldId, PoolId, SharedResource, Which};

/// A resource for which processes compete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blame {
    /// The partners at a channel of handshakes.
    Channel(i64),
    /// The order of accesses to a cell.
    Cell(u32),
}

/// The contested resources that are known so far.
#[derive(Clone, Debug, Default)]
pub struct Contested {
    channels: FxHashSet<i64>,
    /// Variables.
    fields: FxHashSet<FieldId>,
    /// Pool instances, with all their fields: channels with buffers.
    slots: FxHashSet<(PoolId, i64)>,
}

impl Contested {
    /// Adds a resource. Returns whether it is new.
    pub fn add(&mut self, blame: Blame, compiled: &Compiled<'_>, memory: &Memory) -> bool {
        match blame {
            Blame::Channel(channel) => self.channels.insert(channel),
            Blame::Cell(cell) => match slot_of(compiled, memory, cell) {
                Some(slot) => self.slots.insert(slot),
                None => self.fields.insert(memory.fields[cell as usize]),
            },
        }
    }

    /// Whether steps that use a cell are contested.
    pub fn has_cell(&self, compiled: &Compiled<'_>, memory: &Memory, cell: u32) -> bool {
        match slot_of(compiled, memory, cell) {
            Some(slot) => self.slots.contains(&slot),
            None => self.fields.contains(&memory.fields[cell as usize]),
        }
    }

    /// Whether steps that use an instance are contested.
    pub fn has_slot(&self, slot: (PoolId, i64)) -> bool {
        self.slots.contains(&slot)
    }

    /// Whether the steps of a process at its location are contested, and the channels where it has offers
    /// there.
    pub fn concerns(&self, machine: &mut Machine<'_, '_>, slot: u32) -> Result<(bool, Vec<i64>), Stop> {
        let location = &machine.compiled.locations[machine.at(slot) as usize];
        let mut concerns = location.touches.iter().any(|resource| self.has(machine, slot, *resource));
        let mut channels = Vec::new();
        if location.has_offers && (concerns || !self.channels.is_empty()) {
            for offer in machine.offers(slot, &mut Notes::default())? {
                concerns |= self.channels.contains(&offer.channel);
                channels.push(offer.channel);
            }
        }
        Ok((concerns, channels))
    }

    /// The first of these channels whose handshakes are not contested yet.
    pub fn lacks(&self, channels: &[i64]) -> Option<i64> {
        channels.iter().copied().find(|channel| !self.channels.contains(channel))
    }

    fn has(&self, machine: &Machine<'_, '_>, slot: u32, resource: SharedResource) -> bool {
        match resource {
            SharedResource::Field(field, _) => self.fields.contains(&field),
            SharedResource::Count(_) => false,
            SharedResource::Everything => !self.fields.is_empty() || !self.slots.is_empty(),
            SharedResource::Slot(pool, which) => {
                let number = match which {
                    Which::Constant(number) => Some(number),
                    Which::Own(field, less) => own(machine, slot, field).map(|number| number - less),
                    _ => None,
                };
                match number {
                    Some(number) => self.slots.contains(&(pool, number)),
                    None => self.slots.iter().any(|&(other, _)| other == pool),
                }
            }
        }
    }
}

/// The value of a field of a process.
fn own(machine: &Machine<'_, '_>, slot: u32, field: FieldId) -> Option<i64> {
    let Home::Record(PoolId(0), offset) = machine.compiled.layout.home(field) else { return None };
    machine.memory.cells[(machine.own(slot) + offset) as usize].as_constant()
}

/// The instance to which a cell belongs.
pub fn slot_of(compiled: &Compiled<'_>, memory: &Memory, cell: u32) -> Option<(PoolId, i64)> {
    let Home::Record(pool, _) = compiled.layout.home(memory.fields[cell as usize]) else { return None };
    let after = memory.bases[pool.index()].partition_point(|&base| base <= cell);
    Some((pool, after as i64 - 1))
}
