//! Labelled transition systems: `.aut` and `.dot`.
//!
//! `.aut` is the Aldebaran format (the manual page *aut* of CADP): a line `des (initial, transitions, states)`, then a line
//! `(from, "label", to)` for each transition. Labels are quoted; a quotation mark within one is written as `'`, because
//! the format has no escape for it.

use crate::{ExportError, PATIENCE};
use std::io::Write;
use volvelle_control::Control;

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
    let labels: Vec<String> = system.labels.iter().map(|label| label.replace('"', "'")).collect();
    writeln!(out, "des (0, {}, {})", system.edges.len(), system.states)?;
    for (i, &[from, label, to]) in system.edges.iter().enumerate() {
        if i.is_multiple_of(PATIENCE) {
            control.check()?;
        }
        writeln!(out, "({from}, \"{}\", {to})", labels[label as usize])?;
    }
    Ok(())
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
