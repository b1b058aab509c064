//! The values of variables in every state.

use crate::Model;
use std::io::{self, Write};
use volvelle_explicit::{Column, Integers, Variable};
use volvelle_model::Domain;
use volvelle_space::BitSet;

/// The variables of a program with their values, as columns.
pub fn variables(model: Model<'_>) -> Vec<Variable> {
    let states = model.explored.states.len();
    let column = |domain: &Domain| match domain {
        Domain::Bool => Column::Bool(BitSet::new(states)),
        _ => Column::Int(Integers::default()),
    };
    let mut columns: Vec<Column> = model.program.fields.iter().map(|field| column(&field.domain)).collect();
    for state in 0..states {
        let values = model.explored.layout.unpack(model.explored.states.get(state));
        for (column, value) in columns.iter_mut().zip(values) {
            match column {
                Column::Bool(set) if value != 0 => {
                    set.insert(state);
                }
                Column::Int(integers) => integers.push(value),
                _ => {}
            }
        }
    }
    let named = model.program.fields.iter().zip(columns);
    named
        .map(|(field, values)| Variable { name: field.name.clone(), values, present: None, bounds: None })
        .collect()
}

/// The values of a state, separated by commas.
pub fn write_values(model: Model<'_>, state: usize, out: &mut dyn Write) -> io::Result<()> {
    let values = model.explored.layout.unpack(model.explored.states.get(state));
    for (i, (field, value)) in model.program.fields.iter().zip(values).enumerate() {
        let comma = if i == 0 { "" } else { "," };
        match field.domain {
            Domain::Bool => write!(out, "{comma}{}", value != 0)?,
            _ => write!(out, "{comma}{value}")?,
        }
    }
    Ok(())
}
