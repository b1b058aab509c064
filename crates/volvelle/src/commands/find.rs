//! `volvelle check --find`: the least or greatest value of a constant for which a property holds.

use super::experiment;
use crate::args::Check;
use crate::files;
use crate::output::{Output, exit_code};
use crate::progress::Line;
use crate::screen::{self, facts, model, threshold};
use std::path::Path;
use std::time::Instant;
use volvelle_verify::{Extreme, Session, Settings, Sought, csv};

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
    let control = super::control(&settings.allowance, threads, start, &progress);
    let mut found = volvelle_verify::find(session, &sought, settings, &control);
    progress.finish();

    let mut written = Vec::new();
    let on_standard_output = args.csv.as_deref() == Some(Path::new("-"));
    if let Some(path) = args.csv.as_deref().filter(|_| !on_standard_output) {
        let table = csv(&found.evaluated);
        let is_whole = !found.evaluated.all_diagnostics().into_iter().any(files::is_cut);
        files::write_as(is_whole, path, table.as_bytes(), &mut written, &mut found.evaluated.diagnostics);
    }
    let evaluated = &found.evaluated;
    if args.output.json {
        let mut document = volvelle_verify::numbers::json::of_threshold(&found, session.sources());
        if args.explain {
            let results = evaluated.points.iter().flat_map(|p| &p.results);
            document = document.explained(&evaluated.models, results);
        }
        output.print(&document.to_text());
    } else if on_standard_output {
        output.print(&csv(evaluated));
    } else {
        let verbose = args.output.verbose;
        let mut text = String::new();
        for space in evaluated.models.iter().filter(|_| verbose) {
            text.push_str(&model::head(space, verbose, output.style));
        }
        text.push_str(&threshold::block(&found, session.file(), verbose, output.style));
        if let Some(last) = evaluated.points.last().filter(|_| args.explain) {
            text.push_str(&facts::block(evaluated.models.last(), &last.results, output.style));
        }
        text.push_str(&screen::written(&written, output.style));
        output.print(&text);
    }
    output.print_diagnostics(&experiment::diagnostics(evaluated), session.sources());
    exit_code(found.status())
}
