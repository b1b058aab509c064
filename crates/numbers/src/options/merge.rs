//! Parts of a run, put together.

use clap::Args;
use std::path::PathBuf;
use volvelle_console::options::{AnswerArgs, LimitArgs, PlotArgs};

/// Put the parts of a run together: the answer is that of one run, bit for bit
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle simulate queue.prism queue.props --samples 1e9 --shard 3/64 -o part-3.vvs     on one of 64 machines
  volvelle merge part-*.vvs                                                              the answer
  volvelle merge part-*.vvs --json --csv table.csv                                       for other programs
  volvelle simulate queue.prism --prop 'P=? [ F<=9 \"full\" ]' --width 1e-5 --shard 3/64 -o part-1-3.vvs
  volvelle merge part-*.vvs --next round-2.json                                          are there enough paths?
  volvelle simulate (the same) --shard 3/64 --round round-2.json -o part-2-3.vvs         if not, some more
  volvelle check queue.prism queue.props --const N=1:1000 --shard 3/64 -o part-3.vvs     points of a table

Parts may be given in any order and more than once. They contain the model, unless it is large.

Exit codes: 0 all results were computed and no property is false, 1 a property is false, 2 bad usage,
or parts that are missing, damaged or of another run, 3 more paths are needed.")]
pub struct Merge {
    /// Files that --shard has written
    #[arg(value_name = "PARTS", required = true)]
    pub parts: Vec<PathBuf>,

    /// Where a stopping rule needs more paths, write what the next round has to run
    #[arg(long, value_name = "FILE")]
    pub next: Option<PathBuf>,

    /// Pictures.
    #[command(flatten)]
    pub plots: PlotArgs,

    /// Report which code ran the paths, and why
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub explain: bool,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}
