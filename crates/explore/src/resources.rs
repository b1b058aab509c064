//! Numbers for the shared parts of a state, so that sets of accesses are sets of bits.

use std::ops::Range;
use volvelle_kernel::EntityVec;
use volvelle_model::{AccessMode, Field, FieldId, NetworkLayout, PoolId, Program, SharedResource};

/// Limit of elements of an array that are distinguished.
const MOST_ELEMENTS: u32 = 256;

/// The number of distinguished elements of a global field: one if they are too many; none for a field of
/// processes.
pub fn elements_told_apart(field: &Field) -> u32 {
    match field.component {
        None if field.length <= MOST_ELEMENTS => field.length,
        None => 1,
        Some(_) => 0,
    }
}

/// Number of slots beyond the layout that are distinguished; the last one stands for all that follow.
const MORE_SLOTS: usize = 64;

/// The distinguished modes. For later uses of processes, a test counts as a read.
pub const MODES: [AccessMode; 6] = [
    AccessMode::Read,
    AccessMode::Write,
    AccessMode::Add,
    AccessMode::Put,
    AccessMode::Take,
    AccessMode::Meet,
];

/// The position of a mode among [`MODES`]; a test is a read.
pub fn mode_number(mode: AccessMode) -> usize {
    let mode = if mode == AccessMode::Test { AccessMode::Read } else { mode };
    MODES.iter().position(|&m| m == mode).expect("all modes are listed")
}

/// The numbers of resources: elements of global fields, slots, counts of slots.
#[derive(Debug)]
pub struct Resources {
    /// First number, and number of elements; one for all elements of a large array.
    fields: EntityVec<FieldId, (usize, u32)>,
    slots: EntityVec<PoolId, (usize, usize)>,
    counts: EntityVec<PoolId, usize>,
    count: usize,
}

impl Resources {
    /// The resources of a program whose states have this layout.
    pub fn new(program: &Program, layout: &NetworkLayout) -> Self {
        let mut resources = 0;
        let mut field_resources = EntityVec::default();
        for field in &program.fields {
            let elements = elements_told_apart(field);
            field_resources.push((resources, elements));
            resources += elements as usize;
        }
        let mut slot_resources = EntityVec::default();
        for slots in layout.shape().slots.values() {
            // Components without bits (rendezvous channels) need no room, so there may be more slots than in
            // the layout.
            let count = slots.len() + MORE_SLOTS;
            slot_resources.push((resources, count));
            resources += count;
        }
        let count_resources = (0..program.network.pools.len()).map(|p| resources + p).collect();
        resources += program.network.pools.len();
        Resources {
            fields: field_resources,
            slots: slot_resources,
            counts: count_resources,
            count: resources,
        }
    }

    /// Number of resources.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Words of a set of resources.
    pub fn words(&self) -> usize {
        self.count.div_ceil(64)
    }

    /// The first resource that is a slot of a pool, and their number.
    pub fn slots_of(&self, pool: PoolId) -> (usize, usize) {
        self.slots.get(pool).copied().unwrap_or((0, 0))
    }

    /// The resource that is an element of a global field, or all of them.
    pub fn of_element(&self, field: FieldId, element: Option<u32>) -> usize {
        self.fields[field].0 + element.unwrap_or(0) as usize
    }

    /// The resources that an access means, if its element or slot has this number (if known).
    pub fn of(&self, resource: SharedResource, number: Option<i64>) -> Option<Range<usize>> {
        // Negative numbers mean none; those beyond the last share it.
        let which = |first: usize, count: usize| match number.and_then(|n| usize::try_from(n).ok()) {
            Some(n) if count > 0 => first + n.min(count - 1)..first + n.min(count - 1) + 1,
            _ => first..first + count,
        };
        Some(match resource {
            // A process that waits for the timeout does not move while another one can.
            SharedResource::Everything => return None,
            SharedResource::Field(field, _) => {
                let (first, count) = self.fields[field];
                if count == 1 { first..first + 1 } else { which(first, count as usize) }
            }
            SharedResource::Slot(pool, _) => {
                let (first, count) = self.slots[pool];
                which(first, count)
            }
            SharedResource::Count(pool) => {
                let resource = self.counts[pool];
                resource..resource + 1
            }
        })
    }
}
