//! Documents without a program: labelled transition systems from files, networks of them, and weighted systems.

use super::{Analysis, Document, Listed, NetworkFiles, Offers, WeightedSource};
use crate::outline::Outline;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Property};
use volvelle_model::{Origin, Program};
use volvelle_space::Lts;

/// The document of a labelled transition system, of a network of some, or of a weighted system. It has no program: states are given, and
/// have no values.
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
    /// A weighted system; `None` behind errors.
    Weighted(Option<WeightedSource>),
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

    /// A weighted system; there is none behind errors.
    pub fn weighted(name: String, source: Option<WeightedSource>) -> Self {
        Labelled { name, given: Given::Weighted(source) }
    }

    fn has_no_program(&self) -> Diagnostic {
        let message = format!(
            "`{}` is {}, which has neither variables nor properties",
            self.name,
            self.offers().models()
        );
        let refused = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message);
        if let Given::Weighted(_) = self.given {
            return refused
                .help(format!(
                    "count its states, or draw it: volvelle explore {} --export system.dot",
                    self.name
                ))
                .help(self.weighted_way());
        }
        refused
            .help(format!(
                "count its states, or write it: volvelle explore {} --export system.aut",
                self.name
            ))
            .help(format!("check a formula of the mu-calculus: volvelle check {} --mcl FORMULA", self.name))
    }

    fn weighted_way(&self) -> String {
        format!("check a formula of weighted CTL: volvelle check {} --wctl 'EF[<=5] p'", self.name)
    }

    /// Why it has no properties.
    pub fn has_no_properties(&self) -> Diagnostic {
        let message = format!("`{}` is {}, which has no properties", self.name, self.offers().models());
        let refused = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message);
        if let Given::Weighted(_) = self.given {
            return refused.help(self.weighted_way());
        }
        refused.help(format!("give a formula of the mu-calculus: volvelle check {} --mcl FORMULA", self.name))
    }
}

impl Document for Labelled {
    fn outline(&self, _: &Sources) -> Option<Outline> {
        None
    }

    fn lower(&mut self, _: &Sources, _: &[Constant]) -> Vec<Diagnostic> {
        // Where there is no network, there has been an error already.
        match self.given {
            Given::Network(None) | Given::Weighted(None) => Vec::new(),
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

    fn offers(&self) -> Offers {
        match self.given {
            Given::System(_) => Offers::SYSTEM,
            Given::Network(_) => Offers::NETWORK,
            Given::Weighted(_) => Offers::WEIGHTED,
        }
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        let name = &self.name;
        let refused = super::refused(name, &format!("is {}", self.offers().models()), analysis);
        let asked = format!("ask about its labels: volvelle check {name} --mcl '[true*] <true> true'");
        match self.given {
            Given::System(_) => refused.help(asked),
            Given::Weighted(_) => refused.help(self.weighted_way()),
            Given::Network(_) => {
                refused.help(asked).help(format!("generate it: volvelle explore {name} --export system.aut"))
            }
        }
    }

    fn has_constants(&self) -> bool {
        // The parameters of weights.
        matches!(self.given, Given::Weighted(_))
    }

    fn take_system(&mut self) -> Option<Lts> {
        match &mut self.given {
            Given::System(lts) => lts.take(),
            Given::Network(_) | Given::Weighted(_) => None,
        }
    }

    fn weighted(&self) -> Option<&WeightedSource> {
        match &self.given {
            Given::Weighted(source) => source.as_ref(),
            _ => None,
        }
    }

    fn take_network(&mut self) -> Option<NetworkFiles> {
        match &mut self.given {
            Given::System(_) | Given::Weighted(_) => None,
            Given::Network(files) => files.take(),
        }
    }
}
