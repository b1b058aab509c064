//! The program: a table of questions ([`questions`]), and the words of other programs that it understands.

// Tests are outsiders: they look at files as users do.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod args;
mod commands;
#[cfg(test)]
mod drawn;
mod families;
mod old_names;
mod other_tools;
mod questions;

use std::process::ExitCode;
use volvelle_console::face::Face;

fn main() -> ExitCode {
    let face = Face {
        questions: questions::QUESTIONS,
        command: questions::command,
        translated: other_tools::understood,
    };
    face.run()
}
