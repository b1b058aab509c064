//! The PRISM language, corner by corner: small models with annotated properties (`tests/language`).
//!
//! The values come from the manual, from closed forms, and from systems of equations solved by other means than ours;
//! none of them was copied from an answer of the program. `walk.filters.props` belongs to `walk.prism`.

use crate::common::suite::{Case, cases, is_exactly, number, problem};
use crate::common::{Folder, root, run_in};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Refusals of `--exact` that say that a question has no exact answer, or has none yet.
const NOT_EXACT: [&str; 2] = ["V0503", "V0611"];

fn folder() -> PathBuf {
    root().join("crates/volvelle/tests/language")
}

/// The files of a folder with an ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the suite has its folder");
    let names =
        entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    names
}

/// Runs all property files with some more arguments; gives every case with its result.
fn run(arguments: &[&str]) -> Vec<(String, Case, Value)> {
    let mut results = Vec::new();
    for name in files(&folder(), ".props") {
        let text = std::fs::read_to_string(folder().join(&name)).expect("a file of the suite");
        let model = format!("{}.prism", name.split('.').next().unwrap_or_default());
        let mut by_constants: BTreeMap<String, Vec<Case>> = BTreeMap::new();
        for case in cases(&text) {
            by_constants.entry(case.constants.clone()).or_default().push(case);
        }
        for (constants, cases) in by_constants {
            let mut all: Vec<String> = ["check", &model, &name, "--json"].map(str::to_owned).into();
            all.extend(arguments.iter().map(|&argument| argument.to_owned()));
            if !constants.is_empty() {
                all.extend(["--const".to_owned(), constants]);
            }
            cases.iter().for_each(|case| all.extend(["--prop".to_owned(), format!("#{}", case.number)]));
            let run = run_in(&folder(), &all);
            assert!(!run.err.contains("panicked"), "{name}: a panic:\n{}", run.err);
            let json = run.json();
            let found = json["results"].as_array().cloned().unwrap_or_default();
            assert_eq!(found.len(), cases.len(), "{name}: {}", json["diagnostics"]);
            results.extend(cases.into_iter().zip(found).map(|(case, result)| (name.clone(), case, result)));
        }
    }
    results
}

fn told(name: &str, case: &Case, what: &str) -> String {
    format!("{name} #{} ({}): {}\n    {what}\n", case.number, case.constants, case.text)
}

#[test]
fn all_properties_have_their_results() {
    let results = run(&[]);
    let wrong: Vec<String> = (results.iter())
        .filter_map(|(name, case, result)| Some(told(name, case, &problem(&case.wanted, result)?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), results.len(), wrong.concat());
    assert!(results.len() >= 1000, "{} results: some files are not read to their end", results.len());
}

#[test]
fn exact_results_are_exact() {
    let (mut wrong, mut exact) = (Vec::new(), 0);
    for (name, case, result) in run(&["--exact"]) {
        let code = result["error"]["code"].as_str().unwrap_or_default();
        if NOT_EXACT.contains(&code) && !case.wanted.starts_with("Error") {
            continue;
        }
        if let Some(problem) = problem(&case.wanted, &result) {
            wrong.push(told(&name, &case, &problem));
        } else if !case.wanted.starts_with("Error") {
            exact += 1;
            if !is_exactly(&case.wanted, &result) {
                wrong.push(told(
                    &name,
                    &case,
                    &format!("{} exactly, found {}", case.wanted, result["value"]),
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
    assert!(exact >= 700, "{exact} have exact results");
}

/// Without a filter, the value in the initial state is the first of the values in all states.
#[test]
fn values_of_all_states_begin_with_the_initial_one() {
    let mut compared = 0;
    for (name, case, result) in run(&["--states"]) {
        let filtered = case.text.contains("filter") || case.text.contains('{') && !case.text.contains("R{");
        // A quotient may have no value in some state.
        let everywhere = !["big", "multi", "||", ">> ("].iter().any(|part| case.text.contains(part))
            && !case.text.contains("] /");
        let alone = !name.starts_with("inits") && everywhere && !filtered;
        if result["error"].is_null() && alone && !case.text.contains("}{") && !case.text.contains(" {") {
            let first = &result["all_states"][0]["value"];
            let same = match (number(first), number(&result["value"])) {
                (Some(a), Some(b)) => {
                    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-6 * a.abs().max(1e-3)
                }
                _ => *first == result["value"],
            };
            assert!(
                same,
                "{}",
                told(&name, &case, &format!("{first} in the first state, {}", result["value"]))
            );
            compared += 1;
        }
    }
    assert!(compared >= 600, "{compared} were compared");
}

/// Followed by `check --scheduler`, the scheduler of a property gives the result of the property.
#[test]
fn schedulers_have_the_results_of_their_properties() {
    let (mut followed, mut bounded) = (0, 0);
    for name in ["choice", "risks", "system"] {
        let read = |ending: &str| {
            std::fs::read_to_string(folder().join(format!("{name}.{ending}"))).expect("a file of the suite")
        };
        let properties = read("props");
        let folder = Folder::with_model(&read("prism")).file("all.props", &properties);
        for case in cases(&properties) {
            // A filter may ask about states to which the scheduler does not lead, and a chain has one scheduler.
            let is_filtered = case.text.contains("filter") || case.text.contains(" {");
            if case.wanted.starts_with("Error") || is_filtered || case.text.contains("multi") {
                continue;
            }
            let number_of_case = format!("#{}", case.number);
            let mut ask = vec!["check", "model.prism", "all.props", "--prop", &number_of_case, "--json"];
            if !case.constants.is_empty() {
                ask.extend(["--const", &case.constants]);
            }
            let run = |more: [&str; 2]| folder.run(&[&ask[..], &more].concat()).json()["results"][0].clone();
            let best = run(["--export-scheduler", "s.json"]);
            if best["scheduler"].is_null() {
                continue;
            }
            let again = run(["--scheduler", "s.json"]);
            // A bound that is met exactly: only the model itself is known in fractions.
            if again["error"]["code"] == "V0601" {
                continue;
            }
            let same = match (number(&best["value"]), number(&again["value"])) {
                (Some(a), Some(b)) => a == b || (a - b).abs() <= 2e-6 * a.abs().max(1e-3),
                _ => best["value"] == again["value"],
            };
            let what = format!("{} of the model, {} of its scheduler", best["value"], again["value"]);
            assert!(same, "{}", told(name, &case, &what));
            followed += 1;
            bounded += usize::from(case.text.contains("F{") || case.text.contains("F^{"));
        }
    }
    assert!(followed >= 60 && bounded >= 9, "{followed} {bounded}");
}

/// Models that are wrong, each with `// RESULT: Error` and words of the message in its first line.
#[test]
fn wrong_models_are_refused() {
    let folder = folder().join("refused");
    let names = files(&folder, ".prism");
    assert!(names.len() >= 40, "{} models", names.len());
    let mut wrong = String::new();
    for name in names {
        let text = std::fs::read_to_string(folder.join(&name)).expect("a file of the suite");
        let wanted = text.lines().next().and_then(|line| line.strip_prefix("// RESULT: ")).expect("a result");
        let run = run_in(&folder, &["check", &name, "--prop", "P>=0 [ X true ]", "--json"]);
        assert!(!run.err.contains("panicked"), "{name}: a panic:\n{}", run.err);
        let json = run.json();
        let diagnostics = json["diagnostics"].as_array().cloned().unwrap_or_default();
        let error = diagnostics.into_iter().find(|d| d["severity"] == "error").unwrap_or(Value::Null);
        if let Some(problem) = problem(wanted, &json!({ "error": error })) {
            wrong.push_str(&format!("{name}: {problem}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What judges is judged: it refuses what is wrong.
#[test]
fn the_judge_refuses_wrong_results() {
    let value = |value: Value| json!({ "value": value });
    for (wanted, right, wrong) in [
        ("1/3", value(json!(0.3333333333)), value(json!(0.334))),
        ("0", value(json!(0.0)), value(json!(1e-6))),
        ("Infinity", value(json!("inf")), value(json!(1e308))),
        ("-Infinity", value(json!("-inf")), value(json!("inf"))),
        ("NaN", value(json!("nan")), value(json!(0.0))),
        ("true", value(json!(true)), value(json!(1.0))),
        ("1", value(json!(1.0)), value(json!(true))),
        ("[0, 1]", value(json!([0.0, 1.0])), value(json!([0.0, 0.9]))),
        ("[1, 1]", value(json!([1.0, 1.0])), value(json!(1.0))),
        ("Error", json!({ "error": { "message": "no" } }), value(json!(1.0))),
        (
            "Error label",
            json!({ "error": { "message": "no Label" } }),
            json!({ "error": { "message": "no" } }),
        ),
        (
            "0.5",
            json!({ "value": 0.5, "lo": 0.4, "hi": 0.6 }),
            json!({ "value": 0.5, "lo": 0.51, "hi": 0.6 }),
        ),
    ] {
        assert_eq!(problem(wanted, &right), None, "{wanted}");
        assert!(problem(wanted, &wrong).is_some(), "{wanted} {wrong}");
    }
    assert!(is_exactly("1/3", &value(json!("1/3"))) && !is_exactly("1/3", &value(json!("33/100"))));
    assert!(
        is_exactly("[0, 1/2]", &value(json!([0.0, "1/2"]))) && !is_exactly("[0, 1]", &value(json!([0.0])))
    );
    let found = cases("// RESULT (K=1): 2\n// RESULT (K=2): 3\nK + 1;\n\n// RESULT: true\n\ntrue;\n");
    let numbers: Vec<(usize, &str)> = found.iter().map(|case| (case.number, case.wanted.as_str())).collect();
    assert_eq!(numbers, [(1, "2"), (1, "3"), (2, "true")]);
}
