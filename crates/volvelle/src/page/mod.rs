//! A run as a page of HTML: the question, its answers with guarantees and bounds, plots, runs, the model, and how to repeat it.
//!
//! Takes reports; gives a text. A page stands for itself: it has no script, loads nothing from elsewhere, and tells browsers to
//! refuse what tries to. It is well-formed XML behind its first line. The same run gives the same page but for the elements of the
//! class `cost`: times, and the code that turned out to be the fastest.

mod answers;
mod bar;
mod chart;
mod evidence;
mod experiment;
pub mod graph;
mod markup;
mod model;
pub mod multicore;
mod repeat;
mod run;
mod simulated;
mod tuning;

use crate::screen::Style;
use crate::screen::format::kind;
use markup::escaped;
use std::path::Path;
use std::time::Duration;
use volvelle_diagnostics::{Diagnostic, RenderOptions, Sources, render_all};
use volvelle_plot::Chart;
use volvelle_tune::Tuning;
use volvelle_verify::{Counterexample, Experiment, Outline, Report, StateGraph};

const STYLE: &str = include_str!("style.css");

/// What browsers may do with a page: apply the style in it, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Letters of pages.
const PLAIN: Style = Style { color: false, unicode: true, width: 0 };

/// What was done with a model, whatever came out.
pub struct Context<'a> {
    /// The name of the model's file.
    pub file: &'a str,
    /// The parts of the model, as far as they are known.
    pub outline: Option<&'a Outline>,
    /// The arguments of `--const`.
    pub constants: &'a [String],
    /// The words of the command line, without the name of the program.
    pub words: &'a [String],
    /// Seeds that the run used.
    pub seed: Option<u64>,
    /// Names of the files that were written.
    pub written: &'a [String],
    /// The texts, for drawing diagnostics and to be shown.
    pub sources: &'a Sources,
}

/// The page of answers to properties; `searched`: they are verdicts of a search.
pub fn of_report(report: &Report, searched: bool, context: &Context<'_>) -> String {
    let mut page = Page::new(&answers::title(&report.results, name(context.file)), context);
    page.section("answers", "Answers", &answers::section(&report.results, searched));
    page.diagnostics(report.all_diagnostics().into_iter().cloned().collect());
    let space = report.model.as_ref();
    page.section("model", "Model", &model::section(space, context));
    page.finish()
}

/// The page of answers for several values of constants; `charts` has the plots.
pub fn of_experiment(experiment: &Experiment, charts: &[Chart], context: &Context<'_>) -> String {
    let mut page = Page::new(&experiment::title(experiment, name(context.file)), context);
    page.section("plots", "Plots", &experiment::plots(charts));
    page.section("answers", "Answers", &experiment::table(experiment));
    page.diagnostics(experiment.all_diagnostics().into_iter().cloned().collect());
    page.section("model", "Model", &experiment::models(experiment, context));
    page.finish()
}

/// The page of one run of processes.
pub fn of_run(run: &Counterexample, diagnostics: &[Diagnostic], context: &Context<'_>) -> String {
    let mut page = Page::new(&format!("A run of {}", name(context.file)), context);
    page.section("run", "Run", &run::section(run, 0));
    page.diagnostics(diagnostics.to_vec());
    page.section("model", "Model", &model::section(None, context));
    page.finish()
}

/// The page of a state space, with a picture if its graph is small.
pub fn of_exploration(report: &Report, graph: Option<&StateGraph>, context: &Context<'_>) -> String {
    let mut page = Page::new(&format!("The state space of {}", name(context.file)), context);
    let space = report.model.as_ref();
    page.section("space", "State space", &space.map_or(String::new(), model::space));
    page.section("graph", "Graph", &space.map_or(String::new(), |space| graph::section(space, graph)));
    page.diagnostics(report.all_diagnostics().into_iter().cloned().collect());
    page.section("model", "Model", &model::texts(context.sources));
    page.finish()
}

/// The page of a result of tuning, with a picture (SVG) if there is one.
pub fn of_tuning(
    result: &Tuning,
    elapsed: Duration,
    picture: Option<&[u8]>,
    diagnostics: &[Diagnostic],
    context: &Context<'_>,
) -> String {
    let mut page = Page::new(&tuning::title(result, name(context.file)), context);
    page.section("answers", "Answer", &tuning::answer(result, elapsed));
    page.section("plots", "Plot", &picture.map_or(String::new(), markup::picture));
    page.section("configurations", "Configurations", &tuning::configurations(result));
    page.section("sensitivity", "Sensitivity", &tuning::sensitivity(result));
    page.diagnostics(diagnostics.to_vec());
    page.section("model", "Model", &model::texts(context.sources));
    page.finish()
}

/// The name of a file without those of its folders.
fn name(file: &str) -> &str {
    Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file)
}

/// A page in the making.
struct Page<'a> {
    context: &'a Context<'a>,
    out: String,
}

impl<'a> Page<'a> {
    fn new(title: &str, context: &'a Context<'a>) -> Self {
        let title = escaped(title);
        let about = match context.outline {
            Some(outline) => format!("{} · {}", escaped(context.file), escaped(kind(&outline.kind))),
            None => escaped(context.file),
        };
        let policy = escaped(POLICY);
        let out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<p class=\"subtitle\">{about}</p>\n</header>\n\
             <main>\n"
        );
        Page { context, out }
    }

    /// A section; none if it would be empty.
    fn section(&mut self, id: &str, heading: &str, content: &str) {
        if !content.is_empty() {
            self.out.push_str(&format!(
                "<section id=\"{id}\">\n<h2>{}</h2>\n{content}</section>\n",
                escaped(heading)
            ));
        }
    }

    /// Diagnostics, with the lines that they are about.
    fn diagnostics(&mut self, diagnostics: Vec<Diagnostic>) {
        if !diagnostics.is_empty() {
            let text = render_all(&diagnostics, self.context.sources, RenderOptions::default());
            let content = format!("<pre class=\"diagnostics\">{}</pre>\n", escaped(&text));
            self.section("diagnostics", "Diagnostics", &content);
        }
    }

    fn finish(mut self) -> String {
        self.section("repeat", "How to repeat it", &repeat::section(self.context));
        self.out.push_str(&format!(
            "</main>\n<footer>Volvelle {}. Bounds and guarantees are those of the run that produced this page.</footer>\n\
             </body>\n</html>\n",
            env!("CARGO_PKG_VERSION")
        ));
        self.out
    }
}
