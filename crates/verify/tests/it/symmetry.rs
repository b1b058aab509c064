//! Interchangeable processes: the same errors with and without, on random programs, and what is refused.

use std::collections::BTreeSet;
use std::fmt::Write;
use volvelle_control::{Control, Limits};
use volvelle_promela_testing::{Choices, random_program};
use volvelle_random::Random;
use volvelle_verify::{Answer, Report, SearchSettings, Session, Text, Tier, Value, Wanted};

const STATES: u64 = 30_000;

fn ask(text: &str, wanted: &Wanted, settings: &SearchSettings, threads: usize) -> Report {
    let text = Text { name: "m.pml".to_owned(), text: text.to_owned() };
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let control = Control { limits, threads, ..Control::unlimited() };
    volvelle_verify::search(&mut Session::open::<&str>(text, Vec::new(), &[]), wanted, settings, &control)
}

fn verdict(report: &Report) -> Option<bool> {
    match report.results.first()?.outcome {
        Ok(Answer { value: Value::Bool(holds), .. }) => Some(holds),
        _ => None,
    }
}

fn check(text: &str, symmetry: bool, no_reduction: bool, threads: usize) -> Report {
    let settings = SearchSettings {
        tier: Tier::Interpreter,
        all_errors: true,
        no_reduction,
        symmetry,
        ..SearchSettings::default()
    };
    let wanted = Wanted { safety: true, ..Wanted::default() };
    ask(text, &wanted, &settings, threads)
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

fn is_complete(report: &Report) -> bool {
    report.model.as_ref().is_some_and(|m| m.complete)
}

fn refusal(text: &str) -> Option<String> {
    let report = check(text, true, false, 1);
    let found = report.diagnostics.iter().map(|d| &d.message);
    found.into_iter().find(|m| m.starts_with("no processes are interchangeable")).cloned()
}

/// Every counterexample can be replayed in the model as it was written.
fn check_trails(report: &Report, text: &str) {
    for example in report.results.iter().flat_map(|r| &r.counterexamples) {
        assert_eq!(
            example.choices.len(),
            example.steps.len(),
            "{} cannot be replayed\n{text}",
            example.reason
        );
    }
}

fn compare(text: &str, message: &str) -> Option<(u64, u64, bool)> {
    let all = check(text, false, true, 1);
    if !is_complete(&all) {
        return None;
    }
    let mut least = u64::MAX;
    for no_reduction in [true, false] {
        let some = check(text, true, no_reduction, 1);
        assert_eq!(errors(&all), errors(&some), "{message}, reduction {}\n{text}", !no_reduction);
        check_trails(&some, text);
        if no_reduction {
            let fits = states(&some) <= states(&all) + 1;
            assert!(fits, "{message}: {} states for {}\n{text}", states(&some), states(&all));
            let several = check(text, true, no_reduction, 3);
            assert_eq!(states(&several), states(&some), "{message}, three threads\n{text}");
        }
        least = least.min(states(&some));
    }
    Some((states(&all), least, !errors(&all).is_empty()))
}

/// Something that processes do with their numbers, or without.
const STATEMENTS: [&str; 30] = [
    "f[_pid] = true",
    "f[_pid] = false",
    "f[_pid]",
    "!f[_pid]",
    "turn = _pid",
    "turn == _pid",
    "turn != _pid",
    "turn = 255",
    "turn == 255",
    "h[_pid] = turn",
    "x = h[_pid]",
    "x == _pid",
    "x = turn",
    "x != turn",
    "q!_pid",
    "q!x",
    "q?x",
    "q?eval(_pid)",
    "r[_pid]!x",
    "r[_pid]?x",
    "s!_pid",
    "s?x",
    "g = (g + 1) % 3",
    "g == 1",
    "l = (l + 1) % 3",
    "l == g",
    "own[_pid] = l",
    "assert(turn != _pid || l != 2)",
    "assert(g != 2 || l != 1)",
    "turn == 1",
];

fn random_team(random: &mut Random) -> String {
    let processes = 2 + random.below(2);
    let mut text = format!(
        "byte turn = 255; byte g; bool f[{processes}]; byte h[{processes}]; chan q = [2] of {{ byte }};
chan r[{processes}] = [1] of {{ byte }}; chan s = [0] of {{ byte }};
active [{processes}] proctype P() {{
  byte x, l, own[{processes}];
  do
"
    );
    let all = STATEMENTS.len() - usize::from(random.one_in(2));
    for _ in 0..2 + random.below(2) {
        let count = 1 + random.below(3);
        let body: Vec<&str> = (0..count).map(|_| STATEMENTS[random.below(all)]).collect();
        let body = body.join("; ");
        let _ = match random.below(5) {
            0 => writeln!(text, "  :: atomic {{ {body} }}"),
            1 => writeln!(text, "  :: {body}; break"),
            _ => writeln!(text, "  :: {body}"),
        };
    }
    text.push_str("  od\n}\n");
    if random.one_in(2) {
        text.push_str("active proctype Q() { do :: g = 0 :: q?_ :: g == 2; q!0 od }\n");
    }
    text
}

#[test]
fn random_teams() {
    compare_teams(41);
}

#[test]
fn more_random_teams() {
    compare_teams(42);
}

fn compare_teams(seed: u64) {
    let mut random = Random(seed);
    let (mut compared, mut fewer, mut wrong, mut refused) = (0, 0, 0, 0);
    for case in 0..50 {
        let text = random_team(&mut random);
        if refusal(&text).is_some() {
            refused += 1;
            continue;
        }
        if let Some((all, least, is_wrong)) = compare(&text, &format!("case {case}")) {
            compared += 1;
            fewer += u32::from(2 * least < all);
            wrong += u32::from(is_wrong);
        }
    }
    assert!(
        compared > 12 && fewer > 3 && wrong > 3 && wrong < compared,
        "{compared} {fewer} {wrong} {refused}"
    );
}

/// Claims that beginnings of runs decide; one of them names a process.
const CLAIMS: [&str; 4] = [
    "[] (g != 2)",
    "[] !(f[1] && g == 1)",
    "(g == 0) W (g == 1 && turn == 255)",
    "[] (turn == 255 -> [] (g != 1))",
];

#[test]
fn claims_about_random_teams() {
    let mut random = Random(43);
    let (mut compared, mut violated, mut fewer) = (0, 0, 0);
    for case in 0..40 {
        let text = random_team(&mut random);
        if refusal(&text).is_some() {
            continue;
        }
        for claim in CLAIMS {
            let wanted = Wanted { claims: vec![claim.to_owned()], ..Wanted::default() };
            let plain =
                SearchSettings { tier: Tier::Interpreter, no_reduction: true, ..SearchSettings::default() };
            let all = ask(&text, &wanted, &plain, 1);
            let Some(truth) = verdict(&all) else { continue };
            for no_reduction in [true, false] {
                let settings = SearchSettings { symmetry: true, no_reduction, ..plain };
                let some = ask(&text, &wanted, &settings, 1);
                assert_eq!(verdict(&some), Some(truth), "case {case}: {claim}\n{text}\n{:?}", some.results);
                check_trails(&some, &text);
                fewer += u32::from(truth && 2 * states(&some) < states(&all));
            }
            compared += 1;
            violated += u32::from(!truth);
        }
    }
    assert!(compared > 40 && violated > 6 && fewer > 6, "{compared} {violated} {fewer}");
}

#[test]
fn claims_that_need_cycles_are_not_checked() {
    let text = "byte x; active [2] proctype P() { do :: x = 1 - x :: skip od }";
    let settings = SearchSettings { tier: Tier::Interpreter, symmetry: true, ..SearchSettings::default() };
    for (claim, told) in
        [("[]<> (x == 1)", "cannot find cycles"), ("[] P[0]@nowhere", ""), ("[] (x < 2)", "")]
    {
        let wanted = Wanted { claims: vec![claim.to_owned()], ..Wanted::default() };
        let report = ask(text, &wanted, &settings, 1);
        let why = report.results.first().and_then(|r| r.outcome.as_ref().err());
        let message = why.map_or(String::new(), |why| why[0].message.clone());
        assert!(message.contains(told), "{claim}: {message}");
        assert_eq!(verdict(&report).is_some(), claim == "[] (x < 2)", "{claim}");
    }
}

#[test]
fn random_programs() {
    let mut compared = 0;
    for seed in 0..200 {
        let text = random_program(&mut Choices::from_seed(seed));
        if refusal(&text).is_none() {
            compared += u32::from(compare(&text, &format!("seed {seed}")).is_some());
        }
    }
    assert!(compared > 2, "{compared}");
}

#[test]
fn as_many_states_as_there_are_orbits() {
    // Multisets of n places out of three, where there are 3^n states.
    let text = "active [6] proctype P() { do :: skip; skip; skip od }";
    let (all, some) = (check(text, false, true, 1), check(text, true, true, 1));
    assert_eq!((states(&all), states(&some)), (729, 28));
    // Who has the turn is told apart from the others.
    let turn = "byte turn = 255; active [4] proctype P() { do :: atomic { turn == 255 -> turn = _pid }; turn = 255 od }";
    let (all, some) = (check(turn, false, true, 1), check(turn, true, true, 1));
    assert_eq!((states(&all), states(&some)), (5, 2));
    // Channels and elements go with their processes.
    let own = "byte n[4]; chan q[4] = [1] of { byte };
active [4] proctype P() { do :: q[_pid]!_pid; n[_pid] = 1; q[_pid]?_; n[_pid] = 0 od }";
    let (all, some) = (check(own, false, true, 1), check(own, true, true, 1));
    assert_eq!((states(&all), states(&some)), (256, 35));
}

#[test]
fn numbers_that_are_told_apart() {
    let told = |body: &str| {
        let text =
            format!("byte x; byte a[3]; chan q[3] = [1] of {{ byte }}; active [3] proctype P() {{ {body} }}");
        refusal(&text).unwrap_or_default()
    };
    assert!(told("x = 1 - _pid").contains("computes with"));
    assert!(told("_pid < 2; x = 1").contains("computes with"));
    assert!(told("byte i; a[_pid] = 1; i = (i + 1) % 3; a[i] = 2").contains("another kind of value"));
    assert!(told("x = _pid; x = (a[0] + 1) % 3").contains("another kind of value"));
    assert!(told("byte i; i = (i + 1) % 3; q[_pid]!1; q[i]?_").contains("channels"));
    assert!(told("_nr_pr == 3; x = 1").contains("_nr_pr"));
    assert!(told("P[0]:x == 1").contains("variables of other processes"));
    assert!(told("do :: run P() :: break od").contains("again and again"));
    assert_eq!(told("x = _pid; x == 2; a[_pid] = 1; q[_pid]!x"), "");
}

/// A number that is free again would be given to another process.
#[test]
fn ends_before_starts() {
    let text = |before: &str, after: &str| {
        format!(
            "byte a[5]; proctype P() {{ a[_pid] = 1 }} proctype Q() {{ assert(a[_pid] == 0) }}
init {{ {before} run P(); run P(); run Q() {after} }}"
        )
    };
    assert!(refusal(&text("", "")).unwrap_or_default().contains("before all others have started"));
    assert_eq!(refusal(&text("atomic {", "}")), None);
    assert!(compare(&text("atomic {", "}"), "all at once").is_some_and(|(_, _, wrong)| !wrong));
}
