//! Diagnostics of resolution, each once: a procedure is resolved as often as it is called.

use rustc_hash::FxHashSet;
use volvelle_diagnostics::{Code, Diagnostic, Severity, Span};

#[derive(Default)]
pub(super) struct Report {
    pub diagnostics: Vec<Diagnostic>,
    seen: FxHashSet<(u16, Option<Span>)>,
    pub failed: bool,
}

impl Report {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.failed |= diagnostic.severity == Severity::Error;
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        if self.seen.insert((diagnostic.code.0, place)) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub fn error(&mut self, code: Code, message: impl Into<String>, span: Span, label: impl Into<String>) {
        self.push(Diagnostic::error(code, message).at(span, label));
    }
}
