//! Larger domains of fields whose values have outgrown their windows.

use volvelle_model::symmetry::Orbit;
use volvelle_model::{FieldId, Program};

/// Makes room for a value of a field, and of the corresponding fields, so that blocks stay alike.
pub fn widen(program: &mut Program, orbits: &[Orbit], field: FieldId, value: i64) {
    program.widen(field, value);
    let domain = program.fields[field.index()].domain;
    for orbit in orbits {
        let mut places = orbit.blocks.iter().filter_map(|block| block.iter().position(|&f| f == field));
        if let Some(at) = places.next() {
            orbit.blocks.iter().for_each(|block| program.fields[block[at].index()].domain = domain);
        }
    }
}
