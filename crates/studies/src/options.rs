//! Options of `mpi`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::{LimitArgs, OutputArgs, PageArgs};

/// Analyse a program of message-passing primitives on a machine with coherent caches: what is true of it, how long a message
/// takes, which accesses miss the cache, and what would help most
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle mpi pingpong.toml                              all configurations of the study
  volvelle mpi pingpong.toml --set protocol=MOESI         other values of parameters
  volvelle mpi pingpong.toml --sweep distance=0,1,2
  volvelle mpi pingpong.toml --set distance=1 --explain   the program line by line, and what would help most
  volvelle mpi pingpong.toml --plot time.svg --plot-misses misses.svg
  volvelle mpi pingpong.toml --csv table.csv --csv-accesses accesses.csv
  volvelle mpi pingpong.toml --set distance=1 --simulate 1e5
  volvelle mpi pingpong.toml --set distance=1 --emit lotos > pingpong.lotos
  volvelle mpi pingpong.toml --set distance=1 --emit aut > pingpong.aut

Exit codes: 0 everything was computed and all verdicts hold, 1 one does not, 2 bad usage or an error in the input, 3 a limit was reached.")]
pub struct AnalyseMpi {
    /// The file of the study, in TOML
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,

    /// Give a parameter of the study one value (several: --set a=1 --set b=2)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Give a parameter of the study several values, separated by commas
    #[arg(long, value_name = "NAME=VALUES")]
    pub sweep: Vec<String>,

    /// Write the first configuration as a model of another kind to standard output, and do nothing else
    #[arg(long, value_name = "KIND", value_enum)]
    pub emit: Option<EmitKind>,

    /// Show for each configuration the program line by line, variables, transfers, and what would help most
    #[arg(long)]
    pub explain: bool,

    /// Leave the verification out
    #[arg(long)]
    pub no_verify: bool,

    /// Verify only: leave times and misses out
    #[arg(long, conflicts_with_all = ["no_verify", "explain", "plot", "plot_misses", "csv", "csv_accesses"])]
    pub verify_only: bool,

    /// Write a table with one line per configuration (- is standard output)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Write a table with one line per configuration, place in the program, variable and transfer (- is standard output)
    #[arg(long, value_name = "FILE")]
    pub csv_accesses: Option<PathBuf>,

    /// Draw the time of a message over the last parameter that is a number. The extension selects the format: .svg, .pdf, .png, or
    /// .html. Several files are separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub plot: Vec<PathBuf>,

    /// Draw the misses per message by class of variables, a bar for each configuration. Several files are separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub plot_misses: Vec<PathBuf>,

    /// Simulate so many rounds of the program beside the computation, event by event (1e5)
    #[arg(long, value_name = "ROUNDS", conflicts_with = "verify_only")]
    pub simulate: Option<String>,

    /// Simulate latencies that are always as long as their mean, to see how much the distribution matters
    #[arg(long, requires = "simulate")]
    pub deterministic: bool,

    /// The seed of simulations
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "simulate")]
    pub seed: u64,

    /// Compute numbers to this relative precision
    #[arg(long, value_name = "NUMBER")]
    pub precision: Option<String>,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// The page.
    #[command(flatten)]
    pub page: PageArgs,

    /// How the answer is shown.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Kinds of models that a configuration can be written as.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitKind {
    /// A LOTOS specification
    Lotos,
    /// The labelled transition system of all interleavings, in ALDEBARAN's format
    Aut,
    /// The interactive Markov chain, whose latencies have rates, in ALDEBARAN's format
    Imc,
}
