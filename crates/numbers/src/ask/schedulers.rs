//! `--export-scheduler` and `--export-induced`: files for each property that has a scheduler.

use crate::options::ComputeProperties;
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_console::export::Export;
use volvelle_console::files;
use volvelle_console::formats::{self, Target};
use volvelle_diagnostics::Diagnostic;
use volvelle_session::Settings;
use volvelle_session::evidence::{Evidences, SchedulerFormat};
use volvelle_session::report::Report;

/// The output that the options request besides answers.
pub fn wanted(args: &ComputeProperties) -> Evidences {
    let format = |path: &Path| match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("json") => SchedulerFormat::Json,
        Some(ending) if ending.eq_ignore_ascii_case("csv") => SchedulerFormat::Csv,
        Some(ending) if ending.eq_ignore_ascii_case("dot") => SchedulerFormat::Dot,
        _ => SchedulerFormat::Table,
    };
    Evidences {
        scheduler: args.export_scheduler.as_deref().map(format),
        induced: args.export_induced.iter().any(|path| !is_graph(path)),
        induced_graph: args.export_induced.iter().any(|path| is_graph(path)),
        witness: args.witness.is_some(),
        further: args.witness.map_or(0, |paths| paths as usize - 1),
    }
}

fn is_graph(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("dot"))
}

/// Refusals of files for chains whose extension selects no format.
pub fn unknown_formats(args: &ComputeProperties) -> Vec<Diagnostic> {
    let unknown = args.export_induced.iter().filter(|path| !is_graph(path) && Target::of(path).is_none());
    let refused = unknown.map(|path| {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        formats::unknown_format(path, extension)
    });
    refused.collect()
}

/// Writes the schedulers of a report, and the chains that they make; returns the names of the files. Several names are
/// numbered like the requested properties.
pub fn write(args: &ComputeProperties, settings: &Settings, report: &mut Report) -> Vec<String> {
    let mut written = Vec::new();
    let several = report.results.len() > 1;
    let numbered =
        |path: &PathBuf, i: usize| if several { files::numbered(path, i + 1) } else { path.clone() };
    for (i, result) in report.results.iter_mut().enumerate() {
        let Some(scheduler) = result.evidence.as_mut().and_then(|e| e.scheduler.as_mut()) else { continue };
        let text = std::mem::take(&mut scheduler.text);
        // A graph that became too large has no text.
        if let Some(path) = args.export_scheduler.as_ref().filter(|_| !text.is_empty()) {
            files::write_as(true, &numbered(path, i), text.as_bytes(), &mut written, &mut report.diagnostics);
        }
        let graph = std::mem::take(&mut scheduler.induced_graph);
        for path in args.export_induced.iter().filter(|path| is_graph(path) && !graph.is_empty()) {
            files::write_as(
                true,
                &numbered(path, i),
                graph.as_bytes(),
                &mut written,
                &mut report.diagnostics,
            );
        }
    }
    let progress = volvelle_console::progress::Line::new();
    let control = volvelle_console::opening::control(&settings.allowance, 1, Instant::now(), &progress);
    let mut export = Export::new(settings, &control);
    for (i, result) in report.results.iter_mut().enumerate() {
        let Some(scheduler) = result.evidence.as_mut().and_then(|e| e.scheduler.as_mut()) else { continue };
        let Some(model) = scheduler.induced.take() else { continue };
        let chains = args.export_induced.iter().filter(|path| !is_graph(path));
        let targets: Vec<(PathBuf, Target)> =
            chains.filter_map(|path| Some((numbered(path, i), Target::of(path)?))).collect();
        formats::export(&model, &targets, &mut export);
        if export.stop.is_some() {
            break;
        }
    }
    written.extend(export.finish(report));
    progress.finish();
    written
}
