//! Pictures of labelled transition systems: `.dot`.

use crate::system::LabelledStates;
use std::io::Write;
use volvelle_control::Control;
use volvelle_explicit::WriteError;
use volvelle_media::dot;

/// Edges between two looks at limits.
const PATIENCE: usize = 1 << 12;

/// Writes `.dot`: the initial state has a double border, errors are red.
pub fn write_dot(
    system: &LabelledStates,
    out: &mut dyn Write,
    control: &Control<'_>,
) -> Result<(), WriteError> {
    let labels: Vec<String> = system.labels.iter().map(|label| dot::escaped(label)).collect();
    writeln!(out, "digraph model {{\n  node [shape=circle];\n  0 [peripheries=2];")?;
    for state in &system.stuck {
        writeln!(out, "  {state} [color=red, fontcolor=red];")?;
    }
    for (i, &[from, label, to]) in system.edges.iter().enumerate() {
        if i.is_multiple_of(PATIENCE) {
            control.check().map_err(WriteError::Stopped)?;
        }
        writeln!(out, "  {from} -> {to} [label=\"{}\"];", labels[label as usize])?;
    }
    writeln!(out, "}}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(
        write: impl Fn(&LabelledStates, &mut dyn Write, &Control<'_>) -> Result<(), WriteError>,
    ) -> String {
        let labels = vec!["P(0): x = \"a\\b\"".to_owned(), "tau".to_owned()];
        let system = LabelledStates {
            states: 3,
            expanded: 3,
            labels,
            edges: vec![[0, 0, 1], [0, 1, 2], [1, 1, 0]],
            stuck: vec![2],
            variables: Vec::new(),
        };
        let mut out = Vec::new();
        write(&system, &mut out, &Control::unlimited()).expect("memory takes all");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn pictures_mark_the_initial_state_and_errors() {
        assert_eq!(
            text(write_dot),
            "digraph model {\n  node [shape=circle];\n  0 [peripheries=2];\n  2 [color=red, fontcolor=red];\n  \
             0 -> 1 [label=\"P(0): x = \\\"a\\\\b\\\"\"];\n  0 -> 2 [label=\"tau\"];\n  1 -> 0 [label=\"tau\"];\n}\n"
        );
    }
}
