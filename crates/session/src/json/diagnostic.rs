//! Diagnostics with their places.

use serde::Serialize;
use volvelle_diagnostics::{Diagnostic, Edit, Fix, Severity, Sources, Span, codes};

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
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    trace: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    help: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixShape<'a>>,
}

#[derive(Serialize)]
struct FixShape<'a> {
    title: &'a str,
    edits: Vec<EditShape<'a>>,
    certain: bool,
}

#[derive(Serialize)]
struct EditShape<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: String,
}

fn fix<'a>(fix: &'a Fix, sources: &'a Sources) -> FixShape<'a> {
    let edit = |edit: Edit| {
        let start = sources.line_column(edit.span);
        let end = sources.line_column(Span { start: edit.span.end, ..edit.span });
        EditShape {
            file: &sources.file(edit.span.file).name,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: edit.text,
        }
    };
    let edits = fix.edits(sources).into_iter().map(edit).collect();
    FixShape { title: fix.title(), edits, certain: fix.is_certain() }
}

pub fn diagnostic<'a>(d: &'a Diagnostic, sources: &'a Sources) -> DiagnosticShape<'a> {
    let place = d.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
    let position = place.map(|label| sources.line_column(label.span));
    let end = place.map(|label| sources.line_column(Span { start: label.span.end, ..label.span }));
    let broken = d.broken.as_deref();
    // What rules are about is a whole node: editors and tests want its end.
    let end = end.filter(|_| broken.is_some() || d.code == codes::TEXT_SYNTAX);
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
        end_line: end.map(|p| p.line),
        end_column: end.map(|p| p.column),
        rule: broken.map(|broken| broken.rule.as_str()),
        data: broken.and_then(|broken| broken.data.as_deref()),
        trace: broken.map_or(&[], |broken| &broken.trace),
        label: place.map(|label| label.text.as_str()).filter(|text| !text.is_empty()),
        notes: &d.notes,
        help: &d.helps,
        fixes: d
            .fixes
            .iter()
            .map(|known| fix(known, sources))
            .filter(|shape| !shape.edits.is_empty())
            .collect(),
    }
}
