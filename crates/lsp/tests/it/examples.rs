//! The examples, as they are and damaged: the diagnostics of the server are those of `volvelle info`, place by place.
//!
//! The command reads places off its own tables of lines, and draws them; what it draws is read here, and compared with the ranges that
//! the server sends.

use crate::client::{Client, Files, able};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, FileId, RenderOptions, Sources, codes, render};
use volvelle_session::language::{self, Input, is_property_file};
use volvelle_session::{Folder, Session, Text};
use volvelle_symbols as symbols;

/// A place as people read it, with the severity and the code: `error[V0203] m.prism:3:5`.
type Places = BTreeSet<String>;

/// Where texts are damaged.
const HUNDREDTHS: &[usize] = &[20, 35, 50, 65, 80, 95];

/// A model with its files of properties.
pub struct Example {
    pub model: PathBuf,
    pub properties: Vec<PathBuf>,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// All models of the examples that are texts.
pub fn examples() -> Vec<Example> {
    let mut all = Vec::new();
    for kind in ["prism", "promela", "lotos", "tuning", "weighted", "mpi", "pipelines"] {
        let entries = std::fs::read_dir(root().join(kind)).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for model in &files {
            let (name, text) = (model.to_str().unwrap(), std::fs::read_to_string(model).unwrap());
            let is_study = text.contains("\nprogram = ") || text.starts_with("program = ");
            if language::of_model(name, text.as_bytes()).is_err() || name.ends_with("toml") && !is_study {
                continue;
            }
            let is_beside = |file: &&PathBuf| {
                file.file_stem() == model.file_stem() && is_property_file(file.to_str().unwrap())
            };
            let properties = files.iter().filter(is_beside).cloned().collect();
            all.push(Example { model: model.clone(), properties });
        }
    }
    all
}

/// The folder of the examples, for the command.
pub struct Beside(pub PathBuf);

impl Folder for Beside {
    fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.0.join(name)).ok()
    }
}

pub fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// The text of a file. Bytes that are no characters become marks.
pub fn read(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

/// What `volvelle info MODEL PROPERTIES` draws, but for constants that need a value.
pub fn by_command(example: &Example, text: &str) -> Places {
    let control = Control::unlimited();
    let text_of = |path: &PathBuf| Text { name: name(path), text: read(path) };
    let properties = example.properties.iter().map(text_of).collect();
    let mut folder = Beside(example.model.parent().unwrap().to_path_buf());
    let model = Text { name: name(&example.model), text: text.to_owned() };
    let input = Input::of_text(model, properties, &mut folder, &control);
    let mut session = Session::open_files(None, input, &[] as &[&str]);
    let (_, diagnostics) = session.model.outline();
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.code != codes::OPEN_CONSTANT)
        .map(|diagnostic| drawn(diagnostic, &session.model.sources, &name(&example.model)))
        .collect()
}

/// The place in the drawing of a diagnostic; the beginning of the model, if there is none.
fn drawn(diagnostic: &Diagnostic, sources: &Sources, model: &str) -> String {
    let text = render(diagnostic, sources, RenderOptions::default());
    let head = text.split(':').next().unwrap();
    let place = text.lines().find_map(|line| line.trim_start().strip_prefix("--> "));
    format!("{head} {}", place.map_or_else(|| format!("{model}:1:1"), str::to_owned))
}

/// What the server tells about all documents.
pub fn by_server(client: &mut Client, example: &Example) -> Places {
    let mut places = Places::new();
    for path in std::iter::once(&example.model).chain(&example.properties) {
        let document = json!({ "textDocument": { "uri": uri(path) } });
        let told = client.request("textDocument/diagnostic", document).unwrap();
        for diagnostic in told["items"].as_array().unwrap() {
            let head = match diagnostic["severity"].as_u64() {
                Some(1) => "error",
                Some(2) => "warning",
                _ => "note",
            };
            let start = &diagnostic["range"]["start"];
            let number = |value: &Value| value.as_u64().unwrap() + 1;
            let (line, column) = (number(&start["line"]), number(&start["character"]));
            let code = diagnostic["code"].as_str().unwrap();
            places.insert(format!("{head}[{code}] {}:{line}:{column}", name(path)));
        }
    }
    places
}

pub fn uri(path: &Path) -> String {
    format!("file:///examples/{}", name(path))
}

/// A server with the folder of an example, in which the model has this text, and counts characters as people do. A client that `pulls`
/// diagnostics gets none unasked.
pub fn opened(example: &Example, text: &str, pulls: bool) -> Client {
    let files = Files::default();
    for entry in std::fs::read_dir(example.model.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if let Ok(bytes) = std::fs::read(&path) {
            files.lock().unwrap().insert(PathBuf::from("/examples").join(name(&path)), bytes);
        }
    }
    let mut capabilities = able();
    capabilities["general"]["positionEncodings"] = json!(["utf-32"]);
    if pulls {
        capabilities["textDocument"]["diagnostic"] = json!({});
    }
    let mut client = Client::start(&files, capabilities);
    for path in &example.properties {
        client.open(&uri(path), "", &read(path));
    }
    client.open(&uri(&example.model), "", text);
    client
}

/// A text without the word at some hundredth of it.
fn without_word(text: &str, hundredth: usize) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let from = text.ceil_char_boundary(text.len() * hundredth / 100);
    let start = from + text[from..].find(is_word)?;
    let length = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
    Some(format!("{}{}", &text[..start], &text[start + length..]))
}

#[test]
fn the_same_places_as_on_the_command_line() {
    let (mut models, mut with_some, mut compared) = (0, 0, BTreeMap::new());
    for example in examples() {
        models += 1;
        let text = std::fs::read_to_string(&example.model).unwrap();
        let damaged = HUNDREDTHS.iter().filter_map(|&hundredth| without_word(&text, hundredth));
        for (number, text) in std::iter::once(text.clone()).chain(damaged).enumerate() {
            let expected = by_command(&example, &text);
            let mut client = opened(&example, &text, false);
            let mut found = by_server(&mut client, &example);
            assert_eq!(client.leaves(), 0);
            // The server reads each property as well, as `check` does.
            let is_of_property =
                |place: &String| example.properties.iter().any(|path| place.contains(&name(path)));
            found.retain(|place| expected.contains(place) || !is_of_property(place));
            assert_eq!(found, expected, "{} {number}\n{text}", example.model.display());
            with_some += usize::from(!expected.is_empty());
            *compared.entry(name(&example.model)).or_insert(0) += expected.len();
        }
    }
    assert!(
        models >= 20 && with_some >= 100,
        "{models} models, {with_some} texts with mistakes: {compared:?}"
    );
}

/// The names of a model with its files of properties.
pub fn index_of(language: &str, texts: &[&str]) -> Option<symbols::Index> {
    use symbols::{Part, Text, named};
    let part = |number: usize| if number == 0 { Part::Model } else { Part::Properties };
    let numbered = texts.iter().enumerate();
    let texts: Vec<Text<'_>> = numbered
        .map(|(number, text)| Text { file: FileId(number as u32), name: "", text, part: part(number) })
        .collect();
    Some(named(language)?.index(&texts))
}
