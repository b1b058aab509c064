//! The end of a walk: its documents, and the exit code.

use super::{Led, Setting};
use crate::End;
use volvelle_console::presented::Shown;
use volvelle_console::refusal::code_of;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_present::document::{Block, Document, Note};
use volvelle_present::terminal::draw;
use volvelle_reports::screen;
use volvelle_session::limits::counted;

/// What is said when a walk is over.
pub struct Ending<'a> {
    /// Why no step leads on.
    pub end: Option<End>,
    /// The exit code for a walk that ends with an error of the model.
    pub fault_code: u8,
    /// What was said about the model before the walk began.
    pub said: Vec<Diagnostic>,
    /// Said behind the walk.
    pub closing: Vec<Block>,
    /// The walk, for pages and tables.
    pub shown: Shown<'a>,
    /// The texts that diagnostics are about.
    pub sources: &'a Sources,
}

/// How many steps a walk had, and why it went no further, if it could not.
pub fn closing(steps: usize, why: Option<&str>) -> Block {
    let steps = counted(steps as u64, "step");
    let text = match why {
        Some(why) => format!("{steps}, then {why}"),
        None => format!("{steps}; more are possible"),
    };
    Note { text: text.into(), indent: 2, further: 4 }.into()
}

/// Writes and prints the answer; gives the exit code. `json` gets all diagnostics.
pub fn finish(
    led: Led,
    ending: Ending<'_>,
    setting: &Setting<'_>,
    json: impl FnOnce(&[Diagnostic]) -> String,
) -> u8 {
    let Ending { end, fault_code, said, closing, shown, sources } = ending;
    let faults = end.map_or_else(Vec::new, |end| end.faults);
    let has_faults = !faults.is_empty();
    // What the dialogue has shown is not said again.
    let told = said.len() + faults.len();
    let mut diagnostics = [said, faults].concat();
    diagnostics.extend(led.diagnostics);
    let output = setting.output;
    let written = shown.write(&led.written, &mut diagnostics, output);
    if setting.is_muted() {
        shown.print(|| json(&diagnostics), &written, output);
        output.print_diagnostics(&diagnostics, sources);
    } else {
        let text = draw(&Document { blocks: closing, ..Document::default() }, false, output.style);
        output.print(&format!("\n{text}{}", screen::written(&written, output.style)));
        output.print_diagnostics(&diagnostics[told..], sources);
    }
    match code_of(&diagnostics[told..]) {
        0 if has_faults => fault_code,
        code => code,
    }
}
