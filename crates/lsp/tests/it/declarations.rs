//! Every keystroke in declarations in TOML: cut, without a token, and in the end with the mistakes that their readers tell.

use crate::client::{Client, Files, able, assert_in_order};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, FileId};

const URI: &str = "file:///models/declaration.toml";

/// The declarations of the repository, with what their readers say.
type Read = fn(&str) -> Vec<Diagnostic>;

const FOLDERS: &[(&str, Read)] = &[
    ("examples/pipelines", |text| volvelle_pipelines::read(FileId(0), text).1),
    ("examples/nbody", |text| {
        volvelle_nbody::configuration::Configuration::read(FileId(0), text).err().unwrap_or_default()
    }),
    ("examples/multicore", |text| volvelle_multicore::Study::read(FileId(0), text).err().unwrap_or_default()),
    ("platforms", |text| volvelle_opencl::Platform::read(FileId(0), text).1),
    ("crates/coherence/protocols", |text| volvelle_coherence::read(FileId(0), text).1),
];

fn texts(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

struct Editor {
    client: Client,
    version: i64,
}

impl Editor {
    fn write(&mut self, text: &str) {
        self.version += 1;
        self.client.change(URI, self.version, json!([{ "text": text }]));
    }

    /// Asks what an editor asks after a key; gives the diagnostics.
    fn ask(&mut self, text: &str, offset: usize) -> Vec<Value> {
        let document = json!({ "uri": URI });
        let before = &text[..offset];
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap().chars().count();
        let at = json!({ "textDocument": document, "position": { "line": line, "character": character } });
        for method in
            ["completion", "hover", "definition", "documentHighlight", "foldingRange", "documentSymbol"]
        {
            let answer = self.client.request(&format!("textDocument/{method}"), at.clone());
            assert!(answer.is_ok(), "{method}: {answer:?}\n{text}");
        }
        let tokens =
            self.client.request("textDocument/semanticTokens/full", json!({ "textDocument": document }));
        let tokens = tokens.expect("tokens");
        if !tokens.is_null() {
            assert_in_order(&tokens["data"]);
        }
        let told =
            self.client.request("textDocument/diagnostic", json!({ "textDocument": document })).unwrap();
        assert!(!told.to_string().contains("a defect of Volvelle"), "{told}\n{text}");
        told["items"].as_array().unwrap().clone()
    }

    /// The same, with a look at the places.
    fn compare(&mut self, text: &str, read: Read) -> usize {
        let mut told: Vec<(u64, u64, String)> = self.ask(text, text.len()).iter().map(place_told).collect();
        let mut expected: Vec<(u64, u64, String)> =
            read(text).iter().map(|found| place_of(text, found)).collect();
        told.sort();
        expected.sort();
        assert_eq!(told, expected, "{text}");
        told.len()
    }
}

fn place_told(told: &Value) -> (u64, u64, String) {
    let start = &told["range"]["start"];
    let code = told["code"].as_str().unwrap().to_owned();
    (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap(), code)
}

fn place_of(text: &str, found: &Diagnostic) -> (u64, u64, String) {
    let start = found.primary.as_ref().map_or(0, |label| label.span.start as usize);
    let before = &text[..start];
    let character = before.rsplit('\n').next().unwrap().chars().count();
    (before.matches('\n').count() as u64, character as u64, found.code.to_string())
}

#[test]
fn declaration_keystrokes() {
    let mut capabilities = able();
    capabilities["general"]["positionEncodings"] = json!(["utf-32"]);
    capabilities["textDocument"]["diagnostic"] = json!({});
    let (mut asked, mut mistakes) = (0, 0);
    for (folder, read) in FOLDERS {
        let texts = texts(folder);
        assert!(!texts.is_empty(), "{folder}");
        for text in texts {
            let mut editor =
                Editor { client: Client::start(&Files::default(), capabilities.clone()), version: 1 };
            editor.client.open(URI, "toml", "");
            // Typed from nothing.
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let step = (places.len() / 40).max(1);
            for &end in places.iter().step_by(step) {
                editor.write(&text[..end]);
                editor.ask(&text[..end], end);
                asked += 1;
            }
            editor.write(&text);
            editor.compare(&text, *read);
            // Without one word each.
            let words: Vec<&str> =
                text.split(|c: char| c.is_whitespace() || c == '.').filter(|word| !word.is_empty()).collect();
            for word in words.iter().step_by((words.len() / 30).max(1)) {
                let from = word.as_ptr() as usize - text.as_ptr() as usize;
                let without = format!("{}{}", &text[..from], &text[from + word.len()..]);
                editor.write(&without);
                editor.ask(&without, from);
                // Without its mark it may be another kind of file.
                if is_marked(folder, &without) {
                    mistakes += editor.compare(&without, *read);
                }
                asked += 1;
            }
            assert_eq!(editor.client.leaves(), 0);
        }
    }
    assert!(asked > 500 && mistakes > 100, "{asked} texts, {mistakes} mistakes");
}

fn is_marked(folder: &str, text: &str) -> bool {
    let form = match folder {
        "examples/pipelines" => &volvelle_pipelines::PIPELINE,
        "examples/nbody" => &volvelle_nbody::configuration::CONFIGURATION,
        "examples/multicore" => &volvelle_multicore::STUDY,
        "platforms" => &volvelle_opencl::platform::PLATFORM,
        _ => &volvelle_coherence::PROTOCOL,
    };
    form.is_of(text)
}
