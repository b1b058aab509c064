//! What can be asked about a model, and how the program is asked.

use crate::analysis::Analysis;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use volvelle_diagnostics::FileId;
use volvelle_symbols::{Kind, Symbol};

/// A question about a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Question {
    /// What is to be done.
    pub command: Command,
    /// About which property; without, about the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<Property>,
}

/// A command of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// `volvelle check`
    Check,
    /// `volvelle simulate`
    Simulate,
    /// `volvelle explore`
    Explore,
    /// `volvelle trace`
    Trace,
    /// `volvelle lint`
    Lint,
}

impl Command {
    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            Command::Check => "check",
            Command::Simulate => "simulate",
            Command::Explore => "explore",
            Command::Trace => "trace",
            Command::Lint => "lint",
        }
    }
}

/// A property, as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Property {
    /// By its name.
    Named(String),
    /// By its number among all properties of the model, from 1.
    Numbered(usize),
}

/// The properties that stand in a file, with their names or numbers.
pub fn properties(analysis: &Analysis, file: FileId) -> Vec<(&Symbol, Property)> {
    let Some(index) = analysis.index() else { return Vec::new() };
    let mut all: Vec<&Symbol> = index
        .symbols
        .iter()
        .filter(|symbol| symbol.kind == Kind::Property && symbol.span.is_some())
        .collect();
    all.sort_by_key(|symbol| symbol.span);
    let numbered = all.into_iter().enumerate().map(|(number, symbol)| {
        let property = match symbol.name.as_str() {
            "" => Property::Numbered(number + 1),
            name => Property::Named(name.to_owned()),
        };
        (symbol, property)
    });
    numbered.filter(|(symbol, _)| symbol.span.is_some_and(|span| span.file == file)).collect()
}

impl Question {
    /// Whether a path is asked for, which is answered by a text: of chains by `trace`, of processes by `simulate`.
    pub fn wants_path(&self) -> bool {
        self.command == Command::Trace || (self.command == Command::Simulate && self.property.is_none())
    }

    /// The same with the name of a property in place of its number, if it has one.
    pub fn normal(self, analysis: &Analysis) -> Self {
        let Some(Property::Numbered(number)) = self.property else { return self };
        let texts = analysis.texts();
        let all = texts.iter().flat_map(|text| properties(analysis, text.file));
        let named = number.checked_sub(1).and_then(|at| all.map(|(_, property)| property).nth(at));
        Question { property: named.or(self.property), ..self }
    }
}

/// The arguments of the program. Files are named from the folder of the model. Each value is a part of its option, so that none is taken for
/// another option.
pub fn arguments(question: &Question, analysis: &Analysis, settings: &Settings) -> Vec<String> {
    let mut arguments = vec![question.command.word().to_owned()];
    // Without a question about a property, files of properties mean nothing to some commands.
    let files = match question.property {
        Some(_) => usize::MAX,
        None => 1,
    };
    let files = analysis.files_of_model().take(files).map(|name| match name.starts_with('-') {
        true => format!("./{name}"),
        false => name.to_owned(),
    });
    arguments.extend(files);
    match &question.property {
        Some(Property::Named(name)) => arguments.push(format!("--prop={name}")),
        Some(Property::Numbered(number)) => arguments.push(format!("--prop={number}")),
        None => {}
    }
    let open = analysis.open_constants();
    let given = settings.constants.iter().filter(|(name, _)| open.contains(&name.as_str()));
    arguments.extend(given.map(|(name, value)| format!("--const={name}={value}")));
    arguments.push(format!("--timeout={}", settings.timeout));
    arguments.push(format!("--max-memory={}", settings.memory));
    arguments.extend(settings.threads.map(|threads| format!("--threads={threads}")));
    if !question.wants_path() {
        arguments.push("--json".to_owned());
    }
    arguments
}
