//! Any messages to the language server: it meets no defect, answers each request once, and ends when the client is gone.
//!
//! Each line is a message: a method, and its parameters as JSON. Methods behind `>` are notifications. `$T` stands for the document of the
//! text that was opened before. A line that begins with `!` is sent as it is, without a frame.
#![no_main]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::Path;
use std::rc::Rc;
use volvelle_lsp::{Child, Disk, Launcher, converse};
use volvelle_messages::{Received, frames, receive};

/// Files of a small workspace.
const FILES: &[(&str, &str)] = &[
    (
        "m.prism",
        "dtmc\nconst int N = 3;\nmodule m\n  x : [0..N] init 0;\n  [a] x<N -> (x'=x+1);\nendmodule\nlabel \"end\" = x=N;\n",
    ),
    ("m.props", "\"one\": P=? [ F \"end\" ];\n"),
    ("n.pml", "#include \"n.inc\"\nactive proctype P() { byte y; do :: y < N -> y++ :: else -> break od }\n"),
    ("n.inc", "#define N 3\n"),
];

/// Lines that are sent.
const MOST: usize = 30;

struct Memory;

impl Disk for Memory {
    fn read(&self, folder: &Path, name: &Path) -> Option<Vec<u8>> {
        let path = folder.join(name);
        let file = FILES.iter().find(|(name, _)| path == Path::new("/w").join(name));
        file.map(|(_, text)| text.as_bytes().to_vec())
    }

    fn entries(&self, folder: &Path) -> Vec<String> {
        let names = FILES.iter().filter(|_| folder == Path::new("/w"));
        names.map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// Starts nothing: runs end at once.
struct Nothing;

impl Launcher for Nothing {
    fn start(&self, _: &Path, _: &[String]) -> std::io::Result<Box<dyn Child>> {
        struct Ended;
        impl Child for Ended {
            fn output(&mut self) -> Box<dyn Read + Send> {
                Box::new(std::io::empty())
            }
        }
        Ok(Box::new(Ended))
    }
}

/// A request: how often it was answered, and whether it may go unanswered, since runs end with the client.
#[derive(Default)]
struct Asked {
    answers: usize,
    is_run: bool,
}

/// What the client sends, and its requests by their numbers.
fn sent(text: &str) -> (Vec<u8>, BTreeMap<i64, Asked>) {
    let mut bytes = Vec::new();
    let mut asked = BTreeMap::new();
    let mut id = 0;
    let mut send = |bytes: &mut Vec<u8>, method: &str, params: Value| {
        let message = match method.strip_prefix('>') {
            Some(method) => json!({ "jsonrpc": "2.0", "method": method, "params": params }),
            None => {
                id += 1;
                asked.insert(id, Asked { is_run: method == "workspace/executeCommand", ..Asked::default() });
                json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            }
        };
        frames::write(bytes, message.to_string().as_bytes()).expect("memory can be written");
    };
    send(&mut bytes, "initialize", json!({ "capabilities": {} }));
    send(&mut bytes, ">initialized", json!({}));
    let mut document = json!({ "uri": "file:///w/m.prism" });
    for line in text.lines().take(MOST) {
        if let Some(raw) = line.strip_prefix('!') {
            // Numbers of its own would be answered, too.
            if !raw.contains("id") {
                bytes.extend_from_slice(raw.as_bytes());
            }
            continue;
        }
        let (method, params) = line.split_once(' ').unwrap_or((line, "{}"));
        let params = params.replace("$T", &document.to_string());
        let params: Value = serde_json::from_str(&params).unwrap_or(Value::Null);
        if method == ">textDocument/didOpen" {
            document = json!({ "uri": params["textDocument"]["uri"] });
        }
        send(&mut bytes, method, params);
    }
    (bytes, asked)
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (bytes, mut asked) = sent(text);
    let has_raw = text.lines().take(MOST).any(|line| line.starts_with('!'));
    let mut output = Vec::new();
    converse(Cursor::new(bytes), &mut output, Rc::new(Memory), Rc::new(Nothing));
    receive(&output[..], |received| {
        let Received::Message(body) = received else { panic!("the server writes frames") };
        let message: Value = serde_json::from_slice(&body).expect("the server writes JSON");
        // -32603 would be a defect.
        assert_ne!(message["error"]["code"], -32603, "{message}");
        if message.get("method").is_none()
            && let Some(id) = message["id"].as_i64()
            && let Some(asked) = asked.get_mut(&id)
        {
            asked.answers += 1;
        }
        true
    });
    let is_over = text.lines().take(MOST).any(|line| line.starts_with(">exit"));
    for (id, Asked { answers, is_run }) in asked {
        let may_be_open = is_run || has_raw || is_over;
        assert!(answers == 1 || answers == 0 && may_be_open, "request {id} was answered {answers} times");
    }
});
