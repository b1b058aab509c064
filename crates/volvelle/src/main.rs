//! The command line: a table of questions ([`questions`]), and how the one that is meant is asked.
//!
//! Standard output carries results and nothing else; standard error carries diagnostics and progress. Exit codes: 0
//! everything was computed and holds, 1 a property is false, 2 bad usage or an error in the input, 3 a limit was
//! reached. `volvelle_console` alone prints, reads files and installs signal handlers.

// Tests are outsiders: they look at files as users do.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod args;
mod commands;
#[cfg(test)]
mod drawn;
mod needs;
mod numeric;
mod old_names;
mod other_tools;
mod questions;

use clap::ArgMatches;
use door::Role;
use output::{EXIT_USAGE, Output, is_json_wanted};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use volvelle_console::given::GivenOptions;
use volvelle_console::options::LimitArgs;
use volvelle_console::question::{FileUse, Question};
use volvelle_console::{cluster, door, files, machine, memory, output, program};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_session::json;

fn main() -> ExitCode {
    let code = run();
    memory::counted::tell();
    code
}

fn run() -> ExitCode {
    machine::map_large_blocks();
    machine::outlive_large_files();
    program::set(questions::command);
    let cli = questions::command();
    let words: Vec<OsString> = std::env::args_os().collect();
    let is_command = |word: &str| word == "help" || cli.find_subcommand(word).is_some();
    let translated = match other_tools::file_in_place_of_command(&words, is_command) {
        Some(diagnostic) => Err(vec![diagnostic]),
        None => other_tools::translated(words),
    };
    let words = match translated {
        Ok(words) => words,
        Err(diagnostics) => {
            let output = Output::new();
            let code = commands::refuse(&diagnostics, is_json_wanted(), &output);
            return ExitCode::from(output.checked(code));
        }
    };
    let (words, notes) = old_names::replaced(args::with_joined_values(words));
    notes.iter().for_each(|note| output::say(note));
    let matches = match cli.clone().try_get_matches_from(&words) {
        Ok(matches) => matches,
        Err(error) => return usage(&harmless(error, &words), &words),
    };
    let asked = matches.subcommand().and_then(|(name, given)| Some((questions::named(name)?, given)));
    let Some((question, options)) = asked else {
        unreachable!("a command is required, and each is a question")
    };
    let given = GivenOptions::of(&matches, &cli);
    let output = Output::new();
    begin(question, options);
    let refusals = question.refusals(&given);
    if !refusals.is_empty() {
        let code = commands::refuse(&refusals, is_json_wanted(), &output);
        return ExitCode::from(output.checked(code));
    }
    let code = match question.ask(options, &given, &output) {
        Ok(code) => output.checked(code),
        Err(error) => return usage(&harmless(error, &words), &words),
    };
    cluster::leave(machine::is_cancelled());
    // The launcher takes the code of any process for that of the run: it is the leader's.
    ExitCode::from(if cluster::is_follower() { 0 } else { code })
}

/// What holds before the first file is read: the limits of the question, and what it is going to write.
fn begin(question: &Question, given: &ArgMatches) {
    let text = |id: &str| given.try_get_one::<String>(id).ok().flatten().cloned();
    if question.has_limits {
        machine::begin(&LimitArgs {
            timeout: text("timeout"),
            max_memory: text("max_memory"),
            ..LimitArgs::default()
        });
    }
    let flag = |id: &str| given.try_get_one::<bool>(id).ok().flatten().is_some_and(|&given| given);
    let named = question.named_files(given);
    // A table or a page on standard output is no report, and neither is a dialogue.
    let is_asked_for =
        |(path, file_use): &(PathBuf, FileUse)| path == Path::new("-") && *file_use != FileUse::Read;
    if flag("quiet") && !flag("json") && !flag("interactive") && !named.iter().any(is_asked_for) {
        output::be_quiet();
    }
    let mut any = false;
    for (path, file_use) in named {
        any |= path != Path::new("-");
        match file_use {
            _ if path == Path::new("-") => {}
            FileUse::Written => files::claim(&path, false),
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
fn harmless(error: clap::Error, words: &[OsString]) -> clap::Error {
    let shown: Vec<String> =
        words.iter().map(|word| volvelle_media::line(&word.to_string_lossy()).into_owned()).collect();
    if words.iter().zip(&shown).all(|(word, shown)| word.to_str() == Some(shown)) {
        return error;
    }
    questions::command().try_get_matches_from(&shown).err().unwrap_or(error)
}

/// Help, version, or a command line that cannot be understood.
fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    if let Some(diagnostic) = args::option_of_another_command(error, words, &questions::command()) {
        let output = Output::new();
        let code = commands::refuse(&[diagnostic], is_json_wanted(), &output);
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
