//! Options that several commands share, and the words that they take.

mod answer;
mod building;
mod part;
mod relation;
mod shared;
mod weighting;

pub use answer::AnswerArgs;
pub use building::{BuildingArgs, DeadlockArgs, InterpreterArgs};
pub use part::PartOfRunArgs;
pub use relation::{RelationArg, RelationArgs};
pub use shared::{FullSpaceArgs, OtherArgs, ReducedArgs, SeedArgs};
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
    #[arg(hide_short_help = true, long, value_name = "LANGUAGE", value_parser = languages())]
    pub language: Option<String>,

    /// Values for constants, separated by commas; may be repeated. `check` and `simulate` also take ranges
    /// (T=0:50, or T=0:10:200 with the step in the middle) and lists (p=0.1,0.2,0.5), and combine them;
    /// the last constant changes fastest
    #[arg(short, long = "const", value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub constants: Vec<String>,

    /// Read a model in the PRISM language or a .tra file as this kind of model, whatever the file says
    #[arg(hide_short_help = true, long = "as", value_name = "KIND")]
    pub read_as: Option<KindArg>,

    /// Warn about probabilities that do not sum to one instead of refusing the model
    #[arg(hide_short_help = true, long)]
    pub no_probability_check: bool,

    /// Files beside it.
    #[command(flatten)]
    pub parts: PartArgs,
}

impl ModelArgs {
    /// Another model that is read in the same way; its language is told by itself.
    pub fn other(&self, model: PathBuf) -> ModelArgs {
        ModelArgs {
            model,
            language: None,
            constants: self.constants.clone(),
            read_as: self.read_as,
            no_probability_check: self.no_probability_check,
            parts: PartArgs::default(),
        }
    }
}

/// Whether the files are fixed before the question is asked.
#[derive(Args, Debug)]
pub struct FixArgs {
    /// Fix the model and the files of properties first: what is certain, or `all`. The changes are shown, and each file as
    /// it was stays beside it (FILE.orig); `show` shows the changes and writes nothing
    #[arg(
        hide_short_help = true,
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "certain"
    )]
    pub fix: Option<FixArg>,
}

/// Which fixes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FixArg {
    /// Those that are certainly what was meant
    Certain,
    /// The first one of every diagnostic
    All,
    /// Those that are certain, and only to look at
    Show,
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

    /// Those of them, or others.
    #[command(flatten)]
    pub selected: SelectedArgs,
}

/// Properties by name, or as text.
#[derive(Args, Debug)]
pub struct SelectedArgs {
    /// A property by name, by number, or as text; may be repeated [default: all properties of the files].
    /// For a Promela model: a claim by name [default: all claims], or an LTL formula
    #[arg(short, long = "prop", value_name = "PROPERTY", allow_hyphen_values = true)]
    pub prop: Vec<String>,
}

/// The names of languages, with their titles.
fn languages() -> PossibleValuesParser {
    let languages = volvelle_session::language::FRONT_ENDS.iter();
    PossibleValuesParser::new(languages.map(|l| PossibleValue::new(l.name()).help(l.title())))
}

/// Macros of a preprocessor.
#[derive(Args, Debug, Default)]
pub struct MacroArgs {
    /// Define a macro for the preprocessor (Promela): NAME or NAME=TEXT
    #[arg(hide_short_help = true, short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,
}

/// States that stand for others.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "State space")]
pub struct SymmetryArgs {
    /// Explore one representative of the states that differ only by a permutation of interchangeable processes or
    /// modules
    #[arg(hide_short_help = true, long)]
    pub symmetry: bool,
}

/// How the answer was found.
#[derive(Args, Clone, Debug, Default)]
pub struct ExplainArgs {
    /// Report which engines, methods and data structures were chosen, and why
    #[arg(hide_short_help = true, long)]
    pub explain: bool,
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
    #[arg(hide_short_help = true, short, long)]
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
    #[arg(hide_short_help = true, long, value_name = "FILE", conflicts_with = "device")]
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
    #[arg(hide_short_help = true, long, value_name = "AXES", value_enum)]
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
