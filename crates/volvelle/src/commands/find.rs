//! `volvelle check --find`: the least or greatest value of a constant for which a property holds.

use super::experiment;
use crate::args::Check;
use std::path::Path;
use std::time::Instant;
use volvelle_console::files;
use volvelle_console::output::{Output, exit_code};
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_numbers::document::threshold;
use volvelle_numbers::{Extreme, Sought};
use volvelle_reports::documents::facts;
use volvelle_session::csv::csv;
use volvelle_session::{Session, Settings};

/// Finds the value and shows what was evaluated.
pub fn run(
    args: &Check,
    range: &str,
    session: &mut Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    let sought = Sought {
        range,
        such_that: args.find.such_that.as_deref().unwrap_or_default(),
        extreme: if args.find.greatest { Extreme::Greatest } else { Extreme::Least },
        every_value: args.find.every_value,
    };
    let progress = Line::new();
    let control = volvelle_console::opening::control(&settings.allowance, threads, start, &progress);
    let mut found = volvelle_numbers::find(session, &sought, settings, &control);
    progress.finish();

    let mut written = Vec::new();
    let on_standard_output = args.csv.as_deref() == Some(Path::new("-"));
    if let Some(path) = args.csv.as_deref().filter(|_| !on_standard_output) {
        let table = csv(&found.evaluated);
        let is_whole = !found.evaluated.all_diagnostics().into_iter().any(files::is_cut);
        files::write_as(is_whole, path, table.as_bytes(), &mut written, &mut found.evaluated.diagnostics);
    }
    let mut document = threshold::document(&found, session.file());
    let evaluated = &found.evaluated;
    if let Some(last) = evaluated.points.last().filter(|_| args.explain) {
        document.blocks.extend(facts::document(evaluated.models.last(), &last.results).blocks);
    }
    let spaces = evaluated.models.iter().filter(|_| args.output.verbose);
    let shown = Shown::new(&args.page, document, session.file(), session.sources()).about(spaces);
    let mut diagnostics = experiment::diagnostics(evaluated);
    let told = diagnostics.len();
    let written = shown.write(&written, &mut diagnostics, output);
    found.evaluated.diagnostics.extend(diagnostics.drain(told..));
    let evaluated = &found.evaluated;
    if args.output.json {
        let mut document = volvelle_numbers::json::of_threshold(&found, session.sources());
        if args.explain {
            let results = evaluated.points.iter().flat_map(|p| &p.results);
            document = document.explained(&evaluated.models, results);
        }
        output.print(&document.to_text());
    } else if on_standard_output {
        output.print(&csv(evaluated));
    } else {
        shown.print(args.output.verbose, &written, output);
    }
    output.print_diagnostics(&experiment::diagnostics(evaluated), session.sources());
    exit_code(found.status())
}
