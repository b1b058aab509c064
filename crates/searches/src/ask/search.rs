//! `volvelle check` by search: assertions, end states, claims and formulas on all runs.

use crate::options::{SearchArgs, SearchErrors, SearchName};
use crate::runs::is_named_for_spin;
use crate::{SearchMethod, SearchSettings, Wanted};
use std::path::Path;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::opening::{control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::{self, Reported, Texts};
use volvelle_console::progress::Line;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_console::values::Values;
use volvelle_console::{amounts, cluster, files, unfinished, watchdog};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_reports::documents::answers;
use volvelle_reports::page;
use volvelle_session::interim::Interrupted;
use volvelle_session::language::{Analysis, Formalism, Offers};
use volvelle_session::report::Report;
use volvelle_session::{Model, Session, Settings};

impl Member for SearchErrors {
    const WHAT: &'static str = "a search";
    const CHOSEN: Chosen = Chosen::ByOptionsOrModel(&["safety", "ltl"], |_| true);
    const OF: fn(&Offers) -> bool = |offers| offers.allows(Analysis::Search);
    const WHY: &'static str = "a search looks for errors of runs";
    const HELP: &'static str = "request a search: --safety, or --ltl 'G F \"ready\"'";
    const ANALYSIS: Option<Analysis> = Some(Analysis::Search);
    const REFUSED: &'static [(&'static str, &'static str, &'static str)] =
        &[("properties", TWO_QUESTIONS, ALL_RUNS)];
    const FILES: &'static [(&'static str, FileUse)] = &[("trail", FileUse::Written)];
    const VALUES: Values =
        &[("max_depth", |value| amounts::count(value, "a depth", "--max-depth 1e6").map(|_| ()))];
    const IS_SHARED: bool = true;
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        if subject.offers.is_some_and(|offers| offers.formalism != Formalism::Processes) {
            return Vec::new();
        }
        let claims = subject.outline.map_or(0, |outline| outline.properties.len());
        let claims = match claims {
            0 => String::new(),
            1 => ", and its claim".to_owned(),
            n => format!(", and its {n} claims"),
        };
        let model = subject.model();
        vec![
            Suggestion::new(format!("assertions, deadlocks{claims}: in all runs"), format!("check {model}")),
            Suggestion::new(
                "the same, as a page with a sequence chart",
                format!("check {model} --html found.html"),
            ),
        ]
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

const TWO_QUESTIONS: &str =
    "--ltl and --safety search all runs, whereas properties are computed: request one of them at a time";
const ALL_RUNS: &str = "to write a formula for all runs as a property: --prop 'A [ G F \"ready\" ]'";

/// Searches, and shows what was found.
fn run(args: &'static SearchErrors, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let (mut settings, threads) = settings(&args.code, &args.limits)?;
    settings.symmetry = args.symmetry.symmetry;
    let searching = searching(args, &settings)?;
    let mut session = asked.session()?;
    if let Some(diagnostic) = no_claim(args, &session.model) {
        return Err(diagnostic.into());
    }
    // Swarms are shared; other searches are done by the process that leads.
    let is_swarm = searching.method == SearchMethod::Swarm && !session.model.is_experiment();
    match cluster::agree(asked.given)? {
        Some(network) if is_swarm => session.run.set_network(network),
        _ if cluster::is_follower() => return Ok(0),
        _ => {}
    }
    let progress = Line::new();
    let control = control(&settings.allowance, threads, asked.start, &progress);
    show_on_end(args, &session);
    let mut report = crate::search(&mut session, &wanted(args), &searching, &control);
    progress.finish();
    if cluster::is_follower() {
        return Ok(0);
    }
    watchdog::results_begin();
    let written = write(&args.search, &session.model, &mut report);
    Ok(show(args, &page_of(args).texts(&mut session.model), report, written, output))
}

/// Has the verdicts that are finished shown if the work does not stop in time.
fn show_on_end(args: &'static SearchErrors, session: &Session) {
    let (interim, file) = (session.run.interim.clone(), session.model.file.to_owned());
    unfinished::on_end(move |end, output| {
        let Interrupted { report, outline, sources } = interim.report(end.stop, &end.allowance)?;
        // A trail is replayed with the session, which is busy: there is none in a file.
        let texts = Texts { file: &file, outline, sources: &sources };
        Some(show(args, &texts, report, Vec::new(), output))
    });
}

/// The page that is wanted.
fn page_of(args: &SearchErrors) -> presented::Wanted<'_> {
    presented::Wanted { answer: &args.answer, model: &args.model, seed: None }
}

/// Shows a report in the requested form, and returns the exit code.
fn show(args: &SearchErrors, texts: &Texts<'_>, report: Report, written: Vec<String>, output: &Output) -> u8 {
    let document = answers::verdicts(&report.results, page::name(texts.file));
    let shown = Reported { page: page_of(args), explain: args.explain.explain, table: None, has_head: true };
    shown.show(report, &document, texts, written, output)
}

/// The settings of the search.
fn searching(args: &SearchErrors, settings: &Settings) -> Result<SearchSettings, Vec<Diagnostic>> {
    let depth = |text: &String| amounts::count(text, "a depth", "--max-depth 1e6").map_err(|d| vec![d]);
    Ok(SearchSettings {
        allowance: settings.allowance,
        tier: settings.tier,
        all_errors: args.search.all_errors,
        max_depth: args.search.max_depth.as_ref().map(depth).transpose()?,
        no_reduction: args.search.no_reduction,
        symmetry: args.symmetry.symmetry,
        shorten: args.search.shorten,
        whole_trails: args.search.trail.is_some() || args.answer.output.verbose,
        method: match args.search.search {
            SearchName::Auto => SearchMethod::Automatic,
            SearchName::Bfs => SearchMethod::BreadthFirst,
            SearchName::Dfs => SearchMethod::DepthFirst,
            SearchName::Bitstate => SearchMethod::Bitstate,
            SearchName::HashCompact => SearchMethod::HashCompact,
            SearchName::Swarm => SearchMethod::Swarm,
        },
    })
}

/// The errors to search for.
fn wanted(args: &SearchErrors) -> Wanted {
    // What is asked of a Promela model with --prop is a claim as well.
    Wanted {
        safety: args.search.safety,
        claims: args.search.ltl.iter().chain(&args.selected.prop).cloned().collect(),
        acceptance: args.search.acceptance,
        progress: args.search.progress,
        weak_fairness: args.search.fair,
    }
}

/// Properties to compute beside formulas to search for.
fn no_claim(args: &SearchErrors, model: &Model) -> Option<Diagnostic> {
    match model.offers()?.formalism {
        Formalism::Processes => args.selected.prop.iter().find_map(|text| not_a_claim(text)),
        _ if args.selected.prop.is_empty() => None,
        _ => Some(Diagnostic::error(codes::BAD_USAGE, TWO_QUESTIONS).help(ALL_RUNS)),
    }
}

/// The diagnostic about a property with a number, asked of a Promela model.
pub(super) fn not_a_claim(text: &str) -> Option<Diagnostic> {
    let operator = text.trim_start();
    let rest = ["P", "R", "S", "T"].iter().find_map(|operator_name| operator.strip_prefix(operator_name));
    let is_number = rest.is_some_and(|rest| {
        let rest = rest.strip_prefix("min").or_else(|| rest.strip_prefix("max")).unwrap_or(rest).trim_start();
        rest.starts_with("=?") || rest.starts_with(['<', '>', '{']) && text.contains('[')
    });
    (is_number || operator.starts_with("filter(") || operator.starts_with("multi(")).then(|| {
        Diagnostic::error(
            codes::BAD_USAGE,
            "--prop with a numeric property does not apply to a Promela model",
        )
        .note("Promela models have claims instead of properties")
        .help("give an LTL formula: --ltl '[] (x < 4)', or write `ltl name { ... }` in the model")
    })
}

/// Writes the requested files; returns their names.
fn write(args: &SearchArgs, model: &Model, report: &mut Report) -> Vec<String> {
    let mut written = Vec::new();
    if let Some(path) = &args.trail {
        save(path, model, report, &mut written);
    }
    written
}

/// Writes the first counterexample to a file.
fn save(path: &Path, model: &Model, report: &mut Report, written: &mut Vec<String>) {
    let found = report.results.iter().find_map(|r| Some((r, r.counterexamples.first()?)));
    let Some((result, example)) = found else { return };
    let text = if is_named_for_spin(path) {
        crate::save_as_spin_trail(model, example).map(|trail| trail.to_text())
    } else {
        let property = result.name.as_deref().unwrap_or(&result.text);
        crate::save_trail(model, property, example).map(|trail| trail.to_text())
    };
    match text {
        Some(text) => files::write_as(true, path, text.as_bytes(), written, &mut report.diagnostics),
        None => {
            let message = format!("`{}` is not written: the simulator cannot replay the run", path.display());
            report.diagnostics.push(Diagnostic::error(codes::FILE_NOT_WRITTEN, message));
        }
    }
}
