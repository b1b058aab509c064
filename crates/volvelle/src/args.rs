//! Commands and their options. Options that several commands share are one struct each.

use clap::Args;
use std::path::PathBuf;
use volvelle_console::options::*;

/// Show what a file is, the parts of a model, and what can be asked
///
/// Constants, variables, modules, actions, rewards, labels, claims; and commands to copy.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle info queue.prism
  volvelle info queue.prism queue.props --const N=10
  volvelle info queue.prism --html queue.html
  volvelle info protocol.pml")]
pub struct Info {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub fix: FixArgs,

    /// Property files
    #[arg(value_name = "PROPERTIES")]
    pub properties: Vec<PathBuf>,

    #[command(flatten)]
    pub macros: MacroArgs,

    #[command(flatten)]
    pub limits: BriefLimitArgs,

    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// List the devices of this machine, and what can use them
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle devices
  volvelle devices --json
  volvelle simulate queue.prism queue.props --device opencl:0")]
pub struct ListDevices {
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Show five answers in ten seconds, with the commands and the models
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle demo
  volvelle demo --output try")]
pub struct Demo {
    /// The folder to write the models to
    #[arg(short = 'o', long = "output", value_name = "FOLDER", default_value = "volvelle-demo")]
    pub folder: PathBuf,
}

/// Explain an error: its meaning, an example, and how to resolve it
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle explain V0406
  volvelle explain            list all codes")]
pub struct Explain {
    /// Codes such as V0406 [default: list all codes]
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
}

/// Print a script that completes commands and options in a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle completions bash > ~/.local/share/bash-completion/completions/volvelle
  volvelle completions zsh > \"${fpath[1]}/_volvelle\"
  volvelle completions fish > ~/.config/fish/completions/volvelle.fish
  volvelle completions powershell >> $PROFILE")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: clap_complete::Shell,
}

/// Write manual pages
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle man check | man -l -                           read a page
  volvelle man --output ~/.local/share/man/man1           install all of them")]
pub struct Man {
    /// The command whose page to print [default: the program itself]
    #[arg(value_name = "COMMAND", conflicts_with = "folder")]
    pub command: Option<String>,

    /// Write all pages to a folder
    #[arg(short = 'o', long = "output", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}
