//! The outputs that all kinds of tuning have in common: screen, JSON, CSV, charts, pages, T4 files.

use super::chart;
use crate::document;
use crate::options::Tune;
use std::path::Path;
use std::time::Duration;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::{files, plots};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_tune::Tuning;
use volvelle_tune::formats::t4;

/// What outputs need to know besides the result.
pub struct About<'a> {
    /// The name of the file that was tuned.
    pub file: &'a str,
    /// The texts, for drawing diagnostics.
    pub sources: &'a Sources,
    /// The time that the work took.
    pub elapsed: Duration,
    /// The seed, where the method has random choices.
    pub seed: Option<u64>,
}

/// Writes the T4 file of a table that was not measured, if it is wanted.
pub fn write_t4(args: &Tune, tuning: &Tuning, written: &mut Vec<String>, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(path) = args.t4.as_deref() {
        files::write(path, t4::write_tuning(tuning).as_bytes(), written, diagnostics);
    }
}

/// Writes the files that are wanted, and returns their names.
pub fn write(
    args: &Tune,
    tuning: &Tuning,
    about: &About<'_>,
    diagnostics: &mut Vec<Diagnostic>,
    output: &Output,
) -> Vec<String> {
    let mut written = Vec::new();
    let shown = shown(args, tuning, about);
    shown.write_table(&mut written, diagnostics);
    if !args.plot.is_empty() {
        match chart::chart(tuning, name(about)) {
            Some(chart) => {
                plots::write(&args.plot, |format| chart.render(format), &mut written, diagnostics);
            }
            None => diagnostics.push(
                Diagnostic::error(codes::BAD_USAGE, "there is nothing to draw: no configuration is known")
                    .help("leave --plot out"),
            ),
        }
    }
    shown.write_page(&written, diagnostics, output)
}

/// The name of the file without those of its folders.
fn name<'a>(about: &About<'a>) -> &'a str {
    Path::new(about.file).file_name().and_then(|name| name.to_str()).unwrap_or(about.file)
}

fn shown<'a>(args: &'a Tune, tuning: &Tuning, about: &About<'a>) -> Shown<'a> {
    let name = name(about);
    let document = document::document(tuning, about.elapsed, name, chart::chart(tuning, name));
    Shown::new(&args.answer, document, about.file, about.sources)
        .with_table(|| volvelle_tune::csv(tuning))
        .seeded(about.seed)
}

/// Prints the result: as JSON, or what goes to standard output in place of the text, or the text.
pub fn print(
    args: &Tune,
    result: Option<&Tuning>,
    about: &About<'_>,
    diagnostics: &[Diagnostic],
    written: &[String],
    output: &Output,
) {
    let json =
        || crate::json::of_tuning(about.file, result, about.elapsed, diagnostics, about.sources).to_text();
    match result {
        Some(result) => shown(args, result, about).print(json, written, output),
        None if args.answer.output.json => output.print(&json()),
        None => {}
    }
}
