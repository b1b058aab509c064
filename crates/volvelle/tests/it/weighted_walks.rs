//! `volvelle step` through weighted systems: steps are edges, and the weight of a walk is the sum of theirs.

use crate::common::{Folder, told};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use volvelle_verify::Dice;

/// A weight as a fraction with a positive denominator, in lowest terms.
type Weight = (i64, i64);

fn weight(text: &str) -> Weight {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    (above.parse().expect("a number"), below.parse().expect("a number"))
}

fn sum((a, b): Weight, (c, d): Weight) -> Weight {
    let (above, below) = (a * d + c * b, b * d);
    let (mut x, mut y) = (above, below);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (above / x, below / x)
}

/// The walk of these lines.
fn walk(folder: &Folder, words: &[&str], lines: &str) -> Value {
    let run = told(folder, &[&["step", "--json"], words].concat(), lines).exits(0);
    run.json()["weighted_walk"].clone()
}

/// Its steps: source, weight, target.
fn steps(walk: &Value) -> Vec<(String, Weight, String)> {
    let text = |step: &Value, name: &str| step[name].as_str().expect("a text").to_owned();
    let steps = walk["steps"].as_array().expect("steps").iter();
    steps.map(|step| (text(step, "source"), weight(&text(step, "weight")), text(step, "target"))).collect()
}

/// Whether a walk goes on where it is, along known edges, and has the sum of their weights.
fn is_a_path(walk: &Value, first: &str, edges: &BTreeSet<(String, Weight, String)>) {
    let (mut at, mut total) = (first.to_owned(), (0, 1));
    for step in steps(walk) {
        assert_eq!(step.0, at);
        assert!(edges.contains(&step), "{step:?}");
        (at, total) = (step.2, sum(total, step.1));
    }
    assert_eq!(weight(walk["weight"].as_str().expect("a weight")), total, "{walk}");
}

/// A random structure: its text, its edges, and how often each state has the proposition `p`.
fn structure(seed: u64) -> (String, BTreeSet<(String, Weight, String)>, Vec<usize>) {
    let mut dice = Dice::new(seed);
    let states = 2 + dice.below(7);
    let (mut text, mut edges, mut amounts) = (String::new(), BTreeSet::new(), Vec::new());
    for state in 0..states {
        let amount = dice.below(4);
        let propositions = ["", " {p}", " {p*2, q}", " {q*2, p*3}"][amount];
        write!(text, "state s{state}{propositions}").expect("a text");
        // A ring, so that no walk ends.
        let others = (0..dice.below(3)).map(|_| dice.below(states)).collect::<Vec<_>>();
        for (number, target) in std::iter::once((state + 1) % states).chain(others).enumerate() {
            let value = sum((dice.below(9) as i64, [1, 2, 3, 10][dice.below(4)]), (0, 1));
            let between = if number == 0 { ":" } else { "," };
            write!(text, "{between} -{}/{}-> s{target}", value.0, value.1).expect("a text");
            edges.insert((format!("s{state}"), value, format!("s{target}")));
        }
        text.push_str(";\n");
        amounts.push(amount);
    }
    (text, edges, amounts)
}

#[test]
fn sums_of_walks_are_sums_of_edges() {
    let folder = Folder::new();
    for seed in 0..25 {
        let (text, edges, amounts) = structure(seed);
        std::fs::write(folder.path().join("s.wks"), &text).expect("a file");
        let all = walk(&folder, &["s.wks", "--seed", &seed.to_string()], "r 40\n");
        is_a_path(&all, "s0", &edges);
        assert_eq!(steps(&all).len(), 40, "{text}");
        // Back and forward, and along a saved walk: the sums are those of the steps that are left.
        let part = walk(&folder, &["s.wks"], "r 30\nb 12\nsave w.json\nj 30\nj 5\nr 4\nload w.json\n");
        is_a_path(&part, "s0", &edges);
        assert_eq!(steps(&part).len(), 18);
        // A walk until a condition ends in the first state in which it holds.
        if let Some(most) = amounts.iter().max().filter(|most| **most > 0) {
            let until = steps(&walk(&folder, &["s.wks"], &format!("u p >= {most}\n")));
            let amount = |name: &String| amounts[name[1..].parse::<usize>().expect("a number")];
            let (last, before) = until.split_last().expect("a step");
            assert_eq!(amount(&last.2), *most, "{text}");
            assert!(before.iter().all(|step| amount(&step.2) < *most), "{text}");
        }
    }
}

/// Edges of a structure that was written as a text, whose names are words.
fn edges_of_text(text: &str) -> BTreeSet<(String, Weight, String)> {
    let mut edges = BTreeSet::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("state ")) {
        let name = |text: &str| text.trim_matches([' ', ';', '"']).replace("\\\\", "\\");
        let (state, rest) = line.split_once(": -").unwrap_or((line, ""));
        let state =
            name(state.rsplit_once(" {").filter(|_| state.ends_with('}')).map_or(state, |parts| parts.0));
        for edge in rest.split(", -").filter(|edge| !edge.is_empty()) {
            let (value, target) = edge.split_once("-> ").expect("an edge");
            edges.insert((state.clone(), weight(value), name(target)));
        }
    }
    edges
}

#[test]
fn terms_and_models_with_weights() {
    let terms = "Pair := (Left | Right) \\ {go};\nLeft := ready:<work,2>.<go!,1>.Left;\n\
                 Right := <go>.done:<rest,3/2>.Right;\n";
    let modules = "dtmc\nmodule m\n  x : [0..3] init 0;\n  [go] x<3 -> 0.5 : (x'=x+1) + 0.5 : (x'=0);\n  \
                   [back] x=3 -> (x'=0);\nendmodule\n\
                   rewards \"cost\" [go] true : x+1; [back] true : 1/2; endrewards\n";
    let processes = "byte cost; active proctype P() { byte i; do :: i < 3 -> i++; cost = cost + 2 :: i == 3 -> i = 0 od }\n";
    let folder = Folder::new().file("t.wccs", terms).file("m.prism", modules).file("p.pml", processes);
    for words in
        [&["t.wccs"] as &[&str], &["m.prism", "--weights", "cost"], &["m.prism", "--weights", "steps"]]
    {
        folder.run(&[&["explore"], words, &["--export", "all.wks"]].concat()).exits(0);
        let text = folder.read("all.wks");
        let edges = edges_of_text(&text);
        let found = walk(&folder, words, "r 60\n");
        let first = steps(&found)[0].0.clone();
        is_a_path(&found, &first, &edges);
        let met: BTreeSet<_> = steps(&found).into_iter().collect();
        assert!(met.len() >= 4, "{words:?}: {met:?}\n{text}");
    }
    let run = told(&folder, &["step", "p.pml", "--weights", "cost"], "r 3\nv\n").exits(2);
    assert!(run.err.contains("help:"), "a cost that wraps around: {}", run.err);
    // Variables are shown as such, and lead to where a walk goes.
    let run = told(&folder, &["step", "m.prism", "--weights", "cost"], "u x=3\nv\n").exits(0);
    assert!(run.out.contains("x: 2 -> 3") && run.out.contains("total weight"), "{}", run.out);
}

#[test]
fn states_behind_files() {
    let text = "{}";
    let folder = Folder::new()
        .file(
            "s.wks",
            "parameter x in [1, 3];\nstate a {p}: -(x)-> b;\nstate b: -1-> a, -(2*x)-> b;\nstate dead;\n",
        )
        .file("none.json", text);
    let from_b = walk(&folder, &["s.wks:b", "--const", "x=5/2"], "2\n1\n");
    assert_eq!(steps(&from_b), [("b".into(), (5, 1), "b".into()), ("b".into(), (1, 1), "a".into())]);
    assert_eq!(from_b["weight"], "6");
    let run = told(&folder, &["step", "s.wks"], "1\n").exits(0);
    assert!(run.err.contains("the middles of their ranges"), "{}", run.err);
    let run = told(&folder, &["step", "s.wks:dead"], "1\n").exits(0);
    assert!(run.out.contains("no step leaves the state"), "{}", run.out);
    let run = told(&folder, &["step", "s.wks:c"], "").exits(2);
    assert!(run.err.contains("`c`") && run.err.contains("`s.wks`"), "{}", run.err);
    told(&folder, &["step", "s.wks", "--const", "y=1"], "").exits(2);
    told(&folder, &["step", "gone.wks:b"], "").exits(2);
}
