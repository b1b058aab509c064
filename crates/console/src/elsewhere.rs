//! Options that a command does not have and another one has.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use volvelle_diagnostics::{Diagnostic, codes};

/// What is wrong with an option that only other commands have; `None` for any other mistake.
pub fn option_of_another_command(
    error: &clap::Error,
    words: &[OsString],
    cli: &clap::Command,
) -> Option<Diagnostic> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = given.split('=').next()?.strip_prefix("--")?;
    let has = |command: &clap::Command| {
        command.get_arguments().any(|argument| {
            argument.get_long() == Some(name)
                || argument.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
        })
    };
    let command = words.iter().find_map(|word| cli.find_subcommand(word))?;
    let others: Vec<String> = cli
        .get_subcommands()
        .filter(|other| other.get_name() != command.get_name() && has(other))
        .map(|other| format!("`volvelle {}`", other.get_name()))
        .collect();
    let (last, rest) = others.split_last()?;
    let list = if rest.is_empty() { last.clone() } else { format!("{} and {last}", rest.join(", ")) };
    let message = format!("`volvelle {}` has no option `--{name}`", command.get_name());
    Some(
        Diagnostic::error(codes::BAD_USAGE, message)
            .help(format!("it is an option of {list}"))
            .help(format!("`volvelle help {}` lists the options of this command", command.get_name())),
    )
}
