//! Options of `run`.

use clap::Args;
use std::path::PathBuf;
use volvelle_console::options::{AnswerArgs, LimitArgs};

/// Run a pipeline: models, reductions and questions that a file declares
///
/// Systems are made from models and from each other.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle run experiment.toml
  volvelle run experiment.toml --list         what would be done
  volvelle run experiment.toml --force        make all systems anew

Systems are kept in the folder `.volvelle` beside the file, and made anew only where something that they are made from has
changed.

Exit codes: 0 all verdicts are as expected, 1 one is not, 2 bad usage or an error in the input, 3 a limit was reached.")]
pub struct RunPipeline {
    /// The file of the pipeline, in TOML
    #[arg(value_name = "PIPELINE")]
    pub pipeline: PathBuf,

    /// Keep systems in this folder [default: .volvelle beside the file]
    #[arg(long, value_name = "FOLDER")]
    pub cache: Option<PathBuf>,

    /// Make all systems anew
    #[arg(long)]
    pub force: bool,

    /// List the steps, and which systems are up to date; make and write nothing
    #[arg(long)]
    pub list: bool,

    /// Let the pipeline write outside its own folder
    #[arg(long)]
    pub allow_outside: bool,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes; the table has a line for each step at each point.
    #[command(flatten)]
    pub answer: AnswerArgs,
}
