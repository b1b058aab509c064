//! Claims that `volvelle step` follows, and walks as trails of SPIN.

use crate::common::{Folder, told};
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;
use volvelle_promela_testing::{Choices, random_program};
use volvelle_verify::Dice;

const MODEL: &str = "byte x;\nactive proctype P() { x = 1; x = 2; do :: x = 3 :: x = 4; break od; x = 0 }\n\
                     ltl small { [] (x < 4) }\nltl two { <> (x == 2) }\nltl again { [] <> (x == 0) }\n";

const NEVER: &str = "bool wanted, served;\nactive proctype P() { wanted = true; served = false; served = true }\n\
                     never {\nT0: do :: true :: wanted && !served -> goto accept od;\naccept: do :: !served od\n}\n";

/// What a walk of these lines shows.
fn shown(folder: &Folder, words: &[&str], lines: &str) -> String {
    told(folder, &[&["step"], words].concat(), lines).out
}

#[test]
fn claims_are_decided_where_they_are() {
    let folder = Folder::new().file("m.pml", MODEL).file("n.pml", NEVER);
    let out = shown(&folder, &["m.pml"], "1\n1\nv\n1\n1\nb\n2\n");
    let lines: Vec<&str> = out.lines().map(str::trim).collect();
    let at = |text: &str| {
        lines.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}\n{out}"))
    };
    assert!(at("ltl two: holds, whatever follows") > at("x: 1 -> 2"), "{out}");
    assert!(at("ltl two: holds, whatever follows") < at("x: 2 -> 3"), "{out}");
    // It is said where it is decided, and at the end of the walk.
    assert_eq!(out.matches("ltl two: holds").count(), 2, "{out}");
    assert!(out.contains("ltl small  open"), "{out}");
    assert!(out.contains("ltl again: open"), "{out}");
    // At the end of a run nothing happens any more, which decides the rest.
    let out = shown(&folder, &["m.pml"], "1\n1\n2\n1\n1\n1\n1\n");
    assert!(out.contains("ltl small: violated, whatever follows"), "{out}");
    assert!(out.contains("ltl again: holds, as nothing happens any more"), "{out}");
    // Only what is asked for.
    let out = shown(&folder, &["m.pml", "--prop", "two", "--ltl", "<> (x == 9)"], "1\n1\n2\n1\n1\n1\n");
    assert!(out.contains("ltl two: holds") && !out.contains("small"), "{out}");
    assert!(out.contains("<> (x == 9): violated, as nothing happens any more"), "{out}");
    // A never claim has states.
    let out = shown(&folder, &["n.pml"], "1\n1\nv\n1\n");
    assert!(out.contains("never claim: at line 4, or line 5 (accepting)"), "{out}");
    // What has no value decides nothing.
    let undefined = "byte a[3], i;\nactive proctype P() { do :: i++ od }\nltl zero { [] (a[i] == 0) }\nltl low { [] (i < 9) }\n";
    let folder = folder.file("u.pml", undefined);
    let run = told(&folder, &["step", "u.pml"], "r 9\n").exits(1);
    assert!(run.out.contains("3 steps, then an error") && run.out.contains("ltl zero: open"), "{}", run.out);
    assert!(run.err.contains("V0423"), "{}", run.err);
    let out = shown(&folder, &["u.pml", "--prop", "low"], "r 9\n");
    assert!(out.contains("ltl low: violated, whatever follows"), "{out}");
    for (words, part) in [
        (&["m.pml", "--prop", "three"] as &[&str], "three"),
        (&["m.pml", "--ltl", "[] (x <"], "V0"),
        (&["m.pml", "--prop", "P=? [ F x=2 ]"], "does not apply to a Promela model"),
        (&["m.pml", "--acceptance"], "has no option `--acceptance`"),
    ] {
        let run = told(&folder, &[&["step"], words].concat(), "").exits(2);
        assert!(run.err.contains(part), "{words:?}: {}", run.err);
    }
}

/// A small model: two processes that change two variables for ever, or until they end.
fn model(dice: &mut Dice) -> String {
    let mut text = "byte x, y;\n".to_owned();
    for process in ["P", "Q"] {
        write!(text, "active proctype {process}() {{ ").expect("a text");
        text.push_str("do ");
        for _ in 0..2 + dice.below(2) {
            let (k, l) = (dice.below(4), dice.below(4));
            let statement = [
                format!(":: x = (x + {}) % 4 ", 1 + k),
                format!(":: y = (y + x) % {} ", 2 + k),
                format!(":: x == {k} -> y = {l} "),
                format!(":: atomic {{ y == {k} -> x = {l}; y = {k} }} "),
                ":: x == 3 -> break ".to_owned(),
            ];
            text.push_str(&statement[dice.below(statement.len())]);
        }
        text.push_str("od }\n");
    }
    text
}

fn formula(dice: &mut Dice) -> String {
    let [a, b, c] = [dice.below(4), dice.below(4), dice.below(4)];
    let all = [
        format!("[] (x < {})", 1 + a),
        format!("[] (x == {a} -> X (x != {b} || y == {c}))"),
        format!("(x < {}) U (y == {b})", 1 + a),
        format!("(y != {a}) W (x == {b} && y == {c})"),
        format!("[] (x + y < {})", 2 + a + b),
        format!("<> (x == {a} && <> (y == {b}))"),
        format!("[] <> (x == {a})"),
    ];
    all[dice.below(all.len())].clone()
}

/// `check` knows all runs: a run that violates a formula is followed to where it does, and no sooner; where all runs satisfy it, no walk
/// says otherwise.
#[test]
fn walks_and_searches_agree() {
    let (mut violated, mut held, mut cycles, mut rounds) = (0, 0, 0, 0);
    let mut dice = Dice::new(5);
    for _ in 0..60 {
        let (text, formula) = (model(&mut dice), formula(&mut dice));
        let folder = Folder::new().file("m.pml", &text);
        let words = ["check", "m.pml", "--ltl", &formula, "--search", "bfs", "--no-reduction"];
        let found = folder.run(&[&words as &[&str], &["--trail", "t.json", "--json"]].concat()).json();
        let result = &found["results"][0];
        match result["verdict"].as_bool() {
            Some(true) => {
                let out = shown(&folder, &["m.pml", "--ltl", &formula], "r 60\nj 0\nr 60\n");
                assert!(!out.contains("violated"), "{formula}\n{text}\n{out}");
                held += 1;
            }
            Some(false) => {
                let saved: Value = serde_json::from_str(&folder.read("t.json")).expect("a trail");
                let out = shown(&folder, &["m.pml", "--ltl", &formula, "--trail", "t.json"], "l\n");
                let listed = out.rsplit("l\n").next().expect("a list");
                let is_cycle = saved.get("cycle_start").is_some();
                let steps = saved["steps"].as_array().expect("steps").len();
                let said = listed.matches(": violated").count();
                if is_cycle {
                    // Nothing happens any more, or steps repeat.
                    let goes_round = out.contains("  the trail goes round: behind step");
                    assert!(
                        goes_round || listed.contains("violated, as nothing happens any more"),
                        "{text}\n{out}"
                    );
                    if goes_round {
                        let lines = format!("v\nj {}\nv\n", saved["cycle_start"]);
                        let out = shown(&folder, &["m.pml", "--trail", "t.json"], &lines);
                        let values = |part: &str| {
                            let lines = part.lines().take_while(|line| line.starts_with("    "));
                            lines.map(str::to_owned).collect::<Vec<_>>()
                        };
                        let all: Vec<Vec<String>> = out.split("> v\n").skip(1).map(values).collect();
                        assert!(all.len() == 2 && all[0] == all[1] && all[0].len() == 4, "{text}\n{out}");
                        rounds += 1;
                    }
                    cycles += 1;
                } else {
                    assert!(said >= 1, "{formula}\n{text}\n{out}");
                    let mut before = listed.split(": violated").next().expect("a beginning").lines();
                    let last = before.rfind(|line| {
                        line.starts_with("    ") && line.trim().starts_with(|c: char| c.is_ascii_digit())
                    });
                    let number = last.and_then(|line| line.trim().split(' ').next()?.parse::<usize>().ok());
                    assert_eq!(number, Some(steps), "{formula}\n{text}\n{out}");
                    violated += 1;
                }
            }
            None => panic!("{found}"),
        }
    }
    assert!(violated > 10 && held > 5 && cycles > 5 && rounds > 2, "{violated} {held} {cycles} {rounds}");
}

/// The values of variables at the end of a run.
fn end_of(run: &Value) -> Vec<(String, Value)> {
    let mut all = std::collections::BTreeMap::new();
    for step in run["steps"].as_array().expect("steps") {
        for change in step["changes"].as_array().expect("changes") {
            all.insert(change["name"].to_string(), change["after"].clone());
        }
    }
    all.into_iter().collect()
}

#[test]
fn walks_are_trails_of_spin() {
    let spin = Command::new("spin").arg("-V").output().is_ok();
    let (mut followed, mut replayed) = (0, 0);
    for seed in 0..40 {
        let text = random_program(&mut Choices::from_seed(seed));
        let folder = Folder::new().file("m.pml", &text);
        let walk =
            told(&folder, &["step", "m.pml", "--json", "--seed", "3"], "r 25\nsave t.trail\nsave t.json\n");
        if !folder.path().join("t.trail").exists() {
            continue;
        }
        let walk = walk.json()["run"].clone();
        let again = |words: &[&str]| {
            let run = told(&folder, words, "");
            run.json()["run"].clone()
        };
        let by_spin = again(&["step", "m.pml", "--json", "--trail", "t.trail"]);
        let by_us = again(&["step", "m.pml", "--json", "--trail", "t.json"]);
        let simulated = again(&["simulate", "m.pml", "--json", "--trail", "t.trail"]);
        assert_eq!(by_us["steps"], walk["steps"], "seed {seed}");
        for other in [&by_spin, &simulated] {
            assert_eq!(end_of(other), end_of(&walk), "seed {seed}\n{text}");
            assert_eq!(other["end"], walk["end"], "seed {seed}\n{text}");
        }
        followed += 1;
        if spin {
            let lines = folder.read("t.trail").lines().count();
            let out = Command::new("spin")
                .args(["-t", "-p", "-k", "t.trail", "m.pml"])
                .current_dir(folder.path())
                .output();
            let out = String::from_utf8_lossy(&out.expect("spin runs").stdout).into_owned();
            let is_whole = !out.contains("cannot find") && !out.contains("lost trail");
            assert!(
                is_whole && (lines == 0 || out.contains("trail ends after")),
                "seed {seed}\n{text}\n{out}"
            );
            replayed += 1;
        }
    }
    assert!(followed > 25 && (replayed == followed || !spin), "{followed} {replayed}");
}
