//! Diagnostics with their places.

use serde::Serialize;
use volvelle_diagnostics::{Diagnostic, Severity, Sources};

#[derive(Serialize)]
pub struct DiagnosticShape<'a> {
    code: String,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    help: &'a [String],
}

pub fn diagnostic<'a>(d: &'a Diagnostic, sources: &'a Sources) -> DiagnosticShape<'a> {
    let place = d.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
    let position = place.map(|label| sources.line_column(label.span));
    DiagnosticShape {
        code: d.code.to_string(),
        severity: match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: &d.message,
        file: place.map(|label| sources.file(label.span.file).name.as_str()),
        line: position.map(|p| p.line),
        column: position.map(|p| p.column),
        label: place.map(|label| label.text.as_str()).filter(|text| !text.is_empty()),
        notes: &d.notes,
        help: &d.helps,
    }
}
