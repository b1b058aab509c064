//! Networks of labelled transition systems as a [`Document`]: the text, and the contents of the files that it names.

use super::labelled::Labelled;
use super::{Document, FrontEnd, Input, NetworkFiles, Offers};
use crate::text::decode;
use volvelle_diagnostics::{Diagnostic, Sources, Span, codes};
use volvelle_lts::{NetworkText, parse_network};

/// The front end of networks.
pub struct Networks;

impl FrontEnd for Networks {
    fn name(&self) -> &'static str {
        "network"
    }

    fn title(&self) -> &'static str {
        "Networks of labelled transition systems (EXP)"
    }

    fn offers(&self) -> &'static [Offers] {
        &[Offers::NETWORK]
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
        let document = Labelled::network(name, network.and_then(read));
        for file in input.properties {
            let file = sources.add(file.name, file.text);
            diagnostics.push(document.has_no_properties().at(Span::new(file, 0, 0), ""));
        }
        Some(Box::new(document))
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
