//! `volvelle explore` for models of processes.

use crate::args::Explore;
use crate::files;
use crate::output::Output;
use crate::progress::Line;
use crate::screen::model;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_export::ExportError;
use volvelle_export::lts::{LabelledSystem, write_aut, write_dot};
use volvelle_verify::{Lts, Report, SearchSettings, Session, Settings, json, limits};

/// Most states of a picture.
const MOST_DRAWN: u32 = 2_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Aut,
    Dot,
}

/// Counts the states of a model and writes files.
pub fn run(
    args: &Explore,
    mut session: Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    let targets = match targets(&args.export) {
        Ok(targets) => targets,
        Err(diagnostics) => return super::refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = super::control(settings, threads, start, &progress);
    let search =
        SearchSettings { allowance: settings.allowance, tier: settings.tier, ..SearchSettings::default() };
    let (mut report, lts) = session.explore_processes(!targets.is_empty(), &search, &control);
    let mut written = Vec::new();
    if let Some(lts) = &lts {
        for (path, format) in &targets {
            write(lts, path, *format, &control, &search, &mut written, &mut report);
        }
    }
    progress.finish();
    if args.output.json {
        output.print(&json::Document::of_exploration(&report, &written, session.sources()).to_text());
    } else {
        let mut text = String::new();
        if let Some(space) = &report.model {
            text.push_str(&model::head(space, args.output.verbose, output.style));
        }
        if let Some(lts) = lts.as_ref().filter(|_| !written.is_empty()) {
            let inner = report.model.as_ref().map_or(0, |m| u64::from(lts.states).saturating_sub(m.states));
            let inside = match inner {
                0 => String::new(),
                n => format!(", {} inside atomic sequences included", limits::count(n)),
            };
            text.push_str(&format!(
                "  written: {}  ({} and {}{inside})\n",
                written.join(", "),
                limits::counted(u64::from(lts.states), "state"),
                limits::counted(lts.edges.len() as u64, "transition"),
            ));
        }
        output.print(&text);
    }
    super::finish(&report, session.sources(), output)
}

fn targets(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Format)>, Vec<Diagnostic>> {
    let mut complaints = Vec::new();
    let mut targets = Vec::new();
    for path in paths {
        match path.extension().and_then(|e| e.to_str()) {
            Some("aut") => targets.push((path.clone(), Format::Aut)),
            Some("dot") => targets.push((path.clone(), Format::Dot)),
            _ => {
                let message = format!("`{}` is no export of a model of processes", path.display());
                let complaint = Diagnostic::error(codes::UNKNOWN_EXPORT, message);
                complaints.push(complaint.help("formats are .aut and, for small models, .dot"));
            }
        }
    }
    if complaints.is_empty() { Ok(targets) } else { Err(complaints) }
}

fn write(
    lts: &Lts,
    path: &Path,
    format: Format,
    control: &Control<'_>,
    settings: &SearchSettings,
    written: &mut Vec<String>,
    report: &mut Report,
) {
    if format == Format::Dot && lts.states > MOST_DRAWN {
        let message = format!(
            "`{}` is not written: nobody can read a picture of {}",
            path.display(),
            limits::counted(u64::from(lts.states), "state")
        );
        let complaint = Diagnostic::error(codes::FILE_NOT_WRITTEN, message);
        report.diagnostics.push(complaint.help(format!("write {}", path.with_extension("aut").display())));
        return;
    }
    let system =
        LabelledSystem { states: lts.states, labels: &lts.labels, edges: &lts.edges, stuck: &lts.stuck };
    let result = File::create(path).map_err(ExportError::from).and_then(|file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        match format {
            Format::Aut => write_aut(system, &mut out, control)?,
            Format::Dot => write_dot(system, &mut out, control)?,
        }
        Ok(out.flush()?)
    });
    match result {
        Ok(()) => written.push(path.display().to_string()),
        Err(ExportError::Stopped(stop)) => {
            // A file that stops in the middle is worse than none.
            let _ = std::fs::remove_file(path);
            report.stop = Some(stop);
            report.diagnostics.push(
                limits::stopped(stop, &settings.allowance)
                    .note(format!("`{}` is incomplete and was removed", path.display())),
            );
        }
        Err(ExportError::Io(error)) => report.diagnostics.push(files::not_written(path, &error)),
        Err(_) => {}
    }
}
