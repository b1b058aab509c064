//! `volvelle debug`, as an editor starts it: what it shows of a walk is what `volvelle step` shows of the same choices.

use crate::common::{Folder, root, told_in};
use serde_json::{Value, json};
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use volvelle_messages_testing::{self as messages, framed};

/// A server, and the messages that it sends.
pub struct Editor {
    server: Child,
    output: BufReader<ChildStdout>,
    seq: i64,
}

impl Editor {
    pub fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_volvelle"))
            .arg("debug")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = BufReader::new(server.stdout.take().expect("a pipe"));
        Editor { server, output, seq: 0 }
    }

    fn send(&mut self, command: &str, arguments: &Value) -> i64 {
        self.seq += 1;
        let message =
            json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        let input = self.server.stdin.as_mut().expect("a pipe");
        input.write_all(framed(&message.to_string()).as_bytes()).expect("the server reads");
        self.seq
    }

    fn receive(&mut self) -> Value {
        messages::receive(&mut self.output).expect("the server is there")
    }

    /// The answer to a request; events are passed over.
    fn ask(&mut self, command: &str, arguments: &Value) -> Value {
        let seq = self.send(command, arguments);
        loop {
            let message = self.receive();
            if message["request_seq"] == seq {
                return message;
            }
        }
    }

    pub fn body(&mut self, command: &str, arguments: &Value) -> Value {
        let answer = self.ask(command, arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer["body"].clone()
    }

    pub fn launch(&mut self, arguments: &Value) {
        self.body("initialize", &json!({}));
        self.body("launch", arguments);
        self.body("configurationDone", &json!({}));
    }

    pub fn repl(&mut self, line: &str) -> String {
        let body = self.body("evaluate", &json!({ "expression": line, "context": "repl" }));
        body["result"].as_str().expect("a text").to_owned()
    }

    pub fn leaves(mut self) {
        self.body("disconnect", &json!({}));
        assert_eq!(self.server.wait().expect("it ends").code(), Some(0));
    }
}

/// A walk of random choices, some of which are taken back; the choices that are left.
fn walk(editor: &mut Editor, mut random: u64) -> Vec<usize> {
    let mut choices = Vec::new();
    for _ in 0..30 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let drawn = (random >> 33) as usize;
        let thread = editor.body("threads", &json!({}))["threads"][0]["id"].clone();
        let frame = editor.body("stackTrace", &json!({ "threadId": thread }))["stackFrames"][0]["id"].clone();
        let targets = editor.body("stepInTargets", &json!({ "frameId": frame }))["targets"].clone();
        let count = targets.as_array().expect("a list").len();
        if count == 0 || drawn.is_multiple_of(5) {
            let is_back = editor.ask("stepBack", &json!({ "threadId": thread }))["success"] == true;
            assert_eq!(is_back, choices.pop().is_some());
            continue;
        }
        let choice = drawn / 5 % count + 1;
        editor.body("stepIn", &json!({ "threadId": thread, "targetId": choice }));
        choices.push(choice);
    }
    choices
}

#[test]
fn an_editor_shows_what_the_dialogue_does() {
    let models = ["prism/die.prism", "promela/handover.pml", "lotos/abp.lotos", "weighted/courier.wks"];
    for (seed, model) in (1..).zip(models) {
        let program = root().join("examples").join(model).display().to_string();
        let mut editor = Editor::start();
        editor.launch(&json!({ "program": program }));
        let choices = walk(&mut editor, seed);
        let (list, variables, enabled) = (editor.repl("l"), editor.repl("v"), editor.repl(""));
        editor.leaves();
        let lines: String = choices.iter().map(|choice| format!("{choice}\n")).collect();
        let dialogue = told_in(&root(), &["step", &program], &format!("{lines}l\nv\n"));
        for shown in [list, variables, enabled] {
            assert!(dialogue.out.contains(&shown), "{model} {choices:?}:\n{shown}\n{}", dialogue.out);
        }
    }
}

#[test]
fn a_sampled_path_is_that_of_trace() {
    let model = "ctmc\nmodule q\n x : [0..4] init 0;\n [in] x<4 -> 0.9 : (x'=x+1);\n [out] x>0 -> 1.1 : (x'=x-1);\nendmodule\n";
    let folder = Folder::new().file("queue.prism", model);
    let steps = ["trace", "queue.prism", "--seed", "9", "--path", "4", "--steps", "40", "--csv", "-"];
    let traced = folder.run(&steps).exits(0).out;
    let mut editor = Editor::start();
    editor.launch(&json!({ "program": "queue.prism", "cwd": folder.path(), "seed": 9, "path": 4 }));
    for _ in 0..40 {
        editor.body("next", &json!({ "threadId": 1 }));
    }
    // Back and forth, it is the same path.
    editor.repl("j 3");
    editor.repl("j 40");
    editor.repl("save walk.json");
    let list = editor.repl("l");
    editor.leaves();
    let (mut rows, mut lines) = (traced.lines().skip(1), list.lines().skip(1));
    let mut compared = 0;
    for (row, line) in rows.by_ref().zip(lines.by_ref()) {
        if line.contains("...") {
            break;
        }
        let fields: Vec<&str> = row.split(',').collect();
        let words: Vec<&str> = line.split_whitespace().collect();
        let time = |text: &str| text.parse::<f64>().expect("a time");
        assert_eq!(fields[0], words[0], "{row}\n{line}");
        assert!((time(fields[1]) - time(words[1])).abs() <= 1e-5 * time(fields[1]), "{row}\n{line}");
        compared += 1;
    }
    assert!(compared > 9, "{list}\n{traced}");
}

#[test]
fn a_server_ends_with_its_editor() {
    let mut editor = Editor::start();
    let folder = Folder::new().file("loop.pml", "byte n; active proctype P() { do :: n++ od }");
    let program = folder.path().join("loop.pml");
    editor.launch(&json!({ "program": program, "steps": 4_000_000_000u64 }));
    editor.send("continue", &json!({ "threadId": 1 }));
    drop(editor.server.stdin.take());
    assert_eq!(editor.server.wait().expect("it ends").code(), Some(1));
}

#[test]
fn the_counterexample_is_that_of_check() {
    let model = "byte n, done; active [2] proctype A() { byte s; s = n; n = s + 1; done++ } ltl added { [] (done == 2 -> n == 2) }";
    let folder = Folder::new().file("lost.pml", model);
    folder.run(&["check", "lost.pml", "--trail", "lost.json", "--quiet"]).exits(1);
    let mut lists = Vec::new();
    for field in [json!({ "trail": "lost.json" }), json!({ "claim": "added" }), json!({ "claim": true })] {
        let mut launch = json!({ "program": "lost.pml", "cwd": folder.path() });
        let fields = launch.as_object_mut().expect("an object");
        fields.extend(field.as_object().expect("an object").clone());
        let mut editor = Editor::start();
        editor.launch(&launch);
        editor.body("setExceptionBreakpoints", &json!({ "filters": [] }));
        editor.body("continue", &json!({ "threadId": 1 }));
        lists.push(editor.repl("l"));
        editor.leaves();
    }
    assert!(lists[0].contains("ltl added: violated"), "{}", lists[0]);
    assert!(lists.iter().all(|list| *list == lists[0]), "{lists:?}");
}

const LOCK: &str = "mdp
module first
  a : [0..2] init 0;
  [] a=0 & !locked -> (a'=1);
  [enter1] a=1 -> (a'=2);
  [leave1] a=2 -> 0.9 : (a'=0) + 0.1 : true;
endmodule
module second = first [a=b, enter1=enter2, leave1=leave2] endmodule
module lock
  locked : bool init false;
  [enter1] true -> (locked'=true);
  [enter2] true -> (locked'=true);
  [leave1] true -> (locked'=false);
  [leave2] true -> (locked'=false);
endmodule
";

/// The variables of the state, as the command line writes it: `a=0 b=1`.
fn state(editor: &mut Editor) -> String {
    let shown = editor.repl("v");
    let lines = shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let variables = lines.filter(|words| words.len() == 2);
    variables.map(|words| format!("{}={}", words[0], words[1])).collect::<Vec<_>>().join(" ")
}

/// The states of a run that is followed to its end.
fn states(editor: &mut Editor, steps: usize) -> Vec<String> {
    let mut states = vec![state(editor)];
    for _ in 0..steps {
        editor.body("next", &json!({ "threadId": 1 }));
        states.push(state(editor));
    }
    states
}

/// Counterexamples of modules are those of `check --ltl`, change by change, and lines of commands are in the model.
#[test]
fn runs_of_modules_are_those_of_check() {
    let folder = Folder::new().file("lock.prism", LOCK);
    for formula in ["G !(a=2 & b=2)", "F b=2", "G F a=0", "G (locked => X locked)", "(a<2) U (b=1 & a=1)"] {
        let checked = folder.run(&["check", "lock.prism", "--ltl", formula, "--json"]).exits(1).json();
        let found = &checked["results"][0]["counterexample"];
        let steps = found["steps"].as_array().expect("steps");
        // The step with which nothing happens any more is none of the walk.
        let steps: Vec<&Value> = steps.iter().filter(|step| step.get("process").is_some()).collect();
        let mut editor = Editor::start();
        editor.launch(&json!({ "program": "lock.prism", "cwd": folder.path(), "claim": formula }));
        for (number, step) in (1..).zip(&steps) {
            editor.body("next", &json!({ "threadId": 1 }));
            let line = editor.repl("l").lines().last().expect("a line").to_owned();
            assert!(line.trim_start().starts_with(&format!("{number} ")), "{formula}: {line}");
            for mover in [Some(*step), step.get("partner")].into_iter().flatten() {
                let name = mover["name"].as_str().expect("a name");
                assert!(line.contains(name), "{formula}: {line}: {step}");
                let line_of = mover["line"].as_u64().expect("a line").to_string();
                let listed = line.split_whitespace().any(|word| word.split(',').any(|part| part == line_of));
                assert!(listed, "{formula}: {line}: {step}");
            }
            for change in step["changes"].as_array().expect("changes") {
                let plain = |value: &Value| value.to_string().replace('"', "");
                let [name, before, after] = ["name", "before", "after"].map(|field| plain(&change[field]));
                assert!(line.contains(&format!("{name}: {before} -> {after}")), "{formula}: {line}: {step}");
            }
        }
        // What is saved is walked again without an editor.
        editor.repl("save walk.json");
        let last = state(&mut editor);
        editor.leaves();
        let walked = folder.run(&["step", "lock.prism", "--trail", "walk.json", "--csv", "-"]).exits(0).out;
        assert_eq!(walked.lines().count(), steps.len() + 2, "{walked}");
        let row = walked.lines().last().expect("a row").split(',').skip(3).collect::<Vec<_>>();
        let values: Vec<&str> =
            last.split(' ').map(|part| part.split_once('=').expect("a value").1).collect();
        assert_eq!(row[..values.len()], values, "{walked}");
    }
}

/// Paths of properties are those of `check --witness`, state by state.
#[test]
fn paths_of_properties_are_those_of_check() {
    let properties = [
        ("die.prism", "P=? [ F face=4 ]"),
        ("die.prism", "P<=0.1 [ F face=6 ]"),
        ("die.prism", "R{\"flips\"}=? [ F \"done\" ]"),
        ("die.prism", "P>=0.9 [ G face!=2 ]"),
        ("bold_play.prism", "Pmax=? [ F \"rich\" ]"),
    ];
    for (model, property) in properties {
        let program = root().join("examples/prism").join(model).display().to_string();
        let told = told_in(&root(), &["check", &program, "--prop", property, "--witness", "--json"], "");
        let checked: Value = serde_json::from_str(&told.out).expect("JSON");
        let result = &checked["results"][0];
        let path = result.get("witness").or_else(|| result.get("counterexample")).expect("a path");
        let expected = path["steps"].as_array().expect("steps").iter();
        let expected: Vec<&str> = expected.map(|step| step["state"].as_str().expect("a state")).collect();
        let mut editor = Editor::start();
        editor.launch(&json!({ "program": program, "claim": property }));
        let found = states(&mut editor, expected.len() - 1);
        editor.leaves();
        // Behind the variables stand rewards.
        let found: Vec<String> = found
            .iter()
            .zip(&expected)
            .map(|(found, expected)| {
                found.split(' ').take(expected.split(' ').count()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        assert_eq!(found, expected, "{model} {property}");
    }
}
