//! `.lab`: the labels that hold in every state.
//!
//! ```text
//! 0="init" 1="deadlock" 2="done"
//! 0: 0
//! 7: 1 2
//! ```
//!
//! States without a label are left out.

use crate::{ExportError, Model, each_state};
use std::io::Write;
use volvelle_control::Control;
use volvelle_space::BitSet;

/// `init`, `deadlock`, and the labels that the model names.
pub fn sets(model: Model<'_>) -> Vec<(&str, std::borrow::Cow<'_, BitSet>)> {
    use std::borrow::Cow;
    let space = &model.explored.space;
    let mut initial = BitSet::new(space.num_states());
    for state in &space.initial {
        initial.insert(state.0 as usize);
    }
    let mut all = vec![("init", Cow::Owned(initial)), ("deadlock", Cow::Borrowed(&space.deadlocks))];
    for (label, (_, set)) in model.program.labels.iter().zip(&space.labels) {
        match label.name.as_deref() {
            Some(name) if name != "init" && name != "deadlock" => all.push((name, Cow::Borrowed(set))),
            _ => {}
        }
    }
    all
}

pub fn write(model: Model<'_>, out: &mut dyn Write, control: &Control<'_>) -> Result<(), ExportError> {
    let labels = sets(model);
    for (i, (name, _)) in labels.iter().enumerate() {
        write!(out, "{}{i}=\"{name}\"", if i == 0 { "" } else { " " })?;
    }
    writeln!(out)?;
    for state in each_state(model.explored.space.num_states(), control) {
        let state = state?;
        let mut numbers = labels.iter().enumerate().filter(|(_, (_, set))| set.contains(state)).peekable();
        if numbers.peek().is_none() {
            continue;
        }
        write!(out, "{state}:")?;
        for (i, _) in numbers {
            write!(out, " {i}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
