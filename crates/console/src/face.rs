//! A program with commands: from the words of the command line to the exit code.
//!
//! Standard output carries results and nothing else; standard error carries diagnostics and progress. Exit codes: 0
//! everything was computed and holds, 1 a property is false, 2 bad usage or an error in the input, 3 a limit was
//! reached.

use crate::door::Role;
use crate::file_use::FileUse;
use crate::given::GivenOptions;
use crate::options::LimitArgs;
use crate::output::{self, EXIT_USAGE, Output, is_json_wanted};
use crate::question::Question;
use crate::refusal::refuse;
use crate::{cluster, door, elsewhere, files, fixing, machine, memory, printed, program, targets};
use clap::{ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_session::{json, language};

/// The words of a command line.
pub type Words = Vec<OsString>;

/// A program: its commands, and how it understands words.
pub struct Face {
    /// The table of questions.
    pub questions: &'static [Question],
    /// The command line, without them.
    pub root: fn() -> Command,
    /// The first page of help, if it is not the one that follows from the commands.
    pub overview: Option<fn() -> String>,
    /// The words as the command line has them: people also know those of other programs.
    pub translated: fn(Words) -> Result<Words, Vec<Diagnostic>>,
}

impl Face {
    /// Asks what the words of the process ask.
    pub fn run(&'static self) -> ExitCode {
        let code = self.asked();
        memory::counted::tell();
        code
    }

    /// The question of a command.
    fn named(&self, command: &str) -> Option<&'static Question> {
        self.questions.iter().find(|question| question.name == command)
    }

    /// The command line, with all commands.
    pub fn command(&self) -> Command {
        let all = (self.root)().subcommands(self.questions.iter().map(Question::command));
        match self.overview {
            Some(overview) => all.override_help(overview()),
            None => all,
        }
    }

    /// The part of the command line that reads these words: a command is read without the options of all others.
    fn command_of(&self, words: &[OsString]) -> Command {
        let named = words.get(1).and_then(|word| self.named(word.to_str()?));
        named.map_or_else(|| self.command(), |question| (self.root)().subcommand(question.command()))
    }

    fn asked(&'static self) -> ExitCode {
        machine::map_large_blocks();
        machine::outlive_large_files();
        program::set(|| self.command());
        let words = match (self.translated)(std::env::args_os().collect()) {
            Ok(words) => words,
            Err(diagnostics) => {
                let output = Output::new();
                let code = refuse(&diagnostics, is_json_wanted(), &output);
                return ExitCode::from(output.checked(code));
            }
        };
        if let Some(help) = self.command_for(&words) {
            // The last word is the language, which the parser does not know.
            if let Err(error) = help.try_get_matches_from(&words[..words.len() - 1]) {
                return usage(self, &error, &words);
            }
        }
        let mut cli = self.command_of(&words);
        let matches = match cli.try_get_matches_from_mut(&words) {
            Ok(matches) => matches,
            Err(error) => return usage(self, &harmless(self, error, &words), &words),
        };
        let asked = matches.subcommand().and_then(|(name, given)| Some((self.named(name)?, given)));
        let Some((question, options)) = asked else {
            unreachable!("a command is required, and each is a question")
        };
        let given = GivenOptions::of(&matches, &cli);
        let output = Output::new();
        begin(question, options);
        let mut refusals = question.refusals(&given);
        refusals.extend(printed::refused(options, &question.files(), &given));
        if refusals.is_empty() {
            refusals = targets::refused(&question.named_files(options));
        }
        if !refusals.is_empty() {
            let code = refuse(&refusals, is_json_wanted(), &output);
            return ExitCode::from(output.checked(code));
        }
        if let Err(diagnostics) = fixing::fix(options, &limits_of(options)) {
            let code = refuse(&diagnostics, is_json_wanted(), &output);
            return ExitCode::from(output.checked(code));
        }
        let code = match question.ask(options, &given, &output) {
            Ok(code) => output.checked(code),
            Err(error) => return usage(self, &harmless(self, error, &words), &words),
        };
        cluster::leave(machine::is_cancelled());
        // The launcher takes the code of any process for that of the run: it is the leader's.
        ExitCode::from(if cluster::is_follower() { 0 } else { code })
    }

    /// The command line, where help of a family is asked for models in one language: `check --help promela`, or
    /// `help check promela`. `None` if the words ask for something else.
    fn command_for(&self, words: &[OsString]) -> Option<Command> {
        let words: Vec<&str> = words.iter().skip(1).map(|word| word.to_str()).collect::<Option<_>>()?;
        let (name, language) = match words[..] {
            ["help", name, language] => (name, language::named(language)?),
            [name, "--help" | "-h", language] => (name, language::named(language)?),
            _ => return None,
        };
        let family = self.named(name)?.as_family()?;
        let about = format!("{}. {}", family.about, language.title());
        let help = family.command_for(language.offers()).about(about);
        Some((self.root)().subcommand(help))
    }
}

/// The limits of a question.
fn limits_of(given: &ArgMatches) -> LimitArgs {
    let text = |id: &str| given.try_get_one::<String>(id).ok().flatten().cloned();
    LimitArgs { timeout: text("timeout"), max_memory: text("max_memory"), ..LimitArgs::default() }
}

/// What holds before the first file is read: the limits of the question, and what it is going to write.
fn begin(question: &Question, given: &ArgMatches) {
    if question.has_limits {
        machine::begin(&limits_of(given));
    }
    let flag = |id: &str| given.try_get_one::<bool>(id).ok().flatten().is_some_and(|&given| given);
    let named = question.named_files(given);
    // A table or a page on standard output is no report.
    let is_asked_for =
        |(path, file_use): &(PathBuf, FileUse)| path == Path::new("-") && *file_use != FileUse::Read;
    if flag("quiet") && !flag("json") && !named.iter().any(is_asked_for) {
        output::be_quiet();
    }
    let mut any = false;
    for (path, file_use) in named {
        any |= path != Path::new("-");
        match file_use {
            _ if path == Path::new("-") => {}
            FileUse::Written | FileUse::Picture => files::claim(&path, false),
            FileUse::Numbered => files::claim(&path, true),
            FileUse::Kept => door::claim(&path, Role::Kept),
            FileUse::Read | FileUse::Folder => {}
        }
    }
    if any {
        door::claim_standard_output();
        // A program cannot be replaced by what it computes. Where it cannot be found, no name leads there.
        let _ = std::env::current_exe().and_then(|program| door::note_read(&program));
    }
}

/// The same error about words that are harmless on a terminal: it repeats some of them.
fn harmless(face: &Face, error: clap::Error, words: &[OsString]) -> clap::Error {
    let shown: Vec<String> =
        words.iter().map(|word| volvelle_media::line(&word.to_string_lossy()).into_owned()).collect();
    if words.iter().zip(&shown).all(|(word, shown)| word.to_str() == Some(shown)) {
        return error;
    }
    face.command().try_get_matches_from(&shown).err().unwrap_or(error)
}

/// Help, version, or a command line that cannot be understood.
fn usage(face: &Face, error: &clap::Error, words: &[OsString]) -> ExitCode {
    if let Some(diagnostic) = elsewhere::option_of_another_command(error, words, &face.command()) {
        let output = Output::new();
        let code = refuse(&[diagnostic], is_json_wanted(), &output);
        return ExitCode::from(output.checked(code));
    }
    if is_json_wanted() && error.use_stderr() {
        // The first line is the diagnostic; the rest repeats the usage.
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let diagnostic = Diagnostic::error(codes::BAD_USAGE, message)
            .help("`volvelle help` lists the commands, `volvelle help COMMAND` the options of a command");
        let document = json::Document::new([&diagnostic], &Sources::new()).to_text();
        let output = Output::new();
        output.print(&document);
        return ExitCode::from(output.checked(EXIT_USAGE));
    }
    output::print_usage(error);
    ExitCode::from(if error.use_stderr() { EXIT_USAGE } else { 0 })
}
