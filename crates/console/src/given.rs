//! The options that were given on the command line, rather than left at their defaults.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use volvelle_diagnostics::{Diagnostic, codes};

impl GivenWord {
    fn command(name: &str) -> Self {
        GivenWord { name: String::new(), written: String::new(), words: vec![name.to_owned()] }
    }

    fn of(argument: &Arg, command: &ArgMatches) -> Self {
        let name = argument.get_id().to_string();
        let raw = command.get_raw(&name).into_iter().flatten();
        let values: Vec<String> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
        let words = match argument.get_long() {
            None => values,
            Some(long) if argument.get_action().takes_values() => {
                values.iter().map(|value| format!("--{long}={value}")).collect()
            }
            Some(long) => vec![format!("--{long}")],
        };
        let written = match (argument.get_long(), argument.get_value_names()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some([value, ..])) if value == "PROPERTIES" => "a property file".to_owned(),
            (None, Some([value, ..])) => value.to_string(),
            (None, _) => name.clone(),
        };
        GivenWord { name, written, words }
    }
}

/// The options that the user gave, rather than left at their defaults.
#[derive(Debug, Default)]
pub struct GivenOptions {
    /// The first value of each that has one.
    values: Vec<(String, String)>,
    /// The command and what was given, in the order in which the command has its options.
    words: Vec<GivenWord>,
}

/// An option as it was given, or a file.
#[derive(Debug)]
struct GivenWord {
    name: String,
    /// The option, or what an argument stands for.
    written: String,
    words: Vec<String>,
}

/// Options that say where and how something is computed, and what is shown of it: parts of a run may differ in them.
const NOT_OF_RUN: &[&str] = &[
    "shard",
    "out",
    "round",
    "checkpoint",
    "device",
    "device_config",
    "tier",
    "threads",
    "max_memory",
    "max_states",
    "timeout",
    "csv",
    "plot",
    "log_axes",
    "explain",
    "html",
    "json",
    "verbose",
    "quiet",
];

impl GivenOptions {
    /// Those of the command of a command line.
    pub fn of(matches: &ArgMatches, cli: &clap::Command) -> Self {
        let Some((name, command)) = matches.subcommand() else { return GivenOptions::default() };
        let is_given = |name: &&str| command.value_source(name) == Some(ValueSource::CommandLine);
        let names = command.ids().map(|id| id.as_str()).filter(is_given);
        let arguments = cli.find_subcommand(name).into_iter().flat_map(|c| c.get_arguments());
        let given = arguments.filter(|argument| is_given(&argument.get_id().as_str()));
        let words = given.map(|argument| GivenWord::of(argument, command)).collect();
        let value = |name: &str| {
            let value = command.get_raw(name)?.next()?;
            Some((name.to_owned(), value.to_string_lossy().into_owned()))
        };
        GivenOptions {
            values: names.filter_map(value).collect(),
            words: std::iter::once(GivenWord::command(name)).chain::<Vec<_>>(words).collect(),
        }
    }

    /// Whether an option was given, by the name of its field.
    pub fn has(&self, name: &str) -> bool {
        self.written(name).is_some()
    }

    /// The options that were given: the names of their fields, and what a user writes.
    pub fn written_options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words.iter().skip(1).map(|word| (word.name.as_str(), word.written.as_str()))
    }

    /// What a user writes for an option that was given.
    pub fn written(&self, name: &str) -> Option<&str> {
        self.written_options().find(|(given, _)| *given == name).map(|(_, written)| written)
    }

    /// The value that was given to an option, the first one of several.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// All values that were given to an option.
    pub fn values<'s>(&'s self, option: &'s str) -> impl Iterator<Item = &'s str> {
        let words = self.words.iter().filter(move |word| word.name == option).flat_map(|word| &word.words);
        words.filter_map(|word| Some(word.split_once('=')?.1))
    }

    /// The words that make the same run anywhere: options, then files.
    pub fn of_run(&self) -> Vec<String> {
        let of_run = self.words.iter().filter(|word| !NOT_OF_RUN.contains(&word.name.as_str()));
        of_run.flat_map(|word| word.words.iter().cloned()).collect()
    }

    /// Refuses some options, by the names of their fields and what a user writes.
    pub fn refuse(&self, options: &[(&str, &str)], of: &str, why: &str, help: &str) -> Vec<Diagnostic> {
        let given = options.iter().filter(|(name, _)| self.has(name));
        let refuse = |(_, option): &(&str, &str)| {
            let message = format!("{option} does not apply to {of}");
            Diagnostic::error(codes::BAD_USAGE, message).note(why.to_owned()).help(help.to_owned())
        };
        given.map(refuse).collect()
    }
}
