//! A program with one command: the table that a question needs one line of.

use clap::Command;
use std::process::ExitCode;
use volvelle_console::face::Face;
use volvelle_console::question::Question;
use volvelle_toy::question::Ranges;

/// The questions.
const QUESTIONS: &[Question] = &[Question::of::<Ranges>()];

static FACE: Face = Face { questions: QUESTIONS, root, overview: None, translated: Ok };

fn main() -> ExitCode {
    FACE.run()
}

/// The command line, without its commands.
fn root() -> Command {
    Command::new("tally").subcommand_required(true)
}
