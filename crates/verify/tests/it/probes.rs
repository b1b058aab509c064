//! Errors deep down, which a probe finds beside the search that proves.

use volvelle_control::Control;
use volvelle_verify::{Report, SearchMethod, SearchSettings, Session, Text, Tier, Value, Wanted};

fn check(text: &str, wanted: &Wanted, method: SearchMethod, threads: usize) -> Report {
    let text = Text { name: "deep.pml".into(), text: text.into() };
    let mut session = Session::open::<&str>(text, Vec::new(), &[]);
    let settings = SearchSettings { tier: Tier::Interpreter, method, ..SearchSettings::default() };
    volvelle_verify::search(&mut session, wanted, &settings, &Control { threads, ..Control::unlimited() })
}

/// With other settings, on one thread.
fn check_so(text: &str, wanted: &Wanted, settings: &SearchSettings) -> Report {
    let text = Text { name: "deep.pml".into(), text: text.into() };
    let mut session = Session::open::<&str>(text, Vec::new(), &[]);
    volvelle_verify::search(&mut session, wanted, settings, &Control::unlimited())
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

#[test]
fn a_depth_limit_holds_for_probes() {
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let text = counters(100);
    let within = |most| SearchSettings { max_depth: Some(most), ..SearchSettings::default() };
    let found = check_so(&text, &wanted, &within(100_000));
    assert_eq!(method(&found), "depth-first search");
    assert_eq!(found.results[0].counterexamples[0].len(), 403);
    // The limit is where that of a breadth-first search is. (A reduction may make runs longer.)
    let within = |most| SearchSettings { no_reduction: true, ..within(most) };
    let mut found_some = 0;
    for most in (397..405).chain([0, 100]) {
        let found = check_so(&text, &wanted, &within(most));
        let method = SearchMethod::BreadthFirst;
        let expected = check_so(&text, &wanted, &SearchSettings { method, ..within(most) });
        assert_eq!(found.status(), expected.status(), "{most}");
        assert_eq!(found.results[0].is_cut(), expected.results[0].is_cut(), "{most}");
        found_some += found.results[0].counterexamples.len();
    }
    assert!((1..8).contains(&found_some), "{found_some}");
}

#[test]
fn probes_run_beside_symmetric_and_fair_searches() {
    // Depth first, processes count one after the other; breadth first, there are 21^4 states before the error, or 10^4 up to symmetry.
    let text = "byte c[5]; byte done;
active [5] proctype P() { do :: atomic { c[_pid] < 20 -> c[_pid]++; if :: c[_pid] == 20 -> done++ :: else fi } od }
active proctype Alarm() { done == 5; assert(false) }
ltl few { [] (done < 5) }";
    let symmetry = SearchSettings { symmetry: true, ..SearchSettings::default() };
    let fair = SearchSettings::default();
    for (settings, weak_fairness) in [(symmetry, false), (fair, true)] {
        for claims in [Vec::new(), vec!["few".to_owned()]] {
            let wanted = Wanted { safety: claims.is_empty(), claims, weak_fairness, ..Wanted::default() };
            let found = check_so(text, &wanted, &settings);
            assert_eq!(method(&found), "depth-first search", "{wanted:?}");
            assert!(found.results[0].counterexamples[0].len() >= 100);
        }
    }
}
