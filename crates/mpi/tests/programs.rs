//! Programs of the examples and of textbooks: they parse, and become what they should.

use volvelle_diagnostics::{FileId, RenderOptions, Sources, render_all};
use volvelle_mpi::system::System;
use volvelle_mpi::{parse, resolve};

fn system_with(text: &str, constants: &[(String, i64)]) -> System {
    let mut sources = Sources::new();
    let file = sources.add("program.mpi", text);
    let (tree, mut diagnostics) = parse::program(file, text);
    let (system, more) = resolve::resolve(&tree, constants);
    diagnostics.extend(more);
    assert!(diagnostics.is_empty(), "{}", render_all(&diagnostics, &sources, RenderOptions::default()));
    let _ = FileId(0);
    system.expect("a system, for there are no messages")
}

const SR1: &str = include_str!("../../../examples/mpi/sr1.mpi");
const SR2: &str = include_str!("../../../examples/mpi/sr2.mpi");

#[test]
fn examples() {
    println!("{}", system_with(SR1, &[]).text());
    println!("{}", system_with(SR2, &[]).text());
}
