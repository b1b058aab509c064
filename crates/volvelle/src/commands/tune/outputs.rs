//! The outputs that all kinds of tuning have in common: screen, JSON, CSV, charts, pages, T4 files.

use crate::args::Tune;
use crate::commands::refused_targets;
use crate::files;
use crate::output::Output;
use crate::screen::{self, tuning};
use std::path::Path;
use std::time::Duration;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_tune::Tuning;
use volvelle_verify::{Session, json};

/// Errors about the files that are to be written, before any work.
pub fn refused(args: &Tune) -> Vec<Diagnostic> {
    let targets = args.csv.iter().chain(&args.plot).chain(&args.t4).chain(&args.page.html);
    let mut refusals = refused_targets(targets, &args.file);
    let outputs = [&args.csv, &args.page.html];
    let on_standard_output = outputs.iter().filter(|path| path.as_deref() == Some(Path::new("-"))).count();
    if on_standard_output + usize::from(args.output.json) > 1 {
        let message = "several results would go to standard output";
        let help = "give a file: --csv table.csv";
        refusals.push(Diagnostic::error(codes::BAD_USAGE, message).help(help));
    }
    refusals
}

/// Writes the files that are wanted, and returns their names.
pub fn write(
    args: &Tune,
    tuning: &Tuning,
    _session: &Session,
    diagnostics: &mut Vec<Diagnostic>,
    output: &Output,
) -> Vec<String> {
    let mut written = Vec::new();
    if let Some(path) = args.csv.as_deref() {
        let table = volvelle_tune::csv(tuning);
        match path == Path::new("-") {
            true => output.print(&table),
            false => files::write(path, table.as_bytes(), &mut written, diagnostics),
        }
    }
    written
}

/// Prints the result, unless a file goes to standard output.
pub fn print(
    args: &Tune,
    result: Option<&Tuning>,
    session: &Session,
    diagnostics: &[Diagnostic],
    written: &[String],
    elapsed: Duration,
    output: &Output,
) {
    let is_elsewhere =
        [&args.csv, &args.page.html].iter().any(|path| path.as_deref() == Some(Path::new("-")));
    if args.output.json {
        let document =
            json::Document::of_tuning(session.file(), result, elapsed, diagnostics, session.sources());
        output.print(&document.to_text());
    } else if let (Some(result), false) = (result, is_elsewhere) {
        let mut text = tuning::block(result, elapsed, args.output.verbose, output.style);
        text.push_str(&screen::written(written, output.style));
        output.print(&text);
    }
}
