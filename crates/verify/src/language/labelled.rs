//! Documents without a program: labelled transition systems out of files, for commands that want one, and networks of them.

use super::{Analysis, Document, Formalism, Listed, NetworkFiles};
use crate::outline::Outline;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Property};
use volvelle_model::{Origin, Program};
use volvelle_space::Lts;

/// The document of a labelled transition system, or of a network of some. It has no program: states are given, and have no values.
pub struct Labelled {
    name: String,
    given: Given,
}

/// What the file gives.
enum Given {
    /// A system, until it is taken.
    System(Option<Lts>),
    /// A network; `None` behind errors, and when it has been taken.
    Network(Option<NetworkFiles>),
}

impl Labelled {
    /// A system that was read from a file.
    pub fn system(name: String, lts: Lts) -> Self {
        Labelled { name, given: Given::System(Some(lts)) }
    }

    /// A network; there is none behind errors.
    pub fn network(name: String, files: Option<NetworkFiles>) -> Self {
        Labelled { name, given: Given::Network(files) }
    }

    fn what(&self) -> &'static str {
        match self.given {
            Given::System(_) => "a labelled transition system",
            Given::Network(_) => "a network of labelled transition systems",
        }
    }

    fn has_no_program(&self) -> Diagnostic {
        let message =
            format!("`{}` is {}, which has neither variables nor properties", self.name, self.what());
        Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            .help(format!(
                "count its states, or write it: volvelle explore {} --export system.aut",
                self.name
            ))
            .help(format!("check a formula of the mu-calculus: volvelle check {} --mcl FORMULA", self.name))
    }

    /// Why it has no properties.
    pub fn has_no_properties(&self) -> Diagnostic {
        let message = format!("`{}` is {}, which has no properties", self.name, self.what());
        Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            .help(format!("give a formula of the mu-calculus: volvelle check {} --mcl FORMULA", self.name))
    }
}

impl Document for Labelled {
    fn outline(&self, _: &Sources) -> Option<Outline> {
        None
    }

    fn lower(&mut self, _: &Sources, _: &[Constant]) -> Vec<Diagnostic> {
        // Where there is no network, there has been an error already.
        match self.given {
            Given::Network(None) => Vec::new(),
            _ => vec![self.has_no_program()],
        }
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
        match self.given {
            Given::System(_) => Formalism::Explicit,
            Given::Network(_) => Formalism::Behaviours,
        }
    }

    fn analyses(&self) -> &'static [Analysis] {
        &[]
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        let refused = super::refused(&self.name, &format!("is {}", self.what()), analysis);
        match self.given {
            Given::System(_) => refused,
            Given::Network(_) => {
                refused.help(format!("generate it: volvelle explore {} --export system.aut", self.name))
            }
        }
    }

    fn has_constants(&self) -> bool {
        false
    }

    fn take_system(&mut self) -> Option<Lts> {
        match &mut self.given {
            Given::System(lts) => lts.take(),
            Given::Network(_) => None,
        }
    }

    fn is_labelled(&self) -> bool {
        true
    }

    fn take_network(&mut self) -> Option<NetworkFiles> {
        match &mut self.given {
            Given::System(_) => None,
            Given::Network(files) => files.take(),
        }
    }
}
