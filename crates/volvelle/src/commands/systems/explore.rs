//! `volvelle explore` for labelled transition systems and networks of them.

use super::super::found::{show, written_line};
use crate::args::Explore;
use std::path::Path;
use std::time::Instant;
use volvelle_console::export::Export;
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::presented::Wanted;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{finish, refuse};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::{Session, Settings};

/// Generates the system and writes files.
pub fn run(
    args: &Explore,
    mut session: Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    let mut refusals = Vec::new();
    if args.symmetry {
        let message = "--symmetry does not apply to labelled transition systems";
        refusals.push(
            Diagnostic::error(codes::BAD_USAGE, message)
                .help("reduce the system by an equivalence: volvelle reduce MODEL"),
        );
    }
    let mut targets = Vec::new();
    for path in &args.export {
        match volvelle_systems::written::format(path) {
            Ok(format) => targets.push((path, format)),
            Err(diagnostic) => refusals.push(diagnostic),
        }
    }
    if !refusals.is_empty() {
        return refuse(&refusals, args.output.json, output);
    }
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, lts) = super::system(&mut session, settings, &control);
    let mut export = Export::new(settings, &control);
    if let Some(lts) = &lts {
        for (path, format) in targets {
            output.print(&volvelle_systems::written::write(lts, path, format, &mut export));
        }
    }
    let exported = export.finish(&mut report);
    progress.finish();
    let page = Wanted { args: &args.page, model: &args.model, seed: None };
    let written = page.write_exploration(&mut session, &mut report, None, &exported, output);
    if args.export.iter().any(|path| path == Path::new("-")) {
        // Standard output has the system alone.
        return finish(&report, session.sources(), output);
    }
    show(args, &session, &report, &exported, || written_line(&written, output), output)
}
