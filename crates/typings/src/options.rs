//! Options of `rules` and `n4js`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::{AnswerArgs, BriefLimitArgs};

/// Check programs by a type system that is written as rules
///
/// A rule file declares judgments and rules, a grammar says what programs look like, or one of our languages: `language prism`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle rules check fj.rules program.fj            all checks of the system
  volvelle rules check fj.rules a.fj b.fj --trace     with all levels of each failure
  volvelle rules ask lambda.rules type program.l      one judgment about the whole program
  volvelle rules ask lambda.rules infer program.l --at 1:5 --trace
  volvelle rules check fj.rules a.fj --types=typed    and the type of each expression
  volvelle rules check units.rules model.prism        units of measure in a PRISM model
  volvelle rules check fj.rules                       only the rules themselves
  volvelle rules test cases                           all cases of a folder, and which rules they apply
  volvelle rules print fj.rules --latex fj.tex        the rules as on paper; --html FILE for a page

Exit codes: 0 all programs keep the rules, the judgment holds, or all cases are as expected; 1 one does not; 2 bad usage, or an error in the
rules, in the form of a program or in a file of cases; 3 a limit was reached.")]
pub struct AskRules {
    /// What is asked
    #[arg(value_enum, value_name = "QUESTION")]
    pub question: RulesQuestion,

    /// The rules; with `test`, a folder with cases, or a file
    #[arg(value_name = "SYSTEM")]
    pub system: PathBuf,

    /// Programs; with `ask`, a judgment and a program; with `test`, more folders
    #[arg(value_name = "PROGRAM")]
    pub programs: Vec<PathBuf>,

    /// With `ask`: of the innermost node at this place that the judgment is for [default: the whole program]
    #[arg(long, value_name = "LINE:COLUMN")]
    pub at: Option<String>,

    /// How rules are applied.
    #[command(flatten)]
    pub apply: ApplyArgs,

    /// With `check`: show what this judgment gives for each node [without a name: that for the most kinds of nodes]
    #[arg(long, value_name = "JUDGMENT", num_args = 0..=1, default_missing_value = "")]
    pub types: Option<String>,

    /// With `test`: write what was found as what is expected, where cases fail; the files before stay beside them
    #[arg(long)]
    pub bless: bool,

    /// With `print`: write the rules as LaTeX [without a file: to standard output]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub latex: Option<PathBuf>,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: BriefLimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How rules are applied to programs.
#[derive(Args, Debug)]
pub struct ApplyArgs {
    /// Show all levels of failures; with `ask` the derivation of what holds
    #[arg(long)]
    pub trace: bool,

    /// Apply rules again where a result is known
    #[arg(long)]
    pub no_cache: bool,

    /// Say how many rules were applied, and how many results were known
    #[arg(long)]
    pub statistics: bool,
}

/// Questions to a system of rules.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesQuestion {
    /// Whether programs keep the rules
    Check,
    /// Whether a judgment holds, and its outputs
    Ask,
    /// Whether cases are as expected
    Test,
    /// The rules as they are on paper
    Print,
}

/// Check programs in N4JS, JavaScript with types
///
/// Files that are checked together may import from each other.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle n4js check shop.n4js                   what types say about a program
  volvelle n4js check src                         all files of a folder, which import from each other
  volvelle n4js check src --json --types          for programs, with the type of each expression
  volvelle n4js check shop.n4js --trace           with all levels of each failure
  volvelle n4js check paper.n4js --syntax 2016    types before names, as in papers of 2016

Exit codes: 0 all types fit; 1 some do not; 2 bad usage, a file that cannot be read, or an error in the form of a program; 3 a limit was
reached.")]
pub struct AskN4js {
    /// What is asked
    #[arg(value_enum, value_name = "QUESTION")]
    pub question: N4jsQuestion,

    /// Programs (`.n4js`, `.n4jsd`, `.js`), or folders of them: without hidden folders and `node_modules`
    #[arg(value_name = "PATH", required = true)]
    pub programs: Vec<PathBuf>,

    /// Where types stand
    #[arg(long, value_enum, value_name = "FORM", default_value = "current")]
    pub syntax: SyntaxForm,

    /// Show the type of each expression, and of each declaration
    #[arg(long = "types")]
    pub has_types: bool,

    /// How rules are applied.
    #[command(flatten)]
    pub apply: ApplyArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: BriefLimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Questions to programs in N4JS.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum N4jsQuestion {
    /// Whether types fit
    Check,
}

/// Where types stand in programs in N4JS.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxForm {
    /// Behind names: `var x: int`
    Current,
    /// Also before names: `var int x`
    #[value(name = "2016")]
    Prefix2016,
}
