//! A path in the forms that are wanted: printed as it goes on, or as JSON, a table and a page at its end.

use crate::options::Trace;
use crate::screen::PathTable;
use crate::{Path, PathEnd, PathPlan, PathStep, document, path_csv, screen};
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::presented::Shown;
use volvelle_console::refusal::code_of;
use volvelle_console::{files, forms};
use volvelle_diagnostics::Diagnostic;
use volvelle_reports::page;
use volvelle_session::Model;

/// Writes a path in the requested forms.
pub struct Reporter<'a> {
    pub args: &'a Trace,
    pub model: &'a Model,
    pub output: &'a Output,
    /// Not printed yet.
    pub diagnostics: Vec<Diagnostic>,
    /// The path, for JSON and pages.
    steps: Vec<PathStep>,
    /// The table of `--csv`, as far as it is not printed.
    pub csv: String,
}

impl<'a> Reporter<'a> {
    /// Nothing is shown yet but `diagnostics`.
    pub fn new(args: &'a Trace, model: &'a Model, output: &'a Output, diagnostics: Vec<Diagnostic>) -> Self {
        let (steps, csv) = (Vec::new(), String::new());
        Reporter { args, model, output, diagnostics, steps, csv }
    }

    /// Whether the path is printed as it goes on.
    pub fn is_table(&self) -> bool {
        !self.args.answer.is_on_standard_output()
    }

    /// The next state.
    pub fn show(&mut self, plan: &PathPlan, table: &mut PathTable<'_>, step: PathStep) {
        if self.args.answer.csv.is_some() {
            self.csv.push_str(&path_csv::row(plan, &step));
            if self.args.answer.is_table_printed() {
                self.output.tell(&std::mem::take(&mut self.csv));
            }
        }
        if self.is_table() {
            self.output.tell(&table.step(&step));
        }
        let is_listed = self.args.answer.page.html.is_some() && self.steps.len() < document::LISTED;
        if self.args.answer.output.json || is_listed {
            self.steps.push(step);
        }
    }

    /// Writes and prints what is not yet; gives the exit code.
    pub fn finish(mut self, plan: &PathPlan, path: &Path<'_, '_>, refused: bool) -> u8 {
        let mut written = Vec::new();
        let table = std::mem::take(&mut self.csv);
        let is_whole = !self.diagnostics.iter().any(files::is_cut);
        forms::write_table(&self.args.answer, is_whole, || table, &mut written, &mut self.diagnostics);
        if let Some(PathEnd::Failed(diagnostic)) = path.end() {
            self.diagnostics.push(diagnostic.clone());
        }
        let followed = plan.followed().iter().enumerate();
        let undecided = followed.filter(|(i, _)| !path.value(*i).1).map(|(_, f)| f.title());
        let undecided: Vec<&str> = undecided.collect();
        let ending = document::ending(path.steps(), path.end(), &undecided, false);
        if self.args.answer.page.html.is_some() {
            let file = page::name(&self.model.file);
            let document = document::document(file, plan, &self.steps, path.steps(), ending.clone());
            let shown = Shown::new(&self.args.answer, document, &self.model.file, &self.model.sources)
                .seeded(Some(self.args.seed));
            written = shown.write_page(&written, &mut self.diagnostics, self.output);
        }
        if self.is_table() {
            let text = screen::end(&ending, self.output.style);
            self.output.print(&(text + &volvelle_reports::screen::written(&written, self.output.style)));
        }
        let sources = &self.model.sources;
        if self.args.answer.output.json {
            let file = &self.model.file;
            let document =
                crate::json::of_path(file, plan, &self.steps, path.end(), &self.diagnostics, sources);
            self.output.print(&document.to_text());
        }
        self.output.print_diagnostics(&self.diagnostics, sources);
        if refused { EXIT_USAGE } else { code_of(&self.diagnostics) }
    }
}
