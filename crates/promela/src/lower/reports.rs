//! Diagnostics of lowering.

use crate::ast::{Place, Places};
use rustc_hash::FxHashSet;
use volvelle_diagnostics::{Code, Diagnostic, Severity, codes};

/// A subject of which only the first diagnostic is reported.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Once {
    /// A name that is not declared.
    Undeclared(String),
    /// A constant that is truncated where it is stored.
    Truncated(Place),
    /// An `unless` inside a `d_step`.
    IgnoredEscape(Place),
    /// A label at the first statement of an option.
    MisplacedLabel(Place),
    /// A statement that communicates beside an `else`.
    DubiousElse(Place),
    /// A loop that never ends.
    EndlessLoop(Place),
    /// An initial value that is ignored.
    WithoutEffect(Place),
    /// An array without index.
    WithoutIndex(Place),
    /// A shift by more than the bits of a number.
    WideShift(Place),
    /// A name of another set.
    OtherSet(Place),
}

/// The diagnostics so far.
pub(super) struct Reports<'a> {
    places: &'a Places,
    diagnostics: Vec<Diagnostic>,
    reported: FxHashSet<Once>,
}

impl<'a> Reports<'a> {
    /// None yet.
    pub fn new(places: &'a Places) -> Self {
        Reports { places, diagnostics: Vec::new(), reported: FxHashSet::default() }
    }

    /// Reports an error, with a way out (may be empty).
    pub fn error(&mut self, code: Code, message: impl Into<String>, place: Place, help: &str) {
        let diagnostic = crate::at(Diagnostic::error(code, message), self.places, place, "");
        self.diagnostics.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    }

    /// Reports a name that stands for nothing, with the one of those that are `known` that was probably meant.
    pub fn misspelt<S: AsRef<str>>(
        &mut self,
        code: Code,
        message: impl Into<String>,
        place: Place,
        name: &str,
        known: impl IntoIterator<Item = S>,
    ) {
        let diagnostic = crate::at(Diagnostic::error(code, message), self.places, place, "");
        self.diagnostics.push(diagnostic.misspelt(name, known));
    }

    /// Reports a warning, with a note (may be empty).
    pub fn warning(&mut self, code: Code, message: impl Into<String>, place: Place, note: &str) {
        let diagnostic = crate::at(Diagnostic::warning(code, message), self.places, place, "");
        self.diagnostics.push(if note.is_empty() { diagnostic } else { diagnostic.note(note) });
    }

    /// Reports a construct that is not supported.
    pub fn unsupported(&mut self, place: Place, message: &str, help: &str) {
        self.error(codes::UNSUPPORTED_CONSTRUCT, message, place, help);
    }

    /// Whether a subject has not been reported yet; it counts as reported from now on.
    pub fn is_first(&mut self, subject: Once) -> bool {
        self.reported.insert(subject)
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// All diagnostics, in the order in which they were reported.
    pub fn finish(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}
