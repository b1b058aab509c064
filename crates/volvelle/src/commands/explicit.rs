//! Files of explicit models that `volvelle explore` writes.

use crate::files;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes, suggest};
use volvelle_explicit::{Compression, Finding, Format, Model, WriteError, WriteOptions, prism, write};
use volvelle_verify::{Part, Report, Settings, limits};

/// What a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The model, as far as the format can hold it.
    Model(Format, Compression),
    /// What PRISM's `.tra` leaves to other files.
    Part(Part),
}

impl Target {
    /// Extensions that select this format, without the dot.
    pub const ENDINGS: [&str; 9] = ["tra", "sta", "lab", "srew", "trew", "drn", "umb", "pexp", "aut"];

    /// The format that the extension of a name selects.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.to_string_lossy();
        if let Some(format) = Format::of_name(&name) {
            return Some(Target::Model(format, Compression::of_name(&name).0));
        }
        let ending = path.extension()?.to_str()?;
        let parts = [Part::Labels, Part::States, Part::StateRewards, Part::TransitionRewards];
        let part = parts.into_iter().find(|part| part.ending().eq_ignore_ascii_case(ending));
        part.map(Target::Part)
    }
}

/// An ending that asks for no format.
pub fn unknown_format(path: &Path, extension: &str) -> Diagnostic {
    let mut known = Target::ENDINGS.to_vec();
    known.push("dot");
    let message = match extension {
        "" => format!("`{}` has no ending that names a format", path.display()),
        _ => format!("`.{extension}` is not an export format"),
    };
    let diagnostic = Diagnostic::error(codes::UNKNOWN_EXPORT, message);
    let prefix = known.iter().copied().find(|k| extension.starts_with(k) || k.starts_with(extension));
    match suggest(extension, known).or(prefix.filter(|_| !extension.is_empty())) {
        Some(near) => diagnostic.help(format!("did you mean `{}`?", path.with_extension(near).display())),
        None => diagnostic.help("formats are .umb .drn .tra .sta .lab .srew .trew .pexp .aut .dot"),
    }
}

/// Writes the files; what goes wrong is added to the report.
pub fn export(
    model: &Model,
    targets: &[(PathBuf, Target)],
    written: &mut Vec<String>,
    report: &mut Report,
    settings: &Settings,
    control: &Control<'_>,
) {
    for (path, target) in targets {
        let several = model.rewards.len();
        let files: Vec<(PathBuf, usize)> = match target {
            Target::Part(part) if part.is_numbered() && several == 0 => {
                let message =
                    format!("`{}` is not written: the model has no reward structure", path.display());
                report.diagnostics.push(Diagnostic::warning(codes::UNKNOWN_REWARD, message));
                continue;
            }
            Target::Part(part) if part.is_numbered() && several > 1 => {
                (0..several).map(|i| (files::numbered(path, i + 1), i)).collect()
            }
            _ => vec![(path.clone(), 0)],
        };
        for (path, structure) in files {
            let result = write_file(model, *target, structure, &path, control);
            record(result, &path, written, report, settings);
            if report.stop.is_some() {
                return;
            }
        }
    }
}

/// Adds to the report how writing a file ended.
pub fn record(
    result: Result<Vec<Finding>, WriteError>,
    path: &Path,
    written: &mut Vec<String>,
    report: &mut Report,
    settings: &Settings,
) {
    match result {
        Ok(findings) => {
            written.push(path.display().to_string());
            report.diagnostics.extend(findings.iter().map(|finding| about(finding, path)));
        }
        Err(WriteError::Stopped(stop)) => {
            report.stop = Some(stop);
            report.diagnostics.push(
                limits::stopped(stop, &settings.allowance)
                    .note(format!("`{}` is incomplete and was removed", path.display())),
            );
        }
        Err(WriteError::Refused(finding)) => report.diagnostics.push(about(&finding, path)),
        Err(WriteError::Io(error)) => report.diagnostics.push(files::not_written(path, &error)),
    }
}

/// A finding about a written model, which has no place in a text.
fn about(finding: &Finding, path: &Path) -> Diagnostic {
    finding.to_diagnostic(&mut volvelle_diagnostics::Sources::new()).note(format!("in {}", path.display()))
}

/// Writes a file. An unfinished file is removed, since it is worse than none.
pub fn create<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, WriteError>,
) -> Result<T, WriteError> {
    let mut out = io::BufWriter::with_capacity(1 << 16, File::create(path)?);
    let result = write(&mut out).and_then(|value| {
        out.flush()?;
        Ok(value)
    });
    if result.is_err() {
        let _ = std::fs::remove_file(path);
    }
    result
}

/// Writes a model, or a part of it.
fn write_file(
    model: &Model,
    target: Target,
    structure: usize,
    path: &Path,
    control: &Control<'_>,
) -> Result<Vec<Finding>, WriteError> {
    let options = WriteOptions::default();
    create(path, |out| match target {
        Target::Model(format, compression) => write(model, format, compression, &options, out, control),
        Target::Part(Part::Labels) => prism::write_labels(model, &options, out, control),
        Target::Part(Part::StateRewards) => {
            prism::write_state_rewards(model, &model.rewards[structure], &options, out, control)
        }
        Target::Part(Part::TransitionRewards) => {
            prism::write_transition_rewards(model, &model.rewards[structure], &options, out, control)
        }
        Target::Part(Part::States | Part::Observations) => prism::write_states(model, &options, out, control),
    })
}
