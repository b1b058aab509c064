//! Verdicts about random Promela models with and without partial-order reduction, by each kind of search.

use volvelle_control::Control;
use volvelle_random::Random;
use volvelle_verify::{Guarantee, Report, SearchMethod, SearchSettings, Session};
use volvelle_verify::{Text, Tier, Value, Wanted};

/// A statement; processes count from 0.
fn statement(random: &mut Random, process: usize) -> String {
    let values = ["0", "1"];
    let value = values[random.below(2)];
    match random.below(14) {
        0 => format!("a = {value}"),
        1 => format!("b = {value}"),
        2 => format!("v[{}] = {value}", random.below(2)),
        3 => format!("v[_pid % 2] = {value}"),
        4 => format!("a == {value}"),
        5 => format!("v[{}] == {value}", random.below(2)),
        6 => format!("c!{value}"),
        7 => "c?x".to_owned(),
        8 => format!("q[{}]!{value}", process % 2),
        9 => format!("q[{}]?x", random.below(2)),
        10 => format!("meet!{value}"),
        11 => "meet?x".to_owned(),
        12 => format!("atomic {{ x = 1 - x; b = x; a != {value} -> a = {value} }}"),
        _ => "x = 1 - x".to_owned(),
    }
}

fn model(random: &mut Random) -> String {
    let mut text = "byte a, b; byte v[2]; chan c = [1] of { byte }; chan q[2] = [2] of { byte };
chan meet = [0] of { byte };\n"
        .to_owned();
    for process in 0..2 + random.below(2) {
        text.push_str(&format!("active proctype P{process}() {{\n  byte x;\n"));
        let mut labels = ["here", "accept", "progress"].into_iter();
        for _ in 0..1 + random.below(3) {
            let label = if random.one_in(3) { labels.next() } else { None };
            let label = label.map_or(String::new(), |l| format!("{l}: "));
            match random.below(3) {
                0 => text.push_str(&format!("  {label}{};\n", statement(random, process))),
                1 => text.push_str(&format!(
                    "  {label}if :: {}; {} :: {} fi;\n",
                    statement(random, process),
                    statement(random, process),
                    statement(random, process)
                )),
                _ => text.push_str(&format!(
                    "  {label}do :: {}; {} :: {} :: {} -> break od;\n",
                    statement(random, process),
                    statement(random, process),
                    statement(random, process),
                    statement(random, process)
                )),
            }
        }
        text.push_str("  here_at_last: skip\n}\n");
    }
    text
}

fn proposition(random: &mut Random) -> String {
    [
        "a == 1",
        "b == 1",
        "v[0] == 1",
        "v[1] == 1",
        "len(c) == 1",
        "nempty(q[0])",
        "P0@here_at_last",
        "P1:x == 1",
    ][random.below(8)]
    .to_owned()
}

fn formula(random: &mut Random) -> String {
    let (p, q) = (proposition(random), proposition(random));
    match random.below(7) {
        0 => format!("[] ({p})"),
        1 => format!("<> ({p})"),
        2 => format!("[] (({p}) -> <> ({q}))"),
        3 => format!("<> [] ({p})"),
        4 => format!("[] <> ({p})"),
        5 => format!("({p}) U ({q})"),
        _ => format!("[] ! (({p}) && ({q}))"),
    }
}

fn check(text: &str, wanted: &Wanted, settings: &SearchSettings, threads: usize) -> Report {
    let text = Text { name: "random.pml".into(), text: text.into() };
    let mut session = Session::open::<&str>(text, Vec::new(), &[]);
    volvelle_verify::search(&mut session, wanted, settings, &Control { threads, ..Control::unlimited() })
}

/// What is said of each property, with the states of the first search.
fn verdicts(text: &str, report: &Report) -> (Vec<bool>, u64) {
    let complaints: Vec<_> = report.diagnostics.iter().map(|d| &d.message).collect();
    let of = |outcome: &Result<volvelle_verify::Answer, Vec<_>>| match outcome {
        Ok(answer) => answer.value == Value::Bool(true),
        Err(_) => panic!("no answer: {complaints:?}\n{text}"),
    };
    assert!(!report.results.is_empty(), "{complaints:?}\n{text}");
    (report.results.iter().map(|r| of(&r.outcome)).collect(), report.model.as_ref().map_or(0, |m| m.states))
}

#[test]
fn reduction_changes_no_verdict() {
    let mut random = Random(4);
    let (mut held, mut all, mut states, mut fewer) = (0, 0, 0, 0);
    for _ in 0..120 {
        let text = model(&mut random);
        let claims = vec![formula(&mut random), formula(&mut random)];
        let questions = [
            Wanted { safety: true, ..Wanted::default() },
            Wanted { claims, ..Wanted::default() },
            Wanted { acceptance: true, progress: true, ..Wanted::default() },
        ];
        for wanted in questions {
            let full =
                SearchSettings { tier: Tier::Interpreter, no_reduction: true, ..SearchSettings::default() };
            let reduced = SearchSettings { no_reduction: false, ..full };
            let (expected, before) = verdicts(&text, &check(&text, &wanted, &full, 1));
            for threads in [1, 3] {
                let (found, after) = verdicts(&text, &check(&text, &wanted, &reduced, threads));
                assert_eq!(found, expected, "{wanted:?}, {threads} threads\n{text}");
                if expected[0] && threads == 1 {
                    assert!(after <= before);
                    states += before;
                    fewer += after;
                }
            }
            held += expected.iter().filter(|&&holds| holds).count();
            all += expected.len();
        }
    }
    assert!(held * 10 > all && held * 10 < all * 9, "both answers occur: {held} of {all}");
    assert!(fewer * 10 < states * 9, "something is left out: {fewer} of {states}");
}

/// Other ways to search find the same errors where there is memory enough, and never say that there is none.
#[test]
fn partial_searches_admit_it() {
    let mut random = Random(9);
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let mut failed = 0;
    for _ in 0..25 {
        let text = model(&mut random);
        let base = SearchSettings { tier: Tier::Interpreter, ..SearchSettings::default() };
        let (expected, _) = verdicts(&text, &check(&text, &wanted, &base, 1));
        failed += u32::from(!expected[0]);
        for method in [SearchMethod::DepthFirst, SearchMethod::HashCompact, SearchMethod::Swarm] {
            let report = check(&text, &wanted, &SearchSettings { method, ..base }, 2);
            assert_eq!(verdicts(&text, &report).0, expected, "{method:?}\n{text}");
            let Ok(answer) = &report.results[0].outcome else { continue };
            let admits = matches!(answer.guarantee, Guarantee::Partial { .. });
            assert_eq!(admits, expected[0] && !method.is_exhaustive(), "{method:?}\n{text}");
        }
    }
    assert!((3..25).contains(&failed), "both answers occur: {failed}");
}

#[test]
fn a_bound_on_depth_is_no_proof() {
    let text = "byte n; active proctype P() { do :: n < 100 -> n++ :: n == 50 -> assert(false) od }";
    let wanted = Wanted { safety: true, ..Wanted::default() };
    let settings =
        SearchSettings { tier: Tier::Interpreter, max_depth: Some(10), ..SearchSettings::default() };
    let report = check(text, &wanted, &settings, 1);
    let answer = report.results[0].outcome.as_ref().expect("there is an answer");
    assert_eq!(
        (&answer.value, &answer.guarantee),
        (&Value::Bool(true), &Guarantee::Partial { omission: None })
    );
    let settings = SearchSettings { max_depth: Some(1000), ..settings };
    assert!(!verdicts(text, &check(text, &wanted, &settings, 1)).0[0]);
}
