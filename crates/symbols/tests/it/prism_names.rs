//! The index of PRISM and lowering are one truth about names, on all examples and published models:
//!
//! - without the declaration of a symbol, exactly its references are unknown names;
//! - with one reference misspelt, exactly that one is an unknown name;
//! - with a symbol renamed wherever it occurs, the model lowers as before.

use crate::models::{Texts, examples, published};
use crate::names::{Case, Outcome, is_within, some};
use std::collections::BTreeSet;
use std::sync::Arc;
use volvelle_diagnostics::{Sources, Span};
use volvelle_prism::ast::{ConstType, Constant};
use volvelle_prism::lower::{Constants, lower};
use volvelle_prism::{parse, properties::lower_properties};
use volvelle_symbols::{Kind, Role, SymbolId};

fn outcome(texts: &[String]) -> Outcome {
    let mut sources = Sources::new();
    let files: Vec<_> = texts.iter().map(|text| sources.add("text", text.as_str())).collect();
    let (model, mistakes) = parse::model(&sources, files[0]);
    let parsed: Vec<_> = files[1..].iter().map(|&file| parse::properties(&sources, file)).collect();
    let is_read = mistakes.is_empty() && parsed.iter().all(|(_, mistakes)| mistakes.is_empty());
    let declared = model.constants.iter().chain(parsed.iter().flat_map(|(file, _)| &file.constants));
    let constants: Constants = declared.filter(|constant| constant.value.is_none()).map(given).collect();
    let (lowered, mut diagnostics) = lower(&sources, Arc::new(model), &constants);
    let mut shape = None;
    if let Some(mut lowered) = lowered {
        let mut fine = 0;
        for (file, _) in parsed {
            let (results, about) = lower_properties(&mut lowered, &sources, Arc::new(file), &constants);
            diagnostics.extend(about);
            for result in results {
                match result {
                    Ok(_) => fine += 1,
                    Err(mistakes) => diagnostics.extend(mistakes),
                }
            }
        }
        let program = lowered.program();
        shape = Some(vec![program.groups.len(), program.labels.len(), program.rewards.len(), fine]);
    }
    Outcome { is_read, diagnostics, shape }
}

fn given(constant: &Constant) -> (String, &'static str) {
    let value = match constant.ty {
        ConstType::Int => "3",
        ConstType::Double => "0.25",
        ConstType::Bool => "true",
    };
    (constant.name.text.clone(), value)
}

/// References that lowering does not look at: in formulas that nothing uses, but for what stands in some text.
fn is_idle(case: &Case, span: Span, but: Option<Span>) -> bool {
    let is_around = |whole: Option<Span>| whole.is_some_and(|whole| is_within(span, whole));
    let formula = case.ids().find(|(_, symbol)| symbol.kind == Kind::Formula && is_around(symbol.whole));
    formula.is_some_and(|(id, symbol)| {
        let uses = case.index.references(id).map(|found| found.span);
        let is_use =
            |found: &Span| Some(*found) != symbol.span && but.is_none_or(|but| !is_within(*found, but));
        uses.filter(is_use).all(|found| is_idle(case, found, but))
    })
}

/// Whether a place is in `[x=y]` of a copy, where names may mean nothing.
fn is_in_copy(case: &Case, span: Span) -> bool {
    case.ids().any(|(_, symbol)| {
        let is_copy = symbol.kind == Kind::Module && symbol.detail.contains(" = ");
        is_copy && symbol.whole.is_some_and(|whole| is_within(span, whole))
    })
}

/// Where the text of a module names what copies of it name otherwise: with `[p=q]`, wherever it says `p`, for a `q` that is gone.
fn in_copies(case: &Case, gone: &[SymbolId]) -> BTreeSet<Span> {
    let pairs = case.index.occurrences.windows(2).filter(|pair| {
        let is_pair = is_in_copy(case, pair[0].span) && pair[0].span.file == pair[1].span.file;
        let between = Span { start: pair[0].span.end, end: pair[1].span.start, ..pair[0].span };
        is_pair && gone.contains(&pair[1].symbol) && case.written(between).trim() == "="
    });
    pairs.flat_map(|pair| case.index.references(pair[0].symbol)).map(|found| found.span).collect()
}

/// What goes with a declaration: what is declared in it, and copies of variables that go.
fn gone_with(case: &Case, id: SymbolId, whole: Span) -> Vec<SymbolId> {
    let inside = case.ids().filter(|(_, symbol)| {
        symbol.span.is_some_and(|span| is_within(span, whole)) && symbol.kind != Kind::Action
    });
    let mut gone: Vec<SymbolId> = [id].into_iter().chain(inside.map(|(id, _)| id)).collect();
    let mut next = 0;
    while next < gone.len() {
        let copies = case.ids().filter(|(other, symbol)| {
            let first = symbol.whole.and_then(|whole| case.index.at(whole.file, whole.start));
            let is_copy = first.is_some_and(|first| first.symbol == gone[next] && *other != gone[next]);
            symbol.kind == Kind::Variable && is_copy
        });
        let copies: Vec<SymbolId> = copies.map(|(id, _)| id).filter(|id| !gone.contains(id)).collect();
        gone.extend(copies);
        next += 1;
    }
    gone
}

fn without_declarations(case: &Case) -> usize {
    let declared = case.ids().filter(|(_, symbol)| {
        use Kind as K;
        let kinds = [K::Constant, K::Variable, K::Formula, K::Label, K::Module, K::Rewards, K::Property];
        kinds.contains(&symbol.kind) && !symbol.name.is_empty()
    });
    let mut tried = 0;
    for (id, symbol) in some(declared.collect()) {
        let (Some(whole), Some(span)) = (symbol.whole, symbol.span) else { continue };
        let blank = case.written(whole).chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        let after = case.with(&[(whole, blank)]);
        let about = format!("{}: without `{}`", case.name, symbol.detail);
        if !after.is_read {
            // `[x=y]` of a copy needs its names.
            assert!(is_in_copy(case, span), "{about}");
            continue;
        }
        let gone = gone_with(case, id, whole);
        let expected: BTreeSet<Span> = gone
            .iter()
            .flat_map(|&id| case.index.references(id))
            .filter(|found| found.role != Role::Declares && !is_within(found.span, whole))
            .map(|found| found.span)
            .collect();
        let found = after.unknown();
        let copied = in_copies(case, &gone);
        // Without a name, the first reward structure is meant.
        let has_no_name =
            |span: Span| case.written(span).starts_with("R") && case.written(span).ends_with(']');
        let extra = found.difference(&expected).find(|span| !copied.contains(span) && !has_no_name(**span));
        assert_eq!(extra, None, "{about}: {:?}", extra.map(|span| case.written(*span)));
        // Properties are looked at only if the model is fine.
        let missing = expected.difference(&found).find(|span| {
            let is_seen = span.file.0 == 0 || after.shape.is_some();
            is_seen && !is_idle(case, **span, Some(whole)) && !is_in_copy(case, **span)
        });
        assert_eq!(missing, None, "{about}: {found:?}");
        tried += 1;
    }
    tried
}

fn compare(models: Vec<Texts>) {
    let mut tried = [0; 3];
    for model in models {
        let case = Case::of("prism", model, outcome);
        tried[0] += without_declarations(&case);
        use Kind as K;
        let kinds = [K::Constant, K::Variable, K::Formula, K::Label, K::Rewards, K::Property];
        tried[1] += case.misspelt_references(&kinds, |found| {
            !is_in_copy(&case, found.span) && !is_idle(&case, found.span, None)
        });
        tried[2] += case.renamed_symbols(|_, _| true);
    }
    assert!(tried.iter().all(|&count| count > 10), "{tried:?}");
}

#[test]
fn examples_of_prism() {
    compare(examples("prism", &["prism"]));
}

/// What the examples do not have: copies of modules, compositions, everything that may refer to anything.
#[test]
fn a_model_of_everything() {
    let model = "mdp
const int N = 2; const double p = 0.5;
formula busy = x > 0; formula twice = busy & y > 0; formula never = x > N;
global g : [0..N] init N-1;
module a
  x : [0..N] init 0;
  [go] x<N & !busy -> p : (x'=x+1) + 1-p : (x'=0);
  [stop] twice -> true;
  [] x=N -> (g'=N);
endmodule
module b = a [x=y, y=x, p=q, go=walk] endmodule
const double q = p/2;
label \"done\" = x=N & busy;
rewards \"cost\" [go] busy : N*p; y=0 : g; endrewards
rewards true : 1; endrewards
system (a ||| b) / {stop} endsystem";
    let properties = "const int T = 4; const double bound = p;
formula both = busy & y=N;
label \"end\" = \"done\" & both;
\"one\": Pmax=? [ F<=T \"end\" ];
\"two\": P>=bound [ x=0 U (y=N & both) ];
\"three\": R{\"cost\"}min=? [ F \"done\" ];
\"four\": R{\"cost\"}max<=T*q [ C<=T ] & two;
filter(max, \"one\", \"done\" & g=N)";
    let texts = vec![model.to_owned(), properties.to_owned()];
    compare(vec![Texts { name: "everything".into(), texts }]);
}

#[test]
fn corpus_of_prism() {
    let models = published("VOLVELLE_CORPUS", "prism", &["prism", "sm", "nm", "pm"]);
    if !models.is_empty() {
        compare(models);
    }
}
