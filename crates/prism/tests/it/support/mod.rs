//! What the tests of this crate share.
#![allow(clippy::print_stderr, reason = "tests say why they skip")]

pub mod behaviour;
pub mod corpus;
pub mod program;
pub mod reference;

use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, render_all};
use volvelle_prism::lower::{Constants, Lowered, lower};
use volvelle_prism::parse;

/// Parses and lowers a model.
pub fn model(text: &str, constants: &Constants) -> (Sources, Option<Lowered>, Vec<Diagnostic>) {
    let mut sources = Sources::new();
    let file = sources.add("model.prism", text);
    let (model, mut diagnostics) = parse::model(&sources, file);
    let (lowered, more) = lower(&sources, Arc::new(model), constants);
    let parsed = diagnostics.is_empty();
    diagnostics.extend(more);
    (sources, lowered.filter(|_| parsed), diagnostics)
}

/// Parses and lowers a model that is right.
pub fn lowered(text: &str, constants: &Constants) -> (Sources, Lowered) {
    let (sources, lowered, diagnostics) = model(text, constants);
    match lowered {
        Some(lowered) => (sources, lowered),
        None => panic!("{}\n{text}", rendered(&diagnostics, &sources)),
    }
}

/// Diagnostics as a person sees them in a pipe.
pub fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    render_all(diagnostics, sources, RenderOptions::default())
}

/// `A=1,B=2`
pub fn constants(text: &str) -> Constants {
    text.split(',').filter_map(|pair| pair.split_once('=')).collect()
}
