//! What people set: constants of models, and limits of runs. By the client, and by a file `volvelle.toml` in the folder of the model, which
//! counts where both say something.

use serde_json::Value;
use std::collections::BTreeMap;
use volvelle_declarations::form::{ANY, Entry, Form, Shape};
use volvelle_declarations::{self as declarations, Codes, DeValue, Reader, entries};
use volvelle_diagnostics::{Diagnostic, FileId, codes};

/// The name of the file.
pub const FILE: &str = "volvelle.toml";

/// Its keys. It is told by its name.
pub static SETTINGS: Form = Form {
    name: "settings",
    marks: &["[constants]", "[run]"],
    enough: 2,
    entries: &[
        Entry::new("constants", Shape::Table(CONSTANTS), "Values of constants that models leave open."),
        Entry::new("run", Shape::Table(RUN), "Limits of runs that begin in the editor."),
    ],
};

const CONSTANTS: &[Entry] = &[Entry::new(
    ANY,
    Shape::Either(&[Shape::Number, Shape::Flag, Shape::Text]),
    "The value of a constant, for all models of the folder that leave it open.",
)];

const RUN: &[Entry] = &[
    Entry::new(
        "timeout",
        Shape::Text,
        "The time that a run may take, such as `90s`; `60s`, if nothing is said.",
    ),
    Entry::new(
        "max-memory",
        Shape::Text,
        "The memory that a run may take, such as `512MiB`; `2GiB`, if nothing is said.",
    ),
    Entry::new("threads", Shape::Whole(1, 4096), "Threads of a run; all processors, if nothing is said."),
];

/// What is wrong with a file.
pub fn diagnosed(file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut reader = Reader::new(file, text, CODES);
    Settings::default().take(&mut reader);
    reader.found
}

const CODES: Codes =
    Codes { syntax: codes::PIPELINE_SYNTAX, key: codes::PIPELINE_KEY, value: codes::PIPELINE_VALUE };

/// What is set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Values of constants that models leave open.
    pub constants: BTreeMap<String, String>,
    /// The time that a run may take, as `--timeout` has it.
    pub timeout: String,
    /// The memory that a run may take, as `--max-memory` has it.
    pub memory: String,
    /// Threads of a run; all processors, if nothing is said.
    pub threads: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        let (timeout, memory) = ("60s".to_owned(), "2GiB".to_owned());
        Settings { constants: BTreeMap::new(), timeout, memory, threads: None }
    }
}

impl Settings {
    /// What a client says, with constants also as `"N=3"`:
    /// `{"constants": {"N": 3}, "run": {"timeout": "60s", "maxMemory": "2GiB", "threads": 2}}`. What is not as it should be counts as not said,
    /// since clients send much that is for others.
    pub fn of_client(value: &Value) -> Self {
        let mut settings = Settings::default();
        for (name, value) in value["constants"].as_object().into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            settings.constants.insert(name.clone(), text);
        }
        // As the command line has them: `N=3,p=0.5`.
        let pairs = value["constants"].as_str().into_iter().flat_map(|text| text.split(','));
        for (name, text) in pairs.filter_map(|pair| pair.split_once('=')) {
            settings.constants.insert(name.trim().to_owned(), text.trim().to_owned());
        }
        let run = &value["run"];
        let text = |name: &str| run[name].as_str().map(str::to_owned);
        settings.timeout = text("timeout").unwrap_or(settings.timeout);
        settings.memory = text("maxMemory").unwrap_or(settings.memory);
        settings.threads = run["threads"].as_u64().and_then(|threads| u32::try_from(threads).ok());
        settings
    }

    /// The same with what a file says.
    ///
    /// # Errors
    /// The file cannot be understood: what is wrong first, with its line from 0.
    pub fn with_file(&self, text: &str) -> Result<Self, (String, u32)> {
        let mut settings = self.clone();
        let mut reader = Reader::new(FileId(0), text, CODES);
        settings.take(&mut reader);
        match reader.found.into_iter().next() {
            None => Ok(settings),
            Some(diagnostic) => {
                let start = diagnostic.primary.as_ref().map_or(0, |label| label.span.start as usize);
                let line = text.get(..start).unwrap_or("").matches('\n').count() as u32;
                let help = diagnostic.helps.first().map_or(String::new(), |help| format!(": {help}"));
                Err((diagnostic.message + &help, line))
            }
        }
    }

    /// Takes over what a file says.
    fn take(&mut self, reader: &mut Reader<'_>) {
        let Some(table) =
            reader.parse("write `[constants]` with `N = 3`, or `[run]` with `timeout = \"60s\"`")
        else {
            return;
        };
        for (key, value) in entries(table.get_ref()) {
            match reader.known(key, SETTINGS.entries).map_or("", |entry| entry.name) {
                "constants" => self.constants(reader, value),
                "run" => self.run(reader, value),
                _ => {}
            }
        }
    }

    fn constants(&mut self, reader: &mut Reader<'_>, value: &declarations::Value<'_>) {
        let Some(table) = reader.table("constants", value, "`[constants]`") else { return };
        for (key, value) in entries(table) {
            let name: &str = key.get_ref();
            let text = match value.get_ref() {
                DeValue::String(text) => text.to_string(),
                DeValue::Boolean(value) => value.to_string(),
                // As they are written: no digit is lost.
                DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
                DeValue::Float(number) => number.as_str().to_owned(),
                _ => {
                    reader.wrong(name, value, "a number, a truth value or a text", &format!("`{name} = 3`"));
                    continue;
                }
            };
            self.constants.insert(name.to_owned(), text);
        }
    }

    fn run(&mut self, reader: &mut Reader<'_>, value: &declarations::Value<'_>) {
        let Some(table) = reader.table("run", value, "`[run]`") else { return };
        for (key, value) in entries(table) {
            let Some(entry) = reader.known(key, RUN) else { continue };
            match entry.name {
                "timeout" => self.timeout = reader.string("timeout", value, "`\"60s\"`").unwrap_or_default(),
                "max-memory" => {
                    self.memory = reader.string("max-memory", value, "`\"2GiB\"`").unwrap_or_default()
                }
                _ => {
                    let threads = entry.range().and_then(|range| reader.whole(entry.name, value, range));
                    self.threads = threads.and_then(|threads| u32::try_from(threads).ok());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_counts_before_the_client() {
        let client = Settings::of_client(&json!({
            "constants": { "N": 3, "p": 0.5, "fast": true, "q": "1/3" },
            "run": { "timeout": "5s", "maxMemory": "1GiB" },
            "trace": "off",
        }));
        let texts: Vec<_> = client.constants.values().map(String::as_str).collect();
        assert_eq!(texts, ["3", "true", "0.5", "1/3"]);
        assert_eq!((client.timeout.as_str(), client.memory.as_str(), client.threads), ("5s", "1GiB", None));
        let text = Settings::of_client(&json!({ "constants": "N=3, p = 0.5,x" }));
        assert_eq!(
            text.constants.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(),
            ["N=3", "p=0.5"]
        );
        let both = client.with_file("[constants]\nN = 4\n[run]\nthreads = 1\n").unwrap();
        assert_eq!((both.constants["N"].as_str(), both.constants["p"].as_str()), ("4", "0.5"));
        assert_eq!((both.timeout.as_str(), both.threads), ("5s", Some(1)));
    }

    #[test]
    fn what_cannot_be_understood() {
        for client in [json!(null), json!(7), json!({ "constants": 3, "run": [] })] {
            assert_eq!(Settings::of_client(&client), Settings::default());
        }
        let usual = Settings::default();
        assert_eq!(usual.with_file("[constants]\nN = 4\nx = []\n").unwrap_err().1, 2);
        assert!(usual.with_file("constant = 3").unwrap_err().0.contains("constant"));
        assert!(usual.with_file("[run]\nthreads = -1").is_err());
    }
}
