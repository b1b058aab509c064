//! Diagnostics of the parser, each once.

use super::cursor::{Parser, Reported};
use crate::place::{PlaceInfo, at};
use crate::preprocess::DIAGNOSTIC_LIMIT;
use volvelle_diagnostics::{Code, Diagnostic};

impl Parser {
    /// Adds a diagnostic, unless the same one is there: the body of an inline is parsed at every call.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let seen = |other: &Diagnostic| {
            other.code == diagnostic.code
                && other.message == diagnostic.message
                && other.primary.as_ref().map(|label| label.span)
                    == diagnostic.primary.as_ref().map(|label| label.span)
        };
        if self.diagnostics.len() < DIAGNOSTIC_LIMIT && !self.diagnostics.iter().any(seen) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports an error at a place, with a way out (may be empty).
    pub fn error(&mut self, code: Code, info: PlaceInfo, message: impl Into<String>, help: &str) -> Reported {
        self.report_at(Diagnostic::error(code, message), info, help)
    }

    /// Reports a diagnostic at a place, with a way out (may be empty).
    pub fn report_at(&mut self, diagnostic: Diagnostic, info: PlaceInfo, help: &str) -> Reported {
        let place = self.model.places.add(info);
        let diagnostic = at(diagnostic, &self.model.places, place, "");
        self.report(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
        self.reported_at = Some(self.info());
        Reported
    }
}
