//! Properties of models from files of other tools.

use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Sources, Span};
use volvelle_logic::Property;
use volvelle_model::{Domain, Kind};
use volvelle_prism::lower::{Constants, Foreign, Lowered};
use volvelle_prism::parse;
use volvelle_prism::properties::lower_properties;

fn properties(texts: &str) -> Vec<Result<String, String>> {
    let mut sources = Sources::new();
    let model = sources.add("model.umb", "");
    let file = sources.add("p.props", texts);
    let mut lowered = Lowered::of_foreign(Foreign {
        kind: Kind::Dtmc,
        variables: vec![("x".into(), Domain::Int { lo: 0, hi: 5 }), ("open".into(), Domain::Bool)],
        labels: vec!["done".into(), "two words".into()],
        rewards: vec!["cost".into(), String::new()],
        place: Span::new(model, 0, 0),
    });
    let (tree, diagnostics) = parse::properties(&sources, file);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (found, diagnostics) = lower_properties(&mut lowered, &sources, Arc::new(tree), &Constants::new());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let result = |found: Result<Property, Vec<Diagnostic>>| {
        found.map(|property| property.text).map_err(|all| all[0].message.clone())
    };
    found.into_iter().map(result).collect()
}

#[test]
fn names_of_the_model_are_known() {
    let texts = "P=? [ F x=3 & !open ]; P=? [ !\"done\" U \"two words\" & x>2 ]; R{\"cost\"}=? [ F \"done\" ];\n\
                 R{2}=? [ C<=5 ]; P=? [ G \"init\" | \"deadlock\" ];";
    for found in properties(texts) {
        assert!(found.is_ok(), "{found:?}");
    }
}

#[test]
fn other_names_are_refused() {
    let found = properties("P=? [ F y=3 ]; P=? [ F \"dome\" ]; R{\"time\"}=? [ C<=5 ]; P=? [ F x ];");
    assert!(found.iter().all(Result::is_err), "{found:?}");
    assert!(found[0].as_ref().is_err_and(|message| message.contains("`y`")), "{found:?}");
}
