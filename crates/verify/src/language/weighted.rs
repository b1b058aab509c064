//! Weighted systems as a [`Document`]: weighted Kripke structures, and terms of weighted CCS.

use super::labelled::Labelled;
use super::{Document, FrontEnd, Input};
use crate::text::decode;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span};
use volvelle_wks::structure::{Explicit, read, read_dot, read_json};
use volvelle_wks::wccs::{self, Wccs, read_project};

/// The front end of weighted systems.
pub struct Weighted;

/// A weighted system as it was read.
#[derive(Clone, Debug)]
pub enum WeightedSource {
    /// Structures with their names, at least one.
    Structures(Vec<(Option<String>, Explicit)>),
    /// Terms of weighted CCS.
    Terms(Arc<Wccs>),
}

impl FrontEnd for Weighted {
    fn name(&self) -> &'static str {
        "wks"
    }

    fn title(&self) -> &'static str {
        "Weighted Kripke structures and weighted CCS"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["wks", "wccs", "wkp"]
    }

    fn first_words(&self) -> &'static [&'static str] {
        &["wks", "digraph"]
    }

    fn begins(&self, bytes: &[u8]) -> bool {
        let beginning = super::beginning(bytes);
        self.first_words().contains(&super::first_word(beginning)) || is_json(beginning)
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
        let (source, found) = source(&name, file, &text.text);
        diagnostics.extend(found);
        let document = Labelled::weighted(name, source);
        for file in input.properties {
            let file = sources.add(file.name, file.text);
            diagnostics.push(document.has_no_properties().at(Span::new(file, 0, 0), ""));
        }
        Some(Box::new(document))
    }
}

/// An object of JSON with structures, or a project of WKTool.
fn is_json(beginning: &str) -> bool {
    beginning.trim_start().starts_with('{')
        && (beginning.contains("\"trans\"") || beginning.contains("\"definition\""))
}

/// Reads a text in the format that its name or its beginning tells.
fn source(name: &str, file: FileId, text: &str) -> (Option<WeightedSource>, Vec<Diagnostic>) {
    let one = |explicit: Explicit| WeightedSource::Structures(vec![(explicit.name.clone(), explicit)]);
    let terms = |terms: Wccs| WeightedSource::Terms(Arc::new(terms));
    let ending = super::ending(name).to_ascii_lowercase();
    let is_object = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    if ending == "wkp" || is_object && text.contains("\"definition\"") {
        let (project, diagnostics) = read_project(file, text);
        (project.map(|project| terms(project.system)), diagnostics)
    } else if ending == "wccs" {
        let (system, diagnostics) = wccs::read(file, text);
        (system.map(terms), diagnostics)
    } else if is_object {
        let (structures, diagnostics) = read_json(file, text);
        ((!structures.is_empty()).then_some(WeightedSource::Structures(structures)), diagnostics)
    } else if super::first_word(super::beginning(text.as_bytes())) == "digraph" {
        let (explicit, diagnostics) = read_dot(file, text);
        (explicit.map(one), diagnostics)
    } else {
        let (explicit, diagnostics) = read(file, text);
        (explicit.map(one), diagnostics)
    }
}
