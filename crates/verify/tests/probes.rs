//! Errors deep down, which a probe finds beside the search that proves.

use volvelle_control::Control;
use volvelle_verify::{Report, SearchMethod, SearchSettings, Session, Text, Tier, Value, Wanted};

fn check(text: &str, wanted: &Wanted, method: SearchMethod, threads: usize) -> Report {
    let text = Text { name: "deep.pml".into(), text: text.into() };
    let mut session = Session::open::<&str>(text, Vec::new(), &[]);
    let settings = SearchSettings { tier: Tier::Interpreter, method, ..SearchSettings::default() };
    session.search(wanted, &settings, &Control { threads, ..Control::unlimited() })
}

/// Two processes count to `n`, so that there are about n² states before a third one finds its error.
fn counters(n: usize) -> String {
    format!(
        "int x, y;
active proctype A() {{ do :: x < {n} -> x++ :: else -> break od }}
active proctype B() {{ do :: y < {n} -> y++ :: else -> break od }}
active proctype C() {{ (x == {n} && y == {n}); assert(false) }}"
    )
}

fn method(report: &Report) -> &str {
    let answer = report.results[0].outcome.as_ref().expect("there is an answer");
    assert_eq!(answer.value, Value::Bool(false));
    &answer.method
}

/// Only facts that do not depend on the clock.
fn stable(report: &Report) -> (u64, u64, Vec<volvelle_verify::Counterexample>) {
    let model = report.model.as_ref().expect("there are states");
    (model.states, model.transitions, report.results[0].counterexamples.clone())
}

#[test]
fn an_error_deep_down_is_found_by_a_probe_and_is_the_same_for_any_number_of_threads() {
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let text = counters(2000);
    let one = check(&text, &wanted, SearchMethod::Automatic, 1);
    assert_eq!(method(&one), "depth-first search");
    let example = &one.results[0].counterexamples[0];
    assert_eq!(example.len(), 8003);
    let omitted = example.omitted.expect("a long run is listed in part");
    assert_eq!(example.steps.len() as u64 + omitted.steps, 8003);
    // The order of SPIN: the process that was created last goes first, so `x` counts behind `y`.
    assert_eq!(example.steps[0].actor.as_ref().map(|actor| actor.name.as_str()), Some("B"));
    for threads in [2, 3] {
        assert_eq!(stable(&one), stable(&check(&text, &wanted, SearchMethod::Automatic, threads)));
    }
}

#[test]
fn small_models_have_shortest_runs() {
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let text = counters(20);
    for searched in [SearchMethod::Automatic, SearchMethod::BreadthFirst] {
        let report = check(&text, &wanted, searched, 2);
        assert_eq!(method(&report), "breadth-first search");
        assert_eq!(report.results[0].counterexamples[0].len(), 82);
    }
}

#[test]
fn claims_and_cycles_have_probes() {
    let text = "int x, y; bool done;
active proctype A() { do :: x < 1000 -> x++ :: else -> break od; do :: done = 1; done = 0 od }
active proctype B() { do :: y < 1000 -> y++ :: else -> break od }";
    for (claim, by) in [
        ("[] (x < 900 || y < 900)", "depth-first search"),
        ("<> [] (!done || x < 1000)", "nested depth-first search"),
    ] {
        let wanted = Wanted { claims: vec![claim.to_owned()], ..Wanted::default() };
        let one = check(text, &wanted, SearchMethod::Automatic, 1);
        assert_eq!(method(&one), by, "{claim}");
        assert!(one.results[0].counterexamples[0].len() > 900);
        assert_eq!(stable(&one), stable(&check(text, &wanted, SearchMethod::Automatic, 2)), "{claim}");
    }
}
