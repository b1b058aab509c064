//! Scripted conversations: Markdown files in `tests/sessions`, with documents, requests and what is to be answered.
//!
//! Fenced blocks are steps, from above to below. `‹a›` in a document marks a place as `a` and is no part of the text.
//!
//! | block | step |
//! |---|---|
//! | ` ```client ` | the capabilities of the client, in place of all; first of all |
//! | ` ```LANGUAGE disk=NAME ` | there is such a file on disk |
//! | ` ```LANGUAGE open=NAME ` | a text is opened |
//! | ` ```change NAME ` | lines `PLACE PLACE "text"` replace what is between two places, a line `"text"` all |
//! | ` ```close NAME ` | a text is closed |
//! | ` ```request ` | `METHOD NAME PLACE PLACE {...}`: no place, a position, or a range, and further parameters |
//! | ` ```answer ` | what the request before is answered with |
//! | ` ```published NAME ` | the diagnostics that are sent unasked for a text |
//!
//! Candidates of a completion are written on one line. A place is a mark, or `line:character` from 0. Ranges in answers are written `line:character-line:character`, tokens as
//! `line:character+length type modifiers`. `BLESS=1 cargo test -p volvelle-lsp --test it sessions::` writes answers.

use crate::client::{Client, Files, able};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use volvelle_messages_testing::{Block, played};

const FOLDER: &str = "/models/";

struct Session {
    files: Files,
    capabilities: Value,
    client: Option<Client>,
    /// Marks, by document and name.
    marks: BTreeMap<(String, String), Value>,
    versions: BTreeMap<String, i64>,
    legend: (Vec<String>, Vec<String>),
    answer: Option<Value>,
}

impl Session {
    fn client(&mut self) -> &mut Client {
        let (files, capabilities) = (self.files.clone(), self.capabilities.clone());
        self.client.get_or_insert_with(|| Client::start(&files, capabilities))
    }

    /// Does a step; what is in its block after all, if that is an answer.
    fn step(&mut self, block: &Block<'_>) -> Option<String> {
        let (word, rest) = block.info.split_once(' ').unwrap_or((block.info, ""));
        match (word, rest.split_once('=')) {
            (_, Some(("disk", name))) => {
                let path = PathBuf::from(format!("{FOLDER}{name}"));
                self.files.lock().unwrap().insert(path, block.body.as_bytes().to_vec());
            }
            (language, Some(("open", name))) => {
                let text = self.without_marks(name, block.body);
                self.versions.insert(name.to_owned(), 1);
                self.client().open(&uri(name), language, &text);
            }
            ("client", _) => self.capabilities = serde_json::from_str(block.body).expect("JSON"),
            ("change", _) => self.change(rest, block.body),
            ("close", _) => {
                self.versions.remove(rest);
                self.client().close(&uri(rest));
            }
            ("request", _) => self.answer = Some(self.request(block.body)),
            ("answer", _) => {
                let answer = self.answer.take().expect("a request before the answer");
                return Some(pretty(&shown(answer, &self.legend)));
            }
            ("published", _) => {
                let version = self.versions.get(rest).copied();
                let published = self.client().published(&uri(rest), version);
                return Some(pretty(&shown(published, &self.legend)));
            }
            _ => panic!("an unknown step: {}", block.info),
        }
        None
    }

    fn without_marks(&mut self, name: &str, body: &str) -> String {
        let mut text = String::new();
        let mut rest = body;
        while let Some((before, behind)) = rest.split_once('‹') {
            let (mark, behind) = behind.split_once('›').expect("an end of a mark");
            text.push_str(before);
            let line = text.matches('\n').count();
            let character = text.rsplit('\n').next().unwrap().len();
            let place = json!({ "line": line, "character": character });
            self.marks.insert((name.to_owned(), mark.to_owned()), place);
            rest = behind;
        }
        text + rest
    }

    fn place(&self, name: &str, word: &str) -> Option<Value> {
        if let Some(mark) = self.marks.get(&(name.to_owned(), word.to_owned())) {
            return Some(mark.clone());
        }
        let (line, character) = word.split_once(':')?;
        let (line, character): (u32, u32) = (line.parse().ok()?, character.parse().ok()?);
        Some(json!({ "line": line, "character": character }))
    }

    fn change(&mut self, name: &str, body: &str) {
        let change = |line: &str| {
            let (places, text) = line.split_at(line.find('"').expect("a text in quotes"));
            let text: String = serde_json::from_str(text).expect("a text in quotes");
            let places: Vec<Value> =
                places.split_whitespace().map(|word| self.place(name, word).expect("a place")).collect();
            match &places[..] {
                [start, end] => json!({ "range": { "start": start, "end": end }, "text": text }),
                [] => json!({ "text": text }),
                _ => panic!("no range: {line}"),
            }
        };
        let changes: Vec<Value> = body.lines().map(change).collect();
        let version = self.versions.get_mut(name).expect("an open text");
        *version += 1;
        let version = *version;
        self.client().change(&uri(name), version, json!(changes));
    }

    fn request(&mut self, body: &str) -> Value {
        let (words, further) = body.split_at(body.find('{').unwrap_or(body.len()));
        let mut params: Value =
            if further.is_empty() { json!({}) } else { serde_json::from_str(further).expect("JSON") };
        let mut words = words.split_whitespace();
        let method = words.next().expect("a method").to_owned();
        if let Some(name) = words.next() {
            params["textDocument"] = json!({ "uri": uri(name) });
            let places: Vec<Value> = words.map(|word| self.place(name, word).expect("a place")).collect();
            match &places[..] {
                [start, end] => params["range"] = json!({ "start": start, "end": end }),
                [position] => params["position"] = position.clone(),
                _ => {}
            }
        }
        match self.client().request(&method, params) {
            Ok(result) => result,
            Err(error) => json!({ "error": error }),
        }
    }
}

fn uri(name: &str) -> String {
    format!("file://{FOLDER}{name}")
}

/// An answer for people.
fn shown(value: Value, legend: &(Vec<String>, Vec<String>)) -> Value {
    let position = |value: &Value| {
        let object = value.as_object().filter(|object| object.len() == 2)?;
        Some(format!("{}:{}", object.get("line")?, object.get("character")?))
    };
    match value {
        Value::Array(all) => all.into_iter().map(|one| shown(one, legend)).collect(),
        Value::String(text) => Value::String(text.replace(&format!("file://{FOLDER}"), "")),
        Value::Object(fields) => {
            let range = fields.get("start").and_then(position).zip(fields.get("end").and_then(position));
            if let (Some((start, end)), 2) = (range, fields.len()) {
                return Value::String(format!("{start}-{end}"));
            }
            if let (Some(label), Some(edit)) = (fields.get("label"), fields.get("textEdit")) {
                let range = shown(edit["range"].clone(), legend);
                let detail = fields.get("detail").and_then(Value::as_str).unwrap_or("");
                let format = ["", "text", "snippet"][fields["insertTextFormat"].as_u64().unwrap() as usize];
                let (label, range) = (label.as_str().unwrap(), range.as_str().unwrap());
                return json!(format!("{label} ({detail}) {range} {format} {}", edit["newText"]));
            }
            if let Some(data) = fields.get("data").and_then(Value::as_array) {
                return json!(tokens(data, legend));
            }
            let name = |name: String| name.replace(&format!("file://{FOLDER}"), "");
            Value::Object(fields.into_iter().map(|(key, value)| (name(key), shown(value, legend))).collect())
        }
        other => other,
    }
}

fn tokens(data: &[Value], (types, modifiers): &(Vec<String>, Vec<String>)) -> Vec<String> {
    let numbers: Vec<usize> = data.iter().map(|number| number.as_u64().unwrap() as usize).collect();
    let (mut line, mut character) = (0, 0);
    let token = |token: &[usize]| {
        character = if token[0] == 0 { character + token[1] } else { token[1] };
        line += token[0];
        let mut text = format!("{line}:{character}+{} {}", token[2], types[token[3]]);
        for (bit, modifier) in modifiers.iter().enumerate().filter(|(bit, _)| token[4] >> bit & 1 == 1) {
            let _ = write!(text, " {modifier}");
            assert!(bit < 32);
        }
        text
    };
    numbers.chunks(5).map(token).collect()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// The legend of tokens, as the server tells it.
fn legend() -> (Vec<String>, Vec<String>) {
    let mut client = Client::silent(&Files::default());
    let answer = client.request("initialize", json!({ "capabilities": {} })).unwrap();
    client.leaves();
    let words = |name: &str| {
        let legend = &answer["capabilities"]["semanticTokensProvider"]["legend"][name];
        legend.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    (words("tokenTypes"), words("tokenModifiers"))
}

#[test]
fn sessions() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 5, "{paths:?}");
    let is_blessed = std::env::var_os("BLESS").is_some();
    let mut different = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut session = Session {
            files: Files::default(),
            capabilities: able(),
            client: None,
            marks: BTreeMap::new(),
            versions: BTreeMap::new(),
            legend: legend(),
            answer: None,
        };
        let after = played(&text, |block| session.step(&block));
        assert!(session.answer.is_none(), "{}: a request without an answer", path.display());
        assert_eq!(session.client.expect("a session has steps").leaves(), 0);
        if after != text && is_blessed {
            std::fs::write(&path, after).unwrap();
        } else if after != text {
            let lines = text.lines().zip(after.lines()).find(|(expected, found)| expected != found);
            different.push(format!("{}: {lines:?}", path.display()));
        }
    }
    assert!(different.is_empty(), "{}\nBLESS=1 writes what is answered", different.join("\n"));
}
