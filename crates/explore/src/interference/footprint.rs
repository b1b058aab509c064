//! Footprints: what each step may use according to the text alone, whatever the state.

use super::code::NetworkCode;
use crate::resources::{MODES, Resources, mode_number};
use volvelle_kernel::EntityVec;
use volvelle_model::independence::{SingleUses, Uses, single_uses};
use volvelle_model::{Access, LocationId, Program, SharedResource, Which};

/// The part of the analysis that does not depend on the state.
#[derive(Debug)]
pub struct Ahead {
    pub(super) code: NetworkCode,
    /// By move.
    pub(super) moves: Vec<Footprint>,
    /// By location: on arrival inside an atomic sequence.
    pub(super) arrivals: EntityVec<LocationId, Footprint>,
    /// By location: all that may ever follow.
    pub(super) later: EntityVec<LocationId, Footprint>,
}

/// Accesses, those of known resources as bits.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    /// By mode, then 64 resources per word; empty if there are none.
    pub known: Vec<u64>,
    /// Accesses whose resource depends on the instance.
    pub open: Vec<Access>,
}

impl Ahead {
    /// For a program.
    pub fn new(program: &Program, uses: &EntityVec<LocationId, Uses>, resources: &Resources) -> Self {
        let SingleUses { alternatives, arrivals } = single_uses(&program.network);
        let footprint = |accesses: &Vec<Access>| Footprint::new(accesses, resources);
        Ahead {
            code: NetworkCode::new(program),
            moves: alternatives.iter().map(footprint).collect(),
            arrivals: arrivals.values().map(footprint).collect(),
            later: uses.values().map(|uses| footprint(&uses.later)).collect(),
        }
    }
}

impl Footprint {
    fn new(accesses: &[Access], resources: &Resources) -> Self {
        let words = resources.words();
        let mut footprint = Footprint::default();
        for access in accesses {
            let (SharedResource::Field(_, which) | SharedResource::Slot(_, which)) = access.resource else {
                footprint.know(access, resources, words, None);
                continue;
            };
            match which {
                Which::Own(..) | Which::Mover => footprint.open.push(*access),
                Which::Constant(n) => footprint.know(access, resources, words, Some(n)),
                Which::Any => footprint.know(access, resources, words, None),
            }
        }
        footprint
    }

    fn know(&mut self, access: &Access, resources: &Resources, words: usize, number: Option<i64>) {
        let Some(range) = resources.of(access.resource, number) else { return };
        self.known.resize(MODES.len() * words, 0);
        let mode = mode_number(access.mode);
        for resource in range {
            self.known[mode * words + resource / 64] |= 1 << (resource % 64);
        }
    }
}
