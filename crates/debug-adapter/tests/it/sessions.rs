//! Scripted sessions: Markdown files in `tests/sessions`, with models, requests and what is to be answered.
//!
//! Fenced blocks are steps, from above to below.
//!
//! | block | step |
//! |---|---|
//! | ` ```LANGUAGE file=NAME ` | there is such a file |
//! | ` ```request ` | `COMMAND {...}` with its arguments; `$FOLDER` is the folder of the files |
//! | ` ```answer ` | the answer, and the events behind it: texts of the console behind `>` |
//!
//! `BLESS=1 cargo test -p volvelle-debug-adapter --test it sessions::` writes answers.

use crate::client::{Client, folder};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use volvelle_messages_testing::played;

struct Session {
    folder: PathBuf,
    client: Client,
    answer: Option<Vec<Value>>,
}

impl Session {
    /// Does a step; what is in its block after all, if that is an answer.
    fn step(&mut self, info: &str, body: &str) -> Option<String> {
        if let Some((_, name)) = info.split_once(" file=") {
            std::fs::write(self.folder.join(name), body).unwrap();
            return None;
        }
        let folder = self.folder.display().to_string();
        match info {
            "request" => {
                let body = body.replace("$FOLDER", &folder);
                let (command, arguments) =
                    body.trim().split_once(char::is_whitespace).unwrap_or((body.trim(), "{}"));
                let arguments = serde_json::from_str(arguments).expect("JSON");
                self.answer = Some(self.client.ask(command, arguments));
                None
            }
            "answer" => {
                let answer = self.answer.take().expect("a request before the answer");
                Some(answer.iter().map(shown).collect::<String>().replace(&folder, "$FOLDER"))
            }
            _ => panic!("an unknown step: {info}"),
        }
    }
}

/// A message for people.
fn shown(message: &Value) -> String {
    let body = message.get("body");
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap() + "\n";
    if message["event"] == "output" {
        let text = body.unwrap()["output"].as_str().unwrap();
        let mark = if body.unwrap()["category"] == "stderr" { "!" } else { ">" };
        return text.lines().map(|line| format!("{mark} {line}").trim_end().to_owned() + "\n").collect();
    }
    if let Some(event) = message["event"].as_str() {
        return format!("{event} {}", body.map_or_else(|| "\n".to_owned(), pretty));
    }
    match message["success"] == true {
        true => body.map_or_else(|| "ok\n".to_owned(), |body| format!("ok {}", pretty(body))),
        false => {
            let text = body.unwrap()["error"]["variables"]["text"].as_str().unwrap();
            let message = message["message"].as_str().unwrap();
            let detail = if text == message { String::new() } else { text.to_owned() + "\n" };
            format!("error {message}\n{detail}")
        }
    }
}

#[test]
fn sessions() {
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(sessions).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 6, "{paths:?}");
    let is_blessed = std::env::var_os("BLESS").is_some();
    let mut different = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let folder = folder(path.file_stem().unwrap().to_str().unwrap());
        let mut session = Session { folder, client: Client::silent(), answer: None };
        let after = played(&text, |block| session.step(block.info, block.body));
        assert!(session.answer.is_none(), "{}: a request without an answer", path.display());
        assert_eq!(session.client.leaves(), 0);
        if after != text && is_blessed {
            std::fs::write(&path, after).unwrap();
        } else if after != text {
            let lines = text.lines().zip(after.lines()).find(|(expected, found)| expected != found);
            different.push(format!("{}: {lines:?}", path.display()));
        }
    }
    assert!(different.is_empty(), "{}\nBLESS=1 writes what is answered", different.join("\n"));
}

/// The capabilities say exactly what there is: a request that a client sends for one of them is known.
#[test]
fn capabilities_are_requests() {
    let mut client = Client::silent();
    let capabilities = client.body("initialize", json!({}));
    for (capability, command) in [
        ("supportsConfigurationDoneRequest", "configurationDone"),
        ("supportsFunctionBreakpoints", "setFunctionBreakpoints"),
        ("supportsConditionalBreakpoints", "setBreakpoints"),
        ("supportsBreakpointLocationsRequest", "breakpointLocations"),
        ("supportsEvaluateForHovers", "evaluate"),
        ("supportsStepBack", "stepBack"),
        ("supportsStepInTargetsRequest", "stepInTargets"),
        ("supportsRestartRequest", "restart"),
        ("supportsTerminateRequest", "terminate"),
        ("supportsExceptionInfoRequest", "exceptionInfo"),
        ("supportsCompletionsRequest", "completions"),
        ("supportsGotoTargetsRequest", "gotoTargets"),
        ("supportsCancelRequest", "cancel"),
        ("supportsSetVariable", "setVariable"),
        ("supportsDataBreakpoints", "setDataBreakpoints"),
        ("supportsModulesRequest", "modules"),
        ("supportsReadMemoryRequest", "readMemory"),
        ("supportsRestartFrame", "restartFrame"),
    ] {
        let told = client.ask(command, json!({}));
        let is_unknown = told[0]["message"].as_str().is_some_and(|text| text.ends_with("is not supported"));
        assert_eq!(capabilities[capability] == true, !is_unknown, "{capability}");
    }
    client.leaves();
}
