//! Runs about models that are open, with processes that are none.

use crate::client::{Client, Files, able};
use serde_json::{Value, json};
use std::path::PathBuf;

const MODEL: &str = "file:///folder/die.prism";
const PROPERTIES: &str = "file:///folder/die.props";
const TEXT: &str = "dtmc\nconst int N;\nmodule die\n  x : [0..N] init 0;\nendmodule\n";
const ASKED: &str = "P=? [ F x=1 ];\n\"likely\": P>0.5 [ F x=1 ];\n";

fn files(all: &[(&str, &str)]) -> Files {
    let files = Files::default();
    for (name, text) in all {
        files.lock().unwrap().insert(PathBuf::from(format!("/folder/{name}")), text.as_bytes().to_vec());
    }
    files
}

fn opened(files: &Files) -> Client {
    let mut capabilities = able();
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    // Diagnostics are not what these tests are about.
    capabilities["textDocument"]["diagnostic"] = json!({});
    let mut client = Client::start(files, capabilities);
    client.open(MODEL, "prism", TEXT);
    client.open(PROPERTIES, "", ASKED);
    client
}

fn saved() -> Files {
    files(&[("die.prism", TEXT), ("die.props", ASKED), ("volvelle.toml", "[constants]\nN = 3\nM = 4\n")])
}

fn run(client: &mut Client, question: &Value) -> i32 {
    client.ask("workspace/executeCommand", json!({ "command": "volvelle.run", "arguments": [question] }))
}

/// The same for one that is started; it is when this returns.
fn begun(client: &mut Client, question: &Value) -> i32 {
    let before = client.processes.started();
    let id = run(client, question);
    // An answer to something else shows that the server has come to it.
    client.request("workspace/symbol", json!({ "query": "" })).unwrap();
    assert_eq!(client.processes.started(), before + 1);
    id
}

/// The titles of the lenses of a document.
fn titles(client: &mut Client, uri: &str) -> Vec<String> {
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } })).unwrap();
    let lenses = lenses.as_array().unwrap();
    lenses.iter().map(|lens| lens["command"]["title"].as_str().unwrap().to_owned()).collect()
}

/// Without the time of day.
fn title(text: &str) -> &str {
    text.split(" (20").next().unwrap()
}

#[test]
fn an_answer_beside_the_property() {
    let mut client = opened(&saved());
    assert_eq!(titles(&mut client, MODEL), ["count states", "sample a path"]);
    assert_eq!(titles(&mut client, PROPERTIES), ["check", "simulate", "check", "simulate"]);
    // A property without a name has its number; one with a name may be asked for by either.
    let id = run(&mut client, &json!({ "uri": PROPERTIES, "command": "check", "property": 1 }));
    assert_eq!(titles(&mut client, PROPERTIES), ["check … (cancel)", "simulate", "check", "simulate"]);
    assert_eq!(
        client.processes.arguments().join(" "),
        "check die.prism die.props --prop=1 --const=N=3 --timeout=60s --max-memory=2GiB --json"
    );
    let result = json!({ "value": 0.25, "lo": 0.25, "hi": 0.25, "guarantee": "sound" });
    client.processes.print(0, &json!({ "results": [result] }).to_string());
    let answer = client.answer(&json!(id)).unwrap();
    assert_eq!((&answer["text"], &answer["holds"]), (&json!("0.25, sound"), &Value::Null));
    assert_eq!(answer["value"]["lo"], 0.25);
    assert!(client.processes.is_gone(0));
    let told = titles(&mut client, PROPERTIES);
    assert_eq!(title(&told[1]), "0.25, sound");
    // Another text: the answer is not one to it.
    let end = json!({ "line": 2, "character": 0 });
    client.change(PROPERTIES, 2, json!([{ "range": { "start": end, "end": end }, "text": "// more\n" }]));
    let told = titles(&mut client, PROPERTIES);
    assert_eq!(title(&told[1]), "before the last change: 0.25, sound");
    assert_eq!(client.leaves(), 0);
}

#[test]
fn a_counterexample_is_shown() {
    let mut client = opened(&saved());
    let question = json!({ "uri": PROPERTIES, "command": "check", "property": "likely" });
    let id = begun(&mut client, &json!({ "uri": PROPERTIES, "command": "check", "property": 2 }));
    assert!(client.processes.arguments().contains(&"--prop=likely".to_owned()));
    let step = json!({ "module": "die", "action": "roll|1", "line": 3, "changes": [{ "name": "x", "before": 0, "after": 1 }] });
    let result = json!({ "value": false, "verdict": false, "guarantee": "exact",
        "counterexample": { "reason": "x stays", "steps": [step] } });
    let error = json!({ "severity": "error", "message": "the property is false" });
    client.processes.print(0, &json!({ "results": [result], "diagnostics": [error] }).to_string());
    assert_eq!(client.answer(&json!(id)).unwrap()["holds"], false);
    let told = titles(&mut client, PROPERTIES);
    assert_eq!((title(&told[3]), told[4].as_str()), ("false, exact", "show counterexample"));
    let show = json!({ "command": "volvelle.show", "arguments": [question] });
    let shown = client.request("workspace/executeCommand", show).unwrap();
    assert!(shown["text"].as_str().unwrap().contains("| 1 | die | 3 | roll\\|1 | x=1 |"), "{shown}");
    let page = client.request("workspace/textDocumentContent", json!({ "uri": shown["uri"] })).unwrap();
    assert_eq!(page["text"], shown["text"]);
    assert_eq!(client.leaves(), 0);
}

#[test]
fn runs_end_early() {
    let mut client = opened(&saved());
    let question = json!({ "uri": MODEL, "command": "explore" });
    let cancelled = -32800;
    // By the client.
    let id = begun(&mut client, &question);
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.answer(&json!(id)).unwrap_err()["code"], cancelled);
    // By another run of the same model.
    let id = run(&mut client, &question);
    let other = run(&mut client, &json!({ "uri": MODEL, "command": "trace" }));
    assert_eq!(client.answer(&json!(id)).unwrap_err()["code"], cancelled);
    // By a command.
    let cancel = json!({ "command": "volvelle.cancel", "arguments": [{ "uri": MODEL }] });
    let id = client.ask("workspace/executeCommand", cancel);
    assert_eq!(client.answer(&json!(other)).unwrap_err()["code"], cancelled);
    assert_eq!(client.answer(&json!(id)).unwrap(), Value::Null);
    // The same above a property, which stands in another document.
    let other = begun(&mut client, &json!({ "uri": PROPERTIES, "command": "check", "property": 1 }));
    let cancel = json!({ "command": "volvelle.cancel", "arguments": [{ "uri": PROPERTIES }] });
    let id = client.ask("workspace/executeCommand", cancel);
    assert_eq!(client.answer(&json!(other)).unwrap_err()["code"], cancelled);
    assert_eq!(client.answer(&json!(id)).unwrap(), Value::Null);
    // With the document.
    let id = run(&mut client, &question);
    client.close(MODEL);
    assert_eq!(client.answer(&json!(id)).unwrap_err()["code"], cancelled);
    client.open(MODEL, "prism", TEXT);
    // With the server.
    let id = run(&mut client, &question);
    let shutdown = client.ask("shutdown", Value::Null);
    assert_eq!(client.answer(&json!(id)).unwrap_err()["code"], cancelled);
    assert_eq!(client.answer(&json!(shutdown)).unwrap(), Value::Null);
    let processes = client.processes.clone();
    assert_eq!(processes.started(), 6);
    assert!((0..6).all(|number| processes.is_gone(number)));
    // With the client.
    let mut client = opened(&saved());
    begun(&mut client, &question);
    let processes = client.processes.clone();
    assert!(!processes.is_gone(0));
    client.dies();
    assert!(processes.is_gone(0));
}

#[test]
fn runs_that_do_not_begin() {
    let question = json!({ "uri": MODEL, "command": "explore" });
    let message = |client: &mut Client, question: &Value| {
        let id = run(client, question);
        client.answer(&json!(id)).unwrap_err()["message"].as_str().unwrap().to_owned()
    };
    let mut client = opened(&files(&[("die.prism", "dtmc\n"), ("die.props", ASKED)]));
    assert_eq!(message(&mut client, &question), "a run reads files: save `die.prism` first");
    let none = json!({ "uri": "file:///folder/none.prism", "command": "explore" });
    assert_eq!(message(&mut client, &none), "file:///folder/none.prism is not open");
    assert!(message(&mut client, &json!({ "uri": MODEL, "command": "delete" })).contains("unknown variant"));
    client.open("untitled:1", "prism", TEXT);
    let nowhere = json!({ "uri": "untitled:1", "command": "explore" });
    assert_eq!(message(&mut client, &nowhere), "a run reads files: save the model first");
    let unknown = json!({ "command": "volvelle.delete", "arguments": [question] });
    let id = client.ask("workspace/executeCommand", unknown);
    assert_eq!(client.answer(&json!(id)).unwrap_err()["message"], "there is no command `volvelle.delete`");
    assert_eq!(client.processes.started(), 0);
    assert_eq!(client.leaves(), 0);
    let broken = files(&[("die.prism", TEXT), ("die.props", ASKED), ("volvelle.toml", "[run]\ntime = 3\n")]);
    let mut client = opened(&broken);
    let why = message(&mut client, &question);
    assert_eq!(
        why,
        "volvelle.toml:2: unknown key `time`: the known keys are `timeout`, `max-memory`, `threads`"
    );
    let told =
        client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": MODEL } })).unwrap();
    assert!(
        told["items"][0]["message"].as_str().unwrap().starts_with("volvelle.toml cannot be read"),
        "{told}"
    );
    assert_eq!(client.leaves(), 0);
}

#[test]
fn answers_that_are_none() {
    let mut client = opened(&saved());
    let question = json!({ "uri": MODEL, "command": "explore" });
    for (number, (printed, expected)) in [
        ("", "the run ended without an answer"),
        ("{", "the run ended without an answer"),
        ("[]", "there is no answer"),
        (r#"{"diagnostics":[{"severity":"error","message":"too large"}]}"#, "too large"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = begun(&mut client, &question);
        client.processes.print(number, printed);
        assert_eq!(client.answer(&json!(id)).unwrap_err()["message"], expected, "{printed}");
    }
    assert_eq!(client.leaves(), 0);
}

/// A constant that has a value keeps it; one that no model has is nothing.
#[test]
fn constants_of_the_folder() {
    let text = "dtmc\nconst int N;\nconst int M = 2;\nmodule m x : [0..N+M]; endmodule\n";
    let settings = "[constants]\nN = 3\nM = 4\nK = 5\n";
    let mut client = opened(&files(&[("m.prism", text), ("volvelle.toml", settings)]));
    let uri = "file:///folder/m.prism";
    client.open(uri, "prism", text);
    let hover = |client: &mut Client, line: u32, character: u32| {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        client.request("textDocument/hover", params).unwrap()["contents"]["value"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(hover(&mut client, 1, 10).contains("value: `3`"));
    assert!(hover(&mut client, 3, 9).contains("values: `0..5`"));
    let told = client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } })).unwrap();
    assert_eq!(told["items"], json!([]));
    begun(&mut client, &json!({ "uri": uri, "command": "explore" }));
    let arguments = client.processes.arguments().join(" ");
    assert_eq!(arguments, "explore m.prism --const=N=3 --timeout=60s --max-memory=2GiB --json");
    client.dies();
}

/// What `lint` finds is shown as hints, for the texts that it has seen.
#[test]
fn suspicious_statements_are_hints() {
    let text = "byte x;\nactive proctype P() { /* ü */ x > 500; skip }\n";
    let mut capabilities = able();
    capabilities["textDocument"]["publishDiagnostics"]["tagSupport"] = json!({ "valueSet": [1] });
    let mut client = Client::start(&files(&[("m.pml", text)]), capabilities);
    let uri = "file:///folder/m.pml";
    client.open(uri, "promela", text);
    assert_eq!(client.published(uri, Some(1)), json!([]));
    let question = json!({ "uri": uri, "command": "lint" });
    let id = begun(&mut client, &question);
    let warning = json!({ "code": "V0425", "severity": "warning", "message": "never", "file": "m.pml", "line": 2,
        "column": 31, "notes": ["why"] });
    let report = json!({ "statements": { "all": 2, "executed": 1 }, "diagnostics": [warning] });
    client.processes.print(0, &report.to_string());
    assert_eq!(client.answer(&json!(id)).unwrap()["text"], "1 suspicious statement");
    let hint = client.published(uri, Some(1));
    assert_eq!(
        (&hint[0]["severity"], &hint[0]["tags"], &hint[0]["message"]),
        (&json!(4), &json!([1]), &json!("never\nwhy"))
    );
    // In bytes, as this client counts.
    let expected = json!({ "start": { "line": 1, "character": 31 }, "end": { "line": 1, "character": 38 } });
    assert_eq!(hint[0]["range"], expected);
    client.change(uri, 2, json!([{ "text": format!("// more\n{text}") }]));
    assert_eq!(client.published(uri, Some(2)), json!([]));
    assert_eq!(client.leaves(), 0);
}
