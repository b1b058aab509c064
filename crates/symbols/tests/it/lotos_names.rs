//! The index of LOTOS and lowering are one truth about names, on examples and published specifications.

use crate::models::{Texts, examples, published};
use crate::names::{Case, Outcome};
use volvelle_diagnostics::Sources;
use volvelle_lotos::data::Ranges;
use volvelle_lotos::lower::lower;
use volvelle_lotos::{library, parse};
use volvelle_symbols::Kind;

fn outcome(texts: &[String]) -> Outcome {
    let mut sources = Sources::new();
    let file = sources.add("model.lotos", texts[0].as_str());
    let (mut tree, mut diagnostics) = parse::specification(file, &texts[0]);
    let is_read = diagnostics.is_empty();
    diagnostics.extend(library::add(&mut tree, &mut sources));
    let (lowered, more) = lower(&sources, &tree, Ranges::default());
    let shape = lowered.map(|lowered| {
        let program = &lowered.program;
        vec![program.fields.len(), program.groups.len(), program.actions.len()]
    });
    diagnostics.extend(more);
    Outcome { is_read, diagnostics, shape }
}

fn compare(models: Vec<Texts>) {
    let mut tried = [0; 2];
    for model in models {
        let case = Case::of("lotos", model, outcome);
        use Kind as K;
        let kinds = [K::Process, K::Gate, K::Type, K::Operation, K::Variable, K::Parameter];
        tried[0] += case.misspelt_references(&kinds, |found| {
            // Names of the language may be misspelt as others of it; an overloaded operation lacks operands only.
            case.index.symbol(found.symbol).span.is_some()
        });
        tried[1] += case.renamed_symbols(|_, _| true);
    }
    assert!(tried.iter().all(|&count| count > 10), "{tried:?}");
}

#[test]
fn examples_of_lotos() {
    compare(examples("lotos", &["lotos"]));
}

#[test]
fn corpus_of_lotos() {
    let models = published("VOLVELLE_LOTOS_CORPUS", "lotos", &["lotos"]);
    if !models.is_empty() {
        compare(models);
    }
}
