//! Clients that do not keep to the protocol, or go away.

use crate::client::{Client, example, folder};
use serde_json::{Value, json};

/// Counts for ever.
const COUNTER: &str = "byte n;
active proctype P() {
  do
  :: n = (n + 1) % 7
  od
}
";

/// Has a great many states, none of which is wrong.
const LARGE: &str = "int a, b, c, d;
active proctype P() { do :: a < 2000 -> a++ :: a > 0 -> a-- od }
active proctype Q() { do :: b < 2000 -> b++ :: b > 0 -> b-- od }
active proctype R() { do :: c < 2000 -> c++ :: c > 0 -> c-- od }
active proctype S() { do :: d < 2000 -> d++ :: d > 0 -> d-- od }
";

fn message(told: &[Value]) -> &str {
    assert_eq!(told[0]["success"], false, "{told:?}");
    told[0]["message"].as_str().unwrap()
}

fn model(name: &str, text: &str) -> String {
    let path = folder(name).join("model.pml");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn the_first_request_is_initialize() {
    let mut client = Client::silent();
    for command in ["launch", "next", "setBreakpoints", "terminate"] {
        assert!(message(&client.ask(command, json!({}))).contains("`initialize`"), "{command}");
    }
    assert_eq!(client.leaves(), 0);
}

#[test]
fn nothing_is_answered_before_a_launch() {
    let mut client = Client::start();
    assert!(message(&client.ask("initialize", json!({}))).contains("before"));
    for command in ["next", "stackTrace", "variables", "evaluate", "continue", "pause", "restart"] {
        assert!(message(&client.ask(command, json!({ "threadId": 1 }))).contains("`launch`"), "{command}");
    }
    assert!(message(&client.ask("attach", json!({}))).contains("`attach` is not supported"));
    assert!(message(&client.ask("no such", json!({}))).contains("not supported"));
    let told = client.ask("setFunctionBreakpoints", json!({ "breakpoints": [{ "name": "x=1" }] }));
    assert_eq!(told[0]["body"]["breakpoints"][0]["verified"], false);
    assert_eq!(client.leaves(), 0);
}

#[test]
fn arguments_that_are_none() {
    let mut client = Client::launched(json!({ "program": example("prism/die.prism") }));
    let nonsense =
        [json!(null), json!([]), json!(7), json!({}), json!({ "threadId": "1" }), json!({ "frameId": [] })];
    let commands = [
        "next",
        "stepIn",
        "stepBack",
        "stepOut",
        "continue",
        "reverseContinue",
        "stackTrace",
        "scopes",
        "variables",
        "evaluate",
        "stepInTargets",
        "setBreakpoints",
        "setFunctionBreakpoints",
        "setExceptionBreakpoints",
        "breakpointLocations",
    ];
    for command in commands {
        for arguments in &nonsense {
            message(&client.ask(command, arguments.clone()));
        }
    }
    assert!(message(&client.ask("launch", json!({ "program": "x" }))).contains("restart"));
    assert_eq!(client.leaves(), 0);
}

#[test]
fn references_that_are_none() {
    let mut client = Client::launched(json!({ "program": example("prism/die.prism") }));
    for number in [0, 2, -1, 7, 99, i64::MAX, i64::MIN] {
        message(&client.ask("stackTrace", json!({ "threadId": number })));
        message(&client.ask("next", json!({ "threadId": number })));
        message(&client.ask("scopes", json!({ "frameId": number })));
        message(&client.ask("variables", json!({ "variablesReference": number })));
        message(&client.ask("stepInTargets", json!({ "frameId": number })));
    }
    for target in [0, 3, -1, i64::MAX, i64::MIN] {
        message(&client.ask("stepIn", json!({ "threadId": 1, "targetId": target })));
    }
    message(&client.ask("exceptionInfo", json!({ "threadId": 1 })));
    message(&client.ask("setExceptionBreakpoints", json!({ "filters": ["no such"] })));
    assert_eq!(client.leaves(), 0);
}

#[test]
fn what_is_no_message_is_passed_over() {
    let mut client = Client::start();
    for text in ["", "{", "[]", "7", "{}", "{\"type\":\"request\"}", "\u{0}"] {
        client.send_text(text);
        let told = client.all();
        assert_eq!(told.len(), 1, "{text}: {told:?}");
        assert_eq!(told[0]["event"], "output");
    }
    client
        .send_text("{\"type\":\"response\",\"request_seq\":1,\"success\":true,\"command\":\"x\",\"seq\":1}");
    assert!(client.all().is_empty());
    assert_eq!(client.leaves(), 0);
}

#[test]
fn a_broken_header_ends_the_conversation() {
    let mut client = Client::start();
    client.send_bytes(b"no header\r\n\r\n");
    let told = client.receive().expect("a reason");
    assert!(told["body"]["output"].as_str().unwrap().contains("colon"), "{told}");
    assert!(client.receive().is_none());
    assert_eq!(client.dies(), 1);
}

#[test]
fn a_client_that_dies() {
    assert_eq!(Client::silent().dies(), 1);
    assert_eq!(Client::start().dies(), 1);
    assert_eq!(Client::launched(json!({ "program": example("prism/die.prism") })).dies(), 1);
}

#[test]
fn a_signal_ends_the_server() {
    assert_eq!(Client::silent().signals(), 1);
    let program = model("signal-in-run", COUNTER);
    let mut client = Client::launched(json!({ "program": program, "steps": 4_000_000_000u64 }));
    client.send("continue", json!({ "threadId": 1 }));
    assert_eq!(client.receive().unwrap()["success"], true);
    assert_eq!(client.signals(), 1);
}

#[test]
fn a_client_that_dies_ends_a_run() {
    let program = model("dies-in-run", COUNTER);
    let mut client = Client::launched(json!({ "program": program, "steps": 4_000_000_000u64 }));
    client.send("continue", json!({ "threadId": 1 }));
    assert_eq!(client.receive().unwrap()["success"], true);
    assert_eq!(client.dies(), 1);
}

#[test]
fn a_client_that_dies_ends_a_search() {
    let mut client = Client::start();
    client.send("launch", json!({ "program": model("dies-in-search", LARGE), "claim": true }));
    assert_eq!(client.dies(), 1);
}

#[test]
fn a_search_is_interrupted_by_leaving() {
    let mut client = Client::start();
    client.send("launch", json!({ "program": model("leaves-in-search", LARGE), "claim": true }));
    assert_eq!(client.leaves(), 0);
}

#[test]
fn a_run_is_paused() {
    let program = model("paused", COUNTER);
    let mut client = Client::launched(json!({ "program": program, "steps": 4_000_000_000u64 }));
    // However soon it is paused, some steps are taken.
    client.body("evaluate", json!({ "expression": "r 20", "context": "repl" }));
    for _ in 0..3 {
        client.send("continue", json!({ "threadId": 1 }));
        assert_eq!(client.receive().unwrap()["success"], true);
        let pause = client.send("pause", json!({ "threadId": 1 }));
        let mut stopped = None;
        loop {
            let message = client.receive().expect("the server is there");
            if message["event"] == "stopped" {
                stopped = Some(message["body"]["reason"].clone());
            }
            if message["request_seq"] == pause {
                break;
            }
        }
        assert_eq!(stopped, Some(json!("pause")));
    }
    // What was interrupted can be gone back on.
    client.body("stepBack", json!({ "threadId": 1 }));
    let told = client.ask("evaluate", json!({ "expression": "j 2", "context": "repl" }));
    assert_eq!(told[0]["success"], true, "{told:?}");
    assert_eq!(client.body("evaluate", json!({ "expression": "n", "context": "watch" }))["result"], "2");
    assert_eq!(client.leaves(), 0);
}

#[test]
fn a_long_run_is_restarted() {
    let program = model("restarted", COUNTER);
    let mut client = Client::launched(json!({ "program": program, "steps": 4_000_000_000u64 }));
    client.send("continue", json!({ "threadId": 1 }));
    client.receive();
    let told = client.ask("restart", json!({}));
    let reasons: Vec<&Value> = told.iter().map(|m| &m["body"]["reason"]).filter(|r| r.is_string()).collect();
    assert_eq!(reasons, ["pause", "entry"], "{told:?}");
    assert_eq!(client.leaves(), 0);
}

#[test]
fn a_model_that_ends_is_launched_again() {
    let launch = json!({ "program": example("prism/die.prism") });
    let mut client = Client::launched(launch.clone());
    let told = client.ask("terminate", json!({}));
    assert_eq!(told.last().unwrap()["event"], "terminated");
    assert!(message(&client.ask("next", json!({ "threadId": 1 }))).contains("`launch`"));
    client.body("launch", launch);
    client.body("next", json!({ "threadId": 1 }));
    let told = client.ask("evaluate", json!({ "expression": "q", "context": "repl" }));
    assert_eq!(told.last().unwrap()["event"], "terminated");
    assert_eq!(client.leaves(), 0);
}
