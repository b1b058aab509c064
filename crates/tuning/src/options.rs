//! Options of `volvelle tune`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::{AnswerArgs, LimitArgs, OutputArgs};

/// Find the fastest configuration of an OpenCL kernel, or of a Promela model
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle tune model.pml --minimize time --goal FIN --parameters WG,TS
  volvelle tune model.pml --minimize time --goal FIN --parameters WG,TS --all --plot heatmap.svg
  volvelle tune model.pml --minimize time --goal FIN --parameters WG,TS --search bisection
  volvelle tune model.pml --minimize time --goal FIN --parameters WG,TS --search swarm --timeout 60
  volvelle tune kernel.cl --platform platforms/p104-100.toml --size 2^20 --parameters WG,TS
  volvelle tune kernel.cl --measure --device opencl:0 --size 2^20 --parameters WG,TS

Exit codes: 0 the best configuration was found (proven, or as the method promises), 1 no run reaches
the goal, 2 bad usage or an error in the input, 3 a limit was reached or the run was interrupted.")]
pub struct Tune {
    /// Promela model, or OpenCL kernel (.cl); - reads a model from standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The parameters to choose, separated by commas: variables of the model, or macros of the kernel. A kernel's may have
    /// values: WG=2:64, TS=1,2,4
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    pub parameters: Vec<String>,

    /// Seed of random choices
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,

    /// Define a macro for the preprocessor: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    /// Options of models.
    #[command(flatten)]
    pub model: TuneModelArgs,

    /// Options of kernels.
    #[command(flatten)]
    pub kernel: TuneKernelArgs,

    /// Options of measuring.
    #[command(flatten)]
    pub measure: TuneMeasureArgs,

    /// Draw the table: a heat map over two parameters, a line over one. The extension selects the format: .svg, .pdf, .png or
    /// .html. Several files are separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',', help_heading = "Output")]
    pub plot: Vec<PathBuf>,

    /// Write the configurations with their times as a T4 results file, for the tools around Kernel Tuner
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub t4: Option<PathBuf>,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes; the table has a line for each configuration.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// What is minimised in a model, and how.
#[derive(Args, Debug)]
#[command(next_help_heading = "Promela models")]
pub struct TuneModelArgs {
    /// The cost: an integer expression over global variables that no step decreases
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub minimize: Option<String>,

    /// The goal: a condition over global variables
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub goal: Option<String>,

    /// How to search
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = TuneMethodName::BranchAndBound)]
    pub search: TuneMethodName,

    /// Compute the time of every configuration, also of those that cannot be best
    #[arg(long)]
    pub all: bool,

    /// Explore all interleavings, also of configurations for which one run is proven to stand for all of them
    #[arg(long)]
    pub no_confluence: bool,

    /// Explore all states: all orders of steps, also of those that commute, and states for which others stand (equal processes, clocks)
    #[arg(long)]
    pub no_reduction: bool,

    /// Evaluate the model with the reference interpreter instead of native code
    #[arg(long)]
    pub interpreter: bool,
}

/// How a search for the best configuration goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TuneMethodName {
    /// By time slices, configuration by configuration, up to the best time known; ends with a proof
    BranchAndBound,
    /// Lower the bound of an over-time property until no run finishes earlier; ends with a proof
    Bisection,
    /// Random runs until --timeout or --max-states; without a proof
    Swarm,
}

/// What a kernel runs on.
#[derive(Args, Debug)]
#[command(next_help_heading = "OpenCL kernels")]
pub struct TuneKernelArgs {
    /// Description of the device (TOML)
    #[arg(long, value_name = "FILE")]
    pub platform: Option<PathBuf>,

    /// Number of elements that the kernel processes: 4096, or 2^20
    #[arg(long, value_name = "EXPRESSION")]
    pub size: Option<String>,

    /// A condition on the parameters: 'WG*TS <= size'; may be repeated
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub constraint: Vec<String>,

    /// The kernel to tune, if the file has several
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,

    /// Write the model of the kernel: .pml
    #[arg(long, value_name = "FILE")]
    pub export_model: Option<PathBuf>,

    /// Let processing elements run on their own instead of in warps
    #[arg(long)]
    pub no_warps: bool,
}

/// How a kernel is measured.
#[derive(Args, Debug)]
#[command(next_help_heading = "Measuring kernels")]
pub struct TuneMeasureArgs {
    /// Compile and run the kernel; with --platform, compare with the prediction
    #[arg(long)]
    pub measure: bool,

    /// The device to measure on, as `volvelle devices` lists it [default: opencl:0]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,

    /// Maximum number of configurations to run
    #[arg(long, value_name = "NUMBER")]
    pub evaluations: Option<u64>,

    /// The order in which configurations are run: exhaustive, random, local, or guided by what is predicted and measured [default:
    /// exhaustive; with --evaluations guided]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,

    /// Keep measured times in this file, and reuse those that it has
    #[arg(long, value_name = "FILE")]
    pub measurements: Option<PathBuf>,

    /// Read the parameters, constraints and arguments from a T1 file
    #[arg(long, value_name = "FILE")]
    pub t1: Option<PathBuf>,

    /// Runs of each configuration after the warm-up [default: 7]
    #[arg(long, value_name = "NUMBER")]
    pub repetitions: Option<u32>,

    /// How long one configuration may take, from compiling to its last run: seconds, or with ms, s, m, h [default: 30]
    #[arg(long, value_name = "TIME")]
    pub kernel_timeout: Option<String>,
}

/// Measure a device, and write a platform for `volvelle tune --platform`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle calibrate -o this.toml
  volvelle calibrate --device opencl:1 -o gpu.toml
  volvelle tune kernel.cl --platform this.toml --size 2^20 --parameters WG,TS")]
pub struct Calibrate {
    /// The device to measure, as `volvelle devices` lists it [default: opencl:0]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,

    /// Write the platform to this file [default: standard output]
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Runs of each launch after the warm-up
    #[arg(long, value_name = "NUMBER", default_value_t = 7)]
    pub repetitions: u32,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// How the answer is shown.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Run kernels that standard input describes, for `volvelle tune --measure`
#[derive(Args, Debug)]
pub struct BenchKernels {
    /// The number of the OpenCL device
    #[arg(long, value_name = "NUMBER")]
    pub device: usize,
}
