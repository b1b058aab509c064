//! `--html`: the answers as a page.

use super::asked::Asked;
use super::figures;
use super::found::Found;
use crate::page as pages;
use volvelle_console::presented::words;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_reports::page::Context;

/// The page; none for recordings, which have none.
pub fn text(
    found: &Found,
    asked: &Asked,
    (file, sources): (&str, &Sources),
    diagnostics: &[Diagnostic],
    written: &[String],
) -> Option<String> {
    let words = words();
    let context =
        Context { file, outline: None, constants: &[], words: &words, seed: None, written, sources };
    Some(match found {
        Found::Rows(report) => {
            let charts = [figures::ipc(report), figures::stacks(report)];
            let symbol = |program: &str, address| asked.symbols(program)?.name(address);
            pages::of_report(report, &charts, &symbol, diagnostics, &context)
        }
        Found::Executed(all) => pages::of_executed(all, diagnostics, &context),
        Found::Outcomes(rows) => pages::of_outcomes(rows, diagnostics, &context),
        Found::Accesses(rows) => pages::of_accesses(rows, diagnostics, &context),
        Found::Recorded(_) => return None,
    })
}
