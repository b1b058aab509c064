//! Any text as a program of primitives: no panic, a reason for each refusal, and what is lowered does what the interpreter does.
#![no_main]

use volvelle_diagnostics::{RenderOptions, Severity, Sources, render_all};
use volvelle_mpi::lower::View;
use volvelle_mpi::{parse, resolve};
use volvelle_oracles::mpi::{compare_with_interpreter, protocol, simple_machine};

/// Sizes of programs that are explored in both ways, and states of those.
const PROCESSES: usize = 3;
const NODES: usize = 120;
const VARIABLES: usize = 24;
const STATES: usize = 200;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut sources = Sources::new();
    let file = sources.add("model.mpi", text);
    let (tree, mut diagnostics) = parse::program(file, text);
    let (system, found) = resolve::resolve(&tree, &[]);
    diagnostics.extend(found);
    let has_errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert!(system.is_some() || has_errors, "a program is refused with a reason");
    if let Some(system) = system.filter(|_| !has_errors) {
        let nodes: usize = system.processes.iter().map(|process| process.nodes.len()).sum();
        let is_small = system.processes.len() <= PROCESSES
            && nodes <= NODES
            && system.variables.len() <= VARIABLES
            && system.channels.len() <= VARIABLES;
        if is_small {
            let machine = simple_machine(&system, protocol("MESI"), 1);
            for view in [View::Interleaved, View::Untimed { tracks_copies: true }] {
                let compared = compare_with_interpreter(&system, &machine, view, STATES);
                assert!(compared.is_ok(), "{view:?}: {compared:?}");
            }
        }
    }
    let _ = render_all(&diagnostics, &sources, RenderOptions { color: true, ..RenderOptions::default() });
});
