//! The command line as a whole: for commands that are about it.

use clap::Command;
use std::sync::OnceLock;

type Make = Box<dyn Fn() -> Command + Send + Sync>;

static COMMAND: OnceLock<Make> = OnceLock::new();

/// Says what the command line is; to be called once, before the first question is asked.
pub fn set(command: impl Fn() -> Command + Send + Sync + 'static) {
    // Tests set the same again.
    let _ = COMMAND.set(Box::new(command));
}

/// The command line, with all commands.
pub fn command() -> Command {
    COMMAND.get().map_or_else(|| Command::new("volvelle"), |command| command())
}
