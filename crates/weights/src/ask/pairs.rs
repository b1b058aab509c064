//! `volvelle distance` between all states of a model.

use super::{Way, open, refusals_of};
use crate::options::Distance;
use crate::{all_distances, bound, close_states, document};
use std::time::Instant;
use volvelle_console::export::Export;
use volvelle_console::given::GivenOptions;
use volvelle_console::machine;
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{finish, refuse};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_present::document::Document;
use volvelle_session::Settings;

/// Computes the distances between all states, and groups those that are close.
pub fn run(args: &Distance, way: Way<'_>, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let prepared = machine::limits(&args.limits).and_then(|(allowance, threads)| {
        let mut refusals = Vec::new();
        let within = args.within.as_deref().map(|text| bound("--within", text)).transpose();
        let within = within.map_err(|diagnostic| refusals.push(diagnostic)).ok().flatten();
        if let Some(path) = &args.file
            && path.extension().is_none_or(|extension| extension != "dot")
        {
            let message =
                format!("the extension of `{}` selects no format for groups of states", path.display());
            refusals.push(
                Diagnostic::error(codes::UNKNOWN_EXPORT, message)
                    .note("their steps have intervals of weights, which weighted structures do not have")
                    .help("the format is .dot; --json has all of it"),
            );
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let (session, selected) = open(&args.model.model, way, true)?;
        let mut refusals = refusals_of(given, &session.model);
        if !selected.is_empty() && args.within.is_none() && args.answer.csv.is_none() {
            let message = "one state is named, and a distance is between two";
            refusals.push(
                Diagnostic::error(codes::BAD_USAGE, message)
                    .help("name another one: volvelle distance FILE:STATE FILE:STATE")
                    .help("or none, for the distances between all states"),
            );
        }
        let settings = Settings { allowance, ..Settings::default() };
        if refusals.is_empty() { Ok((session, selected, settings, threads, within)) } else { Err(refusals) }
    });
    let (mut session, selected, settings, threads, within) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, whole) = crate::weighted_model(&mut session, &selected, &settings, &control);
    let found = whole.and_then(|whole| {
        let found = all_distances(&whole, args.kind.kind(), &settings.allowance, &control);
        let distances = report.take(found)?;
        let groups = within.map(|within| close_states(&whole, &distances, &within));
        Some((distances, groups))
    });
    let mut export = Export::new(&settings, &control);
    if let (Some(path), Some((_, Some(groups)))) = (&args.file, &found) {
        export.write(path, |out| out.write_all(groups.dot().as_bytes()).map(|()| Vec::new()));
    }
    let written = export.finish(&mut report);
    progress.finish();
    let document = match &found {
        Some((distances, Some(groups))) => document::groups(distances, groups),
        Some((distances, None)) => document::distances(distances, args.log),
        None => Document::default(),
    };
    let shown = Shown::new(&args.answer, document, &session.model.file, &session.model.sources)
        .about(&report.model)
        .with_table(|| found.as_ref().map_or_else(String::new, |(distances, _)| distances.csv()));
    let all = shown.write(&written, &mut report.diagnostics, output);
    let json = || {
        let shown = found.as_ref().map(|(distances, groups)| (distances, groups.as_ref()));
        let document = crate::json::of_all_distances(&report, shown, &written, &session.model.sources);
        document.to_text()
    };
    shown.print(json, &all, output);
    finish(&report, &session.model.sources, output)
}
