//! `volvelle distance` between all states of a model.

use super::super::export::Export;
use super::super::{control, finish, refuse, refused_targets};
use super::{Way, open};
use crate::applicable::{self, Task};
use crate::args::Distance;
use crate::machine;
use crate::output::Output;
use crate::progress::Line;
use crate::screen::{self, model, weighted};
use std::path::Path;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_verify::Settings;
use volvelle_verify::weighted::{all_distances, bound, close_states};

/// Computes the distances between all states, and groups those that are close.
pub fn run(args: &Distance, way: Way<'_>, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let prepared = machine::limits(&args.limits).and_then(|(allowance, threads)| {
        let targets = args.matrix.iter().chain(&args.file);
        let mut refusals = refused_targets(targets);
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
        let mut refusals = applicable::refusals(given, Task::Weighted, &session);
        if !selected.is_empty() && args.within.is_none() && args.matrix.is_none() {
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
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, whole) = volvelle_verify::weighted_model(&mut session, &selected, &settings, &control);
    let found = whole.and_then(|whole| {
        let found = all_distances(&whole, args.kind.kind(), &settings.allowance, &control);
        let distances = report.take(found)?;
        let groups = within.map(|within| close_states(&whole, &distances, &within));
        Some((distances, groups))
    });
    let is_on_standard_output = args.matrix.as_deref() == Some(Path::new("-"));
    let mut export = Export::new(&settings, &control);
    if let Some((distances, groups)) = &found {
        if let Some(path) = args.matrix.as_ref().filter(|_| !is_on_standard_output) {
            export.write(path, |out| out.write_all(distances.csv().as_bytes()).map(|()| Vec::new()));
        }
        if let (Some(path), Some(groups)) = (&args.file, groups) {
            export.write(path, |out| out.write_all(groups.dot().as_bytes()).map(|()| Vec::new()));
        }
    }
    let written = export.finish(&mut report);
    progress.finish();
    if args.output.json {
        let shown = found.as_ref().map(|(distances, groups)| (distances, groups.as_ref()));
        let document =
            volvelle_verify::weighted::json::of_all_distances(&report, shown, &written, session.sources());
        output.print(&document.to_text());
    } else if let (true, Some((distances, _))) = (is_on_standard_output, &found) {
        output.print(&distances.csv());
    } else {
        let mut text = String::new();
        if let Some(space) = &report.model {
            text.push_str(&model::head(space, args.output.verbose, output.style));
        }
        if let Some((distances, groups)) = &found {
            text.push_str(&match groups {
                Some(groups) => weighted::groups(distances, groups, output.style),
                None => weighted::distances(distances, args.log, output.style),
            });
        }
        if !written.is_empty() {
            text.push_str(&screen::written_line(&written, "", output.style));
        }
        output.print(&text);
    }
    finish(&report, session.sources(), output)
}
