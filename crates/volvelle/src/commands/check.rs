//! `volvelle check`

use super::{distribution, experiment, find, scheduler, search};
use crate::args::Check;
use crate::numeric;
use std::path::Path;
use std::time::Instant;
use volvelle_console::applicable::Task;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::Opening;
use volvelle_console::options::{VerifyArgs, VerifyName};
use volvelle_console::output::Output;
use volvelle_console::part::Target;
use volvelle_console::presented::{Texts, Wanted};
use volvelle_console::progress::Line;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_console::{amounts, applicable, cluster, files, unfinished, watchdog};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_estimate::Sampling;
use volvelle_present::terminal::draw;
use volvelle_reports::documents::facts;
use volvelle_reports::screen::{Style, answer, model, processes, states, table};
use volvelle_reports::{page, screen};
use volvelle_searches::{SearchMethod, SearchSettings};
use volvelle_session::campaign::PointWork;
use volvelle_session::csv::csv_of_states;
use volvelle_session::interim::Interrupted;
use volvelle_session::language::{Analysis, Formalism};
use volvelle_session::report::Report;
use volvelle_session::verification::{Verify, Verifying};
use volvelle_session::{Session, Settings, json};

impl Ask for Check {
    const NAME: &'static str = "check";
    const FILES: &'static [(&'static str, FileUse)] = &[
        ("trail", FileUse::Written),
        ("export_scheduler", FileUse::Numbered),
        ("export_induced", FileUse::Numbered),
        ("out", FileUse::Kept),
    ];
    const NEEDS: &'static [Need] = crate::needs::check::NEEDS;

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Checks properties.
#[expect(clippy::too_many_lines, reason = "still to come apart")]
pub fn run(args: &'static Check, given: &GivenOptions, output: &Output) -> u8 {
    if !args.weighted.wctl.is_empty() {
        return super::weighted::check::run(args, given, output);
    }
    if !args.mcl.is_empty() {
        return super::systems::formulas::run(args, given, output);
    }
    let start = Instant::now();
    if let Err(diagnostic) = cluster::join() {
        return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output);
    }
    Target::begin(&args.part);
    let opened = opened(args);
    let (mut session, mut settings, searching, threads) = match opened {
        Ok(opened) => opened,
        Err(diagnostics) => return volvelle_console::refusal::refuse(&diagnostics, args.output.json, output),
    };
    if let Some(diagnostic) =
        volvelle_console::presented::misused(&args.page, &args.output, args.csv.as_deref())
    {
        return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output);
    }
    let is_search = args.search.safety || !args.search.ltl.is_empty();
    if let Some(diagnostic) = two_questions(args, is_search && session.allows(Analysis::Numbers)) {
        return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output);
    }
    if session.formalism() == Some(Formalism::Processes)
        && let Some(diagnostic) = args.asked.prop.iter().find_map(|text| search::not_a_claim(text))
    {
        return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output);
    }
    let refusal = session.refusal(if is_search { Analysis::Search } else { Analysis::Numbers });
    if let Some(diagnostic) = refusal.filter(|_| is_search || !session.allows(Analysis::Search)) {
        return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output);
    }
    let is_search = is_search || !session.allows(Analysis::Numbers);
    let task = if is_search { Task::Search } else { Task::Compute };
    let mut refusals = applicable::refusals(given, task, &session);
    if refusals.is_empty() {
        let others = [&args.search.trail, &args.page.html, &args.part.out, &args.part.checkpoint];
        let targets = [&args.csv, &args.export_scheduler].into_iter().chain(others).flatten();
        let targets = targets.chain(&args.plot).chain(&args.export_induced);
        refusals = volvelle_console::refusal::refused_targets(targets);
        refusals.extend(scheduler::unknown_formats(args));
    }
    if !refusals.is_empty() {
        return volvelle_console::refusal::refuse(&refusals, args.output.json, output);
    }
    // Grids and swarms are shared; other searches and single models are computed by the process that leads.
    let is_swarm = is_search && searching.method == SearchMethod::Swarm && !session.is_experiment();
    let is_grid = !is_search && session.is_experiment() && args.find.find.is_none();
    match cluster::agree(given) {
        Err(diagnostic) => return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output),
        Ok(Some(network)) if is_swarm || is_grid => session.set_network(network),
        Ok(_) if cluster::is_follower() => return 0,
        Ok(_) => {}
    }
    if is_search {
        let progress = Line::new();
        let control = volvelle_console::opening::control(&settings.allowance, threads, start, &progress);
        show_on_end(args, &session, settings, Task::Search);
        let mut report = volvelle_searches::search(&mut session, &search::wanted(args), &searching, &control);
        progress.finish();
        if cluster::is_follower() {
            return 0;
        }
        watchdog::results_begin();
        let written = search::write(args, &session, &mut report);
        return show(args, &page_of(args).texts(&mut session), report, written, Task::Search, output);
    }
    if cluster::is_follower() {
        return follow(args, &mut session, &settings, threads, start, output);
    }
    let target = Target::of(&args.part, None, given).and_then(|target| {
        let Some(target) = target else { return Ok(None) };
        part_refused(args, &session).map_or(Ok(()), Err)?;
        target.begin_points(&mut session)?;
        Ok(Some(target))
    });
    if let Err(diagnostics) = volvelle_console::devices::select(&args.devices, threads, &mut session) {
        return volvelle_console::refusal::refuse_in(
            &diagnostics,
            session.sources(),
            args.output.json,
            output,
        );
    }
    if let Some(diagnostic) = misused(args, session.is_experiment()) {
        return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output);
    }
    let is_distribution = args.distribution.transient.is_some() || args.distribution.steady_state;
    if (is_distribution || args.find.find.is_some())
        && (args.part.shard.is_some() || args.part.checkpoint.is_some())
    {
        let diagnostic = Diagnostic::error(codes::BAD_USAGE, "searches and distributions have no parts");
        let diagnostic = diagnostic.help("leave --shard and --checkpoint out");
        return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output);
    }
    if is_distribution {
        return distribution::run(args, &mut session, &settings, threads, start, output);
    }
    if let Some(range) = &args.find.find {
        return find::run(args, range, &mut session, &settings, threads, start, output);
    }
    settings.all_states = args.states;
    match target {
        Err(diagnostic) => return volvelle_console::refusal::refuse(&[diagnostic], args.output.json, output),
        Ok(Some(target)) => return in_parts(args, &target, &mut session, &settings, threads, start, output),
        Ok(None) => {}
    }
    if session.is_experiment() || (args.csv.is_some() && !args.states) {
        return experiment::run(grid_of(args), &mut session, &settings, threads, start, output);
    }
    let progress = Line::new();
    show_on_end(args, &session, settings, Task::Compute);
    let mut report = volvelle_numbers::check(
        &mut session,
        &args.asked.prop,
        &settings,
        &volvelle_console::opening::control(&settings.allowance, threads, start, &progress),
    );
    progress.finish();
    watchdog::results_begin();
    let written = write(args, &settings, &mut report);
    show(args, &page_of(args).texts(&mut session), report, written, Task::Compute, output)
}

/// The options of a grid of points.
fn grid_of(args: &'static Check) -> experiment::Wanted<'static> {
    experiment::Wanted {
        prop: &args.asked.prop,
        csv: args.csv.as_deref(),
        plot: &args.plot,
        log_axes: args.log_axes,
        explain: args.explain,
        output: &args.output,
        page: page_of(args),
    }
}

/// Computes a share of a grid of points and saves it, or all of it and saves what is computed now and then.
fn in_parts(
    args: &'static Check,
    target: &Target,
    session: &mut Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    if !target.is_share() {
        let code = experiment::run(grid_of(args), session, settings, threads, start, output);
        return target.finish_whole(session.computed_points(), code, output);
    }
    let progress = Line::new();
    let control = volvelle_console::opening::control(&settings.allowance, threads, start, &progress);
    let found = volvelle_numbers::experiment(session, &args.asked.prop, settings, &control);
    progress.finish();
    let diagnostics = experiment::diagnostics(&found);
    target.finish_share(session.computed_points(), args.output.json, diagnostics, session.sources(), output)
}

/// Shows the values of points that were computed elsewhere.
pub fn joined(args: &'static Check, points: PointWork, start: Instant, output: &Output) -> u8 {
    let (mut session, settings, _, threads) = match opened(args) {
        Ok(opened) => opened,
        Err(diagnostics) => return volvelle_console::refusal::refuse(&diagnostics, args.output.json, output),
    };
    session.set_point_work(points, None);
    experiment::run(grid_of(args), &mut session, &settings, threads, start, output)
}

/// Why a run has no parts, if it has none.
fn part_refused(args: &Check, session: &Session) -> Option<Diagnostic> {
    let option = if args.part.shard.is_some() { "--shard" } else { "--checkpoint" };
    let bad = |why: &str, help: &str| {
        let message = format!("{option} does not apply to this run");
        Some(Diagnostic::error(codes::BAD_USAGE, message).note(why.to_owned()).help(help.to_owned()))
    };
    if !session.is_experiment() {
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
    let is_shown = args.csv.is_some() || !args.plot.is_empty() || args.page.html.is_some();
    if args.part.shard.is_some() && is_shown {
        return bad(
            "a share of the points is no table",
            "give --csv, --plot and --html to `volvelle merge`, which has all parts",
        );
    }
    None
}

/// Computes points for the process that leads.
fn follow(
    args: &'static Check,
    session: &mut Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    if let Err(diagnostics) = volvelle_console::devices::select(&args.devices, threads, session) {
        return volvelle_console::refusal::refuse_in(
            &diagnostics,
            session.sources(),
            args.output.json,
            output,
        );
    }
    experiment::run(grid_of(args), session, settings, threads, start, output);
    0
}

/// What a run of properties has: the session, how it computes, how it searches, and its threads.
type Opened = (Session, Settings, SearchSettings, usize);

/// Reads the files, and the options that do not depend on them.
fn opened(args: &Check) -> Result<Opened, Vec<Diagnostic>> {
    volvelle_console::opening::settings(&args.building, &args.limits).and_then(|(mut settings, threads)| {
        settings.numeric = numeric::numeric(&args.numeric)?;
        settings.exact = args.numeric.exact;
        settings.strict_precision = args.numeric.strict_precision;
        settings.verify = verifying(&args.verify)?;
        settings.full_space = args.full_space;
        settings.reduce = args.reduce;
        settings.symmetry = args.search.symmetry;
        settings.evidence = scheduler::wanted(args);
        let searching = search::settings(args, &settings)?;
        let opening = Opening {
            properties: &args.asked.properties,
            defines: &args.search.define,
            exact: args.numeric.exact,
            limits: Some(&args.limits),
            with_input: true,
            as_system: false,
            record: None,
        };
        let mut session = volvelle_console::opening::open(&args.model, opening)?;
        session.set_scheduler(volvelle_console::opening::choices(&args.scheduler)?);
        Ok((session, settings, searching, threads))
    })
}

/// Has the results that are finished shown if the work that begins now does not stop in time.
fn show_on_end(args: &'static Check, session: &Session, settings: Settings, task: Task) {
    let (interim, file) = (session.interim(), session.file().to_owned());
    unfinished::on_end(move |end, output| {
        let Interrupted { mut report, outline, sources } = interim.report(end.stop, &end.allowance)?;
        // A trail is replayed with the session, which is busy: there is none in a file.
        let written = if task == Task::Compute { write(args, &settings, &mut report) } else { Vec::new() };
        let texts = Texts { file: &file, outline, sources: &sources };
        Some(show(args, &texts, report, written, task, output))
    });
}

/// Writes the requested files about computed properties; returns their names.
fn write(args: &Check, settings: &Settings, report: &mut Report) -> Vec<String> {
    let mut written = Vec::new();
    if args.export_scheduler.is_some() || !args.export_induced.is_empty() {
        written = scheduler::write(args, settings, report);
    }
    if let Some(path) = args.csv.as_deref().filter(|path| *path != Path::new("-")) {
        let table = csv_of_states(&report.results);
        let is_whole = !report.all_diagnostics().into_iter().any(files::is_cut);
        files::write_as(is_whole, path, table.as_bytes(), &mut written, &mut report.diagnostics);
    }
    written
}

/// The page that is wanted.
fn page_of(args: &Check) -> Wanted<'_> {
    Wanted { args: &args.page, model: &args.model, seed: None }
}

/// Shows a report in the requested form, and returns the exit code.
fn show(
    args: &Check,
    texts: &Texts<'_>,
    mut report: Report,
    mut written: Vec<String>,
    task: Task,
    output: &Output,
) -> u8 {
    let page = page_of(args);
    let searched = task == Task::Search;
    let mut diagnostics = Vec::new();
    let is_whole = !report.all_diagnostics().into_iter().any(files::is_cut);
    page.write((texts, is_whole), output, &mut written, &mut diagnostics, |context| {
        page::of_report(&report, searched, context)
    });
    report.diagnostics.append(&mut diagnostics);
    if args.output.json {
        let mut document = json::Document::of_check(&report, texts.sources);
        if args.explain {
            document = document.explained(report.model.as_ref(), report.results.iter());
        }
        output.print(&document.to_text());
    } else if args.states && args.csv.as_deref() == Some(Path::new("-")) {
        output.print(&csv_of_states(&report.results));
    } else if !page.is_on_standard_output() {
        let mut text = String::new();
        if let Some(space) = &report.model {
            text.push_str(&model::head(space, args.output.verbose, output.style));
        }
        let results = if searched { verdicts } else { answers };
        text.push_str(&results(args, &report, output.style));
        if args.explain {
            text.push_str(&draw(
                &facts::document(report.model.as_ref(), &report.results),
                false,
                output.style,
            ));
        }
        text.push_str(&screen::written(&written, output.style));
        output.print(&text);
    }
    volvelle_console::refusal::finish(&report, texts.sources, output)
}

/// The verdicts of a search.
fn verdicts(args: &Check, report: &Report, style: Style) -> String {
    let several = report.results.len() > 1;
    let block = |result| processes::block(result, several, args.output.verbose, style);
    report.results.iter().map(block).collect()
}

/// The answers to properties.
fn answers(args: &Check, report: &Report, style: Style) -> String {
    let verbose = args.output.verbose;
    let mut text = match report.results.as_slice() {
        [] => String::new(),
        [single] => answer::block(single, verbose, style),
        several if verbose || args.witness.is_some() => {
            several.iter().map(|result| answer::block(result, verbose, style)).collect()
        }
        several => table::table(several, style),
    };
    if args.states {
        report.results.iter().for_each(|r| text.push_str(&states::table(r, verbose, style)));
    }
    text
}

/// Reads the options of verification.
fn verifying(args: &VerifyArgs) -> Result<Verifying, Vec<Diagnostic>> {
    let time = amounts::time(&args.verify_time, "--verify-time 1.5").map_err(|d| vec![d])?;
    let width = amounts::width(&args.verify_width, "--verify-width 1e-2").map_err(|d| vec![d])?;
    let which = match args.verify {
        VerifyName::EarlyStop => Verify::EarlyStop,
        VerifyName::Auto => Verify::Auto,
        VerifyName::Quantitative => Verify::Quantitative,
        VerifyName::Always => Verify::Always,
        VerifyName::Never => Verify::Never,
    };
    let sampling = Sampling { seed: args.verify_seed, ..Sampling::default() };
    let samples = args.verify_samples.as_deref();
    let samples = samples.map(|n| amounts::count(n, "a number of paths", "--verify-samples 1e5")).transpose();
    let samples = samples.map_err(|d| vec![d])?;
    Ok(Verifying { which, time, samples, width, repair: args.verify_repair, sampling })
}

/// Properties to compute beside formulas to search for.
fn two_questions(args: &Check, is_search: bool) -> Option<Diagnostic> {
    let is_computed = !args.asked.prop.is_empty() || !args.asked.properties.is_empty();
    (is_search && is_computed).then(|| {
        let message =
            "--ltl and --safety search all runs, whereas properties are computed: request one of them at a time";
        Diagnostic::error(codes::BAD_USAGE, message)
            .help("to write a formula for all runs as a property: --prop 'A [ G F \"ready\" ]'")
    })
}

/// Options that do not go together.
fn misused(args: &Check, is_experiment: bool) -> Option<Diagnostic> {
    let bad = |message: &str, help: &str| Some(Diagnostic::error(codes::BAD_USAGE, message).help(help));
    if args.output.json && args.csv.as_deref() == Some(Path::new("-")) {
        return bad("--json and --csv - both write to standard output", "give a file: --csv table.csv");
    }
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
    if !args.distribution.by.is_empty()
        && args.distribution.transient.is_none()
        && !args.distribution.steady_state
    {
        return bad(
            "--by groups the states of a distribution, but no distribution is requested",
            "request one: --transient 10, or --steady-state",
        );
    }
    if args.scheduler.scheduler.is_some() && (args.numeric.exact || is_experiment || args.reduce) {
        return bad(
            "--scheduler follows a scheduler on one model, with bounds",
            "leave --exact and --reduce out, and give each constant a single value",
        );
    }
    if !args.plot.is_empty() && !is_experiment {
        return bad(
            "--plot draws values over a constant, but no constant takes several values",
            "give a constant a range: --const T=0:10:200",
        );
    }
    None
}
