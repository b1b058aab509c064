//! Diagnostics: an error, its place, its reason, and the way out.

use crate::catalogue::Code;
use crate::fix::Fix;
use crate::source::{FileId, Span};
use crate::suggest::nearest;
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
    /// Ways out that a program can take, the likeliest first. They are told as words, too: by the sentence, a label, or `helps`.
    #[serde(default)]
    pub fixes: Vec<Fix>,
    /// The rule that does not hold, where a system of rules found it.
    #[serde(default)]
    pub broken: Option<Box<Broken>>,
}

/// A rule that does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Broken {
    /// Its name.
    pub rule: String,
    /// What rules say about it beyond the message.
    pub data: Option<String>,
    /// The levels of the failure that have a message, from the outside in.
    pub trace: Vec<String>,
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
            fixes: Vec::new(),
            broken: None,
        }
    }

    /// Says which rule does not hold.
    pub fn of_rule(mut self, broken: Broken) -> Self {
        self.broken = Some(Box::new(broken));
        self
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

    /// Adds a way out that a program can take.
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Puts the caret under a misspelt name. If a known one is near, it stands beside the caret: ``did you mean `srep`?``.
    pub fn at_misspelt<I, S>(self, span: Span, name: &str, known: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let (label, fix) = meant(span, name, known, '`').unzip();
        let diagnostic = self.at(span, label.unwrap_or_default());
        fix.into_iter().fold(diagnostic, Self::fix)
    }

    /// The same for a name in quotes: `did you mean "done"?`.
    pub fn at_misspelt_quoted<I, S>(self, span: Span, name: &str, known: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let (label, fix) = meant(span, name, known, '"').unzip();
        let diagnostic = self.at(span, label.unwrap_or_default());
        fix.into_iter().fold(diagnostic, Self::fix)
    }

    /// The same for a diagnostic that has its place, with a help in place of a label.
    pub fn misspelt<I, S>(self, name: &str, known: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        self.misspelt_or(name, known, String::new)
    }

    /// The same, with another help where no known name is near.
    pub fn misspelt_or<I, S>(self, name: &str, known: I, otherwise: impl FnOnce() -> String) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        // Without a place there is nothing to change: the command line is no text.
        let span = self.primary.as_ref().map(|label| label.span);
        let nowhere = Span::new(FileId(u32::MAX), 0, 0);
        match meant(span.unwrap_or(nowhere), name, known, '`') {
            Some((help, fix)) => span.map(|_| fix).into_iter().fold(self.help(help), Self::fix),
            None => Some(otherwise()).filter(|help| !help.is_empty()).into_iter().fold(self, Self::help),
        }
    }
}

/// The question whether a name was meant that is near to a misspelt one, and the fix.
fn meant<I, S>(span: Span, name: &str, known: I, quote: char) -> Option<(String, Fix)>
where
    I: IntoIterator<Item = S>,
    S: AsRef<str>,
{
    let near = nearest(name, known)?;
    let other = near.name.as_ref();
    let question = format!("did you mean {quote}{other}{quote}?");
    Some((question, Fix::instead(span, name, other).certain_if(near.is_certain)))
}
