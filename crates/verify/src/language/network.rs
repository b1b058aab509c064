//! Networks of labelled transition systems as a [`Document`]: the text, and the contents of the files that it names.

use super::{Analysis, Document, Formalism, FrontEnd, Input, Listed, NetworkFiles};
use crate::outline::Outline;
use crate::text::decode;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_kernel::Site;
use volvelle_logic::{Constant, Property};
use volvelle_lts::{NetworkText, parse_network};
use volvelle_model::{Origin, Program};

/// The front end of networks.
pub struct Networks;

impl FrontEnd for Networks {
    fn name(&self) -> &'static str {
        "network"
    }

    fn title(&self) -> &'static str {
        "Networks of labelled transition systems (EXP)"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["exp"]
    }

    fn read(
        &self,
        input: Input<'_>,
        sources: &mut Sources,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Box<dyn Document>> {
        let text = decode(&input.name, input.bytes).map_err(|error| diagnostics.push(error)).ok()?;
        let name = text.name.clone();
        let file = sources.add(text.name, text.text.clone());
        let (network, found) = parse_network(file, &text.text);
        diagnostics.extend(found);
        for file in input.properties {
            let file = sources.add(file.name, file.text);
            diagnostics.push(no_properties(&name).at(Span::new(file, 0, 0), ""));
        }
        let read = |text: NetworkText| {
            let mut contents = Vec::new();
            for (name, span) in &text.files {
                match self.is_named(name) {
                    true => diagnostics.push(within_another(name, *span)),
                    false => match input.folder.read(name) {
                        Some(bytes) => contents.push(bytes),
                        None => diagnostics.push(not_read(name, *span)),
                    },
                }
            }
            (contents.len() == text.files.len()).then_some(NetworkFiles { text, contents })
        };
        let files = network.and_then(read);
        Some(Box::new(NetworkDocument { name, files }))
    }
}

fn not_read(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::NETWORK_FILE, format!("`{name}` cannot be read"))
        .at(span, "")
        .help("give the path of a file from the folder of the network")
}

fn within_another(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::NETWORK_FILE, format!("`{name}` is a network, and a network names no other one"))
        .at(span, "")
        .help(format!("reduce it first: volvelle reduce {name} -o part.aut"))
}

fn no_properties(name: &str) -> Diagnostic {
    let message = format!("`{name}` is a network of labelled transition systems, which has no properties");
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
        .help(format!("give a formula of the mu-calculus: volvelle check {name} --mcl FORMULA"))
}

/// A network.
struct NetworkDocument {
    name: String,
    /// `None` behind errors, and when they have been taken.
    files: Option<NetworkFiles>,
}

impl Document for NetworkDocument {
    fn outline(&self, _: &Sources) -> Option<Outline> {
        None
    }

    fn lower(&mut self, _: &Sources, _: &[Constant]) -> Vec<Diagnostic> {
        // Without files there has been an error already.
        self.files.iter().map(|_| no_properties(&self.name)).collect()
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
        Err(vec![no_properties(&self.name)])
    }

    fn text(&mut self, _: &Sources, _: FileId) -> Result<Property, Vec<Diagnostic>> {
        Err(vec![no_properties(&self.name)])
    }

    fn unused_constants(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn explain_failure(&self, _: &Sources, _: Site, _: &[i64]) -> Diagnostic {
        no_properties(&self.name)
    }

    fn explain_no_initial_state(&self) -> Diagnostic {
        no_properties(&self.name)
    }

    fn place(&self, _: Origin) -> Option<Span> {
        None
    }

    fn state_text(&self, _: &[i64]) -> String {
        String::new()
    }

    fn formalism(&self) -> Formalism {
        Formalism::Behaviours
    }

    fn analyses(&self) -> &'static [Analysis] {
        &[]
    }

    fn refusal(&self, analysis: Analysis) -> Diagnostic {
        let name = &self.name;
        super::refused(name, "is a network of labelled transition systems", analysis)
            .help(format!("generate it: volvelle reduce {name} --relation strong -o system.aut"))
    }

    fn has_constants(&self) -> bool {
        false
    }

    fn take_network(&mut self) -> Option<NetworkFiles> {
        self.files.take()
    }
}
