//! What `volvelle explore` prints, for models of all languages.

use crate::forms;
use crate::options::AnswerArgs;
use crate::output::Output;
use clap::Args;
use std::path::PathBuf;
use volvelle_reports::screen;
use volvelle_session::csv::line;
use volvelle_session::report::Report;
use volvelle_session::{Model, json};

/// The files that are written.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Files to write, separated by commas; the extension of each selects its format
    #[arg(short, long, value_name = "FILES", value_delimiter = ',')]
    pub export: Vec<PathBuf>,
}

/// Prints what was found, in a text with `behind` as its end; gives the exit code.
pub fn show(
    answer: &AnswerArgs,
    model: &Model,
    report: &Report,
    exported: &[String],
    behind: impl FnOnce() -> String,
    output: &Output,
) -> u8 {
    let json = || json::Document::of_exploration(report, exported, &model.sources).to_text();
    let head = |space| screen::head(space, answer.output.verbose, output.style);
    let text = || report.model.as_ref().map_or_else(String::new, head) + &behind();
    forms::print(answer, json, || table(report), text, output);
    crate::refusal::finish(report, &model.sources, output)
}

/// The table of `--csv`: the size of a state space.
pub fn table(report: &Report) -> String {
    let mut out = String::new();
    let heads =
        ["kind", "states", "choices", "transitions", "initial states", "deadlocks", "bytes", "seconds"];
    line(&mut out, &heads);
    if let Some(space) = &report.model {
        let optional = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
        line(
            &mut out,
            &[
                space.kind.clone(),
                space.states.to_string(),
                optional(space.choices),
                space.transitions.to_string(),
                optional(space.initial_states),
                optional(space.deadlocks),
                space.bytes.to_string(),
                space.time.as_secs_f64().to_string(),
            ],
        );
    }
    out
}

/// The line about files that were written.
pub fn written_line(written: &[String], output: &Output) -> String {
    if written.is_empty() { String::new() } else { screen::written_line(written, "", output.style) }
}
