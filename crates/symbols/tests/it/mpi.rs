//! What the index says of programs of message-passing primitives, and that it is what their front end says.

use crate::models::{Texts, examples};
use crate::names::{Case, Outcome};
use crate::shown::{checked, expect};
use volvelle_diagnostics::{FileId, has_errors};
use volvelle_mpi::parse;
use volvelle_mpi::resolve::resolve;
use volvelle_symbols::{Kind, TokenKind};

#[test]
fn declarations_and_their_uses() {
    expect(
        "mpi:mpi",
        &["const n = 2;
type small = 0 .. n;
shared lock[i: 0..1] : bool home i;
shared node[k: 0..n] { line { next : small; } }
procedure take(shared l, i) { local k : small; k = tas(l); for (j: 0..n) { k = node[j].next + i; } }
process P[p: 0..1] { loop { measure START; take(lock[p], p); node[p].next = 1; measure START; } }"],
        "Constant `const n = 2`: 1= 2 4 5
        Type `type small = 0 .. n`: 2= 4 5
        Variable `shared lock[i: 0..1] : bool home i`: 3= 6
        Parameter in lock `i`: 3= 3
        Variable `shared node[k: 0..n]`: 4= 5 6
        Parameter in node `k`: 4=
        Field in node `next`: 4= 5 6!
        Procedure `procedure take(shared l, i)`: 5= 6
        Parameter in take `l`: 5= 5!
        Parameter in take `i`: 5= 5
        Variable in take `k`: 5= 5! 5!
        Variable in take `j`: 5= 5
        Process `process P[p: 0..1]`: 6=
        Parameter in P `p`: 6= 6 6 6
        Label `START`: 6= 6",
    );
}

/// A study is TOML with keys; the programs that it names have names.
#[test]
fn a_study_with_its_program() {
    let study = "# One.\nprogram = \"t1.mpi\"\n[latencies]\nHit = 5.0\n\"Mem+inv\" = [1, 2]\n";
    let index = checked("mpi", &[study, "const n = 2; process P { work n; }"]);
    let in_file = |file: u32| {
        let here =
            index.symbols.iter().filter(|symbol| symbol.span.is_some_and(|span| span.file == FileId(file)));
        here.map(|symbol| symbol.name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(in_file(0), ["program", "latencies", "Hit", "Mem+inv"]);
    assert_eq!(in_file(1), ["n", "P"]);
    let kinds: Vec<TokenKind> = index.tokens.iter().take(5).map(|token| token.kind).collect();
    use TokenKind as T;
    let expected = [T::Comment, T::Name(Kind::Key), T::Operator, T::Text, T::Operator];
    assert_eq!(kinds, expected);
}

fn outcome(texts: &[String]) -> Outcome {
    let (tree, mut diagnostics) = parse::program(FileId(0), &texts[0]);
    let is_read = !has_errors(&diagnostics);
    let (system, found) = resolve(&tree, &[]);
    diagnostics.extend(found);
    let shape = system.map(|system| {
        let nodes = system.processes.iter().map(|process| process.nodes.len()).sum();
        vec![system.processes.len(), system.variables.len(), system.channels.len(), nodes]
    });
    Outcome { is_read, diagnostics, shape }
}

#[test]
fn names_mean_what_the_front_end_says() {
    let mut tried = [0; 2];
    let right = |model: &Texts| outcome(&model.texts).shape.is_some();
    for model in examples("mpi:mpi", &["mpi"]).into_iter().filter(right) {
        let case = Case::of("mpi:mpi", model, outcome);
        let kinds = [Kind::Variable, Kind::Channel, Kind::Procedure];
        // Constants are computed where they are needed.
        tried[0] += case.misspelt_references(&kinds, |_| true);
        tried[1] += case.renamed_symbols(|_, _| true);
    }
    assert!(tried.iter().all(|&count| count > 10), "{tried:?}");
}
