//! Models of processes: what a user of `check`, `simulate`, `explore` and `lint` sees.

use crate::common::schema::problems;
use crate::common::{Folder, Run, command, root};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// Two processes that take two things in different orders.
const DEADLOCK: &str = "chan res[2] = [1] of { bit };
active proctype P() { res[0]!1; res[1]!1; res[1]?_; res[0]?_ }
active proctype Q() { res[1]!1; res[0]!1; res[0]?_; res[1]?_ }
";

/// A rendezvous, an inline, a print, a violation behind them.
const TALK: &str = "mtype = { ping, pong };
chan q = [2] of { mtype, byte };
chan r = [0] of { byte };
byte x;
inline bump() {
  x = x + 1;
  assert(x < 2)
}
active proctype A() {
  q!ping(3);
  r!x + 7;
  printf(\"A: %d %e\\n\", x, pong);
  bump()
}
active proctype B() {
  byte y;
  q?ping,y;
  r?y;
  bump()
}
";

/// A process that never comes to its turn.
const STARVES: &str = "byte x;
active proctype Busy() { do :: x = 1 - x od }
active proctype Waits() { x == 2 -> x = 0 }
ltl served { <> (x == 2) }
";

fn model(text: &str) -> Folder {
    Folder::new().file("model.pml", text)
}

fn schema() -> Value {
    let text = std::fs::read_to_string(root().join("docs/schema/answer-1.json")).expect("the schema");
    serde_json::from_str(&text).expect("the schema is JSON")
}

/// The answer as JSON, which must have the documented shape.
#[track_caller]
fn answer(folder: &Folder, options: &[&str], code: i32) -> Value {
    let document = folder.run(&[&["check", "model.pml", "--json"], options].concat()).exits(code).json();
    let found = problems(&schema(), &document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
    document
}

/// Runs with lines on standard input.
fn with_input(folder: &Folder, arguments: &[&str], input: &str) -> Run {
    let mut child = command(folder.path())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    Run {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

#[test]
fn a_deadlock_says_where_everyone_stands() {
    let folder = model(DEADLOCK);
    let run = folder.run(&["check", "model.pml"]).exits(1);
    assert!(run.out.contains("P(0)  before line 2: res[1]!1"), "{}", run.out);
    assert!(run.out.contains("Q(1)  before line 3: res[0]!1"), "{}", run.out);
    let document = answer(&folder, &[], 1);
    let found = &document["results"][0]["counterexample"];
    let steps = found["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2);
    for step in steps {
        assert_eq!(step["message"]["kind"], "send");
        assert_eq!(step["changes"][0]["name"], step["message"]["channel"]);
        assert_eq!(step["changes"][0]["after"], "[1]");
    }
    assert_eq!(
        found["end"][0],
        json!({ "process": 0, "name": "P", "line": 2, "statement": "res[1]!1", "may_stay": false })
    );
}

#[test]
fn steps_tell_messages_partners_inlines_and_prints() {
    let document = answer(&model(TALK), &[], 1);
    let steps = document["results"][0]["counterexample"]["steps"].as_array().expect("steps").clone();
    let by = |statement: &str| {
        steps
            .iter()
            .find(|s| s["statement"] == statement)
            .unwrap_or_else(|| panic!("{statement}: {steps:#?}"))
    };
    let sent = by("q!ping(3)");
    assert_eq!(sent["message"], json!({ "kind": "send", "channel": "q", "values": ["ping", 3] }));
    assert_eq!(sent["changes"], json!([{ "name": "q", "before": "[]", "after": "[(ping,3)]" }]));
    let met = by("r!x + 7");
    // The value offered is that of the expression, and the partner says who took it.
    assert_eq!(met["message"], json!({ "kind": "exchange", "channel": "r", "values": [7] }));
    assert_eq!(met["partner"]["name"], "B");
    assert_eq!(met["partner"]["line"], 18);
    assert_eq!(met["changes"], json!([{ "name": "B(1):y", "before": 3, "after": 7 }]));
    let failed = steps.last().expect("a last step");
    assert_eq!(failed["statement"], "assert(x < 2)");
    assert_eq!(failed["line"], 7);
    assert_eq!(failed["through"][0]["name"], "bump");
    let caller = if failed["name"] == "A" { 13 } else { 19 };
    assert_eq!(failed["through"][0]["line"], caller);
}

#[test]
fn cycles_say_where_they_begin() {
    let folder = model(STARVES);
    let document = answer(&folder, &["--ltl", "served"], 1);
    let found = &document["results"][0]["counterexample"];
    let start = found["cycle_start"].as_u64().expect("a cycle") as usize;
    assert!(start < found["steps"].as_array().expect("steps").len());
    let run = folder.run(&["check", "model.pml", "--ltl", "served"]).exits(1);
    assert!(run.out.contains("from here on, this cycle repeats:"), "{}", run.out);
}

#[test]
fn several_counterexamples_and_facts() {
    let text = "byte n;\nactive [2] proctype P() { n++; assert(n == 1); assert(n != 2) }\n";
    let document = answer(&model(text), &["--all-errors", "--explain"], 1);
    let result = &document["results"][0];
    let all = result["counterexamples"].as_array().expect("several");
    assert_eq!(all.len(), 2);
    assert_eq!(all[0], result["counterexample"]);
    for fact in ["states", "transitions", "depth", "bytes"] {
        assert!(result["explain"][fact][0]["value"].as_u64().is_some_and(|n| n > 0), "{fact}");
    }
    let run = model(text).run(&["check", "model.pml", "--explain"]).exits(1);
    assert!(run.out.contains("depth"), "{}", run.out);
    // What holds has no counterexample.
    let document = answer(&model("active proctype P() { skip }"), &[], 0);
    assert!(document["results"][0].get("counterexample").is_none());
}

#[test]
fn random_runs_are_the_same_for_the_same_seed() {
    let folder = model(TALK);
    let runs: Vec<Run> =
        (0..12).map(|seed| folder.run(&["simulate", "model.pml", "--seed", &seed.to_string()])).collect();
    for (seed, run) in runs.iter().enumerate() {
        // The second `bump` fails on every run.
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.err.contains("V0421"), "{}", run.err);
        let again = folder.run(&["simulate", "model.pml", "--seed", &seed.to_string()]);
        assert_eq!(again.out, run.out);
    }
    assert!(runs.iter().any(|run| run.out != runs[0].out), "all runs are the same");
}

#[test]
fn what_a_model_prints() {
    let text = r#"mtype = { one, two };
mtype:colour = { red, green };
mtype:colour c = green;
byte b = 200;
int i = -5;
short a[3];
active proctype P() {
  printf("%d|%4d|%-4d|%04d|%u\n", i, i, b, b, i);
  printf("%x %o %c %%\n", b, 8, 65);
  printf("%e %e %d\n", two, c, c);
  printm(red);
  d_step { a[1] = 7; printf("\n[%d", a[1]); a[1] = 8; printf(",%d]\n", a[1]) }
  printf("no arguments\ttab\\n\n")
}
"#;
    let run = model(text).run(&["simulate", "model.pml", "--quiet"]).exits(0);
    let expected = "-5|  -5|200 |0200|4294967291\nc8 10 A %\ntwo green 1\nred\n[7,8]\nno arguments\ttab\\n\n";
    assert_eq!(run.out, expected);
}

#[test]
fn elements_of_structures_have_their_indices() {
    let text = "typedef Inner { byte a[3]; byte b }
typedef Outer { Inner in[2]; short s }
Outer t[2], one;
active proctype P() { t[1].in[1].a[2] = 7; t[1].s = 5; one.in[0].b = 3 }
";
    let run = model(text).run(&["simulate", "model.pml"]).exits(0);
    for change in ["t[1].in[1].a[2]=7", "t[1].s=5", "one.in[0].b=3"] {
        assert!(run.out.contains(change), "{change}\n{}", run.out);
    }
}

#[test]
fn printing_changes_no_verdict() {
    // Printing statements are steps like others, whoever looks.
    let text = "active [2] proctype P() { printf(\"%d\\n\", _pid); printf(\"again\\n\") }\n";
    let counted = answer(&model(text), &["--no-reduction"], 0);
    let silent = text.replace("printf(\"%d\\n\", _pid)", "_pid >= 0").replace("printf(\"again\\n\")", "true");
    assert_eq!(
        counted["model"]["states"],
        answer(&model(&silent), &["--no-reduction"], 0)["model"]["states"]
    );
}

#[test]
fn counterexamples_replay() {
    for (text, options, code) in [
        (DEADLOCK, &[][..], 1),
        (TALK, &[], 1),
        (TALK, &["--no-reduction"], 1),
        (STARVES, &["--ltl", "served"], 0),
        ("active proctype P() { byte i; do :: i < 9 -> i++ :: else -> break od; i = 5 / (9 - i) }", &[], 1),
        ("byte n; active [3] proctype P() { atomic { n++; n == 3 }; assert(false) }", &[], 1),
        (
            "proctype C(byte n) { chan c = [1] of { byte }; c!n; if :: n < 6 -> run C(n + 1) :: else -> assert(false) fi }\ninit { run C(0) }",
            &[],
            1,
        ),
    ] {
        let folder = model(text);
        folder.run(&[&["check", "model.pml", "--trail", "t.json"], options].concat()).exits(1);
        let saved: Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
        let run = folder.run(&["simulate", "model.pml", "--trail", "t.json"]).exits(code);
        let taken =
            saved["steps"].as_array().expect("steps").iter().filter(|s| s.get("choice").is_some()).count();
        let steps = if taken == 1 { "  1 step".to_owned() } else { format!("  {taken} steps") };
        assert!(run.out.contains(&steps), "{steps}\n{}", run.out);
    }
}

#[test]
fn replays_are_exact_or_say_why_not() {
    let folder = model(DEADLOCK);
    folder.run(&["check", "model.pml", "--trail", "t.json"]).exits(1);
    let saved = folder.read("t.json");
    let trail = |text: String| {
        let folder = model(DEADLOCK).file("t.json", text);
        folder.run(&["simulate", "model.pml", "--trail", "t.json"]).exits(2)
    };
    let run = trail(saved.replace("\"line\": 2", "\"line\": 9"));
    assert!(run.err.contains("V0013") && run.err.contains("is a different one here"), "{}", run.err);
    let mut document: Value = serde_json::from_str(&saved).expect("JSON");
    document["steps"][1]["choice"] = json!(77);
    let run = trail(document.to_string());
    assert!(run.err.contains("step 2: the trail takes choice 78"), "{}", run.err);
    document["steps"][1]["choice"] = json!(null);
    let run = trail(document.to_string());
    assert!(run.err.contains("step 2: no process can move in the trail"), "{}", run.err);
    document["trail"] = json!(2);
    assert!(trail(document.to_string()).err.contains("its version is 2"));
    assert!(trail("{".into()).err.contains("is not a trail"));
    // Another text, and other macros.
    let other = model(&DEADLOCK.replace("res[1]?_", "res[1]?1")).file("t.json", &saved);
    let run = other.run(&["simulate", "model.pml", "--trail", "t.json"]).exits(2);
    assert!(run.err.contains("a different version"), "{}", run.err);
    let run = folder.run(&["simulate", "model.pml", "--trail", "t.json", "-D", "N=2"]).exits(2);
    assert!(run.err.contains("a different version"), "{}", run.err);
}

#[test]
fn an_offer_that_nobody_takes() {
    let folder = model("chan c = [0] of { byte };\nactive proctype P() { c!1 }\n");
    let run = folder.run(&["check", "model.pml"]).exits(1);
    assert!(run.err.contains("V0422") && run.out.contains("in the initial state"), "{}{}", run.out, run.err);
}

#[test]
fn pages_have_a_chart_and_a_table() {
    let text = TALK.replace("printf(\"A: %d %e\\n\", x, pong)", "printf(\"<b>&%d\\n\", x)");
    assert!(text.contains("<b>&"), "{text}");
    let folder = model(&text);
    let run = folder.run(&["check", "model.pml", "--html", "found.html"]).exits(1);
    assert!(run.out.contains("written: found.html"), "{}", run.out);
    let page = folder.read("found.html");
    assert!(!page.contains("<b>") && !page.contains("src=") && !page.contains("href="), "{page}");
    let body = &page[page.find("<html").expect("a page")..];
    let document = roxmltree::Document::parse(body).expect("every element is closed");
    let of_class = |class: &str| {
        let all = document.descendants().filter(|n| n.attribute("class") == Some(class));
        all.collect::<Vec<_>>()
    };
    let names: Vec<_> = of_class("name").iter().filter_map(|n| n.text()).collect();
    assert_eq!(names, ["A(0)", "B(1)"]);
    assert_eq!(of_class("life").len(), 2);
    // The buffered message and the rendezvous, each from A to B.
    let arrows: Vec<_> = document.descendants().filter(|n| n.attribute("marker-end").is_some()).collect();
    assert_eq!(arrows.len(), 2);
    let number =
        |n: &roxmltree::Node<'_, '_>, key: &str| n.attribute(key).and_then(|v| v.parse::<i64>().ok());
    for arrow in &arrows {
        assert!(number(arrow, "x1") < number(arrow, "x2"), "{arrow:?}");
        assert!(number(arrow, "y1") <= number(arrow, "y2"), "{arrow:?}");
    }
    let answer = answer(&folder, &[], 1);
    let steps = answer["results"][0]["counterexample"]["steps"].as_array().expect("steps").len();
    assert_eq!(of_class("step").len(), steps);
    assert_eq!(of_class("number").len(), steps);
}

#[test]
fn all_states_as_files() {
    let folder = model("byte x;\nactive [2] proctype P() { x++; printf(\"%d\", x) }\n");
    let run = folder.run(&["explore", "model.pml", "--export", "m.aut,m.dot", "--json"]).exits(0);
    let document = run.json();
    let found = problems(&schema(), &document);
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(document["exports"], json!(["m.aut", "m.dot"]));
    let aut = folder.read("m.aut");
    let mut lines = aut.lines();
    let (states, transitions) = (&document["model"]["states"], &document["model"]["transitions"]);
    assert_eq!(lines.next(), Some(format!("des (0, {transitions}, {states})").as_str()));
    assert_eq!(lines.clone().count() as u64, transitions.as_u64().expect("a number"));
    assert!(aut.contains("\"P(0): x++\"") && aut.contains("\"P(1): printf('%d', x)\""), "{aut}");
    // Every state but the first is led to, and every number is below the number of states.
    let ends = |line: &str| {
        let inner = line.trim_start_matches('(').trim_end_matches(')');
        let from: u64 = inner.split(',').next().and_then(|n| n.parse().ok()).expect("a state");
        let to: u64 = inner.rsplit(", ").next().and_then(|n| n.parse().ok()).expect("a state");
        (from, to)
    };
    let mut reached: Vec<u64> = lines.map(|line| ends(line).1).collect();
    reached.sort_unstable();
    reached.dedup();
    assert_eq!(reached, (1..states.as_u64().expect("a number")).collect::<Vec<_>>());
    assert!(folder.read("m.dot").starts_with("digraph"));
}

/// What was explored is a model like any other: branching time, counts of states, and least numbers of steps.
#[test]
fn state_spaces_are_models() {
    let folder = model(
        "byte x; short d[2];\nactive [2] proctype P() { do :: x < 4 -> x++ :: atomic { x == 4 -> x = 0; d[_pid] = -1 } od }\n",
    );
    folder.run(&["explore", "model.pml", "--export", "m.umb,m.drn"]).exits(0);
    let verdict = |file: &str, property: &str| {
        let run = folder.run(&["check", file, "--prop", property, "--json"]);
        run.json()["results"][0]["verdict"].clone()
    };
    assert_eq!(verdict("m.umb", "E [ F x=4 & !\"deadlock\" ]"), true);
    assert_eq!(verdict("m.umb", "A [ F x=4 ]"), true);
    // Both may pass the guard at 3; then nothing goes on.
    assert_eq!(verdict("m.umb", "E [ F x=5 ]"), true);
    assert_eq!(verdict("m.umb", "A [ G x<=5 ]"), true);
    assert_eq!(verdict("m.umb", "A [ G (x=5 => \"deadlock\") ]"), true);
    // DRN has no variables, but labels.
    for file in ["m.umb", "m.drn"] {
        assert_eq!(verdict(file, "E [ F \"deadlock\" ]"), true, "{file}");
        assert_eq!(verdict(file, "A [ F \"deadlock\" ]"), false, "{file}");
    }
    let info = folder.run(&["info", "m.umb"]).exits(0);
    assert!(info.out.contains("d[1]"), "{}", info.out);
}

#[test]
fn two_walks_find_the_same_states() {
    // The states of the file are numbered one by one, those of the search are stored in its tree: without atomic sequences
    // and without reductions they agree.
    for text in [
        DEADLOCK,
        TALK,
        STARVES,
        "proctype C(byte n) { chan c = [1] of { byte }; c!n; if :: n < 6 -> run C(n + 1) :: else fi }\ninit { run C(0); run C(4) }",
    ] {
        let folder = model(text);
        let document = folder.run(&["explore", "model.pml", "--export", "m.aut", "--json"]).exits(0).json();
        let (states, transitions) = (&document["model"]["states"], &document["model"]["transitions"]);
        let head = format!("des (0, {transitions}, {states})\n");
        let aut = folder.read("m.aut");
        assert!(aut.starts_with(&head), "{head}{}", &aut[..40]);
        let checked =
            folder.run(&["check", "model.pml", "--safety", "--all-errors", "--no-reduction", "--json"]);
        assert_eq!(&checked.json()["model"]["states"], states);
    }
}

#[test]
fn files_of_states_are_refused_with_a_way_out() {
    let folder = model(
        "active proctype P() { byte i; for (i : 0 .. 250) { skip } }\nactive proctype Q() { byte i; for (i : 0 .. 9) { skip } }\n",
    );
    let run = folder.run(&["explore", "model.pml", "--export", "m.dot"]).exits(2);
    assert!(run.err.contains("V0007") || run.err.contains("not written"), "{}", run.err);
    assert!(run.err.contains("write m.aut"), "{}", run.err);
    let run = folder.run(&["explore", "model.pml", "--export", "m.trew"]).exits(2);
    assert!(run.err.contains("Promela models have no rewards"), "{}", run.err);
    let run = folder.run(&["explore", "model.pml", "--export", "m.umbra"]).exits(2);
    assert!(run.err.contains("did you mean `m.umb`?"), "{}", run.err);
    let run = folder.run(&["explore", "model.pml", "--export", "m.aut", "--max-states", "100"]).exits(3);
    assert!(run.err.contains("V0003"), "{}", run.err);
}

#[test]
fn lint_says_what_no_run_executes() {
    let text = "byte n;
chan c = [0] of { byte };
chan d = [0] of { byte };
proctype Never() { n = 1 }
active proctype P() {
  c!1;
  if
  :: n == 1 -> n = 2
  :: n == 0 -> skip
  fi;
  d!1;
  n = 3
}
active proctype Q() { byte x; c?x; d?5 }
";
    let run = model(text).run(&["lint", "model.pml"]).exits(1);
    let places: Vec<(&str, usize)> = run
        .err
        .split("\n\n")
        .filter_map(|block| {
            let line = block.split("model.pml:").nth(1)?.split(':').next()?.parse().ok()?;
            Some((block.split(": ").nth(1)?.lines().next()?, line))
        })
        .collect();
    let (dead, never) = ("this statement is never reached", "this statement can never be executed");
    assert_eq!(
        places,
        [("no run starts a process `Never`", 4), (never, 8), (dead, 8), (never, 11), (dead, 12), (never, 14),],
        "{}",
        run.err
    );
    // The one that executes everything reports nothing.
    // So it is where no way leads to a statement, whatever the values.
    let text = "byte x; active proctype P() { do :: x = 1 - x :: x = 3; break; x = 4 od; d_step { x = 1; goto on; x = 5; on: skip } }";
    let run = model(text).run(&["lint", "model.pml"]).exits(1);
    assert_eq!(run.err.matches("this statement is never reached").count(), 2, "{}", run.err);
    let run = model(DEADLOCK).run(&["lint", "model.pml"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.err);
    assert!(run.out.contains("8 of 8 statements"), "{}", run.out);
    model(DEADLOCK).run(&["lint", "model.pml", "--max-states", "3"]).exits(3);
}

#[test]
fn values_that_do_not_fit_are_said() {
    for (text, code) in [
        ("byte n; active proctype P() { n = 256 }", "V0426"),
        ("byte n; active proctype P() { n = 255 }", ""),
        ("byte n; active proctype P() { n = -1 }", ""),
        ("short n; active proctype P() { n = 40000 }", "V0426"),
        ("unsigned n : 3; active proctype P() { n = 8 }", "V0426"),
        ("active proctype P() { byte i; for (i : 0 .. 254) { skip } }", ""),
        ("active proctype P() { byte i; for (i : 0 .. 255) { skip } }", "V0427"),
        ("active proctype P() { short i; for (i : 0 .. 300) { skip } }", ""),
    ] {
        let run = model(text).run(&["check", "model.pml"]);
        assert_eq!(run.err.contains("warning["), !code.is_empty(), "{text}\n{}", run.err);
        assert!(run.err.contains(code), "{text}\n{}", run.err);
    }
}

#[test]
fn models_come_from_standard_input() {
    let folder = Folder::new();
    let texts = [
        "byte x; active proctype P() { assert(x == 1) }",
        "/* a comment */ // another\n#define N 1\nbyte x; active proctype P() { assert(x == N) }",
        "mtype = { a }; active proctype P() { assert(a == 2) }",
    ];
    for text in texts {
        let run = with_input(&folder, &["check", "-"], text).exits(1);
        assert!(run.err.contains("--> -:") && run.err.contains("V0421"), "{}", run.err);
        with_input(&folder, &["simulate", "-"], text).exits(1);
        with_input(&folder, &["explore", "-"], text).exits(0);
        with_input(&folder, &["lint", "-"], text).exits(0);
        with_input(&folder, &["info", "-"], text).exits(0);
    }
    // What begins with a name of its own is nobody's, unless it is said.
    let own = "N(x) active proctype P() { skip }";
    let defined = ["check", "-", "-D", "N(x)=byte x;"];
    let run = with_input(&folder, &defined, own).exits(2);
    assert!(run.err.contains("--language promela"), "{}", run.err);
    with_input(&folder, &["check", "-", "--language", "prism"], "active").exits(2);
    let text = "nonsense active proctype P() { skip }";
    let run = with_input(&folder, &["check", "-", "--language", "promela"], text).exits(2);
    assert!(run.err.contains("expected a declaration or a process"), "{}", run.err);
    Folder::new().file("m.txt", "P() { }").run(&["check", "m.txt", "--language", "promela"]).exits(2);
}

#[test]
fn runs_and_dead_statements_have_a_shape() {
    let folder = model(TALK);
    let document = folder.run(&["simulate", "model.pml", "--seed", "4", "--json"]).exits(1).json();
    let found = problems(&schema(), &document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
    let steps = document["run"]["steps"].as_array().expect("steps");
    assert!(
        steps.iter().any(|s| s["printed"].as_str().is_some_and(|p| p.starts_with("A: "))),
        "{document:#}"
    );
    assert_eq!(document["run"]["reason"], "assertion violated");
    assert_eq!(document["diagnostics"][0]["code"], "V0421");
    let run = folder.run(&["simulate", "model.pml", "--steps", "2", "--json"]).exits(0).json();
    assert_eq!(run["run"]["steps"].as_array().map(Vec::len), Some(2));
    // What was found is told again, step by step.
    let found = answer(&folder, &["--trail", "t.json"], 1);
    let told = folder.run(&["simulate", "model.pml", "--trail", "t.json", "--json"]).exits(1).json();
    assert_eq!(told["run"]["steps"], found["results"][0]["counterexample"]["steps"]);
    for arguments in [&["simulate", "model.pml", "--json"][..], &["lint", "model.pml", "--json"]] {
        let document = model("byte x active").run(arguments).exits(2).json();
        assert!(problems(&schema(), &document).is_empty(), "{document:#}");
        assert_eq!(document["diagnostics"][0]["severity"], "error");
    }
    let text = "active proctype P() { do :: skip od; assert(false) }";
    let document = model(text).run(&["lint", "model.pml", "--json"]).exits(1).json();
    assert!(problems(&schema(), &document).is_empty(), "{document:#}");
    assert_eq!(document["statements"], json!({ "all": 2, "executed": 1 }));
    assert_eq!(document["diagnostics"][0]["code"], "V0425");
}

#[test]
fn info_says_what_there_is() {
    let text = "mtype:kind = { one, two }; mtype:kind k; byte n[3]; chan q[2] = [2] of { byte, bit };
typedef Pair { short a; unsigned b : 3 }; Pair p;
active [2] proctype P() { chan own = [0] of { bit }; byte y; skip }
proctype R(byte a; bit b) { skip }
init { run R(1, 2) }
ltl safe { [] (n[0] < 4) }
never strange { do :: true od }
";
    let folder = model(text);
    let run = folder.run(&["info", "model.pml"]).exits(0);
    let lines = [
        "k      mtype:kind         global",
        "n[3]   byte               global",
        "p.b    unsigned, 3 bits   global",
        "y      byte               in P",
        "P()       2 active from the start",
        "R(a, b)   started by other processes",
        "init()    active from the start",
        "q[2]   [2] of { byte, bit }   global",
        "own    [0] of { bit }         in P",
        "ltl safe { [] (n[0] < 4) }",
        "never { ... }",
    ];
    for line in lines {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    let document = folder.run(&["info", "model.pml", "--json"]).exits(0).json();
    let found = problems(&schema(), &document);
    assert!(found.is_empty(), "{}\n{document:#}", found.join("\n"));
    assert_eq!(document["outline"]["processes"][1]["parameters"], json!(["a", "b"]));
    assert_eq!(document["outline"]["channels"][1]["process"], "P");
    model("active proctype P() { x = 1 }").run(&["info", "model.pml"]).exits(2);
    model("active proctype P() { printf(X) }").run(&["info", "model.pml", "-D", "X=\"x\""]).exits(0);
}

#[test]
fn misspelt_types_have_neighbours() {
    for (text, near) in [
        ("bytee x; active proctype P() { skip }", "byte"),
        ("active proctype P() { boool x; skip }", "bool"),
        ("typedef Record { bit b }; active proctype P() { Recrod x; skip }", "Record"),
        ("proctype P(chann c) { skip }", "chan"),
    ] {
        let run = model(text).run(&["check", "model.pml"]).exits(2);
        assert!(run.err.contains(&format!("did you mean `{near}`?")), "{text}\n{}", run.err);
    }
}

#[test]
fn an_error_is_no_limit() {
    let run = model(DEADLOCK).run(&["check", "model.pml"]).exits(1);
    assert!(!run.out.contains("stopped"), "{}", run.out);
    let run = model(STARVES).run(&["check", "model.pml", "--safety", "--max-states", "1"]).exits(3);
    assert!(run.out.contains("stopped before all states were found"), "{}", run.out);
}

#[test]
fn computed_values_that_do_not_fit_are_said() {
    let cases = [
        (
            "byte n = 250; active proctype P() { do :: n > 240 -> n++ :: else -> break od }",
            "256 does not fit: 0 is stored",
        ),
        ("byte n; active proctype P() { n-- }", "-1 does not fit: 255 is stored"),
        ("byte n = 9; bit b; active proctype P() { b = n & 12 }", "8 does not fit: 0 is stored"),
        ("short s = 300; active proctype P() { s = s * s }", "90000 does not fit: 24464 is stored"),
        ("unsigned u : 3; byte n = 3; active proctype P() { u = n * 3 }", "9 does not fit: 1 is stored"),
        ("byte a[3]; int i = 300; active proctype P() { a[2] = i }", "300 does not fit: 44 is stored"),
        (
            "chan q = [1] of { bit }; byte n = 6; active proctype P() { q!n; q?n }",
            "6 does not fit: 0 is stored",
        ),
        ("chan q = [1] of { byte }; bit b; active proctype P() { q!4; q?b }", "4 does not fit: 0 is stored"),
        (
            "chan q = [0] of { byte }; bit b; active proctype P() { q!6 } active proctype Q() { q?b }",
            "6 does not fit: 0 is stored",
        ),
        (
            "int i = 257; proctype Q(byte n) { skip } active proctype P() { run Q(i) }",
            "257 does not fit: 1 is stored",
        ),
        (
            "byte n = 255; active proctype P() { d_step { n = n + 3; n = n + 1 } }",
            "258 does not fit: 2 is stored",
        ),
        // The least of several, whoever computes it.
        ("byte n = 250; active [2] proctype P() { n = n + 10 * _pid + 10 }", "260 does not fit: 4 is stored"),
        (
            "byte n = 255; active proctype P() { byte i; for (i : 1 .. 3) { n++; n-- } }",
            "256 does not fit: 0 is stored",
        ),
    ];
    for (text, said) in cases {
        for arguments in [
            &["check"][..],
            &["lint"],
            &["check", "--no-reduction", "--interpreter"],
            &["check", "--search", "dfs"],
        ] {
            let run = model(text).run(&[&arguments[..1], &["model.pml"], &arguments[1..]].concat());
            assert_eq!(run.code, i32::from(arguments[0] == "lint"), "{text}\n{}", run.err);
            assert!(run.err.contains(said), "{text}\n{}", run.err);
        }
    }
    // What fits, or cannot happen, is not said.
    for text in [
        "byte n = 250; active proctype P() { do :: n < 255 -> n++ :: else -> break od }",
        "byte n; active proctype P() { do :: n = (n + 1) % 256 :: n == 255 -> break od }",
        "byte n; bit b; active proctype P() { n == 7 -> n = n * 100; end: false }",
        "bit b; active proctype P() { b = 1 - b; b = !b; b = b ^ 1 }",
        "chan c = [1] of { bit }; chan d; active proctype P() { d = c; d!1 }",
    ] {
        let run = model(text).run(&["check", "model.pml", "--safety"]);
        assert!(!run.err.contains("V0426"), "{text}\n{}", run.err);
    }
    // It changes nothing else.
    let text = "byte n; active [2] proctype P() { do :: n = n + 100 od }";
    let document = answer(&model(text), &["--no-reduction"], 0);
    assert_eq!(document["model"]["states"], 64);
    assert_eq!(document["diagnostics"].as_array().map(Vec::len), Some(1), "{document:#}");
}
