//! Whether messages are what the specification says: their bodies are read as the types that are generated from it, and written again.

use dap_types::events::{self, Event};
use dap_types::requests::{self, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Fails if a message of the server is none of the protocol, or has a field that no such message has.
pub fn check(message: &Value) {
    assert!(message["seq"].as_i64().is_some_and(|seq| seq > 0), "{message}");
    let body = message.get("body").unwrap_or(&Value::Null);
    match message["type"].as_str() {
        Some("response") if message["success"] == true => {
            response(message["command"].as_str().unwrap(), body)
        }
        Some("response") => {
            assert!(message["message"].is_string() && message["success"] == false, "{message}");
            same::<dap_types::Message>("error", &body["error"]);
        }
        Some("event") => event(message["event"].as_str().unwrap(), body),
        _ => panic!("no message: {message}"),
    }
}

fn response(command: &str, body: &Value) {
    fn of<R: Request>(body: &Value) {
        same::<R::Response>(R::COMMAND, body);
    }
    match command {
        "initialize" => of::<requests::Initialize>(body),
        "setBreakpoints" => of::<requests::SetBreakpoints>(body),
        "setFunctionBreakpoints" => of::<requests::SetFunctionBreakpoints>(body),
        "breakpointLocations" => of::<requests::BreakpointLocations>(body),
        "continue" => of::<requests::Continue>(body),
        "threads" => of::<requests::Threads>(body),
        "stackTrace" => of::<requests::StackTrace>(body),
        "scopes" => of::<requests::Scopes>(body),
        "variables" => of::<requests::Variables>(body),
        "completions" => of::<requests::Completions>(body),
        "evaluate" => of::<requests::Evaluate>(body),
        "stepInTargets" => of::<requests::StepInTargets>(body),
        "exceptionInfo" => of::<requests::ExceptionInfo>(body),
        "configurationDone"
        | "disconnect"
        | "launch"
        | "next"
        | "pause"
        | "restart"
        | "reverseContinue"
        | "setExceptionBreakpoints"
        | "stepBack"
        | "stepIn"
        | "stepOut"
        | "terminate" => {
            assert!(body.is_null(), "{command}: {body}");
        }
        other => panic!("no type is known for {other}"),
    }
}

fn event(name: &str, body: &Value) {
    match name {
        "initialized" | "terminated" => assert!(body.is_null(), "{name}: {body}"),
        "output" => same::<<events::Output as Event>::Body>(name, body),
        "stopped" => same::<<events::Stopped as Event>::Body>(name, body),
        other => panic!("no type is known for {other}"),
    }
}

fn same<T: DeserializeOwned + Serialize>(what: &str, value: &Value) {
    let read: T =
        serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{what}: {error} in {value}"));
    let mut written = serde_json::to_value(&read).unwrap();
    without_nothing(&mut written);
    assert_eq!(&written, value, "{what}");
}

/// The types write what is absent as `null`.
fn without_nothing(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nothing);
        }
        Value::Array(all) => all.iter_mut().for_each(without_nothing),
        _ => {}
    }
}
