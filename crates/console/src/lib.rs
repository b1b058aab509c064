//! What commands have in common: the options that several of them take, the files and streams of the process, its limits and signals,
//! and how a model is opened and a command ends.
//!
//! Only this crate prints, reads and writes files, and installs signal handlers; all files of a run go through [`door`].

// Tests are outsiders: they look at files as users do.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod amounts;
pub mod caches;
pub mod child;
pub mod clock;
pub mod cluster;
pub mod devices;
pub mod door;
mod elsewhere;
pub mod explored;
pub mod export;
pub mod face;
pub mod family;
pub mod file_use;
pub mod files;
mod fixing;
pub mod formats;
pub mod forms;
pub mod given;
pub mod machine;
pub mod memory;
pub mod needs;
pub mod of_language;
pub mod opening;
pub mod options;
pub mod output;
pub mod packed;
pub mod part;
pub mod plots;
pub mod presented;
mod printed;
pub mod program;
pub mod progress;
pub mod question;
pub mod refusal;
pub mod suggestions;
mod targets;
pub mod unfinished;
pub mod values;
pub mod watchdog;
