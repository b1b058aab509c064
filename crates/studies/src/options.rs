//! Options of `mpi`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::{AnswerArgs, LimitArgs};

/// Analyse message passing over coherent caches: verdicts, times, misses
///
/// What is true of a program of message-passing primitives, how long a message takes, which accesses miss the cache, and what would help
/// most.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle mpi pingpong.toml                              all configurations of the study
  volvelle mpi pingpong.toml --const protocol=MOESI       other values of parameters
  volvelle mpi pingpong.toml --const distance=0:2,protocol=MESI,MOESI
  volvelle mpi pingpong.toml --const distance=1 --profile the program line by line, and what would help most
  volvelle mpi pingpong.toml --plot time.svg --plot-misses misses.svg
  volvelle mpi pingpong.toml --csv table.csv --csv-accesses accesses.csv
  volvelle mpi pingpong.toml --const distance=1 --simulate 1e5
  volvelle mpi pingpong.toml --const distance=1 --print-model lotos > pingpong.lotos
  volvelle mpi pingpong.toml --const distance=1 --print-model aut > pingpong.aut

Exit codes: 0 everything was computed and all verdicts hold, 1 one does not, 2 bad usage or an error in the input, 3 a limit was reached.")]
pub struct AnalyseMpi {
    /// The file of the study, in TOML
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,

    /// Values for parameters of the study, separated by commas; may be repeated. Ranges (distance=0:2) and lists (protocol=MESI,MOESI) are
    /// combined
    #[arg(short, long = "const", value_name = "NAME=VALUES,...")]
    pub constants: Vec<String>,

    /// Write the first configuration as a model of another kind to standard output, and do nothing else
    #[arg(long, value_name = "KIND", value_enum)]
    pub print_model: Option<EmitKind>,

    /// Show for each configuration the program line by line, variables, transfers, and what would help most
    #[arg(long)]
    pub profile: bool,

    /// Whether the program is verified
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = VerifyProgram::Auto)]
    pub verify: VerifyProgram,

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

    /// Also estimate the times from this many simulated rounds of the program [without a number: 1e5], event by event
    #[arg(long, value_name = "ROUNDS", num_args = 0..=1, default_missing_value = "1e5")]
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

    /// Where the answer goes; the table has one line per configuration.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Whether programs are verified.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyProgram {
    /// Beside times and misses
    Auto,
    /// And nothing else: times and misses are left out
    Only,
    /// It is left out
    Never,
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
