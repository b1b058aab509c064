//! What `volvelle explore` prints, for models of all languages.

use crate::options::{ModelArgs, OutputArgs, PageArgs};
use crate::output::Output;
use crate::presented::Wanted;
use clap::Args;
use std::path::PathBuf;
use volvelle_reports::screen;
use volvelle_session::report::Report;
use volvelle_session::{Model, json};

/// The files that are written.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Files to write, separated by commas; the extension of each selects its format
    #[arg(short, long, value_name = "FILES", value_delimiter = ',')]
    pub export: Vec<PathBuf>,
}

/// The options that all state spaces have.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The model.
    pub model: &'a ModelArgs,
    /// Options of pages.
    pub page: &'a PageArgs,
    /// How the answer is printed.
    pub output: &'a OutputArgs,
}

impl Options<'_> {
    /// The page that is wanted.
    pub fn page(&self) -> Wanted<'_> {
        Wanted { args: self.page, model: self.model, seed: None }
    }
}

/// Prints what was found, in a text with `behind` as its end; gives the exit code.
pub fn show(
    options: Options<'_>,
    model: &Model,
    report: &Report,
    exported: &[String],
    behind: impl FnOnce() -> String,
    output: &Output,
) -> u8 {
    if options.output.json {
        output.print(&json::Document::of_exploration(report, exported, &model.sources).to_text());
    } else if !options.page().is_on_standard_output() {
        let mut text = String::new();
        if let Some(space) = &report.model {
            text.push_str(&screen::head(space, options.output.verbose, output.style));
        }
        text.push_str(&behind());
        output.print(&text);
    }
    crate::refusal::finish(report, &model.sources, output)
}

/// The line about files that were written.
pub fn written_line(written: &[String], output: &Output) -> String {
    if written.is_empty() { String::new() } else { screen::written_line(written, "", output.style) }
}
