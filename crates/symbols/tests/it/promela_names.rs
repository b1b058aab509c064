//! The index of Promela and lowering are one truth about names, on examples and published models, whole and with a part in a text of its own.

use crate::models::{Texts, examples, published};
use crate::names::{Case, Outcome, is_within, some};
use volvelle_diagnostics::{Sources, has_errors};
use volvelle_promela::{Include, lower, parse};
use volvelle_symbols::{Kind, Role, Symbol, SymbolId};

/// Other texts than the model.
struct Others<'t>(&'t [String]);

impl Include for Others<'_> {
    fn read(&mut self, name: &str) -> Option<String> {
        self.0.get(name.strip_prefix('t')?.parse::<usize>().ok()?).cloned()
    }
}

/// A model with its first units in a text that it includes. (Units begin on lines that no bracket is open before.)
fn divided(model: &Texts) -> Option<Texts> {
    let text = &model.texts[0];
    let (mut depth, mut at, mut ends) = (0i32, 0, Vec::new());
    for line in text.split_inclusive('\n') {
        if depth == 0 && line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            ends.push(at);
        }
        let count = |brackets: &str| line.matches(|c| brackets.contains(c)).count() as i32;
        depth += count("({[") - count(")}]");
        at += line.len();
    }
    let end = *ends.get(ends.len() / 2).filter(|end| **end > 0)?;
    let (first, rest) = text.split_at(end);
    let texts = vec![format!("#include \"t1\"\n{rest}"), first.to_owned()];
    Some(Texts { name: format!("{} in two texts", model.name), texts })
}

fn outcome(texts: &[String]) -> Outcome {
    let mut sources = Sources::new();
    let file = sources.add("model.pml", texts[0].as_str());
    let parsed = parse(&mut sources, file, &mut Others(texts), &[]);
    let is_read = !has_errors(&parsed.diagnostics);
    let (lowered, more) = lower(&parsed.model);
    let shape = lowered.map(|lowered| {
        let program = &lowered.program;
        vec![
            program.fields.len(),
            program.network.locations.len(),
            lowered.claims.len(),
            lowered.origins.len(),
        ]
    });
    Outcome { is_read, diagnostics: parsed.diagnostics.into_iter().chain(more).collect(), shape }
}

/// Whether the name of a symbol stands in the text of a macro or inline of another, where it may mean something else for each call.
fn is_shared(case: &Case, id: SymbolId) -> bool {
    let texts = case.ids().filter(|(other, s)| matches!(s.kind, Kind::Macro | Kind::Inline) && *other != id);
    let wholes: Vec<_> = texts.filter_map(|(_, s)| s.whole).collect();
    let name = &case.index.symbol(id).name;
    let same = case.index.occurrences.iter().filter(|found| case.index.symbol(found.symbol).name == *name);
    same.into_iter().any(|found| wholes.iter().any(|whole| is_within(found.span, *whole)))
}

/// Without a declaration, nothing but its references is unknown. (Lowering names each unknown name once.)
fn without_declarations(case: &Case) -> usize {
    let declared = case.ids().filter(|(id, symbol)| {
        use Kind as K;
        let kinds = [K::Variable, K::Channel, K::Constant, K::Process, K::Type];
        let is_alone =
            case.ids().all(|(other, s)| other == *id || s.whole != symbol.whole && s.name != symbol.name);
        kinds.contains(&symbol.kind) && symbol.container.is_none() && is_alone
    });
    let mut tried = 0;
    for (id, symbol) in some(declared.collect()) {
        let Some(whole) = symbol.whole else { continue };
        let blank = case.written(whole).chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        let after = case.with(&[(whole, blank)]);
        let about = format!("{}: without `{}`: {:?}", case.name, symbol.detail, after.diagnostics);
        let inside = |other: &Symbol| other.span.is_some_and(|span| is_within(span, whole));
        let gone: Vec<SymbolId> = case.ids().filter(|(_, other)| inside(other)).map(|(id, _)| id).collect();
        let all = gone.iter().chain([&id]).flat_map(|&id| case.index.references(id));
        let expected: Vec<_> = all
            .filter(|found| found.role != Role::Declares && !is_within(found.span, whole))
            .map(|f| f.span)
            .collect();
        if !after.is_read {
            continue;
        }
        for span in after.unknown() {
            assert!(expected.contains(&span), "{about} {}", case.written(span));
        }
        tried += 1;
    }
    tried
}

fn compare(models: Vec<Texts>) {
    let mut tried = [0; 3];
    let whole: Vec<Texts> = models.into_iter().filter(|model| !model.texts[0].contains("#include")).collect();
    let divided: Vec<Texts> = whole.iter().filter_map(divided).collect();
    assert!(!divided.is_empty());
    for model in whole.into_iter().chain(divided) {
        let before = outcome(&model.texts);
        if !before.is_read || before.shape.is_none() {
            continue;
        }
        let case = Case::of("promela", model, outcome);
        tried[0] += without_declarations(&case);
        use Kind as K;
        let kinds = [K::Variable, K::Channel, K::Constant, K::Process, K::Type, K::Location];
        tried[1] += case.misspelt_references(&kinds, |found| {
            // What a condition leaves out is not looked at.
            let before = &case.texts[found.span.file.0 as usize][..found.span.start as usize];
            let is_conditional = before.matches("#if").count() > before.matches("#endif").count();
            // Promises about channels bind nothing.
            let line = before[before.rfind('\n').map_or(0, |end| end + 1)..].trim_start();
            let is_promise = line.starts_with("xr ") || line.starts_with("xs ");
            let is_conditional = is_conditional || is_promise;
            let symbol = case.index.symbol(found.symbol);
            symbol.span.is_some() && !is_conditional && !is_shared(&case, found.symbol)
        });
        tried[2] += case.renamed_symbols(|id, _| !is_shared(&case, id));
    }
    assert!(tried.iter().all(|&count| count > 3), "{tried:?}");
}

#[test]
fn examples_of_promela() {
    compare(examples("promela", &["pml"]));
}

#[test]
fn corpus_of_promela() {
    let models = published("VOLVELLE_PROMELA_CORPUS", "promela", &["pml"]);
    if !models.is_empty() {
        compare(models);
    }
}
