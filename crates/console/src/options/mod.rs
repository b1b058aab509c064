//! Options that several commands share, and the words that they take.

mod answer;
mod part;
mod weighting;

pub use answer::AnswerArgs;
pub use part::PartOfRunArgs;
pub use weighting::WeightingArgs;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The model.
#[derive(Args, Debug)]
pub struct ModelArgs {
    /// Model file; its extension or first word selects the language (- reads standard input)
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// The language of the model, if neither the extension nor the first word of the file identifies it
    #[arg(long, value_name = "LANGUAGE", value_parser = languages())]
    pub language: Option<String>,

    /// Values for constants, separated by commas; may be repeated. `check` and `simulate` also take ranges
    /// (T=0:50, or T=0:10:200 with the step in the middle) and lists (p=0.1,0.2,0.5), and combine them;
    /// the last constant changes fastest
    #[arg(short, long = "const", value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub constants: Vec<String>,

    /// Read a model in the PRISM language or a .tra file as this kind of model, whatever the file says
    #[arg(long = "as", value_name = "KIND")]
    pub read_as: Option<KindArg>,

    /// Warn about probabilities that do not sum to one instead of refusing the model
    #[arg(long)]
    pub no_probability_check: bool,

    /// Files beside it.
    #[command(flatten)]
    pub parts: PartArgs,
}

/// The kinds that a model may be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// Discrete-time Markov chain: choices are made at random, all with the same probability
    Dtmc,
    /// Continuous-time Markov chain: the numbers are rates
    Ctmc,
    /// Markov decision process: choices are made by a scheduler
    Mdp,
}

/// The heading of [`PartArgs`] in the help. A heading per argument, since that of a group would also stand over the
/// arguments that follow the group.
const PARTS: &str = "Explicit models (.tra)";

/// Files that belong to an explicit model.
#[derive(Args, Debug, Default)]
pub struct PartArgs {
    /// Label file [default: the model's name with .lab]
    #[arg(long, value_name = "FILE", help_heading = PARTS)]
    pub labels: Option<PathBuf>,

    /// File with the values of variables [default: the model's name with .sta]
    #[arg(long, value_name = "FILE", help_heading = PARTS)]
    pub state_values: Option<PathBuf>,

    /// Observation file [default: the model's name with .obs]
    #[arg(long, value_name = "FILE", help_heading = PARTS)]
    pub observations: Option<PathBuf>,

    /// State reward files, one per structure [default: the model's name with .srew]
    #[arg(long, value_name = "FILES", value_delimiter = ',', help_heading = PARTS)]
    pub state_rewards: Vec<PathBuf>,

    /// Transition reward files, one per structure [default: the model's name with .trew]
    #[arg(long, value_name = "FILES", value_delimiter = ',', help_heading = PARTS)]
    pub transition_rewards: Vec<PathBuf>,
}

/// The properties.
#[derive(Args, Debug)]
pub struct AskedArgs {
    /// Property files
    #[arg(value_name = "PROPERTIES")]
    pub properties: Vec<PathBuf>,

    /// A property by name, by number, or as text; may be repeated [default: all properties of the files].
    /// For a Promela model: a claim by name [default: all claims], or an LTL formula
    #[arg(short, long = "prop", value_name = "PROPERTY", allow_hyphen_values = true)]
    pub prop: Vec<String>,
}

/// A threshold to find.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Thresholds")]
pub struct FindArgs {
    /// Find the least value of a constant for which the property of --such-that holds. Write values as for
    /// --const: N=1:1000, p=0.05:0.05:0.95, N=1,2,4,8. Uses bisection; the answer states its assumptions
    #[arg(long, value_name = "NAME=VALUES", requires = "such_that", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["prop", "plot", "states", "witness", "export_scheduler", "export_induced", "scheduler"])]
    pub find: Option<String>,

    /// The property for --find, by name, by number, or as text: 'P<0.01 [ F "full" ]'
    #[arg(long, value_name = "PROPERTY", allow_hyphen_values = true)]
    pub such_that: Option<String>,

    /// Find the greatest value instead of the least
    #[arg(long)]
    pub greatest: bool,

    /// Evaluate every value instead of assuming that the property is monotone in the constant
    #[arg(long)]
    pub every_value: bool,
}

/// Distributions over states.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Distributions")]
pub struct DistributionArgs {
    /// Compute the distribution over states at these times (steps for a dtmc): 2.5, or 1,2,5, or 0:0.5:10
    #[arg(long, value_name = "TIMES", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["prop", "plot", "states", "witness", "export_scheduler", "export_induced", "scheduler", "find", "exact"])]
    pub transient: Option<String>,

    /// Compute the long-run (steady-state) distribution over states
    #[arg(long)]
    #[arg(conflicts_with_all = ["prop", "plot", "states", "witness", "export_scheduler", "export_induced", "scheduler", "find", "exact"])]
    pub steady_state: bool,

    /// Add up the probabilities of states in which these expressions have equal values: 'min(q, 3), open'
    #[arg(long, value_name = "EXPRESSIONS", allow_hyphen_values = true)]
    pub by: Vec<String>,
}

/// The names of languages, with their titles.
fn languages() -> PossibleValuesParser {
    let languages = volvelle_session::language::FRONT_ENDS.iter();
    PossibleValuesParser::new(languages.map(|l| PossibleValue::new(l.name()).help(l.title())))
}

/// How the state space is built.
#[derive(Args, Debug)]
#[command(next_help_heading = "State space")]
pub struct BuildingArgs {
    /// Treat states without transitions as an error instead of adding a self-loop
    #[arg(long)]
    pub no_fix_deadlocks: bool,

    /// Evaluate the model with the reference interpreter instead of native code
    #[arg(long)]
    pub interpreter: bool,
}

/// How numbers are computed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Numbers")]
pub struct NumericArgs {
    /// Compute with exact fractions instead of floating-point numbers; for models of moderate size
    #[arg(long, conflicts_with_all = ["precision", "absolute", "method", "epsilon", "omega"])]
    pub exact: bool,

    /// Width that the interval must reach, relative to the value [default: 1e-6]
    #[arg(long, value_name = "WIDTH")]
    pub precision: Option<String>,

    /// Interpret --precision and --epsilon as absolute instead of relative
    #[arg(long)]
    pub absolute: bool,

    /// Exit with code 3 if the bounds are wider than --precision
    #[arg(long)]
    pub strict_precision: bool,

    /// How to solve systems of equations
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = MethodName::Auto)]
    pub method: MethodName,

    /// Maximum number of sweeps of an iterative method [default: 1e6]
    #[arg(long, value_name = "NUMBER")]
    pub max_iterations: Option<String>,

    /// Classical methods stop when two iterates differ by less than this [default: 1e-6]
    #[arg(long, value_name = "DIFFERENCE")]
    pub epsilon: Option<String>,

    /// Relaxation factor of the methods jor and sor [default: 0.9]
    #[arg(long, value_name = "FACTOR")]
    pub omega: Option<String>,

    /// How transient analysis of a ctmc detects a steady state
    #[arg(long, value_name = "HOW", value_enum, default_value_t = SteadyStateName::Sound)]
    pub steady_state_detection: SteadyStateName,

    /// When to merge states that the property cannot distinguish
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = BisimulationName::Auto)]
    pub bisimulation: BisimulationName,
}

/// How numerical values are verified.
#[derive(Args, Debug)]
#[command(next_help_heading = "Verification by simulation")]
pub struct VerifyArgs {
    /// Which values to verify with simulated paths; without a value, `always`
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = VerifyName::EarlyStop)]
    #[arg(num_args = 0..=1, default_missing_value = "always")]
    pub verify: VerifyName,

    /// Time for simulating paths, per value
    #[arg(long, value_name = "TIME", default_value = "1.5")]
    pub verify_time: String,

    /// Maximum number of paths per value, within the time of --verify-time [default: no limit]
    #[arg(long, value_name = "NUMBER")]
    pub verify_samples: Option<String>,

    /// Relative width that the 90 % interval of the paths should reach
    #[arg(long, value_name = "WIDTH", default_value = "1e-2")]
    pub verify_width: String,

    /// Recompute values that are probably wrong, with a more careful method
    #[arg(long)]
    pub verify_repair: bool,

    /// Seed of the paths
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub verify_seed: u64,
}

/// Which values are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyName {
    /// Values of methods that stopped without a bound on the error
    EarlyStop,
    /// These, and all quantitative results (=?) of methods without bounds
    Auto,
    /// All quantitative results (=?)
    Quantitative,
    /// All results
    Always,
    /// No result
    Never,
}

/// Whether equivalent states are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BisimulationName {
    /// Before transient analyses with very many steps
    Auto,
    /// Always
    Strong,
    /// Never
    Off,
}

/// How systems of equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Chosen for each component of the model; with bounds
    Auto,
    /// Iteration whose result is verified; with bounds
    Verified,
    /// State elimination, for an mdp within policy iteration; with bounds
    Elimination,
    /// Classical value iteration
    ValueIteration,
    /// The power method: value iteration on a chain
    Power,
    /// Jacobi's method
    Jacobi,
    /// Jacobi's method with over-relaxation
    Jor,
    /// The Gauss-Seidel method
    GaussSeidel,
    /// The Gauss-Seidel method with over-relaxation
    Sor,
    /// Policy iteration; policies are evaluated by Gauss-Seidel
    PolicyIteration,
}

/// How transient analysis notices a steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SteadyStateName {
    /// When bounds prove that further steps do not change the result
    Sound,
    /// When one step changes little, as in PRISM; no bounds
    Prism,
    /// Never
    Off,
}

/// How states are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SearchName {
    /// Breadth first, and beside it depth first for errors deep down: the first error of either
    #[default]
    Auto,
    /// Breadth first on all cores, with shortest counterexamples
    Bfs,
    /// Depth first, in the order of the model
    Dfs,
    /// Depth first, with a few bits per state; may miss states
    Bitstate,
    /// Depth first, with 64 bits per state; may miss states
    HashCompact,
    /// Many small searches in random orders on all cores, until --timeout if it is given; may miss states
    Swarm,
}

/// Searches: of Promela models, and of PRISM models for deadlocks and formulas.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Searches (Promela, and formulas on PRISM models)")]
pub struct SearchArgs {
    /// Check assertions and invalid end states only. For a PRISM model: deadlocks, and values out of range
    #[arg(long)]
    pub safety: bool,

    /// Check an LTL formula that all runs must satisfy, by a search that builds no more of the state space than it needs;
    /// may be repeated. A claim of a Promela model is selected by its name with --prop
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Vec<String>,

    /// Search for runs that pass an accept-state label infinitely often
    #[arg(long)]
    pub acceptance: bool,

    /// Search for infinite runs that pass progress-state labels only finitely often
    #[arg(long)]
    pub progress: bool,

    /// Consider only runs in which a process that can always move does move (weak fairness)
    #[arg(long)]
    pub fair: bool,

    /// Continue after errors: report one counterexample for each failing statement
    #[arg(long)]
    pub all_errors: bool,

    /// After the first error, go on until its counterexample is shortest; Ctrl-C or a limit ends with the shortest so far
    #[arg(long, conflicts_with = "all_errors")]
    pub shorten: bool,

    /// Write the first counterexample to a file, for `volvelle simulate --trail`; with the extension `.trail`, for `spin -t -k`
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Disable partial-order reduction: explore all orders of steps, even of steps that commute
    #[arg(long)]
    pub no_reduction: bool,

    /// Explore one representative of the states that differ only by a permutation of interchangeable processes or
    /// modules
    #[arg(long)]
    pub symmetry: bool,

    /// How to search for violated assertions and invalid end states
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    pub search: SearchName,

    /// Maximum depth of a search, in steps: 10000 or 1e4
    #[arg(long, value_name = "NUMBER")]
    pub max_depth: Option<String>,

    /// Define a macro for the preprocessor: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,
}

/// Limits of a run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Stop when states and numbers need more memory than this: bytes, or with K, M, G [default: 90 % of the free memory]
    #[arg(long, value_name = "AMOUNT")]
    pub max_memory: Option<String>,

    /// Stop after this time: seconds, or with ms, s, m, h
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,

    /// Stop when the model has more states than this: 1000000 or 1e6
    #[arg(long, value_name = "NUMBER")]
    pub max_states: Option<String>,

    /// Number of threads [default: all cores]
    #[arg(long, value_name = "NUMBER")]
    pub threads: Option<String>,
}

/// Limits of a run that has neither many states nor several threads.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct BriefLimitArgs {
    /// Stop when the process needs more memory than this: bytes, or with K, M, G [default: 90 % of the free memory]
    #[arg(long, value_name = "AMOUNT")]
    pub max_memory: Option<String>,

    /// Stop after this time: seconds, or with ms, s, m, h
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,
}

impl BriefLimitArgs {
    /// The same among all limits.
    pub fn all(&self) -> LimitArgs {
        LimitArgs {
            max_memory: self.max_memory.clone(),
            timeout: self.timeout.clone(),
            ..LimitArgs::default()
        }
    }
}

/// Pages.
#[derive(Clone, Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct PageArgs {
    /// Write everything as a self-contained HTML page: model, answers, bounds, plots, charts of runs, and how to
    /// repeat it (- is standard output)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// Output.
#[derive(Clone, Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,

    /// Show more details: memory, code tier, bounds
    #[arg(short, long)]
    pub verbose: bool,

    /// Print no report and no progress: only diagnostics, what a model prints, and what is asked for (--json, or - for a file)
    #[arg(short, long)]
    pub quiet: bool,
}

/// The scheduler of an mdp.
#[derive(Args, Debug)]
pub struct SchedulerArgs {
    /// Follow a scheduler of an mdp: `uniform` (all enabled choices are equally likely), or a file written by
    /// `check --export-scheduler`
    #[arg(long, value_name = "FILE")]
    pub scheduler: Option<PathBuf>,
}

/// Which devices do the work.
#[derive(Args, Debug)]
#[command(next_help_heading = "Devices")]
pub struct DeviceArgs {
    /// Devices to use, separated by commas, as `volvelle devices` lists them: threads, interpreter, opencl:0, cuda:0;
    /// or auto: threads, and graphics cards if they are faster
    #[arg(long, value_name = "NAMES", default_value = "auto")]
    pub device: String,

    /// A configuration file that selects devices, instead of --device (see docs/runtime.md)
    #[arg(long, value_name = "FILE", conflicts_with = "device")]
    pub device_config: Option<PathBuf>,
}

/// Axes of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogAxes {
    /// The horizontal axis: the constant
    X,
    /// The vertical axis: the values
    Y,
    /// Both
    Xy,
}

/// Pictures of an answer.
#[derive(Clone, Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct PlotArgs {
    /// Draw the values over a range of a constant, or over times, with their bounds. The extension selects the format: .svg, .pdf, .png, or
    /// .html, which shows the values under the pointer. Several files are separated by commas
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub plot: Vec<PathBuf>,

    /// Use a logarithmic scale for these axes of --plot
    #[arg(long, value_name = "AXES", value_enum)]
    pub log_axes: Option<LogAxes>,
}

/// Which labels transitions have.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Labels")]
pub struct LabelArgs {
    /// Rename labels that match: /PATTERN/REPLACEMENT/, a regular expression for whole labels; \1 to \9 stand for its groups. The first rule
    /// that matches a label counts
    #[arg(long, value_name = "RULE")]
    pub rename: Vec<String>,

    /// Hide labels, after renaming: 'P, Q' or 'all but P, Q', regular expressions for whole labels or their gates. Rates and
    /// probabilities stay
    #[arg(long, value_name = "LABELS")]
    pub hide: Option<String>,
}
