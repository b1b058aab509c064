//! Which options and arguments name files, and what becomes of these.

use clap::ArgMatches;
use std::path::PathBuf;

/// What a command does with a file that the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// The run depends on it.
    Read,
    /// A result replaces it.
    Written,
    /// A result replaces it, or several results with numbers in their names.
    Numbered,
    /// It is read and continued.
    Kept,
    /// Files are written in it, under names of the program.
    Folder,
}

use FileUse::{Folder, Kept, Numbered, Read, Written};

/// The use of each option or argument, in all commands that have it; a command in front makes it that one's alone.
const USES: &[(&str, FileUse)] = &[
    ("model", Read),
    ("properties", Read),
    ("other", Read),
    ("labels", Read),
    ("state_values", Read),
    ("observations", Read),
    ("state_rewards", Read),
    ("transition_rewards", Read),
    ("scheduler", Read),
    ("device_config", Read),
    ("round", Read),
    ("parts", Read),
    ("study", Read),
    ("configuration", Read),
    ("restart", Read),
    ("pipeline", Read),
    ("source", Read),
    ("platform", Read),
    ("t1", Read),
    ("tune file", Read),
    ("simulate trail", Read),
    ("csv", Written),
    ("plot", Written),
    ("html", Written),
    ("t4", Written),
    ("emit", Written),
    ("next", Written),
    ("matrix", Written),
    ("csv_accesses", Written),
    ("plot_misses", Written),
    ("csv_branches", Written),
    ("plot_stack", Written),
    ("record", Written),
    ("plot_energy", Written),
    ("check trail", Written),
    ("reduce file", Written),
    ("distance file", Written),
    ("calibrate out", Written),
    ("export", Numbered),
    ("export_scheduler", Numbered),
    ("export_induced", Numbered),
    ("check out", Kept),
    ("simulate out", Kept),
    ("checkpoint", Kept),
    ("tune cache", Kept),
    ("run cache", Folder),
    ("folder", Folder),
    ("movie", Folder),
];

/// What a command does with the files of an option or argument; none if these are not known to be files.
pub fn use_of(command: &str, option: &str) -> Option<FileUse> {
    let of_command = format!("{command} {option}");
    USES.iter().find(|(name, _)| *name == of_command || *name == option).map(|(_, file_use)| *file_use)
}

/// Whether a command has limits: all that read or compute do.
pub fn has_limits(command: &str) -> bool {
    !["devices", "bench-kernels", "explain", "completions", "man"].contains(&command)
}

/// The files that a command line names, with their use.
pub fn named_files(command: &str, given: &ArgMatches) -> Vec<(PathBuf, FileUse)> {
    let mut files = Vec::new();
    for option in given.ids() {
        let Some(file_use) = use_of(command, option.as_str()) else { continue };
        // An option of this name may take words in another command.
        let Ok(Some(paths)) = given.try_get_many::<PathBuf>(option.as_str()) else { continue };
        files.extend(paths.map(|path| (path.clone(), file_use)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{USES, has_limits, use_of};
    use crate::args::Cli;
    use clap::CommandFactory;
    use std::any::TypeId;
    use std::path::PathBuf;

    /// The commands with their options and arguments that take paths.
    fn paths() -> Vec<(String, String)> {
        let cli = Cli::command();
        let of = |command: &clap::Command| {
            let name = command.get_name().to_owned();
            let is_path = |argument: &&clap::Arg| {
                let kind = argument.get_value_parser().type_id();
                argument.get_action().takes_values() && kind == TypeId::of::<PathBuf>()
            };
            let paths = command.get_arguments().filter(is_path);
            paths.map(|argument| (name.clone(), argument.get_id().to_string())).collect::<Vec<_>>()
        };
        cli.get_subcommands().flat_map(of).collect()
    }

    #[test]
    fn every_option_that_takes_a_path_has_a_known_use() {
        let paths = paths();
        assert!(paths.len() > 60, "{paths:?}");
        for (command, option) in &paths {
            assert!(
                use_of(command, option).is_some(),
                "what does `{command}` do with the file of `{option}`?"
            );
        }
    }

    #[test]
    fn commands_have_limits() {
        for command in Cli::command().get_subcommands() {
            let has = |name: &str| command.get_arguments().any(|option| option.get_id() == name);
            let name = command.get_name();
            assert_eq!([has("timeout"), has("max_memory")], [has_limits(name); 2], "{name}");
        }
    }

    #[test]
    fn every_use_is_of_an_option() {
        let paths = paths();
        for (name, _) in USES {
            let is_one = |(command, option): &(String, String)| {
                *name == format!("{command} {option}") || name == option
            };
            assert!(paths.iter().any(is_one), "no command has `{name}`");
        }
    }
}
