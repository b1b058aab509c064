//! What comes out: tables, pictures and pages in files, and answers on standard output.

use super::asked::Asked;
use super::found::{Found, Told};
use super::report::Report;
use super::{executed, figures, json, pages, streams};
use crate::options::SimulateMulticore;
use crate::screen;
use std::path::{Path, PathBuf};
use volvelle_console::output::Output;
use volvelle_console::{files, plots};
use volvelle_diagnostics::{Diagnostic, Sources, codes, has_errors};
use volvelle_plot::render_bar_chart;
use volvelle_session::json as documents;

/// A result that goes to a file.
fn to_file(path: &Option<PathBuf>) -> Option<&PathBuf> {
    path.as_ref().filter(|path| path.as_path() != Path::new("-"))
}

/// Whether a result goes to standard output.
pub fn is_output(path: &Option<PathBuf>) -> bool {
    path.as_deref() == Some(Path::new("-"))
}

/// Writes tables, pictures and pages. Those that lack answers have names that say so.
pub fn write(args: &SimulateMulticore, asked: &Asked, sources: &Sources, told: &mut Told) {
    let Told { found: Some(found), diagnostics, written, .. } = told else { return };
    let is_whole = match found {
        Found::Rows(report) => report.is_whole,
        _ => !has_errors(diagnostics),
    };
    if let Some(path) = to_file(&args.answer.csv) {
        files::write_as(is_whole, path, table(found).as_bytes(), written, diagnostics);
    }
    if let Found::Rows(report) = found {
        if let Some(path) = to_file(&args.csv_branches) {
            let table = report.csv_of_branches(|program, pc| asked.symbols(program)?.name(pc));
            files::write_as(is_whole, path, table.as_bytes(), written, diagnostics);
        }
        draw(args, report, written, diagnostics);
        if let (Some(path), Some(model)) = (to_file(&args.export_model), &report.model) {
            files::write_as(is_whole, path, model.text.as_bytes(), written, diagnostics);
        }
    }
    if let Some(path) = to_file(&args.answer.page.html) {
        let file = args.source.display().to_string();
        if let Some(page) = pages::text(found, asked, (&file, sources), diagnostics, written) {
            files::write_as(is_whole, path, page.as_bytes(), written, diagnostics);
        }
    }
}

/// Writes the pictures.
fn draw(
    args: &SimulateMulticore,
    report: &Report,
    written: &mut Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (paths, chart) in
        [(&args.plot, figures::ipc as fn(&_) -> _), (&args.plot_stack, figures::stacks as fn(&_) -> _)]
    {
        match chart(report) {
            Some(chart) => {
                let picture = |format| render_bar_chart(&chart, format);
                plots::write_as(report.is_whole, paths, picture, written, diagnostics);
            }
            None if !paths.is_empty() && report.is_timed() => {
                let message = "there are too many bars to draw: no chart is written";
                let found = Diagnostic::error(codes::BAD_USAGE, message);
                diagnostics.push(
                    found.help("ask for fewer machines, predictors or programs; --csv has all of them"),
                );
            }
            None => {}
        }
    }
}

/// The table of `--csv`.
fn table(found: &Found) -> String {
    match found {
        Found::Rows(report) => report.csv(),
        Found::Executed(all) => executed::csv(all),
        Found::Outcomes(rows) => streams::csv_of_outcomes(rows),
        Found::Accesses(rows) => streams::csv_of_accesses(rows),
        Found::Recorded(_) => String::new(),
    }
}

/// Prints the answers.
pub fn show(args: &SimulateMulticore, asked: &Asked, told: &Told, sources: &Sources, output: &Output) {
    if args.answer.output.json {
        let (results, means) = told.found.as_ref().map(|found| results(found, asked)).unwrap_or_default();
        let document = documents::Document::new(&told.diagnostics, sources)
            .with("results", results)
            .with_some("means", (!means.is_empty()).then_some(means))
            .exported(&told.written);
        return output.print(&document.to_text());
    }
    let Some(found) = &told.found else { return };
    if is_output(&args.answer.page.html) {
        let file = args.source.display().to_string();
        let page = pages::text(found, asked, (&file, sources), &told.diagnostics, &told.written);
        return output.print(&page.unwrap_or_default());
    }
    if is_output(&args.answer.csv) {
        return output.print(&table(found));
    }
    if let (true, Found::Rows(report)) = (is_output(&args.csv_branches), found) {
        return output.print(&report.csv_of_branches(|program, pc| asked.symbols(program)?.name(pc)));
    }
    if let (true, Found::Rows(Report { model: Some(model), .. })) = (is_output(&args.export_model), found) {
        return output.print(&model.text);
    }
    let style = output.style;
    match found {
        Found::Rows(report) => output.print(&screen::rows(
            report,
            |program, pc| asked.symbols(program)?.name(pc),
            &told.written,
            style,
        )),
        Found::Executed(all) => {
            for (name, executed) in all {
                output.print_document(&String::from_utf8_lossy(&executed.output));
                output.print(&screen::executed(name, executed, &told.written, style));
            }
        }
        Found::Outcomes(rows) => {
            output.print(&screen::outcomes(&asked.runs[0].name, rows, &told.written, style))
        }
        Found::Accesses(rows) => {
            output.print(&screen::accesses(&asked.runs[0].name, rows, &told.written, style))
        }
        Found::Recorded(found) => {
            let name = &asked.runs[0].name;
            output.print(&screen::recorded(
                name,
                found.instructions,
                found.bytes,
                found.exit,
                &told.written,
                style,
            ));
        }
    }
}

/// Answers as JSON, and means of them.
fn results(found: &Found, asked: &Asked) -> (Vec<serde_json::Value>, Vec<serde_json::Value>) {
    match found {
        Found::Rows(report) => (
            report.rows.iter().map(|row| json::row(row, report, asked.symbols(&row.program))).collect(),
            report.means.iter().map(json::mean).collect(),
        ),
        Found::Executed(all) => {
            (all.iter().map(|(name, executed)| json::executed(name, executed)).collect(), Vec::new())
        }
        Found::Outcomes(rows) => (rows.iter().map(|row| row.json(&asked.runs[0].name)).collect(), Vec::new()),
        Found::Accesses(rows) => (rows.iter().map(|row| row.json(&asked.runs[0].name)).collect(), Vec::new()),
        Found::Recorded(found) => (vec![found.json(&asked.runs[0].name)], Vec::new()),
    }
}
