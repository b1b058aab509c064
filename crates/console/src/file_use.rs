//! What becomes of the files that the command line names.

use clap::ArgMatches;
use std::path::PathBuf;

/// What a command does with a file that the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileUse {
    /// The run depends on it.
    Read,
    /// A result replaces it.
    Written,
    /// A picture replaces it, in the format that the ending names.
    Picture,
    /// A result replaces it, or several results with numbers in their names.
    Numbered,
    /// It is read and continued.
    Kept,
    /// Files are written in it, under names of the program.
    Folder,
}

impl FileUse {
    /// Whether a result goes there, and is that file.
    pub fn is_result(self) -> bool {
        matches!(self, Written | Picture | Numbered | Kept)
    }
}

use FileUse::{Kept, Numbered, Picture, Read, Written};

/// The use of options that mean the same wherever they are.
pub const FILES: &[(&str, FileUse)] = &[
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
    ("csv", Written),
    ("plot", Picture),
    ("html", Written),
    ("export", Numbered),
    ("checkpoint", Kept),
];

/// The files that a command line names, with their use: some options and arguments are its `own`.
pub fn named_files(matches: &ArgMatches, own: &[(&str, FileUse)]) -> Vec<(PathBuf, FileUse)> {
    let mut files = Vec::new();
    for option in matches.ids() {
        let Some(file_use) = use_of(option.as_str(), own) else { continue };
        // An option of this name may take words in another command.
        let Ok(Some(paths)) = matches.try_get_many::<PathBuf>(option.as_str()) else { continue };
        files.extend(paths.map(|path| (path.clone(), file_use)));
    }
    files
}

/// What becomes of the files of an option or argument; `None` if these are not known to be files.
pub fn use_of(option: &str, own: &[(&str, FileUse)]) -> Option<FileUse> {
    let mut all = own.iter().chain(FILES);
    all.find(|(name, _)| *name == option).map(|(_, file_use)| *file_use)
}
