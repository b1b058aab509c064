//! A question in one folder: which values each variable of a model takes. The example of how to add a question.
//!
//! The options are the fields of [`Ranges`], the answer is that of [`found`]; `document` says it for people, `json` for programs. One line of a table
//! makes it a command with help, pages, limits and a manual: see `main.rs`.

mod document;
mod json;
mod ranges;

pub use ranges::{Range, found};

use clap::Args;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::of_language;
use volvelle_console::opening::{Opening, building_settings, control, open};
use volvelle_console::options::{AnswerArgs, BuildingArgs, LimitArgs, ModelArgs};
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::question::Ask;
use volvelle_console::refusal::{Refused, finish};

/// Show the values that each variable takes in the states that can be reached
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tally ranges coins.prism
  tally ranges coins.prism --unused      only variables with values that they never take

Exit codes: 0 computed, 2 bad usage or an error in the input, 3 a limit was reached.")]
pub struct Ranges {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Show only variables whose range has values that no state has
    #[arg(long)]
    pub unused: bool,

    /// How states are made.
    #[command(flatten)]
    pub building: BuildingArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

impl Ask for Ranges {
    const NAME: &'static str = "ranges";

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output).unwrap_or_else(|refused| refused.show(self.answer.output.json, output))
    }
}

/// Refuses, opens, computes, writes and prints.
fn run(args: &Ranges, given: &GivenOptions, output: &Output) -> Result<u8, Refused> {
    let start = Instant::now();
    let (settings, threads) = building_settings(&args.building, &args.limits)?;
    let opening = Opening { limits: Some(&args.limits), with_input: true, ..Opening::default() };
    let mut session = open(&args.model, opening)?;
    let refusals = of_language::refusals(given, &session.model);
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, mut ranges) = found(&mut session.model, &settings, &control);
    progress.finish();
    ranges.retain(|range| range.has_unused() || !args.unused);
    let document = document::ranges(&ranges, args.unused);
    let shown =
        Shown::new(&args.answer, document, &session.model.file, &session.model.sources).about(&report.model);
    let written = shown.write(&[], &mut report.diagnostics, output);
    let json = || json::ranges(&report, &ranges, &session.model.sources).to_text();
    shown.print(json, &written, output);
    Ok(finish(&report, &session.model.sources, output))
}
