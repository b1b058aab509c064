//! `volvelle explore`

use super::Opening;
use super::explicit::{self, Target};
use crate::applicable::{GivenOptions, Task};
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
use volvelle_export::{ExportError, Format, Model};
use volvelle_verify::{Analysis, Report, Settings, json, limits};

/// Builds the state space and writes files.
pub fn run(args: &Explore, given: &GivenOptions) -> u8 {
    let start = Instant::now();
    let output = Output::new();
    let opened = super::settings(&args.building, &args.limits).and_then(|(mut settings, threads)| {
        settings.symmetry = args.symmetry;
        let opening = Opening { defines: &args.define, limits: Some(&args.limits), ..Opening::default() };
        let session = super::open(&args.model, opening)?;
        Ok((session, settings, threads))
    });
    let (mut session, settings, threads) = match opened {
        Ok(opened) => opened,
        Err(diagnostics) => return super::refuse(&diagnostics, args.output.json, &output),
    };
    let refusals = given.refusals(Task::Explore, &session);
    if !refusals.is_empty() {
        return super::refuse(&refusals, args.output.json, &output);
    }
    if session.allows(Analysis::Search) && !session.allows(Analysis::Numbers) {
        if args.symmetry {
            let message = "--symmetry does not apply to a state space of processes";
            let refusal = Diagnostic::error(codes::BAD_USAGE, message)
                .note("processes that differ by a permutation are put together in searches only")
                .help("search: volvelle check MODEL --symmetry");
            return super::refuse(&[refusal], args.output.json, &output);
        }
        return super::lts::run(args, session, &settings, threads, start, &output);
    }
    let targets = match targets(&args.export, session.explicit().is_some()) {
        Ok(targets) => targets,
        Err(diagnostics) => return super::refuse(&diagnostics, args.output.json, &output),
    };
    let progress = Line::new();
    let control = super::control(&settings, threads, start, &progress);
    let (mut report, exploration) = session.explore(&settings, &control);
    let mut written = Vec::new();
    if let Some(model) = session.explicit().filter(|_| report.model.is_some()) {
        explicit::export(model, &targets.explicit, &mut written, &mut report, &settings, &control);
    }
    if let (Some(exploration), Some(program)) = (&exploration, session.program()) {
        let model = Model { program, explored: &exploration.explored };
        export(model, &targets.explored, &mut written, &mut report, &settings, &control);
        if !targets.explicit.is_empty() && report.stop.is_none() {
            let model = session.as_explicit(exploration);
            explicit::export(&model, &targets.explicit, &mut written, &mut report, &settings, &control);
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
        if !written.is_empty() {
            text.push_str(&format!("  written: {}\n", written.join(", ")));
        }
        output.print(&text);
    }
    super::finish(&report, session.sources(), &output)
}

/// The files to write, in the formats that their extensions select.
#[derive(Default)]
struct Targets {
    /// Files made from what was explored.
    explored: Vec<(PathBuf, Format)>,
    /// Files made from an explicit model.
    explicit: Vec<(PathBuf, Target)>,
}

/// The formats that file names select.
fn targets(paths: &[PathBuf], is_explicit: bool) -> Result<Targets, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut targets = Targets::default();
    for path in paths {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let explored = Format::of_extension(extension).filter(|_| !is_explicit);
        match (explored, Target::of(path)) {
            (Some(format), _) => targets.explored.push((path.clone(), format)),
            (None, Some(target)) => targets.explicit.push((path.clone(), target)),
            (None, None) => diagnostics.push(explicit::unknown_format(path, extension)),
        }
    }
    if diagnostics.is_empty() { Ok(targets) } else { Err(diagnostics) }
}

/// Writes all files; what goes wrong is added to the report.
fn export(
    model: Model<'_>,
    targets: &[(PathBuf, Format)],
    written: &mut Vec<String>,
    report: &mut Report,
    settings: &Settings,
    control: &Control<'_>,
) {
    let structures = model.program.rewards.len();
    for (path, format) in targets {
        let files: Vec<(PathBuf, usize)> = match (format.is_per_reward_structure(), structures) {
            (false, _) | (true, 1) => vec![(path.clone(), 0)],
            (true, 0) => {
                let message =
                    format!("`{}` is not written: the model has no reward structure", path.display());
                report.diagnostics.push(Diagnostic::warning(codes::UNKNOWN_REWARD, message));
                continue;
            }
            (true, n) => (0..n).map(|i| (files::numbered(path, i + 1), i)).collect(),
        };
        for (path, structure) in files {
            match write(model, *format, structure, &path, control) {
                Ok(()) => written.push(path.display().to_string()),
                Err(ExportError::Stopped(stop)) => {
                    report.stop = Some(stop);
                    report.diagnostics.push(
                        limits::stopped(stop, &settings.allowance)
                            .note(format!("`{}` is incomplete and was removed", path.display())),
                    );
                    return;
                }
                Err(error) => report.diagnostics.push(not_written(&path, &error)),
            }
        }
    }
}

fn write(
    model: Model<'_>,
    format: Format,
    structure: usize,
    path: &Path,
    control: &Control<'_>,
) -> Result<(), ExportError> {
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path)?);
    let result = volvelle_export::write(model, format, structure, &mut out, control);
    let result = result.and_then(|()| Ok(out.flush()?));
    if matches!(result, Err(ExportError::Stopped(_))) {
        // An unfinished file is worse than none.
        let _ = std::fs::remove_file(path);
    }
    result
}

fn not_written(path: &Path, error: &ExportError) -> Diagnostic {
    match error {
        ExportError::Io(error) => files::not_written(path, error),
        _ => {
            let why = "the model cannot be stepped through state by state";
            Diagnostic::error(codes::FILE_NOT_WRITTEN, format!("cannot write `{}`: {why}", path.display()))
        }
    }
}
