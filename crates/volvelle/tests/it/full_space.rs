//! Exploration that stops where all properties are decided: what is said about it, and how to have all states.

use crate::common::schema::problems;
use crate::common::{self, Folder, WALK, root};

const FIRST: [&str; 2] = ["--prop", "P=? [ F<=9 x>=3 ]"];
const UNBOUNDED: [&str; 2] = ["--prop", "P=? [ F x>=3 ]"];
const SECOND: [&str; 2] = ["--prop", "P=? [ F<=9 x>=5 ]"];

fn check(folder: &Folder, rest: &[&[&str]]) -> common::Run {
    let start = ["check", "model.prism", "--const", "N=20"];
    folder.run(&[&start[..], &rest.concat()].concat())
}

#[test]
fn the_line_about_the_model_says_so() {
    let folder = Folder::with_model(WALK);
    let line = |rest: &[&[&str]]| {
        let run = check(&folder, rest).exits(0);
        assert!(run.err.is_empty(), "no word of deadlocks: {}", run.err);
        run.out.lines().next().unwrap_or_default().to_owned()
    };
    assert!(line(&[&FIRST]).contains("  4 states  7 transitions  1 not expanded  ("));
    assert!(line(&[&UNBOUNDED]).contains("  4 states  7 transitions  1 not expanded  ("));
    // Only where both are decided.
    assert!(line(&[&FIRST, &SECOND]).contains("  6 states  11 transitions  1 not expanded  ("));
    for all in [&["--full-space"][..], &["--states"], &["--witness"], &["--no-fix-deadlocks"]] {
        let line = line(&[&UNBOUNDED, all]);
        assert!(line.contains("  21 states  41 transitions  ("), "{all:?}: {line}");
    }
    assert!(line(&[&FIRST, &["--prop", "P=? [ X x=1 ]"]]).contains("  21 states  41 transitions  ("));
    let run = folder.run(&["explore", "model.prism", "--const", "N=20"]).exits(0);
    assert!(run.out.contains("  21 states  "), "{}", run.out);
}

#[test]
fn explanations_and_json_say_so() {
    let folder = Folder::with_model(WALK);
    let run = check(&folder, &[&FIRST, &["--explain"]]).exits(0);
    let fact = run.out.lines().find(|line| line.trim_start().starts_with("not expanded"));
    let fact = fact.unwrap_or_else(|| panic!("no fact about it:\n{}", run.out));
    assert!(fact.ends_with("nothing that was asked needs them; --full-space expands them"), "{fact}");
    let schema = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let document = |rest: &[&[&str]]| {
        let document = check(&folder, &[rest, &[&["--json"]]].concat()).exits(0).json();
        assert_eq!(problems(&schema, &document), Vec::<String>::new());
        document
    };
    let (needed, all) = (document(&[&FIRST]), document(&[&FIRST, &["--full-space"]]));
    assert_eq!(needed["model"]["not_expanded"], 1);
    assert_eq!(needed["model"]["deadlocks"], 0);
    assert!(all["model"].get("not_expanded").is_none());
    let value = |document: &serde_json::Value| document["results"][0]["value"].as_f64();
    let (few, many) = (value(&needed).expect("a value"), value(&all).expect("a value"));
    assert!((few - many).abs() < 1e-12, "{few} {many}");
    let exact = document(&[&FIRST, &["--exact", "--explain"]]);
    assert_eq!(exact["model"]["explain"]["not expanded"][0]["value"], 1);
    assert_eq!(
        exact["results"][0]["value"],
        document(&[&FIRST, &["--exact", "--full-space"]])["results"][0]["value"]
    );
}

/// Where finitely many states decide, it does not matter that there are infinitely many.
#[test]
fn models_without_end() {
    let text =
        "dtmc\nmodule m\n  n : int init 0;\n  [] true -> 0.5 : (n'=n+1) + 0.5 : (n'=n-1);\nendmodule\n";
    let folder = Folder::with_model(text);
    let check = |rest: &[&str]| {
        let property = ["--prop", "P=? [ n>-5 U n>=10 ]", "--exact", "--max-states", "1000"];
        folder.run(&[&["check", "model.prism"], &property[..], rest].concat())
    };
    let run = check(&[]).exits(0);
    assert!(run.out.contains("  16 states  30 transitions  2 not expanded  ("), "{}", run.out);
    assert!(run.out.contains("= 1/3"), "{}", run.out);
    check(&["--full-space"]).exits(3);
}

/// A condition that cannot be evaluated in some state costs its property only.
#[test]
fn conditions_that_fail_cost_themselves() {
    let folder = Folder::with_model(WALK);
    let failing = ["--prop", "P=? [ F 1/x>0.3 & mod(7,x)=1 ]"];
    let run = check(&folder, &[&FIRST, &failing]).exits(2);
    assert!(run.out.contains("  21 states  41 transitions  ("), "{}", run.out);
    assert!(run.out.contains("0.5234375"), "{}", run.out);
    assert!(run.out.contains("1 could not be checked"), "{}{}", run.out, run.err);
}

/// A property that needs all states of a model without end does not cost those that need few.
#[test]
fn properties_that_need_few_states_are_answered() {
    let text =
        "dtmc\nmodule m\n  n : int init 0;\n  [] true -> 0.5 : (n'=n+1) + 0.5 : (n'=n-1);\nendmodule\n";
    let folder = Folder::with_model(text);
    let few = ["--prop", "P=? [ n>-5 U n>=10 ]"];
    let many = ["--prop", "P=? [ n>-45000 U n>=15000 ]"];
    let all = ["--prop", "P=? [ G n<20 ]", "--prop", "P=? [ F>=2 n=1 ]"];
    let next = ["--prop", "P=? [ X n=1 ]"];
    let values = |rest: &[&[&str]], most: &str| {
        let start: &[&str] = &["check", "model.prism", "--json", "--max-states", most];
        let run = folder.run(&[&[start], rest].concat().concat()).exits(3).json();
        let results = run["results"].as_array().expect("results").clone();
        results.iter().map(|result| result["value"].as_f64()).collect::<Vec<_>>()
    };
    let near = |value: Option<f64>, expected: f64| value.is_some_and(|value| (value - expected).abs() < 1e-6);
    // Before the rest is explored; nothing is tried where few states are allowed in any case.
    let found = values(&[&all[..2], &few, &all[2..]], "150000");
    assert!(near(found[1], 1.0 / 3.0) && found[0].is_none() && found[2].is_none(), "{found:?}");
    let found = values(&[&all, &few], "1000");
    assert!(near(found[2], 1.0 / 3.0), "{found:?}");
    let found = values(&[&all, &next], "150000");
    assert!(near(found[2], 0.5) && found[0].is_none() && found[1].is_none(), "{found:?}");
    // After the exploration for all of them has reached the limit.
    let found = values(&[&many, &all, &few], "150000");
    assert!(near(found[0], 0.75) && near(found[3], 1.0 / 3.0), "{found:?}");
    assert!(found[1].is_none() && found[2].is_none(), "{found:?}");
}
