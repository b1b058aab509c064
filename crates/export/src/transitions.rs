//! `.tra`: the transition matrix.
//!
//! ```text
//! states transitions            states choices transitions      (MDP)
//! source target value           source choice target value [action]
//! ```

use crate::number::Number;
use crate::{ExportError, Model, each_state};
use std::io::Write;
use volvelle_control::Control;

pub fn write(model: Model<'_>, out: &mut dyn Write, control: &Control<'_>) -> Result<(), ExportError> {
    let space = &model.explored.space;
    let n = space.num_states();
    match &space.choices {
        None => writeln!(out, "{n} {}", space.num_transitions())?,
        Some(_) => writeln!(out, "{n} {} {}", space.num_choices(), space.num_transitions())?,
    }
    for state in each_state(n, control) {
        let state = state?;
        for (i, choice) in space.choices_of(state).enumerate() {
            for (target, value) in space.transitions(choice) {
                match &space.choices {
                    None => write!(out, "{state} {target} {}", Number(value))?,
                    Some(choices) => {
                        write!(out, "{state} {i} {target} {}", Number(value))?;
                        let action = &space.actions[choices.action[choice] as usize];
                        if !action.is_empty() {
                            write!(out, " {action}")?;
                        }
                    }
                }
                writeln!(out)?;
            }
        }
    }
    Ok(())
}
