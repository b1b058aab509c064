//! Weighted systems as a [`Document`]: weighted Kripke structures, and terms of weighted CCS.

use super::labelled::Labelled;
use super::recognition::{beginning, ending, first_word};
use super::{Document, FrontEnd, Input, Offers, WeightedSource};
use crate::text::decode;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, FileId, Sources, Span, codes};
use volvelle_wks::structure::{Explicit, read, read_json};
use volvelle_wks::wccs::{self, read_project};

/// The front end of weighted systems.
pub struct Weighted;

impl FrontEnd for Weighted {
    fn name(&self) -> &'static str {
        "wks"
    }

    fn title(&self) -> &'static str {
        "Weighted Kripke structures and weighted CCS"
    }

    fn offers(&self) -> &'static [Offers] {
        &[Offers::WEIGHTED]
    }

    fn endings(&self) -> &'static [&'static str] {
        &["wks", "wccs", "wkp"]
    }

    fn first_words(&self) -> &'static [&'static str] {
        &["wks"]
    }

    fn begins(&self, bytes: &[u8]) -> bool {
        let beginning = beginning(bytes);
        self.first_words().contains(&first_word(beginning)) || is_json(beginning)
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
        let (source, found) = source(&name, file, &text.text, sources);
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
    // Steps may come behind a long list of states.
    let words = ["\"states\"", "\"trans\"", "\"definition\""];
    beginning.trim_start().starts_with('{') && words.iter().any(|word| beginning.contains(word))
}

/// Reads a text in the format that its name or its beginning tells.
fn source(
    name: &str,
    file: FileId,
    text: &str,
    sources: &mut Sources,
) -> (Option<WeightedSource>, Vec<Diagnostic>) {
    let ending = ending(name).to_ascii_lowercase();
    let is_object = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    if ending == "wkp" || is_object && text.contains("\"definition\"") {
        let (project, mut diagnostics) = read_project(file, text);
        let Some(project) = project else { return (None, diagnostics) };
        if project.language != "WCCS" {
            let message = format!("the model of the project is in the language `{}`", project.language);
            let refused = Diagnostic::error(codes::UNKNOWN_LANGUAGE, message);
            diagnostics.push(refused.help("of projects of WKTool, models in WCCS are read"));
            return (None, diagnostics);
        }
        let inner = sources.add(format!("{name}: model"), project.definition.clone());
        let (system, found) = wccs::read(inner, &project.definition);
        diagnostics.extend(found);
        (system.map(|terms| WeightedSource::Terms(Arc::new(terms))), diagnostics)
    } else if ending == "wccs" {
        let (system, diagnostics) = wccs::read(file, text);
        (system.map(|terms| WeightedSource::Terms(Arc::new(terms))), diagnostics)
    } else if is_object {
        let (structures, diagnostics) = read_json(file, text);
        ((!structures.is_empty()).then_some(WeightedSource::Structures(structures)), diagnostics)
    } else {
        let (explicit, diagnostics) = read(file, text);
        let one = |explicit: Explicit| WeightedSource::Structures(vec![(explicit.name.clone(), explicit)]);
        (explicit.map(one), diagnostics)
    }
}
