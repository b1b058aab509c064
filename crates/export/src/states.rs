//! `.sta`: the values of all variables in every state.
//!
//! ```text
//! (x,done)
//! 0:(3,false)
//! ```

use crate::{ExportError, Model, each_state};
use std::io::Write;
use volvelle_control::Control;
use volvelle_model::Domain;

pub fn write(model: Model<'_>, out: &mut dyn Write, control: &Control<'_>) -> Result<(), ExportError> {
    let names: Vec<&str> = model.program.fields.iter().map(|f| f.name.as_str()).collect();
    writeln!(out, "({})", names.join(","))?;
    for state in each_state(model.explored.states.len(), control) {
        let state = state?;
        write!(out, "{state}:(")?;
        write_values(model, state, out)?;
        writeln!(out, ")")?;
    }
    Ok(())
}

/// The values of a state, separated by commas.
pub fn write_values(model: Model<'_>, state: usize, out: &mut dyn Write) -> Result<(), ExportError> {
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
