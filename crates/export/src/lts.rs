//! Labelled transition systems: `.aut` and `.dot`.
//!
//! The text of `.aut` is that of the crate `explicit`.

use crate::{ExportError, PATIENCE};
use std::io::Write;
use volvelle_control::Control;
use volvelle_explicit::aut;

/// A transition system whose state 0 is the initial one.
#[derive(Clone, Copy, Debug)]
pub struct LabelledSystem<'a> {
    /// How many states there are.
    pub states: u32,
    /// Texts of labels.
    pub labels: &'a [String],
    /// State, label, state.
    pub edges: &'a [[u32; 3]],
    /// States that are drawn as errors.
    pub stuck: &'a [u32],
}

/// Writes `.aut`.
pub fn write_aut(
    system: LabelledSystem<'_>,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<(), ExportError> {
    let LabelledSystem { states, labels, edges, .. } = system;
    Ok(aut::write_transitions(aut::Transitions { initial: 0, states, labels, edges }, out, control)?)
}

/// Writes `.dot`: the initial state has a double border, errors are red.
pub fn write_dot(
    system: LabelledSystem<'_>,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<(), ExportError> {
    let escaped = |label: &String| label.replace('\\', "\\\\").replace('"', "\\\"");
    let labels: Vec<String> = system.labels.iter().map(escaped).collect();
    writeln!(out, "digraph model {{\n  node [shape=circle];\n  0 [peripheries=2];")?;
    for state in system.stuck {
        writeln!(out, "  {state} [color=red, fontcolor=red];")?;
    }
    for (i, &[from, label, to]) in system.edges.iter().enumerate() {
        if i.is_multiple_of(PATIENCE) {
            control.check()?;
        }
        writeln!(out, "  {from} -> {to} [label=\"{}\"];", labels[label as usize])?;
    }
    writeln!(out, "}}")?;
    Ok(())
}
