//! A labelled transition system out of a file, for commands that want one.

use super::{Analysis, Document, Formalism, Listed};
use crate::outline::Outline;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Property};
use volvelle_model::{Origin, Program};
use volvelle_space::Lts;

/// The document of a labelled transition system. It has no program: its states are given, and have no values.
pub struct Labelled {
    name: String,
    lts: Option<Lts>,
}

impl Labelled {
    /// A system that was read from a file.
    pub fn new(name: String, lts: Lts) -> Self {
        Labelled { name, lts: Some(lts) }
    }

    fn has_no_properties(&self) -> Diagnostic {
        let message = format!("`{}` is a labelled transition system, which has no properties", self.name);
        Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            .help(format!("give a formula of the mu-calculus: volvelle check {} --mcl FORMULA", self.name))
    }
}

impl Document for Labelled {
    fn outline(&self, _: &Sources) -> Option<Outline> {
        None
    }

    fn lower(&mut self, _: &Sources, _: &[Constant]) -> Vec<Diagnostic> {
        vec![self.has_no_properties()]
    }

    fn set_constants(&mut self, _: &[Constant]) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn program(&self) -> Option<&Program> {
        None
    }

    fn constants(&self) -> Vec<Constant> {
        Vec::new()
    }

    fn listed(&self) -> &[Listed] {
        &[]
    }

    fn property(&mut self, _: &Sources, _: usize) -> Result<Property, Vec<Diagnostic>> {
        Err(vec![self.has_no_properties()])
    }

    fn text(&mut self, _: &Sources, _: FileId) -> Result<Property, Vec<Diagnostic>> {
        Err(vec![self.has_no_properties()])
    }

    fn unused_constants(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn explain_failure(&self, _: &Sources, _: Site, _: &[i64]) -> Diagnostic {
        self.has_no_properties()
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        self.has_no_properties()
    }

    fn place(&self, _: Origin) -> Option<Span> {
        None
    }

    fn state_text(&self, _: &[i64]) -> String {
        String::new()
    }

    fn formalism(&self) -> Formalism {
        Formalism::Explicit
    }

    fn analyses(&self) -> &'static [Analysis] {
        &[]
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        super::refused(&self.name, "is a labelled transition system", analysis)
    }

    fn has_constants(&self) -> bool {
        false
    }

    fn take_system(&mut self) -> Option<Lts> {
        self.lts.take()
    }
}
