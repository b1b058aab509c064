//! What the index says of weighted systems, and that it is what their readers say.

use crate::models::examples;
use crate::names::{Case, Outcome};
use crate::shown::expect;
use volvelle_diagnostics::FileId;
use volvelle_symbols::Kind;
use volvelle_wks::{structure, wccs};

#[test]
fn structures() {
    expect(
        "wks",
        &["# All of it.
wks \"the whole\";
parameter x in [1, 5];
initial idle;
state idle {ready, coin*2}: -0-> idle, -(2*x + x)-> \"paid\";
state paid {coin}: -3/2-> idle; state \"a\\\"b\"; state state;"],
        "Module `wks \"the whole\"`: 2=
        Parameter `parameter x in [1, 5]`: 3= 5 5
        State `state idle {ready, coin*2}: -0-> idle, -(2*x + x)-> \"paid\"`: 4 5= 5 6
        Label `ready`: 5=
        Label `coin`: 5= 6
        State `state paid {coin}: -3/2-> idle`: 5 6=
        State `state state`: 6=",
    );
}

#[test]
fn terms() {
    expect(
        "wks:wccs",
        &["// The first.
P := <a,1>.busy:Q + (Q | 0) \\ {a, b} [a -> c, busy => free];
Q := <a!>.P + <tau,2>.Q;"],
        "Process `P := <a,1>.busy:Q + (Q | 0) \\ {a, b} [a -> c, busy => free]`: 2= 3
        Action `a`: 2= 2 2 3
        Label `busy`: 2= 2
        Action `b`: 2=
        Action `c`: 2=
        Label `free`: 2=
        Process `Q := <a!>.P + <tau,2>.Q`: 2 2 3= 3
        Action `the internal action`: 3",
    );
}

fn of_structure(texts: &[String]) -> Outcome {
    let (explicit, diagnostics) = structure::read(FileId(0), &texts[0]);
    let shape = explicit.map(|explicit| {
        let parameters = explicit.parametric.map_or(0, |parametric| parametric.parameters.len());
        vec![explicit.states.len(), explicit.structure.num_steps(), parameters]
    });
    Outcome { is_read: true, diagnostics, shape }
}

fn of_terms(texts: &[String]) -> Outcome {
    let (system, diagnostics) = wccs::read(FileId(0), &texts[0]);
    let shape = system.map(|system| {
        vec![system.processes.len(), system.terms.len(), system.actions.len(), system.propositions.len()]
    });
    Outcome { is_read: true, diagnostics, shape }
}

#[test]
fn names_mean_what_the_reader_says() {
    type Read = fn(&[String]) -> Outcome;
    let readers: [(&str, &str, Read, &[Kind]); 2] = [
        ("wks", "wks", of_structure, &[Kind::State, Kind::Parameter]),
        ("wks:wccs", "wccs", of_terms, &[Kind::Process]),
    ];
    for (language, ending, outcome, kinds) in readers {
        let mut tried = [0; 2];
        for model in examples(language, &[ending]) {
            let case = Case::of(language, model, outcome);
            tried[0] += case.misspelt_references(kinds, |_| true);
            tried[1] += case.renamed_symbols(|_, _| true);
        }
        assert!(tried.iter().all(|&count| count > 10), "{language}: {tried:?}");
    }
}
