//! `volvelle completions`

use crate::args::{Cli, Completions};
use crate::output::Output;
use clap::CommandFactory;

/// Prints the completion script of a shell.
pub fn run(args: &Completions, output: &Output) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "volvelle", &mut script);
    output.print_document(&String::from_utf8_lossy(&script));
    0
}
