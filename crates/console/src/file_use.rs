//! What becomes of the files that the command line names.

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

use FileUse::{Kept, Numbered, Read, Written};

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
    ("plot", Written),
    ("html", Written),
    ("export", Numbered),
    ("checkpoint", Kept),
];
