//! What the index says of formulas of the mu-calculus, and that it is what their parser says.

use crate::models::{Texts, examples};
use crate::names::{Case, Outcome};
use crate::shown::expect;
use volvelle_diagnostics::FileId;
use volvelle_mcl::parse;
use volvelle_symbols::Kind;

#[test]
fn macros_variables_and_labels() {
    expect(
        "mcl",
        &["-- After A, B.
macro AFTER (A, B) = [ true* . A ] mu X . (< true > true and [ not B ] X) end_macro
macro TWICE (A) = AFTER(A, A) and nu X . [\"PUT !1\"] X end_macro
TWICE(\"PUT !1\" or 'GET.*') and nu Y . mu X . not [ \"i\" ] (X and Y) and NEVER(\"i\")"],
        "Macro `macro AFTER(A, B)`: 2= 3
        Parameter in AFTER `A`: 2= 2
        Parameter in AFTER `B`: 2= 2
        Variable in AFTER `mu X`: 2= 2
        Macro `macro TWICE(A)`: 3= 4
        Parameter in TWICE `A`: 3= 3 3
        Variable in TWICE `nu X`: 3= 3
        Action `\"PUT !1\"`: 3= 4
        Variable `nu Y`: 4= 4
        Variable `mu X`: 4= 4
        Action `\"i\"`: 4= 4
        Macro `macro NEVER(A)`: 4",
    );
}

#[test]
fn where_variables_and_macros_are_known() {
    expect(
        "mcl",
        &["macro A = true end_macro macro A = not A end_macro
(mu X . X) and X and mu X . A and X and nu Z . [ X ] Z"],
        "Macro `macro A`: 1= 1
        Macro `macro A`: 1= 2
        Variable `mu X`: 2= 2
        Variable `mu X`: 2=
        Variable `nu Z`: 2= 2",
    );
}

fn outcome(texts: &[String]) -> Outcome {
    let (formula, diagnostics) = parse(FileId(0), &texts[0]);
    // The formula without its names, which alone tell formulas apart.
    let shape = formula.map(|formula| {
        let text = formula.to_string().replace("fresh_", "");
        vec![text.len()]
    });
    Outcome { is_read: true, diagnostics, shape }
}

#[test]
fn names_mean_what_the_parser_says() {
    let mut tried = [0; 2];
    let right = |model: &Texts| parse(FileId(0), &model.texts[0]).0.is_some();
    for model in examples("mcl", &["mcl"]).into_iter().filter(right) {
        let case = Case::of("mcl", model, outcome);
        let kinds = [Kind::Macro, Kind::Variable, Kind::Parameter];
        // A name in a macro is read wherever that is called.
        let in_macro = |offset: u32| case.texts[0][..offset as usize].matches("macro").count() % 2 == 1;
        tried[0] += case.misspelt_references(&kinds, |found| !in_macro(found.span.start));
        tried[1] += case.renamed_symbols(|_, symbol| symbol.kind != Kind::Action);
    }
    assert!(tried.iter().all(|&count| count > 5), "{tried:?}");
}
