//! The files of a launch, and why there is no walk through them.

use crate::launch::Launch;
use crate::protocol::Failure;
use volvelle_console::opening::{Opening, open};
use volvelle_diagnostics::{Diagnostic, Sources, has_errors};
use volvelle_session::Session;

/// Why nothing is debugged.
pub struct Refusal {
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
}

impl Refusal {
    /// Diagnostics about texts.
    pub fn of(diagnostics: Vec<Diagnostic>, sources: &Sources) -> Self {
        Refusal { diagnostics, sources: sources.clone() }
    }

    /// What the client is told.
    pub fn failure(&self) -> Failure {
        Failure::of(&self.diagnostics, &self.sources)
    }
}

impl From<Vec<Diagnostic>> for Refusal {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Refusal { diagnostics, sources: Sources::new() }
    }
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic].into()
    }
}

/// A trail that the walk begins with.
pub struct TrailText {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What is wrong at its end, where that is known.
    pub reason: Option<String>,
}

/// Reads the files of a launch.
pub fn session_of(launch: &Launch, as_system: bool) -> Result<Session, Refusal> {
    let (model, limits) = (launch.model(), Launch::limits());
    let opening = Opening {
        properties: &launch.properties(),
        defines: &launch.defines(),
        limits: Some(&limits),
        as_system,
        ..Opening::default()
    };
    let session = open(&model, opening)?;
    let is_read = session.model.document.is_some();
    if !is_read || has_errors(&session.model.diagnostics) {
        return Err(Refusal::of(session.model.diagnostics, &session.model.sources));
    }
    Ok(session)
}
