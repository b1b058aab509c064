//! Programs of the tests, and what becomes of them.

#![allow(dead_code, reason = "each test uses some of it")]

use volvelle_diagnostics::{RenderOptions, Sources, render_all};
use volvelle_mpi::system::System;
use volvelle_mpi::{parse, resolve};

/// All programs that have no mistakes, with names.
pub const PROGRAMS: [(&str, &str); 9] = [
    ("SR1", include_str!("../../../../../examples/mpi/sr1.mpi")),
    ("SR2", include_str!("../../../../../examples/mpi/sr2.mpi")),
    ("fitted", include_str!("../../programs/fitted.mpi")),
    ("ticket", include_str!("../../programs/ticket.mpi")),
    ("MCS", include_str!("../../programs/mcs.mpi")),
    ("tournament", include_str!("../../programs/tournament.mpi")),
    ("exchange", include_str!("../../programs/exchange.mpi")),
    ("rings", include_str!("../../programs/rings.mpi")),
    ("all", include_str!("../../programs/all.mpi")),
];

/// The system of a program, and what is said about it.
pub fn resolved(text: &str, constants: &[(&str, i64)]) -> (Option<System>, String) {
    let mut sources = Sources::new();
    let file = sources.add("m.mpi", text);
    let (tree, mut diagnostics) = parse::program(file, text);
    if diagnostics.is_empty() {
        let constants: Vec<(String, i64)> =
            constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let (system, more) = resolve::resolve(&tree, &constants);
        diagnostics.extend(more);
        return (system, render_all(&diagnostics, &sources, RenderOptions::default()));
    }
    (None, render_all(&diagnostics, &sources, RenderOptions::default()))
}

/// The system of a program without mistakes.
pub fn system_with(text: &str, constants: &[(&str, i64)]) -> System {
    let (system, messages) = resolved(text, constants);
    assert_eq!(messages, "", "no messages");
    system.expect("a system, for there are no messages")
}

/// The system of a program without mistakes.
pub fn system(text: &str) -> System {
    system_with(text, &[])
}

/// The steps of the first process whose body is given, with its locals.
pub fn steps(declarations: &str, body: &str) -> String {
    let text = system(&format!("{declarations}\nprocess P {{ {body} }}")).text();
    let start = text.find("process P").expect("the process");
    text[start..].lines().skip(1).map(|line| format!("{}\n", line.trim())).collect()
}

/// What is said about a program.
pub fn messages(text: &str) -> String {
    resolved(text, &[]).1
}
