//! `volvelle check` by numbers: values of properties, of one model or at the points of a grid.

use super::suggested;
use super::{Ready, grid, methods, needs, schedulers};
use crate::options::ComputeProperties;
use std::time::Instant;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::needs::Need;
use volvelle_console::opening::{Opening, choices, control, open};
use volvelle_console::output::Output;
use volvelle_console::part::Target;
use volvelle_console::presented::{Reported, Texts, Wanted};
use volvelle_console::progress::Line;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_console::values::Values;
use volvelle_console::{cluster, devices, unfinished, watchdog};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_present::document::Document;
use volvelle_reports::documents::answers;
use volvelle_reports::page;
use volvelle_session::campaign::PointWork;
use volvelle_session::csv::csv_of_states;
use volvelle_session::interim::Interrupted;
use volvelle_session::language::{Analysis, Offers};
use volvelle_session::report::Report;
use volvelle_session::{Session, Settings};

impl Member for ComputeProperties {
    const WHAT: &'static str = "computed properties";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |offers| offers.allows(Analysis::Numbers);
    const WHY: &'static str = "properties are numbers";
    const HELP: &'static str = "leave it out";
    const ANALYSIS: Option<Analysis> = Some(Analysis::Numbers);
    const FILES: &'static [(&'static str, FileUse)] = &[
        ("export_scheduler", FileUse::Numbered),
        ("export_induced", FileUse::Numbered),
        ("out", FileUse::Kept),
    ];
    const NEEDS: &'static [Need] = needs::COMPUTED;
    const VALUES: Values = methods::VALUES;
    const IS_SHARED: bool = true;
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = suggested::properties;

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Computes properties, and shows them.
fn run(args: &'static ComputeProperties, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let (settings, threads) = settings(args)?;
    let mut session = asked.session()?;
    session.run.choices = choices(&args.scheduler)?;
    let start = asked.start;
    let mut ready = Ready { session, settings, threads, start };
    if let Some(refused) = refused(args, &ready.session) {
        return Err(refused.into());
    }
    // Grids are shared; single models are computed by the process that leads.
    match cluster::agree(asked.given)? {
        Some(network) if ready.session.model.is_experiment() => ready.session.run.set_network(network),
        _ if cluster::is_follower() => return Ok(0),
        _ => {}
    }
    if cluster::is_follower() {
        devices::select(&args.devices, threads, &mut ready.session)?;
        grid::run(grid_of(args), &mut ready.session, &ready.settings, threads, start, output);
        return Ok(0);
    }
    let target = Target::of(&args.part, None, asked.given)?;
    if let Some(target) = &target {
        target.begin_points(&mut ready.session)?;
    }
    devices::select(&args.devices, threads, &mut ready.session)?;
    match target {
        Some(target) => Ok(in_parts(args, &target, ready, output)),
        None if ready.session.model.is_experiment() || (args.answer.csv.is_some() && !args.states) => {
            Ok(grid::run(grid_of(args), &mut ready.session, &ready.settings, threads, start, output))
        }
        None => Ok(single(args, ready, output)),
    }
}

/// Computes the properties of one model.
fn single(args: &'static ComputeProperties, mut ready: Ready, output: &Output) -> u8 {
    let progress = Line::new();
    show_on_end(args, &ready.session, ready.settings);
    let control = control(&ready.settings.allowance, ready.threads, ready.start, &progress);
    let mut report = crate::check(&mut ready.session, &args.asked.selected.prop, &ready.settings, &control);
    progress.finish();
    watchdog::results_begin();
    let written = write(args, &ready.settings, &mut report);
    show(args, &page_of(args).texts(&mut ready.session.model), report, written, output)
}

/// The options of a grid of points.
fn grid_of(args: &'static ComputeProperties) -> grid::Wanted<'static> {
    grid::Wanted {
        prop: &args.asked.selected.prop,
        plots: &args.plots,
        explain: args.explain.explain,
        page: page_of(args),
    }
}

/// Computes a share of a grid of points and saves it, or all of it and saves what is computed now and then.
fn in_parts(args: &'static ComputeProperties, target: &Target, mut ready: Ready, output: &Output) -> u8 {
    let session = &mut ready.session;
    if !target.is_share() {
        let code = grid::run(grid_of(args), session, &ready.settings, ready.threads, ready.start, output);
        return target.finish_whole(session.run.computed_points(), code, output);
    }
    let progress = Line::new();
    let control = control(&ready.settings.allowance, ready.threads, ready.start, &progress);
    let found = crate::experiment(session, &args.asked.selected.prop, &ready.settings, &control);
    progress.finish();
    let diagnostics = grid::diagnostics(&found);
    target.finish_share(
        session.run.computed_points(),
        args.answer.output.json,
        diagnostics,
        &session.model.sources,
        output,
    )
}

/// Shows the values of points that were computed elsewhere.
pub fn joined(
    args: &'static ComputeProperties,
    points: PointWork,
    start: Instant,
    output: &Output,
) -> Result<u8, Refused> {
    let (settings, threads) = settings(args)?;
    let opening = Opening {
        properties: &args.asked.properties,
        exact: args.methods.exact.exact,
        limits: Some(&args.limits),
        with_input: true,
        ..Opening::default()
    };
    let mut session = open(&args.model, opening)?;
    session.run.choices = choices(&args.scheduler)?;
    session.run.set_point_work(points, None);
    Ok(grid::run(grid_of(args), &mut session, &settings, threads, start, output))
}

/// How properties are computed, and with how many threads.
fn settings(args: &ComputeProperties) -> Result<(Settings, usize), Vec<Diagnostic>> {
    let (mut settings, threads) = methods::settings(&args.methods, &args.building, &args.limits)?;
    settings.evidence = schedulers::wanted(args);
    settings.all_states = args.states;
    Ok((settings, threads))
}

/// Why this is not asked of a model, or of several.
fn refused(args: &ComputeProperties, session: &Session) -> Option<Vec<Diagnostic>> {
    let unknown = schedulers::unknown_formats(args);
    if !unknown.is_empty() {
        return Some(unknown);
    }
    let is_part = args.part.shard.is_some() || args.part.checkpoint.is_some();
    let of_part = if is_part { part_refused(args, session) } else { None };
    of_part.or_else(|| misused(args, session.model.is_experiment())).map(|refused| vec![refused])
}

/// Why a run has no parts, if it has none.
fn part_refused(args: &ComputeProperties, session: &Session) -> Option<Diagnostic> {
    let option = if args.part.shard.is_some() { "--shard" } else { "--checkpoint" };
    let bad = |why: &str, help: &str| {
        let message = format!("{option} does not apply to this run");
        Some(Diagnostic::error(codes::BAD_USAGE, message).note(why.to_owned()).help(help.to_owned()))
    };
    if !session.model.is_experiment() {
        return bad(
            "the values of one model are computed together; a grid of points has parts",
            "give a constant a range: --const N=1:100; or use `volvelle simulate`, which has paths",
        );
    }
    let others = [
        (args.states, "--states"),
        (args.witness.is_some(), "--witness"),
        (args.export_scheduler.is_some(), "--export-scheduler"),
        (!args.export_induced.is_empty(), "--export-induced"),
    ];
    if let Some((_, other)) = others.iter().find(|(given, _)| *given) {
        return bad(&format!("parts have values, and not what {other} shows"), &format!("leave {other} out"));
    }
    let is_shown =
        args.answer.csv.is_some() || !args.plots.plot.is_empty() || args.answer.page.html.is_some();
    if args.part.shard.is_some() && is_shown {
        return bad(
            "a share of the points is no table",
            "give --csv, --plot and --html to `volvelle merge`, which has all parts",
        );
    }
    None
}

/// Has the results that are finished shown if the work that begins now does not stop in time.
fn show_on_end(args: &'static ComputeProperties, session: &Session, settings: Settings) {
    let (interim, file) = (session.run.interim.clone(), session.model.file.to_owned());
    unfinished::on_end(move |end, output| {
        let Interrupted { mut report, outline, sources } = interim.report(end.stop, &end.allowance)?;
        let written = write(args, &settings, &mut report);
        let texts = Texts { file: &file, outline, sources: &sources };
        Some(show(args, &texts, report, written, output))
    });
}

/// Writes the requested files about computed properties; returns their names.
fn write(args: &ComputeProperties, settings: &Settings, report: &mut Report) -> Vec<String> {
    if args.export_scheduler.is_none() && args.export_induced.is_empty() {
        return Vec::new();
    }
    schedulers::write(args, settings, report)
}

/// The page that is wanted.
fn page_of(args: &ComputeProperties) -> Wanted<'_> {
    Wanted { answer: &args.answer, model: &args.model, seed: None }
}

/// Shows a report in the requested form, and returns the exit code.
fn show(
    args: &ComputeProperties,
    texts: &Texts<'_>,
    report: Report,
    written: Vec<String>,
    output: &Output,
) -> u8 {
    let document = document(args, &report, texts.file);
    let shown = Reported {
        page: page_of(args),
        explain: args.explain.explain,
        table: (args.states && args.answer.csv.is_some()).then(|| csv_of_states(&report.results)),
        has_head: true,
    };
    shown.show(report, &document, texts, written, output)
}

/// What is said of a report.
fn document(args: &ComputeProperties, report: &Report, file: &str) -> Document {
    let one_by_one = args.answer.output.verbose || args.witness.is_some();
    let mut document = answers::document(&report.results, one_by_one, page::name(file));
    if args.states {
        answers::states(&mut document, &report.results);
    }
    document
}

/// Options that do not go together.
fn misused(args: &ComputeProperties, is_experiment: bool) -> Option<Diagnostic> {
    let bad = |message: &str, help: &str| Some(Diagnostic::error(codes::BAD_USAGE, message).help(help));
    if args.states && is_experiment {
        return bad(
            "--states shows one model, but a constant takes several values",
            "give each constant a single value",
        );
    }
    let shows_one = args.witness.is_some() || args.export_scheduler.is_some();
    if (shows_one || !args.export_induced.is_empty()) && is_experiment {
        return bad(
            "--witness, --export-scheduler and --export-induced show one model, but a constant takes several values",
            "give each constant a single value",
        );
    }
    if args.scheduler.scheduler.is_some()
        && (args.methods.exact.exact || is_experiment || args.methods.space.reduce)
    {
        return bad(
            "--scheduler follows a scheduler on one model, with bounds",
            "leave --exact and --reduce out, and give each constant a single value",
        );
    }
    if !args.plots.plot.is_empty() && !is_experiment {
        return bad(
            "--plot draws values over a constant, but no constant takes several values",
            "give a constant a range: --const T=0:10:200",
        );
    }
    None
}
