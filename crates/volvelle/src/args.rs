//! Commands and their options. Options that several commands share are one struct each.

use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
mod campaign;
mod elsewhere;
mod systems;
mod weighted;

pub use campaign::*;
pub use elsewhere::option_of_another_command;
pub use systems::*;
pub use volvelle_console::options::*;
pub use weighted::*;

/// Joins an option whose value may be left out with a number that follows it: `--witness 5` is `--witness=5`, but in
/// `--witness model.prism` the model is no value.
pub fn with_joined_values(words: Vec<OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::with_capacity(words.len());
    for word in words {
        let is_number =
            word.to_str().is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
        match joined.last_mut() {
            Some(last) if is_number && last == "--witness" => {
                last.push("=");
                last.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

/// Check properties of a model; every answer states its guarantee
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle check dice.prism dice.props                    every property of the file
  volvelle check dice.prism dice.props --prop p1          by name
  volvelle check dice.prism dice.props --prop '#3'        by number
  volvelle check dice.prism --prop 'P=? [ F d=6 ]'        as text
  volvelle check cluster.prism cluster.props --const N=64,T=2000 --prop qos1 --json
  volvelle check queue.prism queue.props --const T=0:10:200 --plot full.svg
  volvelle check queue.prism --prop 'S=? [ \"full\" ]' --const rate=0.1,0.2,0.5 --csv -
  volvelle check queue.prism --find N=1:1000 --such-that 'P<0.01 [ F<=60 \"full\" ]'
  volvelle check queue.prism --transient 10 --by 'min(q, 5)'
  volvelle check dice.prism --prop 'P<=0.1 [ F d=6 ]' --witness
  volvelle check maze.prism --prop 'Pmax=? [ F x=9 ]' --export-scheduler best.txt
  volvelle check maze.prism --prop 'Pmax=? [ F<=8 x=9 ]' --export-induced chain.umb
  volvelle check maze.prism --prop 'P=? [ F x=7 ]' --scheduler best.txt
  volvelle check protocol.pml                             assertions, end states, all claims
  volvelle check protocol.aut --mcl '[true* . \"SEND\"] <true* . \"RECV\"> true'
  volvelle check protocol.pml --ltl '[] (req -> <> ack)'
  volvelle check system.wks --wctl 'E(p U[2,5] q)'        weighted CTL
  volvelle check protocol.pml --html found.html           a page, with a message sequence chart
  volvelle check protocol.pml --trail t.json              save the counterexample, then replay it:
  volvelle simulate protocol.pml --trail t.json

Exit codes: 0 all results were computed and no property is false, 1 a property is false, 2 bad usage
or an error in the input, 3 a limit was reached or the run was interrupted.")]
pub struct Check {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub asked: AskedArgs,

    /// Write a table of values and bounds, one line per point (- is standard output)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Draw the values over a range of a constant, one line per property, with their bounds. The extension
    /// selects the format: .svg, .pdf, .png, or .html, which shows the values under the pointer. Several files are
    /// separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub plot: Vec<PathBuf>,

    /// Use a logarithmic scale for these axes of --plot
    #[arg(long, value_name = "AXES", value_enum)]
    pub log_axes: Option<LogAxes>,

    /// Show the value in every state (all of them with --json and --csv)
    #[arg(long)]
    pub states: bool,

    #[command(flatten)]
    pub find: FindArgs,

    #[command(flatten)]
    pub distribution: DistributionArgs,

    /// Report which engines, methods and data structures were chosen, and why
    #[arg(long)]
    pub explain: bool,

    /// Show the most probable path to the target, or with a number that many paths; for a violated bound also
    /// show a critical subsystem
    #[arg(long, value_name = "PATHS", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub witness: Option<u32>,

    /// Write an optimal scheduler of an mdp, with the text of the commands that it takes: as JSON, CSV or graph if the
    /// extension is .json, .csv or .dot, otherwise as a table
    #[arg(long, value_name = "FILE", aliases = ["export-strategy", "export-policy"])]
    pub export_scheduler: Option<PathBuf>,

    /// Write the Markov chain that the optimal scheduler makes of an mdp. Files are separated by commas; the extension
    /// of each selects its format, as for `explore --export`
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub export_induced: Vec<PathBuf>,

    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    #[command(flatten)]
    pub search: SearchArgs,

    /// Check a formula of the mu-calculus on the labelled transition system of the model, in the syntax of MCL or
    /// mCRL2 (without data); or the name of a file with the formula; may be repeated
    #[arg(long, value_name = "FORMULA", help_heading = "Labels", allow_hyphen_values = true)]
    pub mcl: Vec<String>,

    #[command(flatten)]
    pub labels: LabelArgs,

    #[command(flatten)]
    pub weighted: WeightedArgs,

    #[command(flatten)]
    pub weighting: WeightingArgs,

    #[command(flatten)]
    pub numeric: NumericArgs,

    #[command(flatten)]
    pub verify: VerifyArgs,

    #[command(flatten)]
    pub devices: DeviceArgs,

    /// Explore all states. By default, exploration stops in states in which all properties are decided, and for
    /// formulas of the mu-calculus once all of them are
    #[arg(long, help_heading = "State space")]
    pub full_space: bool,

    /// Omit choices of an mdp that others represent (partial-order reduction). All properties must be
    /// probabilities of path formulas without X and without bounds
    #[arg(long, help_heading = "State space", conflicts_with = "full_space")]
    pub reduce: bool,

    #[command(flatten)]
    pub building: BuildingArgs,

    #[command(flatten)]
    pub part: PartOfRunArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub page: PageArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Show the parts of a model: constants, variables, modules, actions, rewards, labels, claims
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle info queue.prism
  volvelle info queue.prism queue.props --const N=10
  volvelle info protocol.pml")]
pub struct Info {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Property files
    #[arg(value_name = "PROPERTIES")]
    pub properties: Vec<PathBuf>,

    /// Define a macro for the preprocessor (Promela): NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    #[command(flatten)]
    pub limits: BriefLimitArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Build the state space of a model: count its states, and export it for other tools
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle explore queue.prism --const N=10
  volvelle explore queue.prism --const N=10 --export queue.tra,queue.sta,queue.lab
  volvelle explore queue.umb --export queue.drn           convert an explicit model
  volvelle explore network.exp --export system.aut        the product of transition systems

Export formats, by extension (Promela models: all except rewards; networks: .aut and .dot):
  .umb   everything, for PRISM, Storm and Modest
  .drn   everything, for Storm
  .pexp  everything, for PRISM
  .tra   transitions, for PRISM
  .sta   variable values, for PRISM
  .lab   labels, for PRISM
  .srew  state rewards, one file per structure, for PRISM
  .trew  transition rewards, one file per structure, for PRISM
  .aut   labelled transition system, for CADP and mCRL2
  .dot   graph, for Graphviz")]
pub struct Explore {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Files to write, separated by commas; the extension of each selects its format
    #[arg(short, long, value_name = "FILES", value_delimiter = ',')]
    pub export: Vec<PathBuf>,

    /// Define a macro for the preprocessor (Promela): NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    /// Explore one representative of the states that differ only by a permutation of interchangeable modules
    #[arg(long, help_heading = "State space")]
    pub symmetry: bool,

    #[command(flatten)]
    pub weighting: WeightingArgs,

    #[command(flatten)]
    pub building: BuildingArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub page: PageArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Estimate properties from sampled paths, with confidence intervals; or run a Promela model step by step
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle simulate queue.prism queue.props               an interval for every property of the file
  volvelle simulate queue.prism --prop 'P=? [ F<=T \"full\" ]' --const T=10 --samples 1e6 --seed 7
  volvelle simulate queue.prism queue.props --const T=0:10:200 --plot full.svg
  volvelle simulate queue.prism --prop 'P=? [ F<=9 \"full\" ]' --width 1e-3 --confidence 0.99
  volvelle simulate queue.prism --prop 'P>=0.9 [ F<=9 \"full\" ]' --method sprt --indifference 1e-3
  volvelle simulate protocol.pml                          a random run
  volvelle simulate protocol.pml --seed 3 --steps 50      another one, shorter
  volvelle simulate protocol.pml --interactive            choose each step
  volvelle simulate protocol.pml --trail t.json           replay a trail of `check --trail t.json`

Exit codes: 0 no error was found, 1 a property is false (Promela: the run violated an assertion or
ended in an invalid end state), 2 bad usage, an error in the input, or a trail that does not match
the model, 3 a limit was reached or the run was interrupted.")]
pub struct Simulate {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub asked: AskedArgs,

    /// Seed of the random choices: the same seed gives the same paths
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    #[command(flatten)]
    pub sampling: SamplingArgs,

    #[command(flatten)]
    pub devices: DeviceArgs,

    #[command(flatten)]
    pub run: RunArgs,

    /// Write a table of values and intervals, one line per point (- is standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,

    /// Draw the values over a range of a constant, with confidence intervals, as .svg, .pdf, .png or .html
    #[arg(long, value_name = "FILES", value_delimiter = ',', help_heading = "Output")]
    pub plot: Vec<PathBuf>,

    /// Use a logarithmic scale for these axes of --plot
    #[arg(long, value_name = "AXES", value_enum, help_heading = "Output")]
    pub log_axes: Option<LogAxes>,

    /// Report which code runs the paths, and why
    #[arg(long, help_heading = "Output")]
    pub explain: bool,

    /// Print the code that would run the paths, without running it
    #[arg(long, value_name = "FORM", value_enum, help_heading = "Output")]
    pub print_code: Option<EmitName>,

    #[command(flatten)]
    pub part: PartOfRunArgs,

    /// For a stopping rule that looks at all samples: the paths of this round, as `volvelle merge` has written them
    #[arg(long, value_name = "FILE", requires = "shard", help_heading = "Parts of a run")]
    pub round: Option<PathBuf>,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub page: PageArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// List the devices of this machine, and the technologies that can use them
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

/// How paths are sampled.
#[derive(Args, Debug)]
#[command(next_help_heading = "Sampling")]
pub struct SamplingArgs {
    /// The stopping rule, which also determines what the result guarantees
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = SamplingName::Auto)]
    pub method: SamplingName,

    /// Number of paths; with --width, the maximum [default: 1e5]
    #[arg(long, value_name = "NUMBER")]
    pub samples: Option<String>,

    /// Confidence level of intervals
    #[arg(long, value_name = "PROBABILITY", default_value = "0.99")]
    pub confidence: String,

    /// Half-width that the interval must reach
    #[arg(long, value_name = "WIDTH")]
    pub width: Option<String>,

    /// Interpret --width as relative to the value
    #[arg(long, requires = "width")]
    pub relative: bool,

    /// Tests: probability of rejecting a property that holds
    #[arg(long, value_name = "PROBABILITY", default_value = "1e-3")]
    pub alpha: String,

    /// Tests: probability of accepting a property that does not hold
    #[arg(long, value_name = "PROBABILITY", default_value = "1e-3")]
    pub beta: String,

    /// Tests: distance from the bound within which either answer is acceptable
    #[arg(long, value_name = "WIDTH")]
    pub indifference: Option<String>,

    /// Estimate the probability of a rare event by importance splitting, with about --samples paths [default: 1e6]
    #[arg(long)]
    pub rare: bool,

    /// Maximum number of steps of a path; a path that is still undecided then is an error
    #[arg(long, value_name = "NUMBER", default_value = "1e7")]
    pub max_path_length: String,

    /// Random number generator: xoshiro128++ or philox
    #[arg(long, value_name = "NAME", default_value = "xoshiro128++")]
    pub rng: String,

    /// The code that runs the paths
    #[arg(long, value_name = "TIER", value_enum, default_value_t = TierName::Auto)]
    pub tier: TierName,
}

/// A form of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EmitName {
    /// OpenCL C
    #[value(name = "kernel.cl")]
    OpenCl,
    /// CUDA C
    #[value(name = "kernel.cu")]
    Cuda,
    /// The kernel IR, from which all code is generated
    #[value(name = "kernel.vk")]
    Kernel,
    /// Machine code for this machine
    Asm,
}

/// The rule that ends sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SamplingName {
    /// ci, or sprt for bounds with --indifference
    Auto,
    /// Confidence interval: Clopper-Pearson for probabilities, Student's t for rewards
    Ci,
    /// Fixed number of paths from Okamoto's bound, for --width
    Apmc,
    /// Fixed number of paths from Massart's bound, for --width
    Massart,
    /// Wald's sequential probability ratio test, for properties with a bound
    Sprt,
    /// The Bayes-factor test, for properties with a bound
    Bayes,
    /// Sequential: until the interval is as narrow as --width (Chow and Robbins)
    ChowRobbins,
    /// Sequential: until the relative error is guaranteed to be below --width (EBStop)
    Ebstop,
}

/// The code that runs paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TierName {
    /// The fastest, as measured during the run
    Auto,
    /// The reference interpreter
    Interpreter,
    /// Machine code, one path at a time
    Scalar,
    /// Machine code for many paths at once (AVX2, AVX-512)
    Vector,
}

/// A single run of processes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Promela models")]
pub struct RunArgs {
    /// Stop after this many steps: 500 or 1e6 [default: 1000]
    #[arg(long, value_name = "NUMBER")]
    pub steps: Option<String>,

    /// Choose each step from a list, by its number on standard input
    #[arg(short, long, conflicts_with_all = ["seed", "trail"])]
    pub interactive: bool,

    /// Replay a counterexample written by `check --trail`, or a SPIN `.trail` file
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub trail: Option<PathBuf>,

    /// Define a macro for the preprocessor: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,
}

/// Explain a diagnostic: its meaning, an example, and how to resolve it
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

/// Write manual pages, one for the program and one for each command
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
