//! Pictures of labelled transition systems in the language of Graphviz.

use std::io::Write;
use volvelle_control::Control;
use volvelle_explicit::WriteError;
use volvelle_media::dot;
use volvelle_space::Lts;

/// Writes `.dot`: the initial state has a double border.
///
/// # Errors
/// Writing failed, or the user stopped it.
pub fn draw(lts: &Lts, out: &mut dyn Write, control: &Control<'_>) -> Result<(), WriteError> {
    let labels: Vec<String> = lts.labels.texts().iter().map(|label| dot::escaped(label)).collect();
    writeln!(out, "digraph model {{\n  node [shape=circle];\n  {} [peripheries=2];", lts.initial)?;
    for (count, (from, label, to)) in lts.transitions().enumerate() {
        if count.is_multiple_of(1 << 12) {
            control.check()?;
        }
        writeln!(out, "  {from} -> {to} [label=\"{}\"];", labels[label as usize])?;
    }
    writeln!(out, "}}")?;
    Ok(())
}
