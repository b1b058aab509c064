//! Every keystroke in rules, grammars and programs of N4JS: cut, without a token, with two tokens in the wrong order.

use crate::client::{Client, Files, able, assert_in_order};
use crate::corpora::some;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The texts that are edited: a folder, an ending, and what is tried of each text.
const FOLDERS: &[(&str, &str, usize)] = &[
    ("examples/rules", "rules", 16),
    ("examples/rules", "grammar", 16),
    ("crates/n4js/rules", "rules", 2),
    ("crates/n4js/tests/programs", "n4js", 24),
];

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

struct Editor {
    client: Client,
    uri: String,
    version: i64,
    asked: usize,
}

impl Editor {
    /// Asks what an editor asks after a key.
    fn write(&mut self, text: &str, offset: usize) -> Value {
        self.version += 1;
        self.client.change(&self.uri, self.version, json!([{ "text": text }]));
        let document = json!({ "uri": self.uri });
        let before = &text[..offset];
        let character = before.rsplit('\n').next().unwrap().chars().count();
        let position = json!({ "line": before.matches('\n').count(), "character": character });
        let at = json!({ "textDocument": document, "position": position, "context": { "includeDeclaration": true } });
        for method in [
            "completion",
            "hover",
            "definition",
            "references",
            "documentHighlight",
            "foldingRange",
            "documentSymbol",
        ] {
            let answer = self.client.request(&format!("textDocument/{method}"), at.clone());
            assert!(answer.is_ok(), "{method}: {answer:?}\n{text}");
        }
        let tokens =
            self.client.request("textDocument/semanticTokens/full", json!({ "textDocument": document }));
        assert_in_order(&tokens.expect("tokens")["data"]);
        let told =
            self.client.request("textDocument/diagnostic", json!({ "textDocument": document })).unwrap();
        assert!(!told.to_string().contains("a defect of Volvelle"), "{told}\n{text}");
        self.asked += 1;
        told["items"].clone()
    }
}

#[test]
fn system_keystrokes() {
    let mut capabilities = able();
    capabilities["general"]["positionEncodings"] = json!(["utf-32"]);
    capabilities["textDocument"]["diagnostic"] = json!({});
    let mut asked = 0;
    for &(folder, ending, usual) in FOLDERS {
        let (all, files_there) = (files(folder), Files::default());
        for path in &all {
            let name = path.file_name().unwrap().to_str().unwrap();
            let place = PathBuf::from(format!("/models/{name}"));
            files_there.lock().unwrap().insert(place, std::fs::read(path).unwrap());
        }
        let own = all.iter().filter(|path| path.extension().is_some_and(|found| found == ending));
        let texts: Vec<(String, String)> = own
            .map(|path| {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                (name, std::fs::read_to_string(path).unwrap())
            })
            .collect();
        assert!(!texts.is_empty(), "{folder}");
        for (name, text) in texts {
            let client = Client::start(&files_there, capabilities.clone());
            let uri = format!("file:///models/{name}");
            let mut editor = Editor { client, uri, version: 1, asked: 0 };
            editor.client.open(&editor.uri, ending, &text);
            // Whole texts have no errors.
            let told = editor.write(&text, text.len());
            let has_errors = told.as_array().unwrap().iter().any(|one| one["severity"] == 1);
            assert!(!has_errors || ending == "n4js", "{name}: {told}");
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            for end in some(places, usual) {
                editor.write(&text[..end], end);
            }
            let words: Vec<(usize, usize)> = text
                .split(|c: char| c.is_whitespace() || c == '.')
                .filter(|word| !word.is_empty())
                .map(|word| {
                    let start = word.as_ptr() as usize - text.as_ptr() as usize;
                    (start, start + word.len())
                })
                .collect();
            for pair in some(words.windows(2).collect(), usual) {
                let [(start, end), (from, to)] = pair else { continue };
                editor.write(&format!("{}{}", &text[..*start], &text[*end..]), *start);
                let swapped = [
                    &text[..*start],
                    &text[*from..*to],
                    &text[*end..*from],
                    &text[*start..*end],
                    &text[*to..],
                ];
                editor.write(&swapped.concat(), *start);
            }
            // In the end it is as before.
            assert_eq!(editor.write(&text, text.len()), told, "{name}");
            assert_eq!(editor.client.leaves(), 0);
            asked += editor.asked;
        }
    }
    assert!(asked > 300, "{asked}");
}
