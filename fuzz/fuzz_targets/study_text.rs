//! Any text as a study: no panic, and a reason for each refusal.
#![no_main]

use volvelle_coherence::Protocol;
use volvelle_diagnostics::{RenderOptions, Severity, Sources, render_all};
use volvelle_mpi::lower::{View, lower};
use volvelle_mpi::study::{Outline, Settings, configurations, machine};
use volvelle_mpi::system::System;
use volvelle_mpi::{parse, resolve};
use volvelle_oracles::mpi::protocol;

/// A program with arrays, structures, and a mark.
const PROGRAM: &str = "shared flag[i: 0..1] : bool home i;
shared item[k: 0..1] home k { line { next : 0..1; } line body { data; } }
process P[i: 0..1] { loop { measure START; flag[i] = 1; read item[1 - i].data; flag[i] = 0; } }
";

/// Configurations of which machines are made, and stages of the longest latency for which a program is.
const CONFIGURATIONS: usize = 3;
const STAGES: usize = 8;

fn program() -> (System, Protocol) {
    let (tree, _) = parse::program(Sources::new().add("model.mpi", PROGRAM), PROGRAM);
    let (system, _) = resolve::resolve(&tree, &[]);
    (system.expect("the program has no errors"), protocol("MESI"))
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut sources = Sources::new();
    let file = sources.add("study.toml", text);
    let (outline, mut diagnostics) = Outline::read(file, text);
    let is_broken = |found: &[volvelle_diagnostics::Diagnostic]| {
        found.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    };
    assert_eq!(outline.is_none(), is_broken(&diagnostics), "an outline is refused with a reason");
    let all = outline.map(|outline| configurations(&outline, &[]));
    let all = all.transpose().unwrap_or_else(|errors| {
        diagnostics.extend(errors);
        None
    });
    for values in all.into_iter().flatten().take(CONFIGURATIONS) {
        let (settings, found) = Settings::read(file, text, &values);
        assert_eq!(settings.is_none(), is_broken(&found), "settings are refused with a reason");
        diagnostics.extend(found);
        let Some(settings) = settings else { continue };
        let (mut system, protocol) = program();
        let (machine, found) = machine(&settings, &mut system, &protocol);
        assert_eq!(machine.is_none(), is_broken(&found), "a machine is refused with a reason");
        diagnostics.extend(found);
        let Some(machine) = machine else { continue };
        let stages = machine.shapes.iter().flatten().map(Vec::len).max().unwrap_or(0);
        if stages <= STAGES {
            let _ = lower(&system, &machine, View::Timed { ordered: true });
        }
    }
    let _ = render_all(&diagnostics, &sources, RenderOptions { color: true, ..RenderOptions::default() });
});
