//! A program with one command: the table that a question needs one line of.

use clap::Command;
use std::process::ExitCode;
use volvelle_console::face::Face;
use volvelle_console::question::Question;
use volvelle_toy::question::Ranges;

/// The questions.
const QUESTIONS: &[Question] = &[Question::of::<Ranges>()];

fn main() -> ExitCode {
    Face { questions: QUESTIONS, command, translated: Ok }.run()
}

/// The command line.
fn command() -> Command {
    let commands = QUESTIONS.iter().map(Question::command);
    Command::new("tally").subcommand_required(true).subcommands(commands)
}
