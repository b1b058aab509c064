//! How fast programs are read: `cargo bench -p volvelle-n4js -- FILE …`, for each file the best of many runs. Without files, a made text.
#![expect(clippy::print_stdout, reason = "a measurement tells what it has found")]

use std::time::{Duration, Instant};
use volvelle_diagnostics::FileId;
use volvelle_n4js::{Syntax, parse};
use volvelle_trees::{Interner, Tree};

/// How long each text is read again.
const TIME: Duration = Duration::from_millis(300);

fn main() {
    let files: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if files.is_empty() {
        let lines = (0..2_000).map(|at| {
            format!("var x{at}: number = f(function (p: C): A {{ return p.a{at} || new A(); }});\n")
        });
        measure("2,000 lines", &lines.collect::<String>());
    }
    for file in files {
        match std::fs::read_to_string(&file) {
            Ok(text) => measure(&file, &text),
            Err(error) => println!("{file}: {error}"),
        }
    }
}

fn measure(name: &str, text: &str) {
    let begun = Instant::now();
    let mut best = f64::INFINITY;
    let (mut nodes, mut mistakes) = (0, 0);
    while begun.elapsed() < TIME {
        let (mut tree, mut symbols, mut found) = (Tree::new(), Interner::new(), Vec::new());
        let start = Instant::now();
        parse(&mut tree, &mut symbols, FileId(0), text, Syntax::Current, &mut found);
        best = best.min(start.elapsed().as_secs_f64());
        (nodes, mistakes) = (tree.len(), found.len());
    }
    let lines = text.lines().count();
    let megabytes = text.len() as f64 / 1e6;
    let per_lines = best * 1e6 * 2_000.0 / lines as f64;
    println!(
        "{name}: {lines} lines, {nodes} nodes, {mistakes} mistakes, {:.0} us, {:.0} MB/s, {per_lines:.0} us for 2,000 lines",
        best * 1e6,
        megabytes / best
    );
}
