//! Reductions of processes against the search of all orders, on random programs: the same errors, never more states.

use std::collections::BTreeSet;
use volvelle_control::{Control, Limits};
use volvelle_promela_testing::{Choices, Features, random_program, random_program_with};
use volvelle_verify::{Answer, Report, SearchSettings, Session, Text, Tier, Value, Wanted};

const PROGRAMS: u64 = 50;
const STATES: u64 = 20_000;

fn check(text: &str, wanted: &Wanted, settings: &SearchSettings, threads: usize) -> Report {
    let text = Text { name: "random.pml".to_owned(), text: text.to_owned() };
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let control = Control { limits, threads, ..Control::unlimited() };
    volvelle_verify::search(&mut Session::open::<&str>(text, Vec::new(), &[]), wanted, settings, &control)
}

/// What is wrong with a program: the reasons and places of all its errors.
fn errors(report: &Report) -> BTreeSet<String> {
    let place = |d: &volvelle_diagnostics::Diagnostic| d.primary.as_ref().map(|l| (l.span.start, l.span.end));
    let errors = report.diagnostics.iter().filter(|d| d.severity == volvelle_diagnostics::Severity::Error);
    errors.map(|d| format!("{} {:?}", d.code, place(d))).collect()
}

fn states(report: &Report) -> u64 {
    report.model.as_ref().map_or(0, |m| m.states)
}

#[test]
fn the_same_errors_with_fewer_states() {
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let plain = SearchSettings {
        tier: Tier::Interpreter,
        all_errors: true,
        no_reduction: true,
        ..SearchSettings::default()
    };
    let reducing = SearchSettings { no_reduction: false, ..plain };
    let (mut compared, mut fewer, mut wrong) = (0, 0, 0);
    let mut more = Vec::new();
    for seed in 0..PROGRAMS {
        let text = random_program(&mut Choices::from_seed(seed));
        let all = check(&text, &wanted, &plain, 1);
        if !all.model.as_ref().is_some_and(|m| m.complete) {
            continue;
        }
        compared += 1;
        let some = check(&text, &wanted, &reducing, 1);
        assert_eq!(errors(&all), errors(&some), "seed {seed}\n{text}");
        if states(&some) > states(&all) {
            more.push(format!("{seed}: {} for {}", states(&some), states(&all)));
        }
        fewer += u64::from(states(&some) < states(&all));
        wrong += u64::from(!errors(&all).is_empty());
        let several = check(&text, &wanted, &reducing, 3);
        assert_eq!(states(&some), states(&several), "seed {seed} with three threads\n{text}");
    }
    assert!(more.is_empty(), "more states with reduction: {more:?}");
    // Random programs are not all alike: some are wrong, and most can be reduced.
    assert!(compared > PROGRAMS / 2 && fewer > compared / 6 && wrong > 5, "{compared} {fewer} {wrong}");
}

/// A variable of a random program that claims can read.
fn watched(program: &str) -> Option<String> {
    let declared = program.lines().find_map(|line| {
        let rest = &line[line.find(" g1")? + 1..];
        let end = rest.find(|c: char| !c.is_alphanumeric())?;
        Some((rest[..end].to_owned(), rest[end..].starts_with('[')))
    })?;
    Some(if declared.1 { format!("{}[0]", declared.0) } else { declared.0 })
}

/// Never claims, the last of which counts steps.
const NEVER: [&str; 5] = [
    "never wrong { do :: true :: P -> goto accept_all od; accept_all: do :: P od }",
    "never wrong { do :: !(P) :: P -> break od; do :: P :: !(P) -> break od }",
    "never wrong { again: do :: true :: P -> goto accept_it od; accept_it: do :: !(P) -> goto again :: P od }",
    "never wrong { do :: true :: P -> break od; do :: true :: !(P) -> break od }",
    "never wrong { true; true; P; !(P) }",
];

#[test]
fn never_claims_hold_with_fewer_states() {
    let wanted = Wanted { claims: vec!["wrong".to_owned()], ..Wanted::default() };
    let plain = SearchSettings { tier: Tier::Interpreter, no_reduction: true, ..SearchSettings::default() };
    let reducing = SearchSettings { no_reduction: false, ..plain };
    let verdict = |report: &Report| match report.results.first()?.outcome {
        Ok(Answer { value: Value::Bool(holds), .. }) => Some(holds),
        _ => None,
    };
    let (mut compared, mut violated, mut fewer) = (0, 0, 0);
    for seed in 0..40 {
        let program = random_program(&mut Choices::from_seed(1000 + seed));
        let Some(variable) = watched(&program) else { continue };
        for (at, never) in NEVER.iter().enumerate() {
            let condition = format!("{variable} == {}", seed % 2);
            let text = format!("{program}\n{}\n", never.replace('P', &condition));
            let all = check(&text, &wanted, &plain, 1);
            let Some(truth) = verdict(&all) else { continue };
            let some = check(&text, &wanted, &reducing, 1);
            assert_eq!(verdict(&some), Some(truth), "seed {seed}\n{text}");
            compared += 1;
            violated += u32::from(!truth);
            if truth {
                assert!(states(&some) <= states(&all), "seed {seed}\n{text}");
                let less = states(&some) < states(&all);
                assert!(!less || at != NEVER.len() - 1, "a claim that counts steps is not reduced\n{text}");
                fewer += u32::from(less);
            }
        }
    }
    assert!(compared > 60 && violated > 20 && fewer > 1, "{compared} {violated} {fewer}");
}

/// Accepting labels of the model make more runs violations than a claim does by itself. This claim accepts none, but lets
/// those through in which `x` is 1 from the second state on.
#[test]
fn labels_of_the_model_count_for_claims_that_count_steps() {
    let text = "byte x;
active proctype P() { x = 1; accept: do :: true od }
active proctype Q() { byte y; y = 1; y = 2; end: false }
never wrong { x != 1; do :: x == 1 od }
";
    let wanted = Wanted { claims: vec!["wrong".to_owned()], ..Wanted::default() };
    for no_reduction in [true, false] {
        let settings = SearchSettings { tier: Tier::Interpreter, no_reduction, ..SearchSettings::default() };
        let report = check(text, &wanted, &settings, 1);
        let outcome = &report.results[0].outcome;
        assert!(
            matches!(outcome, Ok(Answer { value: Value::Bool(false), .. })),
            "reduction {}: {outcome:?}",
            !no_reduction
        );
    }
}

#[test]
fn the_same_errors_with_traces_and_priorities() {
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let plain = SearchSettings {
        tier: Tier::Interpreter,
        all_errors: true,
        no_reduction: true,
        ..SearchSettings::default()
    };
    let reducing = SearchSettings { no_reduction: false, ..plain };
    let features = [
        Features { traces: true, ..Features::default() },
        Features { priorities: true, ..Features::default() },
        Features { traces: true, priorities: true, ..Features::default() },
    ];
    let (mut compared, mut wrong) = (0, 0);
    for seed in 0..PROGRAMS {
        let text = random_program_with(&mut Choices::from_seed(seed), features[seed as usize % 3]);
        let all = check(&text, &wanted, &plain, 1);
        if !all.model.as_ref().is_some_and(|m| m.complete) {
            continue;
        }
        compared += 1;
        let some = check(&text, &wanted, &reducing, 1);
        assert_eq!(errors(&all), errors(&some), "seed {seed}\n{text}");
        wrong += u64::from(!errors(&all).is_empty());
        // Machine code means the same.
        let native = check(&text, &wanted, &SearchSettings { tier: Tier::Auto, ..plain }, 2);
        assert_eq!((states(&all), errors(&all)), (states(&native), errors(&native)), "seed {seed}\n{text}");
    }
    assert!(compared > PROGRAMS / 2 && wrong > 5, "{compared} {wrong}");
}

#[test]
fn variables_on_which_nothing_depends_are_no_part_of_the_state() {
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let reducing = SearchSettings { tier: Tier::Interpreter, all_errors: true, ..SearchSettings::default() };
    // A counter, an array that is written at places that depend on another one, and what only they are computed from.
    let text = "int n, m; int seen[3]; byte i; bool b;
        active proctype P() { do :: n++; b = !b :: m = n + 1; seen[i % 3] = m; i = (i + 1) % 3 od }";
    assert_eq!(states(&check(text, &wanted, &reducing, 1)), 1);
    // An index may leave its array: nothing but that is kept.
    let indexed = "int n; int a[2]; byte i; active proctype P() { do :: n++; a[i] = n; i = 1 - i od }";
    assert!(check(indexed, &wanted, &reducing, 1).model.unwrap().complete);
    // Claims and assertions see theirs, and so do variables that they depend on.
    let endless =
        |more: &str| !check(&format!("{text} {more}"), &wanted, &reducing, 1).model.unwrap().complete;
    assert!(endless("active proctype Q() { assert(n >= 0) }"));
    assert!(endless("active proctype Q() { assert(seen[0] >= 0) }"));
    assert!(endless("ltl never_full { [] (m < 1000000000) }"));
    // A value that does not fit is told of, and an index that leaves its array is an error.
    let narrow = check("byte n; active proctype P() { do :: n++ od }", &wanted, &reducing, 1);
    assert!(narrow.diagnostics.iter().any(|d| d.code == volvelle_diagnostics::codes::VALUE_CUT));
    let outside =
        check("int a[2]; byte i; active proctype P() { do :: a[i] = 1; i++ od }", &wanted, &reducing, 1);
    assert_eq!(errors(&outside).len(), 1);
}

/// Values that a new process begins with are read where it is started, and those of the process that starts it stay what they are.
#[test]
fn first_values_are_computed_from_arguments() {
    let model = "byte seen;
proctype P(byte n; byte other) { byte m = n + 1; byte k = m * 2; n = 0; seen = m + k; assert(m == 6 && k == 12) }
proctype Q(byte q; byte r; byte s) { byte a = q; run P(5, 3); assert(q == 7 && r == 8 && s == 9 && a == 7) }
active proctype Main() { run Q(7, 8, 9) }
ltl sum { [] (seen == 0 || seen == 18) }";
    for no_reduction in [false, true] {
        let settings = SearchSettings { no_reduction, all_errors: true, ..SearchSettings::default() };
        for wanted in [Wanted::default(), Wanted { safety: true, ..Wanted::default() }] {
            let report = check(model, &wanted, &settings, 1);
            assert!(errors(&report).is_empty(), "{:?}", report.diagnostics);
        }
    }
}
