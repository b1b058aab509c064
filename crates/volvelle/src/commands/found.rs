//! What `volvelle explore` prints, for models of all languages.

use crate::args::Explore;
use volvelle_console::output::Output;
use volvelle_console::presented::Wanted;
use volvelle_reports::screen;
use volvelle_session::report::Report;
use volvelle_session::{Session, json};

/// Prints what was found, in a text with `behind` as its end; gives the exit code.
pub fn show(
    args: &Explore,
    session: &Session,
    report: &Report,
    exported: &[String],
    behind: impl FnOnce() -> String,
    output: &Output,
) -> u8 {
    let page = Wanted { args: &args.page, model: &args.model, seed: None };
    if args.output.json {
        output.print(&json::Document::of_exploration(report, exported, session.sources()).to_text());
    } else if !page.is_on_standard_output() {
        let mut text = String::new();
        if let Some(space) = &report.model {
            text.push_str(&screen::head(space, args.output.verbose, output.style));
        }
        text.push_str(&behind());
        output.print(&text);
    }
    volvelle_console::refusal::finish(report, session.sources(), output)
}

/// The line about files that were written.
pub fn written_line(written: &[String], output: &Output) -> String {
    if written.is_empty() { String::new() } else { screen::written_line(written, "", output.style) }
}
