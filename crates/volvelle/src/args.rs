//! Commands and their options. Options that several commands share are one struct each.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Quantitative verification of stochastic and parallel models, with guaranteed answers.
#[derive(Parser, Debug)]
#[command(
    name = "volvelle",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  volvelle check dice.prism dice.props
  volvelle check queue.prism --prop 'P=? [ F<=T \"full\" ]' --const N=10,T=60
  volvelle info queue.prism
  volvelle explain V0406

Exit codes: 0 everything was computed and holds, 1 a property is false, 2 bad usage or an error in
the input, 3 a limit was reached."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    Check(Box<Check>),
    Info(Info),
    Explore(Explore),
    Simulate(Box<Simulate>),
    Trace(Trace),
    Lint(Lint),
    Devices(ListDevices),
    Explain(Explain),
}

/// Check properties of a model: numbers and verdicts, each with its guarantee
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
  volvelle check dice.prism --prop 'P<=0.1 [ F d=6 ]' --witness
  volvelle check maze.prism --prop 'Pmax=? [ F x=9 ]' --export-scheduler best.txt
  volvelle check protocol.pml                             assertions, end states, every claim
  volvelle check protocol.pml --ltl '[] (req -> <> ack)'
  volvelle check protocol.pml --html found.html           with a message sequence chart
  volvelle check protocol.pml --trail t.json              then: volvelle simulate protocol.pml --trail t.json")]
pub struct Check {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub asked: AskedArgs,

    /// Write a table of values and bounds, a line for each point (- is standard output)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Draw the values of a range of constants: a line for each property. The ending chooses the
    /// format: .svg, .png, or .html with the values under the pointer
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,

    /// Show the value in every state (all of them with --json and --csv)
    #[arg(long, conflicts_with = "exact")]
    pub states: bool,

    /// Report which engines, methods and stores were chosen, and why
    #[arg(long)]
    pub explain: bool,
    /// Show the most probable path to the target, and which states suffice to break a bound
    #[arg(long)]
    pub witness: bool,

    /// Write an optimal scheduler of an mdp; a name that ends in .json chooses JSON, any other a table
    #[arg(long, value_name = "FILE")]
    pub export_scheduler: Option<PathBuf>,

    #[command(flatten)]
    pub search: SearchArgs,

    #[command(flatten)]
    pub numeric: NumericArgs,

    #[command(flatten)]
    pub verify: VerifyArgs,

    #[command(flatten)]
    pub devices: DeviceArgs,

    /// Explore all states. By default, exploration stops in states in which all properties are decided
    #[arg(long, help_heading = "State space")]
    pub full_space: bool,

    /// Leave out choices of an mdp that others stand for (partial-order reduction), where all properties are
    /// probabilities of formulas without X and bounds
    #[arg(long, help_heading = "State space", conflicts_with = "full_space")]
    pub reduce: bool,

    #[command(flatten)]
    pub building: BuildingArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Show what a model consists of: constants still open, variables, modules, actions, rewards, labels; of processes also
/// channels and claims
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle info queue.prism
  volvelle info queue.prism queue.props --const N=10
  volvelle info protocol.pml")]
pub struct Info {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Files of properties
    #[arg(value_name = "PROPERTIES")]
    pub properties: Vec<PathBuf>,

    /// Define a macro of a Promela model: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Build the state space: how large it is, and files for other tools
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle explore queue.prism --const N=10
  volvelle explore queue.prism --const N=10 --export queue.tra,queue.sta,queue.lab

Export formats, by the ending of the name:
  .umb  everything, for PRISM, Storm and Modest              .drn  everything, for Storm
  .tra  transitions           .srew  state rewards           .pexp  everything, for PRISM
  .sta  states                .trew  transition rewards      .aut  labelled transitions, for CADP and mCRL2
  .lab  labels                (one file per reward structure)
  .dot  picture, for Graphviz
Of processes (Promela): .aut and .dot. A model that is explicit itself is converted: volvelle explore a.umb -e b.drn")]
pub struct Explore {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Files to write; the ending of each chooses its format
    #[arg(short, long, value_name = "FILES", value_delimiter = ',')]
    pub export: Vec<PathBuf>,

    /// Define a macro of a Promela model: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    #[command(flatten)]
    pub building: BuildingArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Simulate: sample paths of a model of probabilities and say what they tell of properties; or run a model of processes
/// step by step
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle simulate queue.prism queue.props               an interval for every property of the file
  volvelle simulate queue.prism --prop 'P=? [ F<=T \"full\" ]' --const T=10 --samples 1e6 --seed 7
  volvelle simulate queue.prism queue.props --const T=0:10:200 --plot full.svg
  volvelle simulate queue.prism --prop 'P=? [ F<=9 \"full\" ]' --width 1e-3 --confidence 0.99
  volvelle simulate queue.prism --prop 'P>=0.9 [ F<=9 \"full\" ]' --method sprt --indifference 1e-3
  volvelle simulate protocol.pml                          a random run of processes
  volvelle simulate protocol.pml --seed 3 --steps 50      another one, shorter
  volvelle simulate protocol.pml --interactive            choose each step
  volvelle simulate protocol.pml --trail t.json           what `check --trail t.json` found

Exit codes: 0 the run went well, 1 a property is false (processes: a run violated an assertion or ended
where it must not), 2 bad usage, an error in the input, or a trail that does not fit, 3 a limit was
reached.")]
pub struct Simulate {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub asked: AskedArgs,

    /// Random choices: the same number gives the same paths
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

    /// Write a table of values and intervals, a line for each point (- is standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,

    /// Draw the values of a range of constants, with their intervals: .svg, .png or .html
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,

    /// Report which code runs the paths, and why
    #[arg(long, help_heading = "Output")]
    pub explain: bool,

    /// Write the code that would run the paths, and run none: as OpenCL C, as CUDA C, as the kernel that all code is made of,
    /// or as machine code
    #[arg(long, value_name = "FORM", value_enum, help_heading = "Output")]
    pub emit: Option<EmitName>,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Show one path of a model of probabilities, step by step: time, action, what changes, what is earned, and where properties
/// are decided
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle trace queue.prism --seed 7 --path 123456       until nothing leaves the state, at most 1000 steps
  volvelle trace queue.prism queue.props --path 12        path 12 of `volvelle simulate queue.prism queue.props`
  volvelle trace queue.prism --until 'jobs=3 & open'      until a condition holds
  volvelle trace queue.prism --interactive                choose each step
  volvelle trace queue.prism --csv path.csv               a table with all variables

Exit codes: 0 the path was shown, 2 bad usage, an error in the input or on the path.")]
pub struct Trace {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub asked: AskedArgs,

    /// Seed of all paths, as for `volvelle simulate`
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,

    /// Number of the path, from 0
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub path: u64,

    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    /// Continue until a condition holds ('x=3 & y>2'), or until nothing leaves the state (deadlock)
    /// [default: until all properties are decided]
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub until: Option<String>,

    /// Stop after this many steps: 500 or 1e6 [default: 1000]
    #[arg(long, value_name = "NUMBER")]
    pub steps: Option<String>,

    /// Choose each step from a list, by its number on standard input
    #[arg(short, long)]
    pub interactive: bool,

    /// Generator of random numbers: xoshiro128++ or philox
    #[arg(long, value_name = "NAME", default_value = "xoshiro128++")]
    pub rng: String,

    /// Write a table with all variables, a line for each state (- is standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub csv: Option<PathBuf>,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// The scheduler of an mdp.
#[derive(Args, Debug)]
pub struct SchedulerArgs {
    /// The scheduler of an mdp: uniform (all enabled choices are equally likely), or a file that
    /// `check --export-scheduler` wrote
    #[arg(long, value_name = "FILE")]
    pub scheduler: Option<PathBuf>,
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
    pub output: OutputArgs,
}

/// Which devices do the work.
#[derive(Args, Debug)]
#[command(next_help_heading = "Devices")]
pub struct DeviceArgs {
    /// Devices to use: threads, interpreter, opencl:0, cuda:0, several with commas between them, or auto: threads, and
    /// cards where that pays (`volvelle devices` lists them)
    #[arg(long, value_name = "NAMES", default_value = "auto")]
    pub device: String,

    /// A configuration that selects devices, in place of --device (docs/runtime.md)
    #[arg(long, value_name = "FILE", conflicts_with = "device")]
    pub device_config: Option<PathBuf>,
}

/// How paths are sampled.
#[derive(Args, Debug)]
#[command(next_help_heading = "Sampling")]
pub struct SamplingArgs {
    /// The rule that ends sampling, and its statement [default: ci, for bounds with --indifference sprt]
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = SamplingName::Auto, hide_possible_values = true)]
    pub method: SamplingName,

    /// Number of paths; with --width, the maximum [default: 1e5]
    #[arg(long, value_name = "NUMBER")]
    pub samples: Option<String>,

    /// Confidence of intervals
    #[arg(long, value_name = "PROBABILITY", default_value = "0.99")]
    pub confidence: String,

    /// Half of the width of the interval
    #[arg(long, value_name = "WIDTH")]
    pub width: Option<String>,

    /// Take --width as relative to the value
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

    /// Steps at which a path is given up
    #[arg(long, value_name = "NUMBER", default_value = "1e7")]
    pub max_path_length: String,

    /// Generator of random numbers: xoshiro128++ or philox
    #[arg(long, value_name = "NAME", default_value = "xoshiro128++")]
    pub rng: String,

    /// The code that runs the paths: interpreter, scalar, vector [default: the fastest]
    #[arg(long, value_name = "TIER", value_enum, default_value_t = TierName::Auto, hide_possible_values = true)]
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
    /// The kernel IR
    #[value(name = "kernel.vk")]
    Kernel,
    /// Machine code of this machine
    Asm,
}

/// The rule that ends sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SamplingName {
    /// An interval; for bounds with --indifference the ratio test
    Auto,
    /// An interval: by Clopper and Pearson for probabilities, Student's for rewards
    Ci,
    /// As many paths as Okamoto's bound asks for, for --width
    Apmc,
    /// As many as Massart's bound asks for, for --width
    Massart,
    /// Wald's sequential probability ratio test, for bounds
    Sprt,
    /// The Bayes-factor test, for bounds
    Bayes,
    /// Sequential, until the interval is as narrow as --width (Chow and Robbins)
    ChowRobbins,
    /// Sequential, until the relative error is below --width for certain (EBStop)
    Ebstop,
}

/// The code that runs paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TierName {
    /// The fastest
    Auto,
    /// The reference interpreter
    Interpreter,
    /// Native code, one path at a time
    Scalar,
    /// Code for many paths at once
    Vector,
}

/// A single run of processes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Processes (Promela)")]
pub struct RunArgs {
    /// Stop after this many steps: 500 or 1e6 [default: 1000]
    #[arg(long, value_name = "NUMBER")]
    pub steps: Option<String>,

    /// Choose each step from a list, by its number on standard input
    #[arg(short, long, conflicts_with_all = ["seed", "trail"])]
    pub interactive: bool,

    /// Follow a counterexample that `check --trail` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub trail: Option<PathBuf>,

    /// Show only what the model prints
    #[arg(short, long)]
    pub quiet: bool,

    /// Define a macro, as the preprocessor of C does: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,
}

/// Look for suspicious parts of a model of processes: dead statements, values that do not fit
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle lint protocol.pml

Exit codes: 0 there is nothing to say, 1 there are warnings, 2 an error, 3 a limit was reached.")]
pub struct Lint {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Define a macro, as the preprocessor of C does: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    #[command(flatten)]
    pub building: BuildingArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Explain a diagnostic: its meaning, an example, and how to resolve it
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle explain V0406
  volvelle explain            all codes, with a line each")]
pub struct Explain {
    /// Codes such as V0406; without one, all are listed
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
}

/// The model.
#[derive(Args, Debug)]
pub struct ModelArgs {
    /// File of the model; its ending or first word chooses the language (- reads standard input)
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// The language of the model, where neither the name nor the first word of the file tells it
    #[arg(long, value_name = "LANGUAGE", value_parser = languages())]
    pub language: Option<String>,

    /// Values for constants, several separated by commas; may be repeated. `check` also takes ranges
    /// (T=0:50, T=0:10:200 with the step in the middle) and lists (p=0.1,0.2,0.5): all combinations
    /// are checked, the last constant changing fastest
    #[arg(short, long = "const", value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub constants: Vec<String>,

    #[command(flatten)]
    pub parts: PartArgs,
}

/// Files that belong to an explicit model.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Explicit models (.tra)")]
pub struct PartArgs {
    /// Labels of an explicit model; the files of its parts are also found by themselves, beside the model and with
    /// its name: .lab .sta .obs .srew .trew
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,

    /// Values of variables in its states
    #[arg(long, value_name = "FILE")]
    pub state_values: Option<PathBuf>,

    /// Observations of its states
    #[arg(long, value_name = "FILE")]
    pub observations: Option<PathBuf>,

    /// Rewards of states, a file for each structure
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub state_rewards: Vec<PathBuf>,

    /// Rewards of transitions, a file for each structure
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub transition_rewards: Vec<PathBuf>,
}

/// The properties.
#[derive(Args, Debug)]
pub struct AskedArgs {
    /// Files of properties
    #[arg(value_name = "PROPERTIES")]
    pub properties: Vec<PathBuf>,

    /// A property by name, by number (#3), or as text; may be repeated. Without it, all properties
    /// of the files are taken
    #[arg(short, long = "prop", value_name = "PROPERTY", allow_hyphen_values = true)]
    pub prop: Vec<String>,
}

/// The names of languages, with their titles.
fn languages() -> PossibleValuesParser {
    let languages = volvelle_verify::language::FRONT_ENDS.iter();
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
    /// Compute with fractions instead of rounded numbers: exact answers, for models of moderate size
    #[arg(long, conflicts_with_all = ["precision", "absolute", "method", "epsilon", "omega"])]
    pub exact: bool,

    /// Relative width of the interval in which the value is to lie [default: 1e-6]
    #[arg(long, value_name = "WIDTH")]
    pub precision: Option<String>,

    /// Take --precision and --epsilon as absolute instead of relative
    #[arg(long)]
    pub absolute: bool,

    /// How systems of equations are solved
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = MethodName::Auto, hide_possible_values = true)]
    pub method: MethodName,

    /// Sweeps that an iterative method may make [default: 1e6]
    #[arg(long, value_name = "NUMBER")]
    pub max_iterations: Option<String>,

    /// Classical methods stop when two iterates differ by less than this [default: 1e-6]
    #[arg(long, value_name = "DIFFERENCE")]
    pub epsilon: Option<String>,

    /// Weight of over-relaxation in the methods jor and sor [default: 0.9]
    #[arg(long, value_name = "WEIGHT")]
    pub omega: Option<String>,

    /// How transient analysis of a ctmc notices a steady state
    #[arg(long, value_name = "HOW", value_enum, default_value_t = SteadyStateName::Sound, hide_possible_values = true)]
    pub steady_state_detection: SteadyStateName,

    /// Whether states that the property cannot distinguish are merged first
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = BisimulationName::Auto, hide_possible_values = true)]
    pub bisimulation: BisimulationName,
}

/// How numerical values are verified.
#[derive(Args, Debug)]
#[command(next_help_heading = "Verification by simulation")]
pub struct VerifyArgs {
    /// Which values are verified by simulated paths: early-stop, auto, quantitative, always, never; with the option alone,
    /// always
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = VerifyName::EarlyStop)]
    #[arg(num_args = 0..=1, default_missing_value = "always", hide_possible_values = true)]
    pub verify: VerifyName,

    /// Time for drawing paths, for each value
    #[arg(long, value_name = "TIME", default_value = "1.5")]
    pub verify_time: String,

    /// Relative width of the 90 % interval that the paths should reach
    #[arg(long, value_name = "WIDTH", default_value = "1e-2")]
    pub verify_width: String,

    /// Compute values that are probably wrong again, more carefully
    #[arg(long)]
    pub verify_repair: bool,

    /// Random choices of the paths: the same number gives the same paths
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub verify_seed: u64,
}

/// Which values are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyName {
    /// Those of methods that stopped without a bound on the error
    EarlyStop,
    /// Those, and quantitative results (=?) of methods without bounds
    Auto,
    /// All quantitative results (=?)
    Quantitative,
    /// All
    Always,
    /// None
    Never,
}

/// Whether equivalent states are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BisimulationName {
    /// Where very many steps of transient analysis remain
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
    /// State elimination, for an mdp policy iteration with it; with bounds
    Elimination,
    /// Classical value iteration
    ValueIteration,
    /// The power method: value iteration on a chain
    Power,
    /// Jacobi's method
    Jacobi,
    /// Jacobi's method with over-relaxation
    Jor,
    /// The method of Gauss and Seidel
    GaussSeidel,
    /// The same with over-relaxation
    Sor,
    /// Policy iteration; policies evaluated by Gauss-Seidel
    PolicyIteration,
}

/// How transient analysis notices a steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SteadyStateName {
    /// Where bounds show that the rest is known
    Sound,
    /// Where one step changes little, as PRISM does; no bounds
    Prism,
    /// Not at all
    Off,
}

/// How states are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SearchName {
    /// Breadth first on all cores, with shortest counterexamples
    #[default]
    Bfs,
    /// Depth first, in the order of the model
    Dfs,
    /// Depth first, with a few bits for each state; may overlook some
    Bitstate,
    /// Depth first, with 64 bits for each state; may overlook some
    HashCompact,
    /// Many small searches in random orders on all cores, until --timeout if it is given; may overlook states
    Swarm,
}

/// Searching models of processes (Promela).
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Processes (Promela)")]
pub struct SearchArgs {
    /// Check assertions and invalid end states only. Of a PRISM model: deadlocks, and values out of range
    #[arg(long)]
    pub safety: bool,

    /// A claim of the model by name, or an LTL formula; may be repeated. Without it, all claims are checked.
    /// Of a PRISM model: a formula that all runs have to satisfy, searched without the whole state space
    #[arg(long, value_name = "CLAIM", allow_hyphen_values = true)]
    pub ltl: Vec<String>,

    /// Look for runs that pass an accepting label for ever
    #[arg(long)]
    pub acceptance: bool,

    /// Look for runs without end that pass no progress label
    #[arg(long)]
    pub progress: bool,

    /// Only runs in which each process that can always move does move (weak fairness)
    #[arg(long)]
    pub fair: bool,

    /// Continue after errors: a counterexample for each line that fails
    #[arg(long)]
    pub all_errors: bool,

    /// Write the counterexample to a file, for `volvelle simulate --trail`; of several, the first
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Write verdicts and counterexamples as a page with message sequence charts
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Try all orders of steps, even where they commute
    #[arg(long)]
    pub no_reduction: bool,

    /// Search one state for all that differ by a permutation of interchangeable processes
    #[arg(long)]
    pub symmetry: bool,

    /// How to search for assertions and invalid end states. What is not exhaustive says so
    #[arg(long, value_name = "METHOD", default_value = "bfs")]
    pub search: SearchName,

    /// Do not go deeper than this many steps: 10000 or 1e4
    #[arg(long, value_name = "NUMBER")]
    pub max_depth: Option<String>,

    /// Define a macro, as the preprocessor of C does: NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,
}

/// Limits of a run.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Memory for states and numbers: bytes, or with K, M, G [default: nearly all that is free]
    #[arg(long, value_name = "AMOUNT")]
    pub max_memory: Option<String>,

    /// Stop after this time: seconds, or with ms, s, m, h
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,

    /// Stop when more states are found: 1000000 or 1e6
    #[arg(long, value_name = "NUMBER")]
    pub max_states: Option<String>,

    /// Threads to work with [default: all cores]
    #[arg(long, value_name = "NUMBER")]
    pub threads: Option<String>,
}

/// Output.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,

    /// Show more: memory, tier, method, bounds
    #[arg(short, long)]
    pub verbose: bool,
}
