//! `volvelle steady` and `volvelle transient`: transition systems with rates.

use crate::options::{SteadyState, SystemArgs, TransientBehaviour};
use crate::{
    Course, LongRun, Lts, Performance, PerformanceReport, course, csv_of_course, csv_of_long_run, document,
    long_run,
};
use std::time::Instant;
use volvelle_console::amounts;
use volvelle_console::given::GivenOptions;
use volvelle_console::of_language;
use volvelle_console::opening::{Opening, control, open, settings};
use volvelle_console::output::{Output, exit_code};
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, LOG_AXES, Need};
use volvelle_console::refusal::{finish, refuse};
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_markov::Options as Numeric;
use volvelle_present::document::Document;
use volvelle_session::{Settings, json};
use volvelle_systems::Relabelling;

impl Ask for SteadyState {
    const NAME: &'static str = "steady";
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let Some(outline) = subject.outline.filter(|_| subject.is_system()) else { return Vec::new() };
        let model = subject.model();
        // Rates stand in the labels, or are put there.
        if outline.actions.iter().any(|action| action.contains("rate ")) {
            let about = "how often each action happens in the long run";
            return vec![Suggestion::new(about, format!("steady {model}{}", open_rates(&outline.actions)))];
        }
        let Some(action) = outline.actions.first() else { return Vec::new() };
        let command = format!("steady {model} --bounds --rename '/{action}.*/{action}; rate 1/'");
        vec![Suggestion::new(
            format!("how often {action} happens in the long run, if it has this rate"),
            command,
        )]
    };
    const NEEDS: &'static [Need] = &[LOG_AXES];

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        steady(self, given, output)
    }
}

/// `volvelle steady`.
pub fn steady(args: &SteadyState, given: &GivenOptions, output: &Output) -> u8 {
    let paths = match simulated_paths(&args.system) {
        Ok(paths) => paths,
        Err(diagnostic) => return refuse(&[diagnostic], args.system.answer.output.json, output),
    };
    let wanted = LongRun { states: args.states, sensitivity: args.system.sensitivity };
    run(
        (&args.system, given),
        output,
        |lts, constants, settings, control| {
            let file = args.system.model.model.display().to_string();
            long_run(&file, lts, &question(&args.system, paths, constants), wanted, settings, control)
        },
        csv_of_long_run,
        |report, sources| crate::json::steady(report, sources).to_text(),
        |report| {
            let file = &args.system.model.model;
            let mut document = Document::new(format!("The long run of {}", file.display()));
            document::long_run(&mut document, report, args.states || args.system.answer.output.verbose);
            document
        },
    )
}

/// The option that gives values to rates that are names: `--const LAMBDA=...`.
fn open_rates(labels: &[String]) -> String {
    let rates = labels.iter().filter_map(|label| label.split_once("rate "));
    let mut names: Vec<&str> = rates.filter_map(|(_, rate)| rate.split_whitespace().next()).collect();
    names.retain(|name| name.starts_with(|c: char| c.is_alphabetic()));
    names.sort_unstable();
    names.dedup();
    let values: Vec<String> = names.iter().map(|name| format!("{name}=...")).collect();
    if values.is_empty() { String::new() } else { format!(" --const {}", values.join(",")) }
}

impl Ask for TransientBehaviour {
    const NAME: &'static str = "transient";
    const NEEDS: &'static [Need] = &[LOG_AXES];

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        transient(self, given, output)
    }
}

/// `volvelle transient`.
pub fn transient(args: &TransientBehaviour, given: &GivenOptions, output: &Output) -> u8 {
    let system = &args.system;
    if system.sensitivity && args.first_passage.is_empty() {
        let diagnostic =
            Diagnostic::error(codes::BAD_USAGE, "--sensitivity has no meaning without --first-passage")
                .note("over time, only the mean of a first passage has derivatives")
                .help("give the action whose first occurrence is awaited: --first-passage GATE")
                .help("or derive long-run throughputs: volvelle steady --sensitivity");
        return refuse(&[diagnostic], system.answer.output.json, output);
    }
    let paths = match simulated_paths(system) {
        Ok(paths) => paths,
        Err(diagnostic) => return refuse(&[diagnostic], system.answer.output.json, output),
    };
    let wanted = Course {
        times: args.times.as_deref(),
        counts: args.counts,
        until: &args.first_passage,
        sensitivity: system.sensitivity,
    };
    run(
        (system, given),
        output,
        |lts, constants, settings, control| {
            let file = system.model.model.display().to_string();
            course(&file, lts, &question(system, paths, constants), &wanted, settings, control)
        },
        csv_of_course,
        |report, sources| crate::json::transient(report, sources).to_text(),
        |report| {
            let file = &system.model.model;
            let mut document = Document::new(format!("The course of {} over time", file.display()));
            document::course(&mut document, report, system.answer.output.verbose);
            document
        },
    )
}

fn question<'a>(args: &'a SystemArgs, paths: Option<u64>, constants: &'a [String]) -> Performance<'a> {
    Performance { constants, actions: &args.actions, bounds: args.bounds, simulated_paths: paths }
}

/// The number of paths to simulate.
fn simulated_paths(args: &SystemArgs) -> Result<Option<u64>, Diagnostic> {
    let count = |text: &String| amounts::count(text, "a number of paths", "--simulate 1e5");
    args.simulate.as_ref().map(count).transpose()
}

/// Reads the system, analyses it, and shows what was found.
fn run<T>(
    (args, given): (&SystemArgs, &GivenOptions),
    output: &Output,
    analyse: impl Fn(&Lts, &[String], &Settings, &volvelle_control::Control<'_>) -> PerformanceReport<T>,
    csv: impl Fn(&PerformanceReport<T>) -> String,
    json: impl Fn(&PerformanceReport<T>, &Sources) -> String,
    document: impl Fn(&PerformanceReport<T>) -> Document,
) -> u8 {
    let start = Instant::now();
    let usual = Numeric::default();
    let precision =
        args.precision.as_deref().map(|text| amounts::precision(text, "--precision 1e-6")).transpose();
    let made = settings(&args.code, &args.limits);
    let (precision, (settings, threads)) = match (precision, made) {
        (Ok(precision), Ok(made)) => (precision.unwrap_or(usual.precision), made),
        (Err(diagnostic), _) => return refuse(&[diagnostic], args.answer.output.json, output),
        (_, Err(diagnostics)) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let settings = Settings { numeric: Numeric { precision, ..usual }, ..settings };
    let relabelling = match Relabelling::read(&args.labels.rename, args.labels.hide.as_deref()) {
        Ok(relabelling) => relabelling,
        Err(diagnostics) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let opening = Opening {
        defines: &args.define,
        limits: Some(&args.limits),
        with_input: true,
        as_system: true,
        ..Opening::default()
    };
    let mut session = match open(&args.model, opening) {
        Ok(session) => session,
        Err(diagnostics) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let refusals = of_language::refusals(given, &session.model);
    if !refusals.is_empty() {
        return refuse(&refusals, args.answer.output.json, output);
    }
    // Where the model has no constants, they are values of the names of rates.
    let constants: &[String] = if session.model.gives_up_constants() { &args.model.constants } else { &[] };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (made, lts) = volvelle_systems::transition_system(&mut session, &settings, &control);
    let Some(lts) = lts else {
        progress.finish();
        if args.answer.output.json {
            output.print(&json::Document::new(&made.diagnostics, &session.model.sources).to_text());
        }
        return finish(&made, &session.model.sources, output);
    };
    let (lts, warnings) = relabelling.apply(lts);
    let mut report = analyse(&lts, constants, &settings, &control);
    report.diagnostics.splice(0..0, made.diagnostics.into_iter().chain(warnings));
    let sources = &session.model.sources;
    progress.finish();
    let mut written = Vec::new();
    let mut shown =
        Shown::new(&args.answer, document(&report), &session.model.file, sources).with_table(|| csv(&report));
    shown.write_table(&mut written, &mut report.diagnostics);
    shown.write_chart(&args.plots, &mut written, &mut report.diagnostics);
    let written = shown.write_page(&written, &mut report.diagnostics, output);
    shown.print(|| json(&report, sources), &written, output);
    output.print_diagnostics(&report.diagnostics, sources);
    exit_code(report.status())
}
