//! Diagnostics: an error, its place, its reason, and the way out.

use crate::catalogue::Code;
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Worth knowing; the answer stands.
    Note,
    /// The answer stands but is probably not what was meant.
    Warning,
    /// No answer.
    Error,
}

/// Whether something is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// A span with a few words under it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    /// Place in a source text.
    pub span: Span,
    /// The words; may be empty.
    pub text: String,
}

/// One message: id, severity, one terse sentence, annotated spans, notes, ways out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[must_use]
pub struct Diagnostic {
    /// Stable identity, explained by [`crate::explain`].
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// One sentence without a full stop; names in backquotes.
    pub message: String,
    /// The place it is about. `None` for diagnostics about the command line or the machine.
    pub primary: Option<Label>,
    /// Further places that help to understand.
    pub secondary: Vec<Label>,
    /// Facts: `= in state q=5 …`.
    pub notes: Vec<String>,
    /// Ways out: `= help: …`.
    pub helps: Vec<String>,
}

impl Diagnostic {
    /// An error without a place; add one with [`Diagnostic::at`].
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note.
    pub fn note_only(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// Puts the caret under `span`, with `text` (may be empty) beside it.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Shows a further place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a way out.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }
}
