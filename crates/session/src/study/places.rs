//! Places of steps in the text of a program.

use volvelle_diagnostics::Sources;
use volvelle_mpi::system::{NodeId, ProcessId, System};

/// The file and line of a step, and its text.
pub fn place_of(
    system: &System,
    process: ProcessId,
    node: NodeId,
    sources: &Sources,
) -> ((String, u32), String) {
    let span = system.processes[process.index()].nodes[node.index()].span;
    let line = sources.line_column(span).line as u32;
    let file = sources.file(span.file).name.clone();
    let text = sources.text(span);
    ((file, line), text.split_whitespace().collect::<Vec<_>>().join(" "))
}
