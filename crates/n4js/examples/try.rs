//! Checks programs, each by itself, and says how long reading and checking took:
//! `cargo run --release -p volvelle-n4js --example try -- FILE...`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::time::Instant;
use volvelle_diagnostics::{RenderOptions, Sources, render, render_all};
use volvelle_n4js::{Syntax, system};
use volvelle_rules::machine::Limits;

/// Findings that are shown of a program.
const SHOWN: usize = 40;

fn main() {
    let (mut sources, mut found) = (Sources::new(), Vec::new());
    let start = Instant::now();
    let loaded = system::load(&mut sources, Syntax::Current, &mut found);
    let load = start.elapsed();
    eprint!("{}", render_all(&found, &sources, RenderOptions::default()));
    let Some(loaded) = loaded else { return };
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        let file = sources.add(path, text);
        let start = Instant::now();
        let program = loaded.read(&sources, file);
        let read = start.elapsed();
        let report = loaded.check(&sources, &program, Limits { bytes: 4 << 30, stop: &|| false }, true);
        let all = start.elapsed();
        for finding in report.findings.iter().take(SHOWN) {
            println!("{}", render(&finding.diagnostic, &sources, RenderOptions::default()));
        }
        let (count, done) = (report.findings.len(), report.statistics);
        println!(
            "{count} findings; rules read in {load:?}, the text in {read:?}, checked in {all:?}; {done:?}"
        );
    }
}
