//! Derivations as they are shown.

use crate::support::{example, limits};
use volvelle_diagnostics::Sources;
use volvelle_rules::machine::{Limits, Watch};
use volvelle_rules::system::{Derivation, Reply};

/// What is derived for a program.
fn derived(
    file: &str,
    judgment: &str,
    text: &str,
    limits: Limits<'_>,
    caches: bool,
) -> (Reply, Option<Derivation>) {
    let mut sources = Sources::new();
    let system = example(&mut sources, file);
    let at = sources.add("program", text);
    let program = system.read(&sources, at);
    assert!(program.flaws.is_empty(), "{:?}", program.flaws.first());
    let asked = (system.judgment(judgment).expect("it is declared"), program.root);
    let watch = Watch { derivation: true, ..Watch::default() };
    let (reply, _, noted) = system.ask_watched(&sources, &program, asked, limits, caches, watch);
    (reply, noted.derivation)
}

fn lines(file: &str, judgment: &str, text: &str, caches: bool) -> Vec<String> {
    let (_, derivation) = derived(file, judgment, text, limits(), caches);
    let lines = derivation.expect("it holds").lines;
    lines.into_iter().map(|line| " ".repeat(line.depth) + &line.text).collect()
}

#[test]
fn premises_are_deeper() {
    let text = "int a = 1; b = a;";
    let found = lines("coerce.rules", "values", text, true);
    let wanted = [
        "Values: [] ||- int a = 1; b = a; : [[a, int, 1], [b, int, 1]]",
        " Declaration: [] ||~ int a = 1; : int",
        "  isDeclared([], a) = false",
        "  Wanted: [] |~ 1 <: int : int",
        "   Number: [Expected <- int] |- 1 : int",
        "    Settled: [Expected <- int] |> 1 <! int : int",
        " isDeclared([], a) = false",
        " Declaration: [a <- int] ||~ b = a; : int",
        "  isDeclared([a <- int], b) = false",
        "  Plain: [a <- int] |= a : int",
        "   Variable: [Expected <- , a <- int] |- a : int",
        "    Settled: [Expected <- , a <- int] |> a <! int : int",
        " isDeclared([a <- int], b) = false",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn known_results_are_told() {
    let text = "class A { } class B extends A { } (A) (A) new B()";
    let found = lines("fj.rules", "main", text, true);
    assert!(found.iter().any(|line| line.trim_start().starts_with("cached: above(")), "{found:#?}");
    let again = lines("fj.rules", "main", text, false);
    assert!(again.iter().all(|line| !line.contains("cached:")), "{again:#?}");
    assert!(again.len() >= found.len());
}

/// A derivation of 100,000 levels needs no stack of the host, and the limit of memory is kept.
#[test]
fn deep_derivations() {
    let deep = 100_000;
    let text = format!("\\f. {}1{}", "f (".repeat(deep), ")".repeat(deep));
    let (reply, derivation) = derived("lambda.rules", "type", &text, limits(), true);
    assert!(matches!(reply, Reply::Holds(_)), "{reply:?}");
    let lines = derivation.expect("it holds").lines;
    assert!(lines.iter().map(|line| line.depth).max() > Some(deep));
    let little = Limits { bytes: 1 << 22, stop: &|| false };
    let (reply, derivation) = derived("lambda.rules", "type", &text, little, true);
    assert!(matches!(reply, Reply::Stopped("memory")) && derivation.is_none(), "{reply:?}");
}
