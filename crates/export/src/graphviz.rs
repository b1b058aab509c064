//! `.dot`: a picture for Graphviz.
//!
//! A state is a box with its number and values, initial states have a double border, transitions are labelled with
//! their probability or rate; in an MDP each choice is a dot between, labelled with its action.

use crate::states::write_values;
use crate::{ExportError, Model, each_state};
use std::io::Write;
use volvelle_control::Control;
use volvelle_decimals::Shortest;
use volvelle_media::dot;

pub fn write(model: Model<'_>, out: &mut dyn Write, control: &Control<'_>) -> Result<(), ExportError> {
    let space = &model.explored.space;
    writeln!(out, "digraph model {{\n  node [shape=box];")?;
    for state in each_state(space.num_states(), control) {
        let state = state?;
        write!(out, "  {state} [label=\"{state}\\n(")?;
        write_values(model, state, out)?;
        let initial = space.initial.iter().any(|s| s.0 as usize == state);
        writeln!(out, ")\"{}];", if initial { ", peripheries=2" } else { "" })?;
        for (i, choice) in space.choices_of(state).enumerate() {
            let mut source = state.to_string();
            if let Some(choices) = &space.choices {
                source = format!("c{choice}");
                let action = &space.actions[choices.action[choice] as usize];
                let action = dot::escaped(action);
                let label = if action.is_empty() { i.to_string() } else { format!("{i}:{action}") };
                writeln!(out, "  {source} [shape=point, width=0.1, height=0.1, label=\"\"];")?;
                writeln!(out, "  {state} -> {source} [arrowhead=none, label=\"{label}\"];")?;
            }
            for (target, value) in space.transitions(choice) {
                writeln!(out, "  {source} -> {target} [label=\"{}\"];", Shortest(value))?;
            }
        }
    }
    writeln!(out, "}}")?;
    Ok(())
}
