//! Answers as JSON: the documented shape, whatever happens.

use crate::common::schema::problems;
use crate::common::{Folder, WALK, examples, root, run_in};
use serde_json::{Value, json};

fn schema() -> Value {
    let text = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    serde_json::from_str(&text).expect("the schema is JSON")
}

#[track_caller]
fn valid(document: &Value) {
    let found = problems(&schema(), document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
}

#[test]
fn the_examples_have_the_shape() {
    for entry in std::fs::read_dir(examples()).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "prism") {
            continue;
        }
        let model = path.display().to_string();
        let props = path.with_extension("props").display().to_string();
        valid(&run_in(&examples(), &["info", &model, &props, "--json"]).json());
        let client_server = model.contains("client_server");
        let options: &[&str] = if model.contains("gambler") { &["--const", "start=4"] } else { &[] };
        valid(&run_in(&examples(), &[&["explore", &model, "--json"], options].concat()).json());
        let choices: &[&str] = if ["mutex", "bold_play", "courier"].iter().any(|m| model.contains(m)) {
            &["--scheduler", "uniform"]
        } else {
            &[]
        };
        let path = ["trace", &model, "--steps", "40", "--json"];
        valid(&run_in(&examples(), &[&path[..], options, choices].concat()).exits(0).json());
        let properties = ["--prop", "P=? [ F<=3 false ]", "--prop", "Pmax=? [ F<=3 false ]"];
        let run = run_in(&examples(), &[&path[..], &properties, options, choices].concat());
        valid(&run.json());
        if !client_server {
            valid(&run_in(&examples(), &[&["check", &model, &props, "--json"], options].concat()).json());
        }
    }
}

#[test]
fn every_kind_of_value_has_the_shape() {
    let folder = Folder::with_model(WALK);
    for (property, value, verdict) in [
        ("P=? [ F<=2 x=2 ]", json!(0.25), None),
        ("P>0.2 [ F<=2 x=2 ]", json!(true), Some(true)),
        ("P<0.2 [ F<=2 x=2 ]", json!(false), Some(false)),
        ("T=? [ F false ]", json!("inf"), None),
        ("filter(range, P=? [ X x=1 ], x<=2)", json!([0.0, 0.5]), None),
        ("filter(count, x<2)", json!(2.0), None),
        ("x<2", json!(true), Some(true)),
    ] {
        let run = folder.run(&["check", "model.prism", "--const", "N=3", "--json", "--prop", property]);
        let document = run.json();
        valid(&document);
        let result = &document["results"][0];
        assert_eq!(result["value"], value, "{property}");
        assert_eq!(result.get("verdict").and_then(Value::as_bool), verdict, "{property}");
        assert!(result.get("error").is_none(), "{property}");
    }
    let print = [
        "check",
        "model.prism",
        "--const",
        "N=3",
        "--json",
        "--prop",
        "filter(printall, P=? [ X x=1 ], x<=1)",
    ];
    let document = folder.run(&print).exits(0).json();
    valid(&document);
    assert_eq!(
        document["results"][0]["states"],
        json!([
            { "number": 0, "state": "x=0", "value": 0.5, "lo": 0.5, "hi": 0.5 },
            { "number": 1, "state": "x=1", "value": 0.0, "lo": 0.0, "hi": 0.0 },
        ])
    );
    // The list does not change what the property says in the initial state.
    assert_eq!(document["results"][0]["value"], 0.5);
}

#[test]
fn broken_input_has_the_shape() {
    let folder = Folder::with_model(WALK).file("broken.prism", "dtmc module m x : [0..; endmodule");
    for arguments in [
        &["check", "model.prism", "--prop", "P=? [ F", "--const", "N=2"][..],
        &["check", "model.prism", "--prop", "P=? [ F y=1 ]", "--const", "N=2"],
        &["check", "model.prism", "--prop", "nothing", "--const", "N=2"],
        &["check", "model.prism"],
        &["check", "missing.prism"],
        &["check", "model.prism", "missing.props"],
        &["explore", "broken.prism"],
        &["explore", "model.prism", "--const", "M=2"],
        &["explore", "model.prism", "--export", "a.xyz"],
        &["explore", "model.prism", "--max-states", "none"],
        &["info", "broken.prism"],
        &["explore", "model.prism", "--frobnicate"],
        &["frobnicate"],
        &["check"],
    ] {
        let run = folder.run(&[arguments, &["--json"]].concat()).exits(2);
        let document = run.json();
        valid(&document);
        let diagnostics = document["diagnostics"].as_array().expect("diagnostics");
        assert!(diagnostics.iter().any(|d| d["severity"] == "error"), "{arguments:?}: {document}");
    }
    // One document, and nothing else, also when a limit was reached.
    let run = folder
        .run(&["explore", "model.prism", "--const", "N=100000", "--max-states", "50", "--json"])
        .exits(3);
    valid(&run.json());
}

#[test]
fn numbers_read_back() {
    let folder = Folder::with_model(
        "dtmc\nmodule m\n x : [0..2];\n [] x=0 -> 1/3 : (x'=1) + 2/3 : (x'=2);\n [] x>0 -> true;\nendmodule\n",
    );
    let run = folder.run(&["check", "model.prism", "--json", "--prop", "P=? [ X x=1 ]"]).exits(0);
    assert!(run.out.contains("0.333333333333333"), "{}", run.out);
    let result = &run.json()["results"][0];
    let (lo, hi) = (result["lo"].as_f64().unwrap_or(1.0 / 3.0), result["hi"].as_f64().unwrap_or(1.0 / 3.0));
    assert!(lo <= 1.0 / 3.0 && 1.0 / 3.0 <= hi);
}

#[test]
fn the_checker_of_schemas_finds_mistakes() {
    let good = json!({ "volvelle": "0.1.0", "schema": 1, "diagnostics": [] });
    assert!(problems(&schema(), &good).is_empty());
    for bad in [
        json!({ "volvelle": "0.1.0", "diagnostics": [] }),
        json!({ "volvelle": "0.1.0", "schema": 2, "diagnostics": [] }),
        json!({ "volvelle": "0.1.0", "schema": 1, "diagnostics": [], "more": 1 }),
        json!({ "volvelle": "0.1.0", "schema": 1, "diagnostics": [{ "code": "X1", "severity": "error", "message": "" }] }),
        json!({ "volvelle": "0.1.0", "schema": 1, "diagnostics": [], "results": [{ "property": "", "seconds": 0 }] }),
        json!({ "volvelle": "0.1.0", "schema": 1, "diagnostics": [], "model": { "file": "m", "states": -1 } }),
    ] {
        assert!(!problems(&schema(), &bad).is_empty(), "{bad}");
    }
}

#[test]
fn witnesses_and_counterexamples_have_the_shape() {
    let folder = Folder::with_model(WALK);
    let ask = |property: &str, options: &[&str]| {
        let run = ["check", "model.prism", "--const", "N=3", "--json", "--prop", property];
        let document = folder.run(&[&run, options].concat()).json();
        valid(&document);
        document
    };
    let document = ask("P=? [ F x=3 ]", &["--witness"]);
    let witness = &document["results"][0]["witness"];
    assert_eq!(witness["steps"][0]["state"], json!("x=0"));
    assert_eq!(witness["steps"].as_array().map(Vec::len), Some(4));
    assert!(document["results"][0].get("counterexample").is_none());
    let document = ask("P<=0.1 [ F x=3 ]", &["--witness"]);
    let counterexample = &document["results"][0]["counterexample"];
    assert!(counterexample["subsystem"]["lo"].as_f64().is_some_and(|lo| lo > 0.1));
    assert!(document["results"][0].get("witness").is_none());
    // What has none has a warning, and an answer.
    let document = ask("P=? [ F<=2 x=2 ]", &["--witness"]);
    assert_eq!(document["results"][0]["value"], json!(0.25));
    assert_eq!(document["diagnostics"][0]["code"], json!("V0614"));
    // A scheduler that cannot be written is refused before anything is computed.
    let document = ask("P=? [ F x=3 ]", &["--export-scheduler", "best.txt"]);
    assert_eq!(document["diagnostics"][0]["code"], json!("V0614"));
    assert_eq!(document["results"], json!([]));
}
