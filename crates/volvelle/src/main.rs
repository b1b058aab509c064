//! The program: a table of questions ([`questions`]), and the words of other programs that it understands.

// Tests are outsiders: they look at files as users do.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod args;
mod commands;
#[cfg(test)]
mod drawn;
mod families;
#[cfg(not(all(feature = "systems", feature = "weights")))]
mod left_out;
mod old_names;
mod other_tools;
mod questions;
mod without_command;
mod words;

use std::process::ExitCode;
use volvelle_console::face::Face;

static FACE: Face = Face {
    questions: questions::QUESTIONS,
    root: questions::root,
    overview: Some(questions::overview),
    translated: other_tools::understood,
};

fn main() -> ExitCode {
    FACE.run()
}
