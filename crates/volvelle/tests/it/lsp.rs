//! `volvelle lsp`, as an editor starts it: what it tells about a text is what `volvelle info` prints about the file.

use crate::common::Folder;
use serde_json::{Value, json};
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use volvelle_messages_testing::{self as messages, framed};

const LIFT: &str = "byte floor; /* ü𝄞 */ byte upper = flor;
active proctype Lift() {
  /* 𝄞 */ floor = flor + 1;
  top = floor
}
";

/// Starts a server.
pub fn start() -> (Child, BufReader<ChildStdout>) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_volvelle"))
        .args(["lsp", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let output = BufReader::new(server.stdout.take().expect("a pipe"));
    (server, output)
}

/// Sends a message.
pub fn send(server: &mut Child, message: &Value) {
    let input = server.stdin.as_mut().expect("a pipe");
    input.write_all(framed(&message.to_string()).as_bytes()).expect("the server reads");
}

/// The next message.
pub fn receive(output: &mut BufReader<ChildStdout>) -> Value {
    messages::receive(output).expect("the server is there")
}

#[test]
fn an_editor_sees_what_the_command_line_prints() {
    let folder = Folder::new().file("lift.pml", LIFT);
    let report = folder.run(&["info", "lift.pml", "--json"]).exits(2).json();
    let place = |told: &Value| (told["code"].clone(), told["line"].as_u64(), told["column"].as_u64());
    let expected: Vec<_> = report["diagnostics"].as_array().expect("a list").iter().map(place).collect();
    assert!(expected.len() >= 2, "{report}");

    let (mut server, mut output) = start();
    let general = json!({ "general": { "positionEncodings": ["utf-32"] } });
    let params = json!({ "capabilities": general, "processId": null, "rootUri": null });
    send(&mut server, &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
    assert_eq!(receive(&mut output)["result"]["serverInfo"]["name"], "volvelle");
    // The file on disk is another one: the text in the editor counts.
    let folder = folder.file("lift.pml", "init { skip }");
    let uri = format!("file://{}", folder.path().join("lift.pml").display());
    let document = json!({ "uri": uri, "languageId": "promela", "version": 1, "text": LIFT });
    let params = json!({ "textDocument": document });
    send(&mut server, &json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
    let told = receive(&mut output);
    assert_eq!(told["method"], "textDocument/publishDiagnostics");
    let place = |diagnostic: &Value| {
        let start = &diagnostic["range"]["start"];
        let number = |value: &Value| value.as_u64().map(|number| number + 1);
        (diagnostic["code"].clone(), number(&start["line"]), number(&start["character"]))
    };
    let found: Vec<_> = told["params"]["diagnostics"].as_array().expect("a list").iter().map(place).collect();
    assert_eq!(found, expected, "{told}");

    send(&mut server, &json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }));
    assert_eq!(receive(&mut output)["result"], Value::Null);
    send(&mut server, &json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(server.wait().expect("it ends").code(), Some(0));
}

/// An editor that is killed leaves no server behind.
#[test]
fn a_server_ends_with_its_editor() {
    let (mut server, mut output) = start();
    send(
        &mut server,
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
    );
    receive(&mut output);
    drop(server.stdin.take());
    assert_eq!(server.wait().expect("it ends").code(), Some(1));
}

/// Sends what an editor says before it asks.
fn introduce(server: &mut Child, output: &mut BufReader<ChildStdout>, folder: &Folder, name: &str) -> String {
    let general =
        json!({ "general": { "positionEncodings": ["utf-8"] }, "textDocument": { "diagnostic": {} } });
    let params = json!({ "capabilities": general, "processId": null, "rootUri": null });
    send(server, &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
    receive(output);
    let path = folder.path().join(name);
    let text = std::fs::read_to_string(&path).expect("a text");
    let uri = format!("file://{}", path.display());
    let document = json!({ "uri": uri, "languageId": "", "version": 1, "text": text });
    let params = json!({ "textDocument": document });
    send(server, &json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
    uri
}

fn run(server: &mut Child, id: u32, question: &Value) {
    let params = json!({ "command": "volvelle.run", "arguments": [question] });
    send(
        server,
        &json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/executeCommand", "params": params }),
    );
}

/// The answer beside a property is the one of the command line, and a counterexample is shown step by step.
#[test]
fn runs_answer_as_the_command_line_does() {
    let model =
        "byte x;\nactive proctype P() { do :: x < 3 -> x++ :: else -> break od }\nltl low { [] (x<3) }\n";
    let folder = Folder::new().file("count.pml", model);
    let report = folder.run(&["check", "count.pml", "--prop", "low", "--json"]).exits(1).json();
    let (mut server, mut output) = start();
    let uri = introduce(&mut server, &mut output, &folder, "count.pml");
    let question = json!({ "uri": uri, "command": "check", "property": "low" });
    run(&mut server, 2, &question);
    let answer = receive(&mut output);
    assert_eq!((&answer["id"], &answer["result"]["holds"]), (&json!(2), &json!(false)), "{answer}");
    let found = &answer["result"]["value"]["counterexample"];
    assert_eq!(found, &report["results"][0]["counterexample"]);
    let params = json!({ "command": "volvelle.show", "arguments": [question] });
    send(
        &mut server,
        &json!({ "jsonrpc": "2.0", "id": 3, "method": "workspace/executeCommand", "params": params }),
    );
    let shown = receive(&mut output);
    let text = shown["result"]["text"].as_str().expect("a page");
    let steps = found["steps"].as_array().expect("steps").len();
    assert_eq!(text.lines().filter(|line| line.contains("| P(0) |")).count(), steps, "{text}");
    run(&mut server, 4, &json!({ "uri": uri, "command": "explore" }));
    let answer = receive(&mut output);
    assert!(answer["result"]["text"].as_str().expect("a line").contains("states"), "{answer}");
    run(&mut server, 5, &json!({ "uri": uri, "command": "simulate" }));
    let answer = receive(&mut output);
    assert!(answer["result"]["value"].as_str().expect("a text").contains("-end-"), "{answer}");
    drop(server.stdin.take());
    server.wait().expect("it ends");
}

/// A run that would go on for long ends with the editor.
#[cfg(target_os = "linux")]
#[test]
fn runs_end_with_their_editor() {
    // Four counters of 65,536 values.
    let counter = "active [4] proctype P() { short n; do :: n++ od }\n";
    let folder = Folder::new().file("endless.pml", counter);
    let place = std::fs::canonicalize(folder.path()).expect("a folder");
    let runs = || {
        let processes = std::fs::read_dir("/proc").expect("processes").flatten();
        processes
            .filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == place))
            .count()
    };
    let (mut server, mut output) = start();
    let uri = introduce(&mut server, &mut output, &folder, "endless.pml");
    run(&mut server, 2, &json!({ "uri": uri, "command": "explore" }));
    let params = json!({ "textDocument": { "uri": uri } });
    send(
        &mut server,
        &json!({ "jsonrpc": "2.0", "id": 3, "method": "textDocument/codeLens", "params": params }),
    );
    let lenses = receive(&mut output);
    assert!(lenses.to_string().contains("explore … (cancel)"), "{lenses}");
    assert_eq!(runs(), 1);
    drop(server.stdin.take());
    server.wait().expect("it ends");
    assert_eq!(runs(), 0);
}
