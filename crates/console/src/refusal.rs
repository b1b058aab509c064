//! Commands that end before they have an answer, and the end of those that have one.

use crate::output::{EXIT_LIMIT, EXIT_USAGE, Output, exit_code};
use volvelle_diagnostics::{Diagnostic, Severity, Sources};
use volvelle_session::json;
use volvelle_session::limits;
use volvelle_session::report::Report;

/// Prints diagnostics that end a command before it has a model, and returns the exit code.
pub fn refuse(diagnostics: &[Diagnostic], as_json: bool, output: &Output) -> u8 {
    refuse_in(diagnostics, &Sources::new(), as_json, output)
}

/// Like [`refuse`], for diagnostics with places in texts.
pub fn refuse_in(diagnostics: &[Diagnostic], sources: &Sources, as_json: bool, output: &Output) -> u8 {
    if as_json {
        output.print(&json::Document::new(diagnostics, sources).to_text());
    }
    output.print_diagnostics(diagnostics, sources);
    // Who refuses has a reason.
    code_of(diagnostics).max(EXIT_USAGE)
}

/// Why a question is not answered, with the texts that the diagnostics are about.
#[derive(Debug)]
pub struct Refused {
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
}

impl Refused {
    /// Diagnostics with places in texts.
    pub fn in_texts(diagnostics: Vec<Diagnostic>, sources: &Sources) -> Self {
        Refused { diagnostics, sources: sources.clone() }
    }

    /// Shows it, and gives the exit code.
    pub fn show(&self, as_json: bool, output: &Output) -> u8 {
        refuse_in(&self.diagnostics, &self.sources, as_json, output)
    }
}

impl From<Vec<Diagnostic>> for Refused {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Refused { diagnostics, sources: Sources::new() }
    }
}

impl From<Diagnostic> for Refused {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic].into()
    }
}

/// The exit code that diagnostics stand for: a limit, if all errors are about one.
pub fn code_of(diagnostics: &[Diagnostic]) -> u8 {
    let errors = || diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    match errors().next() {
        None => 0,
        Some(_) if errors().all(|diagnostic| limits::is_limit(diagnostic.code)) => EXIT_LIMIT,
        Some(_) => EXIT_USAGE,
    }
}

/// Prints the diagnostics of a report and returns the exit code.
pub fn finish(report: &Report, sources: &Sources, output: &Output) -> u8 {
    let diagnostics: Vec<Diagnostic> = report.all_diagnostics().into_iter().cloned().collect();
    output.print_diagnostics(&diagnostics, sources);
    exit_code(report.status())
}
