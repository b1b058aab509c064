//! A run as a page of HTML: the question, its answers with guarantees and bounds, plots, runs, the model, and how to repeat it.
//!
//! Takes reports; gives a text. A page stands for itself: it has no script, loads nothing from elsewhere, and tells browsers to
//! refuse what tries to. It is well-formed XML behind its first line. The same run gives the same page but for the elements of the
//! class `cost`: times, and the code that turned out to be the fastest.

pub mod graph;

use crate::documents::model;
use std::path::Path;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_present::document::{Block, Digest, Document, Entry};
use volvelle_present::format::{count, kind};
pub use volvelle_present::page::markup;
use volvelle_present::page::{Page, Repeat, content, texts};
use volvelle_session::outline::Outline;
use volvelle_session::report::{ModelReport, Report};
use volvelle_session::state_graph::StateGraph;

/// What was done with a model, whatever came out.
pub struct Context<'a> {
    /// The name of the model's file.
    pub file: &'a str,
    /// The parts of the model, as far as they are known.
    pub outline: Option<&'a Outline>,
    /// The arguments of `--const`.
    pub constants: &'a [String],
    /// The words of the command line, without the name of the program.
    pub words: &'a [String],
    /// Seeds that the run used.
    pub seed: Option<u64>,
    /// Names of the files that were written.
    pub written: &'a [String],
    /// The texts, for drawing diagnostics and to be shown.
    pub sources: &'a Sources,
}

/// The page of answers to properties.
pub fn of_report(report: &Report, document: &Document, context: &Context<'_>) -> String {
    of_document(document, report.model.as_slice(), &all(report.all_diagnostics()), None, context)
}

/// The page of a document about these models. `also` are texts besides those of the context.
pub fn of_document(
    document: &Document,
    models: &[ModelReport],
    diagnostics: &[Diagnostic],
    also: Option<&Sources>,
    context: &Context<'_>,
) -> String {
    let asked = document.title.plain();
    let title = if asked.is_empty() { name(context.file) } else { &asked };
    let mut page = match models.first() {
        Some(first) => Page::new(title, &format!("{} · {}", context.file, kind(&first.kind))),
        None => begun(title, context),
    };
    page.section("answers", "Answers", &content(document));
    page.diagnostics(diagnostics, context.sources);
    let mut known: Vec<Block> = models.iter().flat_map(model::blocks).collect();
    if models.is_empty() {
        known.extend(context.outline.map(|outline| sketch(outline, context)));
    }
    let heading = if known.is_empty() { "Texts" } else { "Model" };
    let texts: String = [context.sources].into_iter().chain(also).map(texts).collect();
    page.section("model", heading, &(drawn(known) + &texts));
    finished(page, context)
}

/// What is known of a model without exploring.
fn sketch(outline: &Outline, context: &Context<'_>) -> Block {
    let number = |n: usize| if n > 0 { count(n as u64) } else { String::new() };
    let entries = vec![
        Entry::named("file", volvelle_present::document::name(context.file)),
        Entry::named("kind", kind(&outline.kind)),
        Entry::named("constants", context.constants.join(", ")),
        Entry::named("modules", number(outline.components.len())),
        Entry::named("process types", number(outline.processes.len())),
        Entry::named("variables", number(outline.variables.len())),
    ];
    Digest { entries, ..Digest::default() }.into()
}

fn drawn(blocks: Vec<Block>) -> String {
    content(&Document { blocks, ..Document::default() })
}

/// The page of a state space, with a picture if its graph is small.
pub fn of_exploration(report: &Report, graph: Option<&StateGraph>, context: &Context<'_>) -> String {
    let mut page = begun(&format!("The state space of {}", name(context.file)), context);
    let space = report.model.as_ref();
    page.section("space", "State space", &space.map_or(String::new(), |space| drawn(model::blocks(space))));
    page.section("graph", "Graph", &space.map_or(String::new(), |space| graph::section(space, graph)));
    page.diagnostics(&all(report.all_diagnostics()), context.sources);
    page.section("model", "Model", &texts(context.sources));
    finished(page, context)
}

/// The name of a file without those of its folders.
pub fn name(file: &str) -> &str {
    Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file)
}

/// A page about the model of a run.
pub fn begun(title: &str, context: &Context<'_>) -> Page {
    match context.outline {
        Some(outline) => Page::new(title, &format!("{} · {}", context.file, kind(&outline.kind))),
        None => Page::new(title, context.file),
    }
}

fn all(diagnostics: Vec<&Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.into_iter().cloned().collect()
}

/// The page, with how to repeat the run at its end.
pub fn finished(page: Page, context: &Context<'_>) -> String {
    page.finish(&Repeat { words: context.words, seed: context.seed, written: context.written })
}
