//! `rules print`: a system as it looks on paper.

mod html;
mod latex;
mod sheet;
mod sheets;
#[cfg(test)]
mod tests;
mod text;
mod write;

use crate::json;
use crate::opening::{languages, open};
use crate::options::AskRules;
use sheet::Sheet;
use std::path::Path;
use volvelle_console::files;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::refusal::Refused;
use volvelle_diagnostics::{Diagnostic, Sources, codes, has_errors};
use volvelle_present::csv;
use volvelle_present::document::{Block, Cell, Column, Document, Medium, Note, Table, name};
use volvelle_rules::system::{load_with, read_files};

/// Prints a system that has no errors.
pub(crate) fn asked(args: &'static AskRules, output: &Output) -> Result<u8, Refused> {
    if !args.programs.is_empty() {
        let message = "`print` takes a system alone";
        let help = "volvelle rules print SYSTEM";
        return Err(vec![Diagnostic::error(codes::BAD_USAGE, message).help(help)].into());
    }
    let mut sources = Sources::new();
    let text = files::read(&args.system).map_err(|why| vec![why])?;
    let file = sources.add(text.name, text.text);
    let mut found = Vec::new();
    let loaded = load_with(&mut sources, file, &mut open, &languages(), &mut found);
    let Some(loaded) = loaded else { return Err(Refused::in_texts(found, &sources)) };
    let Some(all) = read_files(&mut sources, file, &mut open, &mut found) else {
        return Err(Refused::in_texts(found, &sources));
    };
    let sheets = sheets::sheets(&all);
    let document = document(&sheets);
    let shown = Shown::new(&args.answer, document, args.system.display().to_string(), &sources)
        .with_table(|| csv::table(&table(&sheets)));
    let mut written = Vec::new();
    let latex = args.latex.as_deref();
    let is_printed = latex == Some(Path::new("-"));
    if let Some(path) = latex.filter(|_| !is_printed) {
        files::write(path, latex::document(&sheets).as_bytes(), &mut written, &mut found);
    }
    let written = shown.write(&written, &mut found, output);
    if is_printed {
        output.print(&latex::document(&sheets));
    } else {
        shown.print(|| json::of_print(&loaded.system.name, &found, &sources).to_text(), &written, output);
    }
    output.print_diagnostics(&found, &sources);
    Ok(if has_errors(&found) { volvelle_console::output::EXIT_USAGE } else { 0 })
}

/// What each medium has: lines for terminals, markup for pages.
fn document(sheets: &[Sheet]) -> Document {
    let mut document = Document::new("A system of rules");
    for sheet in sheets {
        document.part(name(sheet.name.as_str()), "");
        for ((title, lines), (_, markup)) in text::parts(sheet).into_iter().zip(html::parts(sheet)) {
            if lines.is_empty() {
                continue;
            }
            document.part(title, "");
            let lines = lines.into_iter().map(|(indent, line)| match line.as_str() {
                "" => Block::Gap,
                _ => Note { text: name(line), indent, further: indent + 4 }.into(),
            });
            document.push(Block::On(Medium::Terminal, lines.collect()));
            document.push(Block::Picture(markup.concat()));
        }
    }
    document
}

/// All judgments and rules.
fn table(sheets: &[Sheet]) -> Table {
    let columns = ["system", "what", "name", "form"].map(Column::words);
    let mut rows = Vec::new();
    for sheet in sheets {
        let cells = |what: &str, of: &str, form: &sheet::Line| {
            vec![
                Cell::name(sheet.name.as_str()),
                Cell::shown(what),
                Cell::name(of),
                Cell::name(text::line(form)),
            ]
        };
        rows.extend(sheet.judgments.iter().map(|form| cells("judgment", &form.name, &form.form)));
        rows.extend(sheet.rules.iter().map(|rule| cells(rule.kind, &rule.name, &rule.conclusion)));
    }
    Table::new(columns.to_vec(), 0, rows)
}
