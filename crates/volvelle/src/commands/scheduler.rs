//! `--export-scheduler`: one file for each property that has a scheduler.

use crate::args::Check;
use crate::files;
use std::path::Path;
use volvelle_verify::{Evidences, Report, SchedulerFormat};

/// The output that the options request besides answers.
pub fn wanted(args: &Check) -> Evidences {
    let format = |path: &Path| match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("json") => SchedulerFormat::Json,
        Some(ending) if ending.eq_ignore_ascii_case("csv") => SchedulerFormat::Csv,
        _ => SchedulerFormat::Table,
    };
    Evidences {
        scheduler: args.export_scheduler.as_deref().map(format),
        witness: args.witness.is_some(),
        further: args.witness.map_or(0, |paths| paths as usize - 1),
    }
}

/// Writes the schedulers of a report; returns the names of the files. Several names are numbered like the
/// requested properties.
pub fn write(path: &Path, report: &mut Report) -> Vec<String> {
    let mut written = Vec::new();
    let several = report.results.len() > 1;
    for (i, result) in report.results.iter_mut().enumerate() {
        let Some(scheduler) = result.evidence.as_mut().and_then(|e| e.scheduler.as_mut()) else { continue };
        let text = std::mem::take(&mut scheduler.text);
        let path = if several { files::numbered(path, i + 1) } else { path.to_owned() };
        files::write(&path, text.as_bytes(), &mut written, &mut report.diagnostics);
    }
    written
}
