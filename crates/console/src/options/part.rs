//! Options of runs in parts.

use clap::Args;
use std::path::PathBuf;

/// A run in parts.
#[derive(Args, Debug)]
#[command(next_help_heading = "Parts of a run")]
pub struct PartOfRunArgs {
    /// Compute only this share of the work, `3/64` for the third of 64, and write it to the file of --output;
    /// `volvelle merge` puts the parts together
    #[arg(hide_short_help = true, long, value_name = "NUMBER/COUNT", requires = "out")]
    pub shard: Option<String>,

    /// The file of the part. If it is there already, the run continues where it was stopped
    #[arg(short = 'o', long = "output", value_name = "FILE", requires = "shard")]
    pub out: Option<PathBuf>,

    /// Save what is computed in this file now and then, and continue from it if it is there
    #[arg(hide_short_help = true, long, value_name = "FILE", conflicts_with = "shard")]
    pub checkpoint: Option<PathBuf>,
}
