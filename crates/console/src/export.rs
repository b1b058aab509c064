//! Writing the files of `--export`: one way for all formats, with one account of what was written and what went wrong.

use crate::{door, files};
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_explicit::{Finding, WriteError};
use volvelle_export::ExportError;
use volvelle_session::report::Report;
use volvelle_session::{Settings, limits};

/// The files of a command, as they are written.
pub struct Export<'a> {
    settings: &'a Settings,
    /// Limits and cancellation for the writers.
    pub control: &'a Control<'a>,
    /// Names of the files that are complete.
    pub written: Vec<String>,
    /// The limit that ended the writing: no further file is begun.
    pub stop: Option<Stop>,
    diagnostics: Vec<Diagnostic>,
}

/// Why a file was not written to its end.
pub enum Failure {
    /// The file could not be written.
    Io(io::Error),
    /// A limit was reached.
    Stopped(Stop),
    /// The format cannot hold the model.
    Refused(Finding),
    /// Reason in words.
    Impossible(&'static str),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => Failure::Io(error),
            WriteError::Stopped(stop) => Failure::Stopped(stop),
            WriteError::Refused(finding) => Failure::Refused(finding),
        }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Io(error) => Failure::Io(error),
            ExportError::Stopped(stop) => Failure::Stopped(stop),
            ExportError::Step(_) | ExportError::NoSuchRewardStructure(_) => {
                Failure::Impossible("the transitions of the model cannot be enumerated state by state")
            }
        }
    }
}

impl<'a> Export<'a> {
    /// Nothing written so far.
    pub fn new(settings: &'a Settings, control: &'a Control<'a>) -> Self {
        Export { settings, control, written: Vec::new(), stop: None, diagnostics: Vec::new() }
    }

    /// The files of a target that may have one file for each reward structure, with the number of the structure.
    /// Without structures there is no file, and a warning.
    pub fn files(&mut self, path: &Path, of_rewards: bool, structures: usize) -> Vec<(PathBuf, usize)> {
        match (of_rewards, structures) {
            (false, _) | (true, 1) => vec![(path.to_owned(), 0)],
            (true, 0) => {
                let message =
                    format!("`{}` is not written: the model has no reward structure", path.display());
                self.diagnostics.push(Diagnostic::warning(codes::UNKNOWN_REWARD, message));
                Vec::new()
            }
            (true, n) => (0..n).map(|i| (files::numbered(path, i + 1), i)).collect(),
        }
    }

    /// Writes a file, and records how it went. Without its end it is not written at all.
    pub fn write<E: Into<Failure>>(
        &mut self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> Result<Vec<Finding>, E>,
    ) {
        match door::replace(path, |out| write(out).map_err(E::into)) {
            Ok(findings) => {
                self.written.push(path.display().to_string());
                self.diagnostics.extend(findings.iter().map(|finding| about(finding, path)));
            }
            Err(Failure::Stopped(stop)) => {
                self.stop = Some(stop);
                self.refuse(
                    limits::stopped(stop, &self.settings.allowance)
                        .note(format!("`{}` is not written", path.display())),
                );
            }
            Err(Failure::Refused(finding)) => self.refuse(about(&finding, path)),
            Err(Failure::Io(error)) => self.refuse(files::not_written(path, &error)),
            Err(Failure::Impossible(why)) => {
                let message = format!("cannot write `{}`: {why}", path.display());
                self.refuse(Diagnostic::error(codes::FILE_NOT_WRITTEN, message));
            }
        }
    }

    /// Records why a file is not written.
    pub fn refuse(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Adds to a report how it went; returns the names of the files.
    pub fn finish(self, report: &mut Report) -> Vec<String> {
        report.diagnostics.extend(self.diagnostics);
        report.stop = report.stop.or(self.stop);
        self.written
    }
}

/// A finding about a written model, which has no place in a text.
fn about(finding: &Finding, path: &Path) -> Diagnostic {
    finding.to_diagnostic(&mut Sources::new()).note(format!("in {}", path.display()))
}
