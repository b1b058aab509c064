//! Properties at the points of a grid: tables, CSV, plots.

use std::time::Instant;
use volvelle_console::options::PlotArgs;
use volvelle_console::output::{Output, exit_code};
use volvelle_console::presented::Texts;
use volvelle_console::progress::Line;
use volvelle_console::{files, forms, plots, presented, unfinished, watchdog};
use volvelle_diagnostics::{Code, Diagnostic, Severity};
use volvelle_present::terminal::draw;
use volvelle_reports::documents::{experiment as documents, facts};
use volvelle_reports::screen;
use volvelle_session::csv::csv;
use volvelle_session::interim::Interrupted;
use volvelle_session::limits::counted;
use volvelle_session::points::Experiment;
use volvelle_session::{Session, Settings, json};

/// State spaces that get a line each; of more, only their number is shown.
const MODELS_SHOWN: usize = 4;

/// Diagnostics about points that are shown on the terminal.
const COMPLAINTS_SHOWN: usize = 8;

/// The options of an experiment.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Arguments of `--prop`.
    pub prop: &'a [String],
    /// `--plot`, `--log-axes`
    pub plots: &'a PlotArgs,
    /// `--explain`
    pub explain: bool,
    /// Where the answer goes.
    pub page: presented::Wanted<'a>,
}

/// Answers properties at all points of the grid.
pub fn run(
    args: Wanted<'static>,
    session: &mut Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    let progress = Line::new();
    let control = volvelle_console::opening::control(&settings.allowance, threads, start, &progress);
    let (interim, file) = (session.run.interim.clone(), session.model.file.to_owned());
    unfinished::on_end(move |end, output| {
        let Interrupted { report, outline, sources } = interim.experiment(end.stop, &end.allowance)?;
        Some(show(args, &Texts { file: &file, outline, sources: &sources }, report, output))
    });
    let experiment = crate::experiment(session, args.prop, settings, &control);
    progress.finish();
    watchdog::results_begin();
    show(args, &args.page.texts(&mut session.model), experiment, output)
}

/// Writes the requested files and shows the experiment; returns the exit code.
fn show(args: Wanted<'_>, texts: &Texts<'_>, mut experiment: Experiment, output: &Output) -> u8 {
    let mut written = Vec::new();
    let answer = args.page.answer;
    let is_whole = !experiment.all_diagnostics().into_iter().any(files::is_cut);
    let mut not_written = Vec::new();
    forms::write_table(answer, is_whole, || table(&experiment, is_whole), &mut written, &mut not_written);
    experiment.diagnostics.append(&mut not_written);
    if !args.plots.plot.is_empty() {
        match plots::chart(&experiment, texts.file, args.plots.log_axes) {
            Ok(chart) => {
                let picture = |format| volvelle_plot::render(&chart, format);
                plots::write_as(
                    is_whole,
                    &args.plots.plot,
                    picture,
                    &mut written,
                    &mut experiment.diagnostics,
                );
            }
            Err(diagnostic) => experiment.diagnostics.push(diagnostic),
        }
    }
    if answer.page.html.is_some() {
        let mut document = documents::document(&experiment, texts.file);
        document.blocks.splice(0..0, presented::pictures(&experiment, texts.file, args.plots.log_axes));
        let shown = presented::Shown::new(answer, document, texts.file, texts.sources)
            .about(experiment.models.iter().take(MODELS_SHOWN))
            .seeded(args.page.seed);
        let mut all: Vec<Diagnostic> = experiment.all_diagnostics().into_iter().cloned().collect();
        let told = all.len();
        written = shown.write_page(&written, &mut all, output);
        experiment.diagnostics.extend(all.drain(told..));
    }
    let json = || {
        let mut document = json::Document::of_experiment(&experiment, texts.sources);
        if args.explain {
            let results = experiment.points.iter().flat_map(|p| &p.results);
            document = document.explained(&experiment.models, results);
        }
        document.to_text()
    };
    let text = || screen(&experiment, &args, &written, output);
    forms::print(answer, json, || table(&experiment, is_whole), text, output);
    output.print_diagnostics(&diagnostics(&experiment), texts.sources);
    exit_code(experiment.status())
}

/// The table, which is empty where there is no answer: no points, and no limit says that some are still to come.
fn table(experiment: &Experiment, is_whole: bool) -> String {
    if is_whole && experiment.points.is_empty() { String::new() } else { csv(experiment) }
}

fn screen(experiment: &Experiment, args: &Wanted<'_>, written: &[String], output: &Output) -> String {
    let verbose = args.page.answer.output.verbose;
    let mut text = String::new();
    for space in experiment.models.iter().take(MODELS_SHOWN) {
        text.push_str(&screen::head(space, verbose, output.style));
    }
    if let Some(more) = experiment.models.len().checked_sub(MODELS_SHOWN).filter(|&n| n > 0) {
        text.push_str(&output.style.dim(&format!("and {}", counted(more as u64, "more state space"))));
        text.push('\n');
    }
    text.push_str(&draw(&documents::document(experiment, ""), verbose, output.style));
    if let Some(last) = experiment.points.last().filter(|_| args.explain) {
        // Facts about shared work are the same for all points; the last point has the longest horizon.
        text.push_str(&draw(&facts::document(experiment.models.last(), &last.results), false, output.style));
    }
    text.push_str(&screen::written(written, output.style));
    text
}

/// Warnings and notes with the same code that are shown on the terminal: each point may have its own.
const SAME_SHOWN: usize = 2;

/// Keeps only the first few warnings and notes with the same code.
fn without_repetition(all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::new();
    let mut left_out: Vec<(Code, usize)> = Vec::new();
    for diagnostic in all {
        let same = kept.iter().filter(|d| d.code == diagnostic.code).count();
        if diagnostic.severity == Severity::Error || same < SAME_SHOWN {
            kept.push(diagnostic);
            continue;
        }
        match left_out.iter_mut().find(|(code, _)| *code == diagnostic.code) {
            Some((_, count)) => *count += 1,
            None => left_out.push((diagnostic.code, 1)),
        }
    }
    for (code, count) in left_out {
        if let Some(last) = kept.iter_mut().rev().find(|d| d.code == code) {
            last.notes.push(format!("{count} more of this kind not shown (--json lists all)"));
        }
    }
    kept
}

/// All diagnostics of the experiment, and the first few of its points.
pub fn diagnostics(experiment: &Experiment) -> Vec<Diagnostic> {
    let of_experiment = experiment.diagnostics.len();
    let mut all: Vec<Diagnostic> = experiment.all_diagnostics().into_iter().cloned().collect();
    let of_points = all.split_off(of_experiment.min(all.len()));
    let mut all = without_repetition(all);
    let of_run = all.len();
    all.extend(of_points);
    let left_out = all.len().saturating_sub(of_run + COMPLAINTS_SHOWN);
    all.truncate(of_run + COMPLAINTS_SHOWN);
    if left_out > 0
        && let Some(last) = all.iter_mut().rev().find(|d| d.severity == Severity::Error)
    {
        last.notes.push(format!("{} more of this kind not shown (--json lists all)", left_out));
    }
    all
}
