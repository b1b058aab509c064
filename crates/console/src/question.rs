//! Questions: what a command asks, with its options, and what becomes of the files that they name.
//!
//! A question is a type: its fields are the options that it has, and nothing else of the program lists them. One entry of a table
//! ([`Question::of`]) makes it a command, with its help, its page of the manual, its completions, the limits that hold from the first byte
//! read, and the files that are claimed before any work begins.

use crate::given::GivenOptions;
use crate::output::Output;
use clap::{ArgMatches, Args, Command};
use std::path::PathBuf;
use volvelle_diagnostics::{Diagnostic, codes};

/// What a command does with a file that the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// The run depends on it.
    Read,
    /// A result replaces it.
    Written,
    /// A result replaces it, or several results with numbers in their names.
    Numbered,
    /// It is read and continued.
    Kept,
    /// Files are written in it, under names of the program.
    Folder,
}

use FileUse::{Kept, Numbered, Read, Written};

/// The use of options that mean the same wherever they are.
pub const FILES: &[(&str, FileUse)] = &[
    ("model", Read),
    ("properties", Read),
    ("other", Read),
    ("labels", Read),
    ("state_values", Read),
    ("observations", Read),
    ("state_rewards", Read),
    ("transition_rewards", Read),
    ("scheduler", Read),
    ("device_config", Read),
    ("csv", Written),
    ("plot", Written),
    ("html", Written),
    ("export", Numbered),
    ("checkpoint", Kept),
];

/// Options that act only beside others.
pub struct Need {
    /// Names of the options' fields, and what a user writes.
    pub options: &'static [(&'static str, &'static str)],
    /// The condition.
    pub acts: fn(&GivenOptions) -> bool,
    /// Why they do nothing without it.
    pub why: &'static str,
    /// What gives them an effect.
    pub help: &'static str,
}

/// Axes of charts, where commands draw some.
pub const LOG_AXES: Need = Need {
    options: &[("log_axes", "--log-axes")],
    acts: |given| given.has("plot"),
    why: "it is about charts, and none is drawn",
    help: "draw one: --plot values.svg",
};

/// A question: its fields are its options, its comment and `after_help` are its help.
pub trait Ask: Args + Send + Sync + 'static {
    /// The word of the command line.
    const NAME: &'static str;
    /// The use of files that only this question has, by the names of fields.
    const FILES: &'static [(&'static str, FileUse)] = &[];
    /// Options that act only beside others.
    const NEEDS: &'static [Need] = &[];
    /// Whether it reads or computes: then it has limits of time and memory.
    const HAS_LIMITS: bool = true;
    /// Whether people do not ask it.
    const IS_HIDDEN: bool = false;

    /// Asks it: shows the answer, and gives the exit code. The options live as long as the process, since the thread that ends an overlong
    /// run draws its results with them.
    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8;
}

/// An entry of the table of questions.
pub struct Question {
    /// The word of the command line.
    pub name: &'static str,
    /// The use of files that only this question has.
    pub files: &'static [(&'static str, FileUse)],
    /// Options that act only beside others.
    pub needs: &'static [Need],
    /// Whether it has limits of time and memory.
    pub has_limits: bool,
    command: fn() -> Command,
    ask: fn(&ArgMatches, &GivenOptions, &Output) -> Result<u8, clap::Error>,
}

impl Question {
    /// The entry of a question.
    pub const fn of<T: Ask>() -> Self {
        Question {
            name: T::NAME,
            files: T::FILES,
            needs: T::NEEDS,
            has_limits: T::HAS_LIMITS,
            command: || T::augment_args(Command::new(T::NAME)).hide(T::IS_HIDDEN),
            ask: |matches, given, output| {
                Ok(Box::leak(Box::new(T::from_arg_matches(matches)?)).ask(given, output))
            },
        }
    }

    /// Its part of the command line.
    pub fn command(&self) -> Command {
        (self.command)()
    }

    /// Asks it with the options that were given.
    ///
    /// # Errors
    /// An option has a value that it does not take.
    pub fn ask(
        &self,
        matches: &ArgMatches,
        given: &GivenOptions,
        output: &Output,
    ) -> Result<u8, clap::Error> {
        (self.ask)(matches, given, output)
    }

    /// What becomes of the files of an option or argument; `None` if these are not known to be files.
    pub fn use_of(&self, option: &str) -> Option<FileUse> {
        let all = self.files.iter().chain(FILES);
        all.into_iter().find(|(name, _)| *name == option).map(|(_, file_use)| *file_use)
    }

    /// The files that a command line names, with their use.
    pub fn named_files(&self, matches: &ArgMatches) -> Vec<(PathBuf, FileUse)> {
        let mut files = Vec::new();
        for option in matches.ids() {
            let Some(file_use) = self.use_of(option.as_str()) else { continue };
            // An option of this name may take words in another command.
            let Ok(Some(paths)) = matches.try_get_many::<PathBuf>(option.as_str()) else { continue };
            files.extend(paths.map(|path| (path.clone(), file_use)));
        }
        files
    }

    /// What is wrong with options whatever the model is: values that cannot be read, and options without effect beside the others.
    pub fn refusals(&self, given: &GivenOptions) -> Vec<Diagnostic> {
        let (mut diagnostics, mut told) = crate::values::refusals(given);
        for need in self.needs.iter().filter(|need| !(need.acts)(given)) {
            for (name, option) in need.options {
                if given.has(name) && !told.contains(name) {
                    told.push(name);
                    let message = format!("{option} has no effect here");
                    let refusal = Diagnostic::error(codes::BAD_USAGE, message);
                    diagnostics.push(refusal.note(need.why).help(need.help));
                }
            }
        }
        diagnostics
    }
}
