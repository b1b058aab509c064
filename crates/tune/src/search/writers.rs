//! Which processes may still write a parameter.
//!
//! In: the control flow of a program of processes. Out: for each location, whether a process there, or a
//! descendant that it starts, may still write one of some global fields. If no process of a state is at such
//! a location, the configuration of the state is settled.

use volvelle_model::places::each_write;
use volvelle_model::{AccessMode, Alternative, FieldId, Place, Program, SharedResource};

/// By location: whether a parameter may be written from there on.
pub struct Writers(Vec<bool>);

impl Writers {
    /// The writers of some global fields.
    pub fn new(program: &Program, fields: &[FieldId]) -> Self {
        let network = &program.network;
        let mut writes: Vec<bool> = vec![false; network.locations.len()];
        // Backward over the control flow, to a fixed point. This takes one round per level of nested creation
        // at most.
        loop {
            let mut changed = false;
            for (number, location) in network.locations.iter().enumerate().rev() {
                let leads = |alternative: &Alternative| {
                    let starts = |&ty: &usize| writes[network.types[ty].first.index()];
                    writes[alternative.target().index()]
                        || alternative.creates.iter().any(starts)
                        || writes_one(program, alternative, fields)
                };
                if !writes[number] && location.alternatives().any(leads) {
                    writes[number] = true;
                    changed = true;
                }
            }
            if !changed {
                return Writers(writes);
            }
        }
    }

    /// Whether a process at a location may write one of the fields, now or later.
    pub fn may_write(&self, location: u32) -> bool {
        self.0.get(location as usize).copied().unwrap_or(true)
    }

    /// Whether some process may write a field at all.
    pub fn is_written(program: &Program, field: FieldId) -> bool {
        program.network.alternatives().any(|alternative| writes_one(program, alternative, &[field]))
    }
}

fn writes_one(program: &Program, alternative: &Alternative, fields: &[FieldId]) -> bool {
    let is_one = |place: Place| place.field().is_some_and(|field| fields.contains(&field));
    let declared = alternative.accesses.iter().any(|access| {
        let is_write = !matches!(access.mode, AccessMode::Read | AccessMode::Test);
        is_write && matches!(access.resource, SharedResource::Field(field, _) if fields.contains(&field))
    });
    let mut found = declared;
    each_write(alternative.effect(), &mut |place, _| found |= is_one(program.place(place)));
    found
}
