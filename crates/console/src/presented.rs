//! `--html` and `--csv`: the page and the table of an answer, for every command that has them.

use crate::options::{AnswerArgs, LogAxes, ModelArgs, PlotArgs};
use crate::output::Output;
use crate::refusal::finish;
use crate::{explored, files, forms, plots};
use volvelle_diagnostics::{Diagnostic, Sources, codes, has_errors};
use volvelle_logic::Value;
use volvelle_plot::Chart;
use volvelle_present::document::{self, Block, Document, Note, faint};
use volvelle_present::{chart, csv, terminal};
use volvelle_reports::documents::facts;
use volvelle_reports::page::Context;
use volvelle_reports::{page, screen};
use volvelle_session::outline::Outline;
use volvelle_session::points::{Experiment, Point};
use volvelle_session::report::{ModelReport, PropertyReport, Report};
use volvelle_session::state_graph::StateGraph;
use volvelle_session::{Model, json};

/// What the pages of all commands need to know of the command line.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Where the answer goes.
    pub answer: &'a AnswerArgs,
    /// The model.
    pub model: &'a ModelArgs,
    /// The seed of the run, if it has one.
    pub seed: Option<u64>,
}

/// The texts that drawing takes besides a report.
pub struct Texts<'a> {
    /// The name of the model's file.
    pub file: &'a str,
    /// The parts of the model, for pages only.
    pub outline: Option<Outline>,
    /// The texts.
    pub sources: &'a Sources,
}

impl Wanted<'_> {
    /// The texts of a model.
    pub fn texts(self, model: &mut Model) -> Texts<'_> {
        // What the outline complains about, the report of the run has already.
        let outline = self.answer.page.html.is_some().then(|| model.outline().0).flatten();
        Texts { file: &model.file, outline, sources: &model.sources }
    }

    /// Whether a table or a page is wanted.
    pub fn is_document(self) -> bool {
        self.answer.csv.is_some() || self.answer.page.html.is_some()
    }

    /// Makes the page, if it is wanted, and writes or prints it. `make` gets what all pages have in common; `written` are the
    /// files written so far; the run `is_whole`, or ended early.
    pub fn write(
        self,
        (texts, is_whole): (&Texts<'_>, bool),
        output: &Output,
        written: &mut Vec<String>,
        diagnostics: &mut Vec<Diagnostic>,
        make: impl FnOnce(&Context<'_>) -> String,
    ) {
        let Some(path) = &self.answer.page.html else { return };
        let text = self.text(texts, written, make);
        if self.answer.is_page_printed() {
            output.print(&text);
        } else {
            files::write_as(is_whole, path, text.as_bytes(), written, diagnostics);
        }
    }

    /// Whether the page of a state space is to show its graph.
    pub fn has_graph(self, report: &Report) -> bool {
        self.answer.page.html.is_some() && report.model.as_ref().is_some_and(page::graph::is_small)
    }

    /// Writes the page of a state space; returns the names of all files, with those that were written before.
    pub fn write_exploration(
        self,
        model: &mut Model,
        report: &mut Report,
        graph: Option<&StateGraph>,
        exported: &[String],
        output: &Output,
    ) -> Vec<String> {
        let (mut written, mut diagnostics) = (exported.to_vec(), Vec::new());
        let is_whole = !report.all_diagnostics().into_iter().any(files::is_cut);
        let table = || explored::table(report);
        forms::write_table(self.answer, is_whole, table, &mut written, &mut diagnostics);
        self.write((&self.texts(model), is_whole), output, &mut written, &mut diagnostics, |context| {
            page::of_exploration(report, graph, context)
        });
        report.diagnostics.append(&mut diagnostics);
        written
    }

    /// The page.
    fn text(
        self,
        texts: &Texts<'_>,
        written: &[String],
        make: impl FnOnce(&Context<'_>) -> String,
    ) -> String {
        let words = words();
        make(&Context {
            file: texts.file,
            outline: texts.outline.as_ref(),
            constants: &self.model.constants,
            words: &words,
            seed: self.seed,
            written,
            sources: texts.sources,
        })
    }
}

/// How the answers of a report are shown.
pub struct Reported<'a> {
    /// The page, and where else the answer goes.
    pub page: Wanted<'a>,
    /// Whether it is told how the answers were found.
    pub explain: bool,
    /// The table of `--csv`, if it is not made of the document.
    pub table: Option<String>,
    /// Whether the model stands above the answers.
    pub has_head: bool,
}

impl Reported<'_> {
    /// Shows a report and what is said of it in the requested form; `written` are the files so far. Gives the exit code.
    pub fn show(
        self,
        mut report: Report,
        document: &Document,
        texts: &Texts<'_>,
        mut written: Vec<String>,
        output: &Output,
    ) -> u8 {
        let answer = self.page.answer;
        let mut diagnostics = Vec::new();
        let is_whole = !report.all_diagnostics().into_iter().any(files::is_cut);
        let table = || self.table.clone().unwrap_or_else(|| csv::document(document));
        forms::write_table(answer, is_whole, table, &mut written, &mut diagnostics);
        self.page.write((texts, is_whole), output, &mut written, &mut diagnostics, |context| {
            page::of_report(&report, document, context)
        });
        report.diagnostics.append(&mut diagnostics);
        let json = || {
            let mut document = json::Document::of_check(&report, texts.sources);
            if self.explain {
                document = document.explained(report.model.as_ref(), report.results.iter());
            }
            document.to_text()
        };
        forms::print(answer, json, table, || self.text(&report, document, &written, output), output);
        finish(&report, texts.sources, output)
    }

    fn text(&self, report: &Report, document: &Document, written: &[String], output: &Output) -> String {
        let (is_verbose, style) = (self.page.answer.output.verbose, output.style);
        let head = report.model.as_ref().filter(|_| self.has_head);
        let mut text = head.map_or_else(String::new, |space| screen::head(space, is_verbose, style));
        text.push_str(&terminal::draw(document, is_verbose, style));
        if self.explain {
            let facts = facts::document(report.model.as_ref(), &report.results);
            text.push_str(&terminal::draw(&facts, false, style));
        }
        text.push_str(&screen::written(written, style));
        text
    }
}

/// A document, and what its page has besides.
pub struct Shown<'a> {
    answer: &'a AnswerArgs,
    document: Document,
    /// The table of `--csv`, if it is not made of the tables of the document.
    table: Option<String>,
    file: String,
    /// The models that it is about.
    models: Vec<ModelReport>,
    /// The texts, the first ones those of the diagnostics.
    sources: [Option<&'a Sources>; 2],
    seed: Option<u64>,
}

impl<'a> Shown<'a> {
    /// A document about a file with these texts.
    pub fn new(
        answer: &'a AnswerArgs,
        document: Document,
        file: impl Into<String>,
        sources: &'a Sources,
    ) -> Self {
        Shown {
            answer,
            document,
            table: None,
            file: file.into(),
            models: Vec::new(),
            sources: [Some(sources), None],
            seed: None,
        }
    }

    /// The same with a table that says more than those of the document; it is made where it is wanted.
    pub fn with_table(self, table: impl FnOnce() -> String) -> Self {
        Shown { table: self.answer.csv.as_ref().map(|_| table()), ..self }
    }

    /// The same about these models.
    pub fn about<'m>(self, models: impl IntoIterator<Item = &'m ModelReport>) -> Self {
        Shown { models: models.into_iter().cloned().collect(), ..self }
    }

    /// The same with the texts of a second model.
    pub fn and_of(self, sources: &'a Sources) -> Self {
        Shown { sources: [self.sources[0], Some(sources)], ..self }
    }

    /// The same with the seed of the run.
    pub fn seeded(self, seed: Option<u64>) -> Self {
        Shown { seed, ..self }
    }

    /// Draws the values of the document to the files that are wanted, and adds their names to those that were `written`. The page of the
    /// document has the chart, too.
    pub fn write_chart(
        &mut self,
        args: &PlotArgs,
        written: &mut Vec<String>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        if args.plot.is_empty() && self.answer.page.html.is_none() {
            return;
        }
        let Some(found) = chart::of_document(&self.document) else {
            if !args.plot.is_empty() && !has_errors(diagnostics) {
                let message = "there is nothing to draw: no values over numbers";
                let help = "give a constant a range: --const RATE=1:0.5:4; or ask over time: volvelle transient MODEL --times 0:0.1:10";
                diagnostics.push(Diagnostic::error(codes::BAD_USAGE, message).help(help));
            }
            return;
        };
        let found = plots::with_axes(found, args.log_axes);
        plots::write(&args.plot, |format| volvelle_plot::render(&found, format), written, diagnostics);
        self.document.push(document::Chart::Lines(found));
    }

    /// The table of `--csv`.
    fn table(&self) -> String {
        self.table.clone().unwrap_or_else(|| csv::document(&self.document))
    }

    /// Writes the table and the page that are wanted, or prints the page; returns the names of all files, with those that were written before.
    pub fn write(
        &self,
        before: &[String],
        diagnostics: &mut Vec<Diagnostic>,
        output: &Output,
    ) -> Vec<String> {
        let mut written = before.to_vec();
        self.write_table(&mut written, diagnostics);
        self.write_page(&written, diagnostics, output)
    }

    /// Writes the table to its file, if it is wanted, and adds its name to those of the files that were `written`.
    pub fn write_table(&self, written: &mut Vec<String>, diagnostics: &mut Vec<Diagnostic>) {
        let is_whole = !diagnostics.iter().any(files::is_cut);
        forms::write_table(self.answer, is_whole, || self.table(), written, diagnostics);
    }

    /// Writes or prints the page, if it is wanted; returns the names of all files, with those that were written before.
    pub fn write_page(
        &self,
        before: &[String],
        diagnostics: &mut Vec<Diagnostic>,
        output: &Output,
    ) -> Vec<String> {
        let mut written = before.to_vec();
        let is_whole = !diagnostics.iter().any(files::is_cut);
        let Some(path) = self.answer.page.html.as_deref() else { return written };
        let ([sources, also], words, none) = (self.sources, words(), Sources::new());
        let context = Context {
            file: &self.file,
            outline: None,
            constants: &[],
            words: &words,
            seed: self.seed,
            written: &written,
            sources: sources.unwrap_or(&none),
        };
        let text = page::of_document(&self.document, &self.models, diagnostics, also, &context);
        if self.answer.is_page_printed() {
            output.print(&text);
        } else {
            files::write_as(is_whole, path, text.as_bytes(), &mut written, diagnostics);
        }
        written
    }

    /// Prints the answer: as JSON, as the table, or as the text with the names of files that were `written`, unless the page takes its place.
    pub fn print(&self, json: impl FnOnce() -> String, written: &[String], output: &Output) {
        forms::print(self.answer, json, || self.table(), || self.text(written, output), output);
    }

    /// The text.
    fn text(&self, written: &[String], output: &Output) -> String {
        let (is_verbose, style) = (self.answer.output.verbose, output.style);
        let heads = self.models.iter().map(|model| screen::head(model, is_verbose, style));
        let mut text = heads.collect::<String>() + &terminal::draw(&self.document, is_verbose, style);
        let is_line = |block: &Block| matches!(block, Block::Answer(_) | Block::Note(_) | Block::Path(_));
        text.push_str(&match written {
            [] => String::new(),
            // Behind lines it is one more line.
            _ if self.document.blocks.iter().all(is_line) => screen::written_line(written, "", style),
            _ => screen::written(written, style),
        });
        text
    }
}

/// The words of the command line, without the name of the program.
pub fn words() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Values that differ by more than this factor are drawn in plots of their own.
const SAME_SCALE: f64 = 20.0;

/// The pictures of an experiment on a page: plots, a map of each property over two constants, and what would show more.
pub fn pictures(experiment: &Experiment, model: &str, log: Option<LogAxes>) -> Vec<Block> {
    let charts = charts(experiment, model, log);
    let proposal = plots::proposal(&charts);
    let mut blocks: Vec<Block> =
        charts.into_iter().map(|chart| document::Chart::Lines(chart).into()).collect();
    blocks.extend(proposal.map(|text| Note { text: faint(text), ..Note::default() }.into()));
    let properties = experiment.points.first().map_or(0, |point| point.results.len());
    let maps = (0..properties).filter_map(|property| plots::map(experiment, property, model));
    blocks.extend(maps.map(|map| Block::from(document::Chart::Map(map))));
    blocks
}

/// The plots of an experiment: one, or one for each property if they do not share a scale.
fn charts(experiment: &Experiment, model: &str, log: Option<LogAxes>) -> Vec<Chart> {
    let count = experiment.points.first().map_or(0, |point| point.results.len());
    let largest = |i: usize| {
        let values = experiment.points.iter().filter_map(|point| magnitude(point.results.get(i)?));
        values.fold(0.0, f64::max)
    };
    let scales: Vec<f64> = (0..count).map(largest).filter(|&scale| scale > 0.0).collect();
    let (least, most) = scales.iter().fold((f64::INFINITY, 0.0), |(a, b), &x| (x.min(a), x.max(b)));
    // Probabilities and rewards are different quantities.
    let is_probability = |result: &PropertyReport| result.text.starts_with(['P', 'S']);
    let first = experiment.points.first().map_or(&[][..], |point| &point.results);
    let is_mixed = first.iter().any(is_probability) && !first.iter().all(is_probability);
    if count <= 1 || most <= SAME_SCALE * least && !is_mixed {
        return plots::chart(experiment, model, log).into_iter().collect();
    }
    (0..count).filter_map(|i| plots::chart(&of_property(experiment, i), model, log).ok()).collect()
}

fn magnitude(result: &PropertyReport) -> Option<f64> {
    let answer = result.outcome.as_ref().ok()?;
    let value = match answer.value {
        Value::Number(x) => Some(x),
        _ => answer.compared,
    };
    value.map(f64::abs).filter(|x| x.is_finite())
}

/// The experiment with one of its properties.
fn of_property(experiment: &Experiment, i: usize) -> Experiment {
    let points = experiment.points.iter().map(|point| Point {
        values: point.values.clone(),
        results: point.results.get(i).cloned().into_iter().collect(),
    });
    Experiment { axes: experiment.axes.clone(), points: points.collect(), ..Experiment::default() }
}
