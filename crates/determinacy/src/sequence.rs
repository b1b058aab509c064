//! What may happen in the rest of an atomic sequence.

use volvelle_model::places::each_write;
use volvelle_model::{Alternative, FieldId, LocationId, Program};

/// Whether a field may be written before other processes see it: by a process that goes on alone from a location, or by one that takes a
/// message from it and goes on in its place.
pub fn writes_in_sequence(program: &Program, location: u32, fields: &[FieldId]) -> bool {
    let network = &program.network;
    let mut seen = vec![false; network.locations.len()];
    let mut open = vec![location as usize];
    let mut has_given = false;
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        for alternative in network.locations[at].alternatives() {
            if writes(program, alternative, fields) {
                return true;
            }
            open.extend(next(alternative));
            if alternative.gives() && !std::mem::replace(&mut has_given, true) {
                for taken in network.alternatives().filter(|other| other.takes()) {
                    if writes(program, taken, fields) {
                        return true;
                    }
                    open.extend(next(taken));
                }
            }
        }
    }
    false
}

/// Where a process goes on alone behind an alternative.
fn next(alternative: &Alternative) -> Option<usize> {
    let target = alternative.target();
    (alternative.then_exclusive() && target != LocationId::NOWHERE).then(|| target.index())
}

fn writes(program: &Program, alternative: &Alternative, fields: &[FieldId]) -> bool {
    let mut found = false;
    each_write(alternative.effect(), &mut |place, _| {
        found |= program.place(place).field().is_some_and(|field| fields.contains(&field));
    });
    found
}
