//! `volvelle explore` for weighted systems.

use super::super::found::{show, written_line};
use super::written::{format, write};
use crate::args::Explore;
use std::time::Instant;
use volvelle_console::export::Export;
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::presented::Wanted;
use volvelle_console::progress::Line;
use volvelle_console::refusal::refuse;
use volvelle_session::{Session, Settings};

/// Generates the structure and writes files.
pub fn run(
    args: &Explore,
    mut session: Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    let mut refusals = Vec::new();
    let mut targets = Vec::new();
    for path in &args.export {
        match format(path) {
            Ok(format) => targets.push((path, format)),
            Err(diagnostic) => refusals.push(diagnostic),
        }
    }
    if !refusals.is_empty() {
        return refuse(&refusals, args.output.json, output);
    }
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, model) = volvelle_weights::weighted_model(&mut session, &Vec::new(), settings, &control);
    let mut export = Export::new(settings, &control);
    if let Some(model) = &model {
        for (path, format) in targets {
            write(model, path, format, &mut export);
        }
    }
    let exported = export.finish(&mut report);
    progress.finish();
    let page = Wanted { args: &args.page, model: &args.model, seed: None };
    let written = page.write_exploration(&mut session, &mut report, None, &exported, output);
    show(args, &session, &report, &exported, || written_line(&written, output), output)
}
