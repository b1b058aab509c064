//! Types of expressions and declarations, with their places.

use crate::common::{limits, system};
use volvelle_n4js::typed;

/// Lines `TEXT: TYPE` of the entries of a program.
fn shown(text: &str) -> Vec<String> {
    let system = system();
    let (sources, program) = system.program(&[("program.n4js", text)]);
    let nodes = typed::nodes(&system.loaded, &program);
    let judgment = system.loaded.judgment(typed::JUDGMENT).expect("the rules have it");
    let (report, types) = system.loaded.check_and_ask(&sources, &program, (judgment, &nodes), limits(), true);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let (again, uncached) =
        system.loaded.check_and_ask(&sources, &program, (judgment, &nodes), limits(), false);
    assert_eq!((types.clone(), again.findings.len()), (uncached, 0));
    types.iter().map(|typed| format!("{}: {}", sources.text(typed.span), typed.ty)).collect()
}

#[test]
fn names_and_whole_functions_have_entries() {
    let found = shown("function twice(n: number): number { return n * 2; }\nlet four = twice(2);\n");
    let function = "{function(number):number}";
    assert_eq!(
        found,
        [
            format!("function twice(n: number): number {{ return n * 2; }}: {function}"),
            format!("twice: {function}"),
            "n: number".into(),
            "n * 2: number".into(),
            "n: number".into(),
            "2: int".into(),
            "four: number".into(),
            "twice(2): number".into(),
            format!("twice: {function}"),
            "2: int".into(),
        ]
    );
}

#[test]
fn nothing_of_the_library_has_one() {
    assert_eq!(shown("").len(), 0);
    assert_eq!(shown("1;"), ["1: int"]);
}
