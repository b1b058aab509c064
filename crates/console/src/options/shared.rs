//! Single options that several questions have, those of a family above all: they mean the same by them.

use clap::Args;
use std::path::PathBuf;

/// The seed of a run.
#[derive(Args, Debug)]
pub struct SeedArgs {
    /// Seed of the random choices: the same seed gives the same paths
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

/// All states, or those that matter.
#[derive(Args, Debug)]
#[command(next_help_heading = "State space")]
pub struct FullSpaceArgs {
    /// Explore all states. By default, exploration stops in states in which all properties are decided, and for
    /// formulas of the mu-calculus once all of them are
    #[arg(hide_short_help = true, long)]
    pub full_space: bool,
}

/// The model that one is compared with.
#[derive(Args, Debug)]
pub struct OtherArgs {
    /// The model to compare it with
    #[arg(value_name = "OTHER")]
    pub other: PathBuf,
}

/// The file of what was reduced.
#[derive(Args, Debug)]
pub struct ReducedArgs {
    /// The file to write; its extension selects the format (- is standard output, as .aut)
    #[arg(short = 'o', long = "output", value_name = "FILE", help_heading = "Output")]
    pub file: Option<PathBuf>,
}
