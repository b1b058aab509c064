//! `volvelle check --transient` and `--steady-state`: distributions over states.

use crate::args::Check;
use std::path::Path;
use std::time::Instant;
use volvelle_console::files;
use volvelle_console::output::{Output, exit_code};
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_numbers::document::distribution;
use volvelle_numbers::{Moments, csv_of_distributions};
use volvelle_reports::documents::facts;
use volvelle_session::{Session, Settings};

/// Computes the distributions and shows them.
pub fn run(
    args: &Check,
    session: &mut Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    let wanted = Moments {
        times: args.distribution.transient.as_deref(),
        long_run: args.distribution.steady_state,
        by: &args.distribution.by,
    };
    let progress = Line::new();
    let control = volvelle_console::opening::control(&settings.allowance, threads, start, &progress);
    let mut found = volvelle_numbers::distributions(session, &wanted, settings, &control);
    progress.finish();

    let mut written = Vec::new();
    let on_standard_output = args.csv.as_deref() == Some(Path::new("-"));
    if let Some(path) = args.csv.as_deref().filter(|_| !on_standard_output) {
        let table = csv_of_distributions(&found);
        files::write(path, table.as_bytes(), &mut written, &mut found.diagnostics);
    }
    let mut document = distribution::document(&found, session.file());
    if args.explain {
        document.blocks.extend(facts::document(found.model.as_ref(), &[]).blocks);
    }
    let shown = Shown::new(&args.page, document, session.file(), session.sources()).about(&found.model);
    let written = shown.write(&written, &mut found.diagnostics, output);
    if args.output.json {
        let mut document = volvelle_numbers::json::of_distributions(&found, session.sources());
        if args.explain {
            document = document.explained(found.model.as_ref(), std::iter::empty());
        }
        output.print(&document.to_text());
    } else if on_standard_output {
        output.print(&csv_of_distributions(&found));
    } else {
        shown.print(args.output.verbose, &written, output);
    }
    output.print_diagnostics(&found.diagnostics, session.sources());
    exit_code(found.status())
}
