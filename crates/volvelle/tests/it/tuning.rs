//! `volvelle tune` on models, from the command line: answers, exit codes, files.

use crate::common::schema::problems;
use crate::common::{Folder, root, run_in};
use serde_json::{Value, json};

/// The time is `p * q` or one more; `p` of 3 gets stuck.
const MODEL: &str = "int time;
byte p, q;
bool done;
active proctype Main() {
  select(p : 1 .. 3);
  if :: q = 2 :: q = 5 fi;
  p < 3;
  if :: time = p * q :: time = p * q + 1 fi;
  done = true
}
";

const QUESTION: [&str; 8] = ["tune", "m.pml", "--minimize", "time", "--goal", "done", "--parameters", "p,q"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&QUESTION[..], more].concat()
}

#[track_caller]
fn valid(document: &Value) {
    let text = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    let schema = serde_json::from_str(&text).expect("the schema is JSON");
    let found = problems(&schema, document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
}

#[test]
fn answers_have_the_documented_shape() {
    let folder = Folder::new().file("m.pml", MODEL);
    for method in ["branch-and-bound", "bisection", "swarm"] {
        let run = folder.run(&with(&["--json", "--search", method])).exits(0);
        let document = run.json();
        valid(&document);
        let tuning = &document["tuning"];
        assert_eq!(tuning["time"], json!(2), "{tuning:#}");
        assert_eq!(tuning["best"], json!([{ "p": 1, "q": 2 }]));
        assert_eq!(tuning["proven"], json!(method != "swarm"));
        assert_eq!(tuning["configurations"], json!(6));
    }
    let all = folder.run(&with(&["--json", "--all"])).exits(0).json();
    let table = all["tuning"]["table"].as_array().expect("a table");
    let row = |p: i64, q: i64| table.iter().find(|row| row["p"] == p && row["q"] == q).expect("a row");
    assert_eq!((&row(2, 5)["time"], &row(2, 5)["greatest"]), (&json!(10), &json!(11)));
    assert_eq!((&row(3, 2)["lo"], &row(3, 2)["hi"]), (&json!("inf"), &json!("inf")));
    assert_eq!(row(2, 5)["all_alike"], json!(false));
    // What is broken has the shape, too.
    let broken = folder.run(&["tune", "m.pml", "--json"]).exits(2).json();
    valid(&broken);
    valid(&folder.run(&with(&["--json", "--max-states", "1"])).json());
}

#[test]
fn exit_codes() {
    let folder =
        Folder::new().file("m.pml", MODEL).file("die.prism", "dtmc\nmodule m\n  x : [0..1];\nendmodule\n");
    folder.run(&QUESTION).exits(0);
    let stuck = folder.run(&["tune", "m.pml", "--minimize", "time", "--goal", "p == 9", "--parameters", "p"]);
    assert!(stuck.err.contains("V1201"), "{}", stuck.err);
    stuck.exits(1);
    let unknown = folder.run(&["tune", "m.pml", "--minimize", "tine", "--goal", "done", "--parameters", "p"]);
    assert!(
        unknown.err.contains("did you mean `time`?") && unknown.err.contains("--minimize:1:1"),
        "{}",
        unknown.err
    );
    unknown.exits(2);
    let prism = ["tune", "die.prism", "--minimize", "x", "--goal", "x=1", "--parameters", "x"];
    assert!(folder.run(&prism).exits(2).err.contains("not a model of processes"));
    folder.run(&with(&["--platform", "p.toml"])).exits(2);
    folder.run(&with(&["--search", "swarm", "--all"])).exits(2);
    folder.run(&with(&["--max-states", "3"])).exits(3);
    for missing in [2, 4, 6] {
        let words: Vec<&str> = QUESTION
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != missing && *at != missing + 1)
            .map(|w| *w.1)
            .collect();
        let run = folder.run(&words).exits(2);
        assert!(run.err.contains(&format!("`{}` is missing", QUESTION[missing])), "{}", run.err);
    }
    folder.run(&["tune", "m.pml", "--minimize", "time", "--goal", "done", "--parameters", "p,p"]).exits(2);
}

#[test]
fn files_are_written() {
    let folder = Folder::new().file("m.pml", MODEL);
    let files =
        ["--csv", "t.csv", "--plot", "t.svg,t.png,t.pdf,t.html", "--html", "page.html", "--t4", "t4.json"];
    let run = folder.run(&with(&[&files[..], &["--all"]].concat())).exits(0);
    assert!(run.out.contains("written:"), "{}", run.out);
    let csv = folder.read("t.csv");
    assert_eq!(csv.lines().next(), Some("p,q,time,lo,hi,greatest,all_alike,states,evidence,predicted,best"));
    assert_eq!(csv.lines().count(), 7);
    assert!(csv.lines().nth(1).is_some_and(|line| line.starts_with("1,2,2,2,2,3,false,")), "{csv}");
    let page = folder.read("page.html");
    let markup = page.split_once('\n').expect("a declaration").1;
    roxmltree::Document::parse(markup).expect("the page is well-formed");
    for part in ["WG", "script"] {
        assert!(!page.contains(&format!("<{part}")), "{part}");
    }
    assert!(page.contains("around the best configuration") && page.contains("<svg"));
    let t4: Value = serde_json::from_str(&folder.read("t4.json")).expect("JSON");
    assert_eq!(t4["results"].as_array().map(Vec::len), Some(4), "{t4:#}");
    roxmltree::Document::parse(&folder.read("t.svg")).expect("the picture is well-formed");
    // One parameter gives a line; a file without a known ending is refused before any work.
    let one =
        ["tune", "m.pml", "--minimize", "time", "--goal", "done", "--parameters", "q", "--plot", "one.svg"];
    folder.run(&one).exits(0);
    assert!(folder.read("one.svg").contains("<polyline"));
    folder.run(&with(&["--plot", "t.xyz"])).exits(2);
    folder.run(&with(&["--csv", "-", "--json"])).exits(2);
}

/// The examples have the optima that SPIN's verifier finds: no run finishes earlier, and one finishes then.
#[test]
fn examples_have_their_optima() {
    let examples = root().join("examples/tuning");
    let question = ["--minimize", "time", "--goal", "finished", "--parameters", "WG,TS", "--json"];
    for (model, time, best) in [
        ("platform.pml", 48, json!([{ "WG": 4, "TS": 4 }])),
        ("minimum.pml", 15, json!([{ "WG": 4, "TS": 1 }, { "WG": 4, "TS": 2 }])),
    ] {
        let run = run_in(&examples, &[&["tune", model][..], &question].concat()).exits(0);
        let tuning = &run.json()["tuning"];
        assert_eq!((&tuning["time"], &tuning["best"]), (&json!(time), &best), "{tuning:#}");
        assert_eq!(tuning["proven"], json!(true));
    }
}
