//! Every keystroke: texts that are typed, cut, that lack a token, or have two in the wrong order. Each time everything that an editor asks
//! for is answered, and in the end the diagnostics are those of the command line.
//!
//! All keystrokes of all published models are many: some are tried, evenly. `VOLVELLE_ATTACK=N` tries N times as many.

use crate::client::{Client, assert_in_order};
use crate::corpora::{published, some};
use crate::examples::{Example, by_command, by_server, examples, index_of, name, opened, read, uri};
use serde_json::{Value, json};
use std::path::Path;
use volvelle_diagnostics::Span;

/// A model that is edited through a server.
struct Editor<'e> {
    example: &'e Example,
    client: Client,
    uri: String,
    text: String,
    version: i64,
    /// The tokens that the client has, with their number.
    tokens: (String, Vec<u64>),
}

impl<'e> Editor<'e> {
    fn open(example: &'e Example, text: &str) -> Self {
        let mut client = opened(example, text, true);
        let uri = uri(&example.model);
        let all = full(&mut client, &uri);
        Editor { example, client, uri, text: text.to_owned(), version: 1, tokens: all }
    }

    /// Replaces a part of the text.
    fn replace(&mut self, from: usize, to: usize, instead: &str) {
        let range = json!({ "start": position(&self.text, from), "end": position(&self.text, to) });
        self.version += 1;
        self.client.change(&self.uri, self.version, json!([{ "range": range, "text": instead }]));
        self.text.replace_range(from..to, instead);
    }

    /// Asks what an editor asks after a key, at an offset.
    fn ask(&mut self, offset: usize) {
        let document = json!({ "uri": self.uri });
        let about = |text: &str| format!("{}:\n{text}", self.example.model.display());
        let told = self.client.request("textDocument/diagnostic", json!({ "textDocument": document }));
        let told = told.unwrap_or_else(|error| panic!("{error} {}", about(&self.text)));
        let has_failed = told["items"].to_string().contains("a defect of Volvelle");
        assert!(!has_failed, "{told} {}", about(&self.text));
        let outline = self.client.request("textDocument/documentSymbol", json!({ "textDocument": document }));
        assert!(outline.is_ok_and(|outline| outline.is_array()), "{}", about(&self.text));
        let at = json!({ "textDocument": document, "position": position(&self.text, offset) });
        let completed = self.client.request("textDocument/completion", at);
        assert!(completed.is_ok(), "{completed:?} {}", about(&self.text));
        // What is different leads to all that there is.
        let since = json!({ "textDocument": document, "previousResultId": self.tokens.0 });
        let delta =
            self.client.request("textDocument/semanticTokens/full/delta", since).expect("a difference");
        let mut kept = std::mem::take(&mut self.tokens.1);
        for edit in delta["edits"].as_array().expect("edits, not all tokens") {
            let number = |field: &str| edit[field].as_u64().unwrap() as usize;
            let (start, count) = (number("start"), number("deleteCount"));
            kept.splice(start..start + count, numbers(&edit["data"]));
        }
        self.tokens = full(&mut self.client, &self.uri);
        assert_eq!(kept, self.tokens.1, "{}", about(&self.text));
    }

    /// Replaces a part of the text, asks, and takes it back.
    fn tried(&mut self, from: usize, to: usize, instead: &str) {
        let before = self.text[from..to].to_owned();
        self.replace(from, to, instead);
        self.ask(from + instead.len());
        self.replace(from, from + instead.len(), &before);
    }

    /// The places of mistakes are those of the command line.
    fn compare(&mut self) {
        // Kernels are no models: no command tells of them alone.
        if self.example.model.extension().is_some_and(|ending| ending == "vk") {
            return;
        }
        let expected = by_command(self.example, &self.text);
        let mut found = by_server(&mut self.client, self.example);
        // The server reads each property as well, as `check` does.
        let is_of_property =
            |place: &String| self.example.properties.iter().any(|path| place.contains(&name(path)));
        found.retain(|place| expected.contains(place) || !is_of_property(place));
        assert_eq!(found, expected, "{}\n{}", self.example.model.display(), self.text);
    }
}

/// All tokens of a text, with their number.
fn full(client: &mut Client, uri: &str) -> (String, Vec<u64>) {
    let document = json!({ "textDocument": { "uri": uri } });
    let all = client.request("textDocument/semanticTokens/full", document).expect("tokens");
    // A text in a language without names has none.
    assert_in_order(&all["data"]);
    (all["resultId"].as_str().expect("a number").to_owned(), numbers(&all["data"]))
}

fn numbers(data: &Value) -> Vec<u64> {
    data.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// The position of an offset, counted in characters.
fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let ends = before.replace("\r\n", "\n").matches(['\n', '\r']).count();
    // Between the two characters of one end of a line, no line has begun.
    let is_between = before.ends_with('\r') && text[offset..].starts_with('\n');
    let lines = ends - usize::from(is_between);
    let line = before[..before.len() - usize::from(is_between)].rsplit(['\n', '\r']).next().unwrap();
    json!({ "line": lines, "character": line.chars().count() })
}

/// Tokens of a text, as the index has them.
fn tokens(language: &str, text: &str) -> Vec<(usize, usize)> {
    let index = index_of(language, &[text]).expect("a language with names");
    let place = |span: Span| (span.start as usize, span.end as usize);
    index.tokens.iter().map(|token| place(token.span)).collect()
}

/// Types, cuts, and damages a model; some keys of each kind. Gives how many were asked about.
fn typed(language: &str, example: &Example, keys: usize) -> usize {
    let text = read(&example.model);
    let tokens = tokens(language, &text);
    let mut asked = 0;
    // Typed from nothing. What is typed between two keys that are asked about comes at once.
    let mut editor = Editor::open(example, "");
    let letters: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).chain([text.len()]).collect();
    for end in some(letters, keys) {
        let last = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
        let typed = editor.text.len();
        if last > typed {
            editor.replace(typed, typed, &text[typed..last]);
        }
        editor.replace(last, last, &text[last..end]);
        editor.ask(end);
        asked += 1;
    }
    let typed = editor.text.len();
    editor.replace(typed, typed, &text[typed..]);
    assert_eq!(editor.text, text);
    editor.compare();
    for &(start, end) in &some(tokens.clone(), keys) {
        editor.tried(start, end, "");
        asked += 1;
    }
    for pair in some(tokens.windows(2).collect(), keys) {
        let [(start, middle), (next, end)] = *pair else { unreachable!("windows of two") };
        let swapped = format!("{}{}{}", &text[next..end], &text[middle..next], &text[start..middle]);
        editor.tried(start, end, &swapped);
        asked += 1;
    }
    let bytes: Vec<usize> = (0..text.len()).filter(|&at| text.is_char_boundary(at)).collect();
    for at in some(bytes, keys) {
        editor.tried(at, text.len(), "");
        asked += 1;
    }
    assert_eq!(editor.text, text);
    editor.compare();
    // Without a token, there are mistakes to compare.
    for &(start, end) in &some(tokens, (keys / 4).max(1)) {
        let before = editor.text[start..end].to_owned();
        editor.replace(start, end, "");
        editor.compare();
        editor.replace(start, start, &before);
    }
    editor.ask(text.len());
    assert_eq!(editor.client.leaves(), 0);
    asked
}

#[test]
fn examples_keystrokes() {
    let mut asked = 0;
    for example in examples() {
        let path = example.model.to_str().unwrap();
        let language = match example.model.extension().and_then(|ending| ending.to_str()) {
            Some("prism") => "prism",
            Some("pml") => "promela",
            Some("lotos") => "lotos",
            _ => continue,
        };
        assert!(!path.is_empty());
        asked += typed(language, &example, 4);
    }
    assert!(asked > 100, "{asked}");
}

#[test]
fn kernels_keystrokes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/filetests/control");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let kernels = files.into_iter().map(|model| Example { model, properties: Vec::new() });
    let asked: usize = kernels.map(|example| typed("kernel", &example, 12)).sum();
    assert!(asked > 200, "{asked}");
}

/// All models of a corpus, with the same number of keys each.
fn corpus(language: &str, keys: usize) {
    let models = published(language);
    let asked: usize = models.iter().map(|example| typed(language, example, keys)).sum();
    assert!(models.is_empty() || asked >= 4 * models.len(), "{asked}");
}

#[test]
fn corpus_keystrokes_of_prism() {
    corpus("prism", 5);
}

#[test]
fn corpus_keystrokes_of_promela() {
    corpus("promela", 5);
}

#[test]
fn corpus_keystrokes_of_lotos() {
    corpus("lotos", 24);
}

#[test]
fn positions() {
    let text = "a\r\nbü\n\rc";
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    for (offset, expected) in [
        (0, at(0, 0)),
        (1, at(0, 1)),
        (2, at(0, 1)),
        (3, at(1, 0)),
        (6, at(1, 2)),
        (7, at(2, 0)),
        (8, at(3, 0)),
        (9, at(3, 1)),
    ] {
        assert_eq!(position(text, offset), expected, "{offset}");
    }
}
