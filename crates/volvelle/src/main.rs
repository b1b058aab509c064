//! The command line: reads files, runs commands of `volvelle-verify`, and draws their reports.
//!
//! Standard output carries results and nothing else; standard error carries diagnostics and progress. Exit codes: 0
//! everything was computed and holds, 1 a property is false, 2 bad usage or an error in the input, 3 a limit was
//! reached. Only this crate prints, reads files and installs signal handlers.

mod amounts;
mod applicable;
mod args;
mod commands;
mod files;
mod machine;
mod numeric;
mod output;
mod progress;
mod screen;

use applicable::GivenOptions;
use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use output::{EXIT_USAGE, Output};
use std::process::ExitCode;
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_verify::json;

fn main() -> ExitCode {
    machine::map_large_blocks();
    let parsed = Cli::command().try_get_matches();
    let parsed =
        parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, GivenOptions::of(&matches))));
    let (cli, given) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage(&error),
    };
    ExitCode::from(match cli.command {
        Command::Check(args) => commands::check::run(&args, &given),
        Command::Info(args) => commands::info::run(&args, &given),
        Command::Explore(args) => commands::explore::run(&args, &given),
        Command::Lint(args) => commands::lint::run(&args, &given),
        Command::Simulate(args) => commands::simulate::run(&args, &given),
        Command::Trace(args) => commands::trace::run(&args, &given),
        Command::Devices(args) => commands::devices::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
    })
}

/// Help, version, or a command line that cannot be understood.
fn usage(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().skip(1).take_while(|a| a != "--").any(|a| a == "--json");
    if json && error.use_stderr() {
        // The first line is the diagnostic; the rest repeats the usage.
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let diagnostic = Diagnostic::error(codes::BAD_USAGE, message)
            .help("`volvelle help` lists commands, `volvelle help COMMAND` what a command takes");
        let document = json::Document::new([&diagnostic], &Sources::new()).to_text();
        Output::new().print(&document);
        return ExitCode::from(EXIT_USAGE);
    }
    // A closed pipe is no error worth another message.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { EXIT_USAGE } else { 0 })
}
