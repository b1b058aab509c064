//! Options of `multicore`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::{AnswerArgs, LimitArgs};

/// Run a RISC-V program or a trace on multicores that execute tasks ahead
///
/// How well predictors foretell tasks, how many cycles it takes, and where they go.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle multicore app.elf                                     the paper's machine with one core
  volvelle multicore app.elf --machine paper-quad-8 --predictor gag-14,perceptron-8,tage,oracle -- ARGUMENTS
  volvelle multicore app.elf --machine paper-quad-8 --const cores=1,2,4,8 --plot ipc.svg --plot-stack stack.svg
  volvelle multicore app.elf --windows 50 --window 100000 --precision 1% -- ARGUMENTS
  volvelle multicore app.elf --const cores=1,2,4,8,width=2,4 --minimize units --constraint 'ipc >= 2'
  volvelle multicore app.elf --only program -- ARGUMENTS         its output, what it executes, hashes
  volvelle multicore app.elf --only predictors --budget 4K,32K   equal budgets
  volvelle multicore accesses.tsv --only caches --const cores=4,protocol=mesi
  volvelle multicore app.elf --record app.vtr -- ARGUMENTS       keep the execution; app.champsim.xz for ChampSim
  volvelle multicore study.toml --csv grid.csv                   programs x machines x predictors
  volvelle multicore study.toml --html report.html               the same as a page with pictures
  volvelle multicore app.elf --machine paper-quad-8 --predictor tage --export-model model.prism   what if: a queueing model

Machines: paper, paper-{single,dual,quad,octa}-{4,8,16}, or a file in TOML.
Keys: cores tasks_per_core task_length selection width alus load_store caches miss upgrade forward squash group protocol mode
  targets returns wrong_targets placement reorder_buffer forward_bus training history wrong_path younger memory_order
  l1d.{size,ways,block,policy} l1i.{...} l2.{...,memory} latency.{alu,mul,div,fp,load,store,branch,jump}.
Predictors: oracle always-taken never-taken bimodal-12 gag-14 gshare-14 pag-10 tournament-12 perceptron-8
  perceptron-8-by-address hashed tage tage-sc-l, or a file in TOML.

Exit codes: 0 everything was computed, 2 bad usage or an error in the input, 3 a limit was reached.")]
pub struct SimulateMulticore {
    /// A static RISC-V program, a trace, a stream as text, or a study in TOML
    #[arg(value_name = "FILE")]
    pub source: PathBuf,

    /// Arguments of the program
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<String>,

    /// Machines: names, or files in TOML; separated by commas [default: paper]
    #[arg(long, value_name = "MACHINES", value_delimiter = ',')]
    pub machine: Vec<String>,

    /// Values for keys of all machines, separated by commas; may be repeated. A range (cores=1:4) or a list (cores=1,2,4,protocol=mesi)
    /// gives a machine for each value, and several of them are combined
    #[arg(short, long = "const", value_name = "KEY=VALUES,...")]
    pub constants: Vec<String>,

    /// Predictors: names, or files in TOML; separated by commas [default: gag-14,perceptron-8]
    #[arg(long, value_name = "PREDICTORS", value_delimiter = ',')]
    pub predictor: Vec<String>,

    /// Scale all predictors to so many bytes of tables (several: 4K,32K)
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    pub budget: Vec<String>,

    /// Simulate so many windows, spread over the program, instead of all of it; caches and predictors follow the program between them
    /// [default: 30, if --window, --warm-up or --precision is given]
    #[arg(long, value_name = "NUMBER")]
    pub windows: Option<String>,

    /// Instructions of a window [default: 100000]
    #[arg(long, value_name = "NUMBER")]
    pub window: Option<String>,

    /// Instructions before each window that are simulated but do not count [default: 10000]
    #[arg(long, value_name = "NUMBER")]
    pub warm_up: Option<String>,

    /// Take more windows until each IPC is known as precisely as this, with 95 % confidence: 1%, 0.005
    #[arg(long, value_name = "SHARE")]
    pub precision: Option<String>,

    /// What is sought.
    #[command(flatten)]
    pub goal: MulticoreGoal,

    /// Do only a part of the work
    #[arg(long, value_name = "PART", value_enum)]
    pub only: Option<MulticorePart>,

    /// Record what is executed, and do nothing else: .vtr, or .champsim; with .xz behind it, compressed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["only", "machine", "constants", "predictor", "budget", "csv", "csv_branches", "plot", "plot_stack", "timeline", "branches", "windows", "window", "warm_up", "precision", "html", "minimize", "maximize", "constraint", "strategy", "export_model"])]
    pub record: Option<PathBuf>,

    /// Let the program write files; what it writes appears when it has ended
    #[arg(long)]
    pub write: bool,

    /// Show how so many instructions at the beginning go through the machine
    #[arg(long, value_name = "NUMBER")]
    pub timeline: Option<String>,

    /// Show so many branches that are mispredicted most, and so many blocks with most coherence misses
    #[arg(long, value_name = "NUMBER")]
    pub branches: Option<String>,

    /// Write a table with one line per branch as well (- is standard output)
    #[arg(long, value_name = "FILE")]
    pub csv_branches: Option<PathBuf>,

    /// Draw instructions per cycle, a bar for each machine and predictor. The extension selects the format: .svg, .pdf, .png, or
    /// .html. Several files are separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub plot: Vec<PathBuf>,

    /// Draw where the cycles go, a stack for each machine and predictor. Several files are separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub plot_stack: Vec<PathBuf>,

    /// Write a queueing model of the only machine and predictor as a CTMC for `volvelle check`, with measured parameters, and compute its
    /// IPC (- is standard output)
    #[arg(long, value_name = "FILE")]
    pub export_model: Option<PathBuf>,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes; the table has a line for each program, machine and predictor.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// What is to be chosen from many machines and predictors.
#[derive(Args, Debug)]
pub struct MulticoreGoal {
    /// Choose the machine and predictor with the least of this: ipc, cycles, mpki, wrong, bits, units, cores, width, or an expression
    #[arg(long, value_name = "QUANTITY", conflicts_with = "maximize", help_heading = "Choice")]
    pub minimize: Option<String>,

    /// Choose the machine and predictor with the most of this [default: ipc, if --constraint or --strategy is given]
    #[arg(long, value_name = "QUANTITY", help_heading = "Choice")]
    pub maximize: Option<String>,

    /// Choose only among those with this: 'ipc >= 4', 'bits <= 32768 && units <= 16'
    #[arg(long, value_name = "CONDITION", help_heading = "Choice")]
    pub constraint: Vec<String>,

    /// Do not compute all, but try what promises most, by the strategies of `volvelle tune`
    #[arg(long, value_name = "STRATEGY", value_parser = volvelle_tune::strategy::NAMES, help_heading = "Choice")]
    pub strategy: Option<String>,

    /// How many a strategy tries [default: 100]
    #[arg(long, value_name = "NUMBER", requires = "strategy", help_heading = "Choice")]
    pub evaluations: Option<String>,

    /// Seed of a strategy
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "strategy", help_heading = "Choice")]
    pub seed: u64,
}

/// Parts of the work.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MulticorePart {
    /// Run the program: its output, what it executes, hashes
    Program,
    /// Predict, without cycles
    Predictors,
    /// Caches under a stream of accesses, without cycles
    Caches,
}
