//! The command line: reads files, runs commands of `volvelle-verify`, and draws their reports.
//!
//! Standard output carries results and nothing else; standard error carries diagnostics and progress. Exit codes: 0
//! everything was computed and holds, 1 a property is false, 2 bad usage or an error in the input, 3 a limit was
//! reached. Only this crate prints, reads files and installs signal handlers; all files of a run go through [`door`].

// Tests are outsiders: they look at files as users do.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod applicable;
mod args;
mod commands;
mod documents;
mod needs;
mod numeric;
mod other_tools;
mod page;
mod screen;

use args::{Cli, Command, FileUse, LimitArgs};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use door::Role;
use output::{EXIT_USAGE, Output, is_json_wanted};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use volvelle_console::given::GivenOptions;
use volvelle_console::{
    amounts, caches, cluster, door, files, machine, memory, output, packed, progress, unfinished, watchdog,
};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_verify::json;

fn main() -> ExitCode {
    let code = run();
    memory::counted::tell();
    code
}

fn run() -> ExitCode {
    machine::map_large_blocks();
    machine::outlive_large_files();
    let cli = Cli::command();
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
    let words = args::with_joined_values(words);
    let parsed = cli.try_get_matches_from(&words);
    let parsed = parsed.and_then(|matches| {
        let (cli, given) = (Cli::from_arg_matches(&matches)?, GivenOptions::of(&matches, &Cli::command()));
        Ok((cli, given, matches))
    });
    let (cli, given, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage(&harmless(error, &words), &words),
    };
    let output = Output::new();
    begin(&matches);
    let refusals = needs::refusals(&given);
    if !refusals.is_empty() {
        let code = commands::refuse(&refusals, is_json_wanted(), &output);
        return ExitCode::from(output.checked(code));
    }
    // The arguments live as long as the process: the thread that ends an overlong run draws its results with them.
    let command: &'static Command = Box::leak(Box::new(cli.command));
    let code = match command {
        Command::Check(args) => commands::check::run(args, &given, &output),
        Command::Info(args) => commands::info::run(args, &given, &output),
        Command::Explore(args) => commands::explore::run(args, &given, &output),
        Command::Reduce(args) => commands::systems::reduce::run(args, &given, &output),
        Command::Compare(args) => commands::systems::compare::run(args, &given, &output),
        Command::Distance(args) => commands::weighted::distance::run(args, &given, &output),
        Command::Tune(args) => commands::tune::run(args, &given, &output),
        Command::Steady(args) => commands::performance::steady(args, &given, &output),
        Command::Transient(args) => commands::performance::transient(args, &given, &output),
        Command::Run(args) => commands::run::run(args, &output),
        Command::Mpi(args) => commands::mpi::run(args, &output),
        Command::Multicore(args) => commands::multicore::run(args, &output),
        Command::Nbody(args) => commands::nbody::run(args, &given, &output),
        Command::Lint(args) => commands::lint::run(args, &given, &output),
        Command::Simulate(args) => commands::simulate::run(args, &given, &output),
        Command::Merge(args) => commands::campaign::merge::run(args, &output),
        Command::Trace(args) => commands::trace::run(args, &given, &output),
        Command::Calibrate(args) => commands::calibrate::run(args, &output),
        Command::BenchKernels(args) => commands::bench::run(args, &output),
        Command::Devices(args) => commands::devices::run(args, &output),
        Command::Explain(args) => commands::explain::run(args, &output),
        Command::Completions(args) => commands::completions::run(args, &output),
        Command::Man(args) => commands::man::run(args, &output),
    };
    let code = output.checked(code);
    cluster::leave(machine::is_cancelled());
    // The launcher takes the code of any process for that of the run: it is the leader's.
    ExitCode::from(if cluster::is_follower() { 0 } else { code })
}

/// What holds before the first file is read: the limits of the command, and what it is going to write.
fn begin(matches: &ArgMatches) {
    let Some((command, given)) = matches.subcommand() else { return };
    let text = |id: &str| given.try_get_one::<String>(id).ok().flatten().cloned();
    if args::has_limits(command) {
        machine::begin(&LimitArgs {
            timeout: text("timeout"),
            max_memory: text("max_memory"),
            ..LimitArgs::default()
        });
    }
    let mut any = false;
    for (path, file_use) in args::named_files(command, given) {
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
    Cli::command().try_get_matches_from(&shown).err().unwrap_or(error)
}

/// Help, version, or a command line that cannot be understood.
fn usage(error: &clap::Error, words: &[OsString]) -> ExitCode {
    if let Some(diagnostic) = args::option_of_another_command(error, words, &Cli::command()) {
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
