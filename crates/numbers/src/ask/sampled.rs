//! `volvelle simulate` of a stochastic model: intervals from paths.

use super::suggested;
use super::{Ready, grid, needs};
use crate::options::{EmitName, SamplePaths, SamplingArgs, SamplingName, TierName};
use std::time::Instant;
use volvelle_campaign::Body;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::needs::Need;
use volvelle_console::opening::{Opening, choices, control, open};
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::part::Target;
use volvelle_console::presented::{self, Reported};
use volvelle_console::progress::Line;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_console::values::Values;
use volvelle_console::{amounts, cluster, devices, machine};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_estimate::{PathTier, Sampling, SamplingMethod};
use volvelle_paths::{CodeForm, Tracing};
use volvelle_reports::documents::answers;
use volvelle_reports::page;
use volvelle_session::campaign::PathWork;
use volvelle_session::language::{Analysis, Offers};
use volvelle_session::{Session, Settings, json};

impl Member for SamplePaths {
    const WHAT: &'static str = "sampled paths";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |offers| offers.allows(Analysis::Sampling);
    const WHY: &'static str = "paths are those of stochastic models";
    const HELP: &'static str = "leave it out";
    const ANALYSIS: Option<Analysis> = Some(Analysis::Sampling);
    const FILES: &'static [(&'static str, FileUse)] = &[("round", FileUse::Read), ("out", FileUse::Kept)];
    const NEEDS: &'static [Need] = needs::SAMPLING;
    const VALUES: Values = &[("width", |value| amounts::width(value, "--width 1e-3").map(|_| ()))];
    const IS_SHARED: bool = true;
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = suggested::sampled;

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Samples paths.
fn run(args: &'static SamplePaths, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let mut ready = prepared(args, asked.session()?, asked.start)?;
    cluster::share(&mut ready.session, asked.given)?;
    let target = match cluster::is_follower() {
        true => None,
        false => Target::of(&args.part, args.round.as_deref(), asked.given)?,
    };
    if let Some(target) = &target {
        target.begin_paths(&mut ready.session)?;
    }
    devices::select(&args.devices, ready.threads, &mut ready.session)?;
    if let Some(form) = args.print_code.filter(|_| !cluster::is_follower()) {
        return Ok(emit(args, form, &mut ready, output));
    }
    Ok(match target {
        None => answered(args, &mut ready, output),
        Some(target) if target.is_share() => share(args, &target, &mut ready, output),
        Some(target) => {
            let code = answered(args, &mut ready, output);
            target.finish_whole(Body::Paths(ready.session.run.path_sections()), code, output)
        }
    })
}

/// Answers from paths that were run elsewhere. `next` is told of what the next round has to run, and has an exit code if that fails.
pub fn joined(
    args: &'static SamplePaths,
    paths: PathWork,
    next: impl FnOnce(Option<Vec<[u64; 2]>>) -> u8,
    start: Instant,
    output: &Output,
) -> Result<u8, Refused> {
    let opening =
        Opening { properties: &args.asked.properties, limits: Some(&args.limits), ..Opening::default() };
    let mut ready = prepared(args, open(&args.model, opening)?, start)?;
    ready.session.run.set_path_work(paths, None);
    let code = answered(args, &mut ready, output);
    Ok(match next(ready.session.run.next_round()) {
        0 => code,
        failed => failed,
    })
}

/// The session and the settings of the options, up to devices.
fn prepared(args: &SamplePaths, mut session: Session, start: Instant) -> Result<Ready, Refused> {
    if let Some(diagnostic) = misused(args) {
        return Err(diagnostic.into());
    }
    let (allowance, threads) = machine::limits(&args.limits)?;
    let sampling = sampling(&args.sampling, args.seed.seed)?;
    let settings = Settings { allowance, sampling: Some(sampling), ..Settings::default() };
    session.run.choices = choices(&args.scheduler)?;
    if !args.plots.plot.is_empty() && !session.model.is_experiment() {
        let message = "--plot draws values over a constant, but no constant takes several values";
        let diagnostic = Diagnostic::error(codes::BAD_USAGE, message);
        return Err(diagnostic.help("give a constant a range: --const T=0:10:200").into());
    }
    Ok(Ready { session, settings, threads, start })
}

/// Runs the paths of a share, and saves them.
fn share(args: &SamplePaths, target: &Target, ready: &mut Ready, output: &Output) -> u8 {
    let session = &mut ready.session;
    let progress = Line::new();
    let control = control(&ready.settings.allowance, ready.threads, ready.start, &progress);
    let diagnostics = match session.model.is_experiment() {
        true => grid::diagnostics(&crate::experiment(
            session,
            &args.asked.selected.prop,
            &ready.settings,
            &control,
        )),
        false => {
            let report = crate::check(session, &args.asked.selected.prop, &ready.settings, &control);
            report.all_diagnostics().into_iter().cloned().collect()
        }
    };
    progress.finish();
    // The answers of a share are no answers of the run: whoever has all shares says what there is to say about them.
    let of_answers = [codes::MORE_PATHS_NEEDED, codes::PATH_TOO_LONG];
    let diagnostics = diagnostics.into_iter().filter(|d| !of_answers.contains(&d.code)).collect();
    let body = Body::Paths(session.run.path_sections());
    target.finish_share(body, args.answer.output.json, diagnostics, &session.model.sources, output)
}

/// Runs paths, and shows the answers.
fn answered(args: &'static SamplePaths, ready: &mut Ready, output: &Output) -> u8 {
    let session = &mut ready.session;
    if session.model.is_experiment() || args.answer.csv.is_some() {
        let wanted = grid::Wanted {
            prop: &args.asked.selected.prop,
            plots: &args.plots,
            explain: args.explain,
            page: page_of(args),
        };
        return grid::run(wanted, session, &ready.settings, ready.threads, ready.start, output);
    }
    let progress = Line::new();
    let report = crate::check(
        session,
        &args.asked.selected.prop,
        &ready.settings,
        &control(&ready.settings.allowance, ready.threads, ready.start, &progress),
    );
    progress.finish();
    let document =
        answers::document(&report.results, args.answer.output.verbose, page::name(&session.model.file));
    let shown = Reported { page: page_of(args), explain: args.explain, table: None, has_head: false };
    shown.show(report, &document, &page_of(args).texts(&mut session.model), Vec::new(), output)
}

/// The page that is wanted.
fn page_of(args: &SamplePaths) -> presented::Wanted<'_> {
    presented::Wanted { answer: &args.answer, model: &args.model, seed: Some(args.seed.seed) }
}

/// Shows the code that would run the paths.
fn emit(args: &SamplePaths, form: EmitName, ready: &mut Ready, output: &Output) -> u8 {
    let session = &mut ready.session;
    let form = match form {
        EmitName::OpenCl => CodeForm::OpenCl,
        EmitName::Cuda => CodeForm::Cuda,
        EmitName::Kernel => CodeForm::Kernel,
        EmitName::Asm => CodeForm::Assembly,
    };
    let generator = ready.settings.sampling.map(|sampling| sampling.generator).unwrap_or_default();
    let tracing = Tracing { seed: args.seed.seed, generator, ..Tracing::default() };
    let (text, diagnostics) = volvelle_paths::path_code(session, &args.asked.selected.prop, tracing, form);
    if let Some(text) = &text {
        output.print_document(text);
    } else if args.answer.output.json {
        output.print(&json::Document::new(&diagnostics, &session.model.sources).to_text());
    }
    output.print_diagnostics(&diagnostics, &session.model.sources);
    if text.is_some() { 0 } else { EXIT_USAGE }
}

/// Options that do not go together.
fn misused(args: &SamplePaths) -> Option<Diagnostic> {
    let bad = |message: &str, help: &str| Some(Diagnostic::error(codes::BAD_USAGE, message).help(help));
    if args.sampling.rare && (args.part.shard.is_some() || args.part.checkpoint.is_some()) {
        return bad(
            "--rare does not run in parts: importance splitting draws no numbered paths",
            "leave --rare out, or run all of it with --threads",
        );
    }
    if args.part.shard.is_some()
        && (args.answer.csv.is_some() || !args.plots.plot.is_empty() || args.answer.page.html.is_some())
    {
        return bad(
            "a share of the paths has no values to show",
            "give --csv, --plot and --html to `volvelle merge`, which has all parts",
        );
    }
    None
}

/// Reads the options.
fn sampling(args: &SamplingArgs, seed: u64) -> Result<Sampling, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let usual = Sampling::default();
    let mut probability = |option: &str, value: &str| {
        let read = amounts::probability(value, option);
        read.map_err(|d| diagnostics.push(d)).unwrap_or(0.5)
    };
    let confidence = probability("--confidence", &args.confidence);
    let alpha = probability("--alpha", &args.alpha);
    let beta = probability("--beta", &args.beta);
    let indifference = args.indifference.as_deref().map(|v| probability("--indifference", v));
    let width = args.width.as_deref().map(|value| amounts::width(value, "--width 1e-3"));
    let width = width.transpose().map_err(|d| diagnostics.push(d)).ok().flatten();
    let samples = args.samples.as_deref().map(|v| amounts::count(v, "a number of paths", "--samples 1e6"));
    let samples = samples.transpose().map_err(|d| diagnostics.push(d)).ok().flatten();
    let help = "--max-path-length 1e6";
    let max_steps = amounts::count(&args.max_path_length, "a number of steps", help).and_then(|n| {
        u32::try_from(n).ok().filter(|&n| n < u32::MAX).ok_or_else(|| {
            let message = format!("`{}` steps are too many", args.max_path_length);
            Diagnostic::error(codes::BAD_LIMIT, message)
                .help("write a number below 4e9: --max-path-length 1e9")
        })
    });
    let max_steps = max_steps.map_err(|d| diagnostics.push(d)).unwrap_or(usual.max_steps);
    let generator = volvelle_paths::generator(&args.rng).map_err(|d| diagnostics.push(d));
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    Ok(Sampling {
        method: match args.method {
            SamplingName::Auto => SamplingMethod::Auto,
            SamplingName::Ci => SamplingMethod::Interval,
            SamplingName::Apmc => SamplingMethod::Okamoto,
            SamplingName::Massart => SamplingMethod::Massart,
            SamplingName::Sprt => SamplingMethod::Sprt,
            SamplingName::Bayes => SamplingMethod::Bayes,
            SamplingName::ChowRobbins => SamplingMethod::ChowRobbins,
            SamplingName::Ebstop => SamplingMethod::EbStop,
        },
        samples,
        confidence,
        width,
        relative: args.relative,
        alpha,
        beta,
        indifference,
        seed,
        generator: generator.unwrap_or_default(),
        max_steps,
        tier: match args.tier {
            TierName::Auto => PathTier::Auto,
            TierName::Interpreter => PathTier::Interpreter,
            TierName::Scalar => PathTier::Scalar,
            TierName::Vector => PathTier::Vector,
        },
        rare: args.rare,
    })
}
