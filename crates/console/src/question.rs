//! Questions: what a command asks, with its options, and what becomes of the files that they name.
//!
//! A question is a type: its fields are the options that it has, and nothing else of the program lists them. One entry of a table
//! ([`Question::of`]) makes it a command, with its help, its page of the manual, its completions, the limits that hold from the first byte
//! read, and the files that are claimed before any work begins. A command that asks several questions is a family
//! ([`Question::family`]).

use crate::family::Family;
use crate::file_use;
pub use crate::file_use::{FILES, FileUse};
use crate::given::GivenOptions;
pub use crate::needs::{LOG_AXES, Need, without_effect};
use crate::output::Output;
use crate::suggestions::{Head, Subject, Suggestion};
use crate::values::Values;
use clap::{ArgMatches, Args, Command};
use std::path::PathBuf;
use volvelle_diagnostics::Diagnostic;

/// A question: its fields are its options, its comment and `after_help` are its help.
pub trait Ask: Args + Send + Sync + 'static {
    /// The word of the command line.
    const NAME: &'static str;
    /// The use of files that only this question has, by the names of fields.
    const FILES: &'static [(&'static str, FileUse)] = &[];
    /// Options that act only beside others.
    const NEEDS: &'static [Need] = &[];
    /// What the values of options are that only this question has.
    const VALUES: Values = &[];
    /// Whether it reads or computes: then it has limits of time and memory.
    const HAS_LIMITS: bool = true;
    /// Whether people do not ask it.
    const IS_HIDDEN: bool = false;
    /// What a file is, for people, if it is of a kind that this question reads and that is no model.
    const READS: fn(&Head) -> Option<&'static str> = |_| None;
    /// What it would ask of a file: of one that it [`READS`](Self::READS), or of a model.
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |_| Vec::new();

    /// Asks it: shows the answer, and gives the exit code. The options live as long as the process, since the thread that ends an overlong
    /// run draws its results with them.
    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8;
}

/// An entry of the table of questions.
pub struct Question {
    /// The word of the command line.
    pub name: &'static str,
    /// Whether it has limits of time and memory.
    pub has_limits: bool,
    kind: Kind,
}

/// What a command asks.
enum Kind {
    One(Single),
    OneOf(&'static Family),
}

/// A question that is a command.
struct Single {
    files: &'static [(&'static str, FileUse)],
    needs: &'static [Need],
    values: Values,
    reads: fn(&Head) -> Option<&'static str>,
    suggests: fn(&Subject<'_>) -> Vec<Suggestion>,
    command: fn() -> Command,
    ask: fn(&ArgMatches, &GivenOptions, &Output) -> Result<u8, clap::Error>,
}

impl Question {
    /// The entry of a question.
    pub const fn of<T: Ask>() -> Self {
        let single = Single {
            files: T::FILES,
            needs: T::NEEDS,
            values: T::VALUES,
            reads: T::READS,
            suggests: T::SUGGESTS,
            command: || T::augment_args(Command::new(T::NAME)).hide(T::IS_HIDDEN),
            ask: |matches, given, output| {
                Ok(Box::leak(Box::new(T::from_arg_matches(matches)?)).ask(given, output))
            },
        };
        Question { name: T::NAME, has_limits: T::HAS_LIMITS, kind: Kind::One(single) }
    }

    /// The entry of a family of questions.
    pub const fn family(family: &'static Family) -> Self {
        Question { name: family.name, has_limits: true, kind: Kind::OneOf(family) }
    }

    /// Its part of the command line.
    pub fn command(&self) -> Command {
        match &self.kind {
            Kind::One(single) => (single.command)(),
            Kind::OneOf(family) => family.command(),
        }
    }

    /// What a file is, if it is of a kind that this question reads and that is no model.
    pub fn reads(&self, head: &Head) -> Option<&'static str> {
        match &self.kind {
            Kind::One(single) => (single.reads)(head),
            Kind::OneOf(_) => None,
        }
    }

    /// What it would ask of a file that it reads, or of a model.
    pub fn suggestions(&self, subject: &Subject<'_>) -> Vec<Suggestion> {
        match &self.kind {
            Kind::One(single) => {
                let is_asked = subject.offers.is_some() || (single.reads)(subject.head).is_some();
                if is_asked { (single.suggests)(subject) } else { Vec::new() }
            }
            Kind::OneOf(family) => family.suggestions(subject),
        }
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
        match &self.kind {
            Kind::One(single) => (single.ask)(matches, given, output),
            Kind::OneOf(family) => family.ask(matches, given, output),
        }
    }

    /// The questions that are chosen from; none where the command asks one.
    pub fn as_family(&self) -> Option<&'static Family> {
        match &self.kind {
            Kind::One(_) => None,
            Kind::OneOf(family) => Some(family),
        }
    }

    /// The use of files that only this question has.
    pub fn files(&self) -> Vec<(&'static str, FileUse)> {
        match &self.kind {
            Kind::One(single) => single.files.to_vec(),
            Kind::OneOf(family) => family.files(),
        }
    }

    /// Options that act only beside others.
    pub fn needs(&self) -> Vec<&'static Need> {
        match &self.kind {
            Kind::One(single) => single.needs.iter().collect(),
            Kind::OneOf(family) => family.members.iter().flat_map(|member| member.needs).collect(),
        }
    }

    /// What the values of options are that only this question has.
    pub fn values(&self) -> Vec<Values> {
        match &self.kind {
            Kind::One(single) => vec![single.values],
            Kind::OneOf(family) => family.members.iter().map(|member| member.values).collect(),
        }
    }

    /// What becomes of the files of an option or argument; `None` if these are not known to be files.
    pub fn use_of(&self, option: &str) -> Option<FileUse> {
        file_use::use_of(option, &self.files())
    }

    /// The files that a command line names, with their use.
    pub fn named_files(&self, matches: &ArgMatches) -> Vec<(PathBuf, FileUse)> {
        file_use::named_files(matches, &self.files())
    }

    /// What is wrong with options whatever the model is: values that cannot be read, and options without effect beside the others. A family
    /// tells the latter when it knows its question.
    pub fn refusals(&self, given: &GivenOptions) -> Vec<Diagnostic> {
        let (mut diagnostics, told) = crate::values::refusals(given, &self.values());
        if let Kind::One(single) = &self.kind {
            diagnostics.extend(without_effect(single.needs, given, told));
        }
        diagnostics
    }
}
