//! Options of `lint`.

use clap::Args;
use volvelle_console::options::*;

/// Find suspicious parts of a Promela model: dead statements, values that do not fit their type
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle lint protocol.pml
  volvelle lint protocol.pml -D N=5

Exit codes: 0 no warnings, 1 warnings, 2 an error, 3 a limit was reached.")]
pub struct Lint {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Define a macro for the preprocessor: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    /// How states are made.
    #[command(flatten)]
    pub building: BuildingArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// How the answer is shown.
    #[command(flatten)]
    pub output: OutputArgs,
}
