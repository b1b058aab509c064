//! `volvelle simulate` of a stochastic model: intervals from paths.

use crate::args::{EmitName, SamplingArgs, SamplingName, Simulate, TierName};
use crate::commands::experiment;
use crate::commands::experiment::Wanted;
use std::path::Path;
use std::time::Instant;
use volvelle_campaign::Body;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{choices, control};
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::part::Target;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{finish, refuse, refuse_in};
use volvelle_console::{amounts, cluster, devices, files, machine};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_estimate::{PathTier, Sampling, SamplingMethod};
use volvelle_paths::{CodeForm, Tracing};
use volvelle_present::terminal::draw;
use volvelle_reports::documents::facts;
use volvelle_reports::screen::{answer, table};
use volvelle_reports::{page, screen};
use volvelle_session::campaign::PathWork;
use volvelle_session::{Session, Settings, json};

/// Samples paths.
pub fn run(
    args: &'static Simulate,
    session: Session,
    given: &GivenOptions,
    start: Instant,
    output: &Output,
) -> u8 {
    let (mut session, settings, threads) = match prepared(args, session) {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    if let Err(diagnostic) = cluster::share(&mut session, given) {
        return refuse(&[diagnostic], args.output.json, output);
    }
    if cluster::is_follower() {
        if let Err(diagnostics) = devices::select(&args.devices, threads, &mut session) {
            return refuse_in(&diagnostics, session.sources(), args.output.json, output);
        }
        return answered(args, &mut session, &settings, threads, start, output);
    }
    let target = Target::of(&args.part, args.round.as_deref(), given).and_then(|target| {
        target.as_ref().map(|target| target.begin_paths(&mut session)).transpose()?;
        Ok(target)
    });
    let target = match target {
        Ok(target) => target,
        Err(diagnostic) => return refuse(&[diagnostic], args.output.json, output),
    };
    if let Err(diagnostics) = devices::select(&args.devices, threads, &mut session) {
        return refuse_in(&diagnostics, session.sources(), args.output.json, output);
    }
    if let Some(form) = args.print_code {
        return emit(args, form, &mut session, &settings, output);
    }
    match target {
        None => answered(args, &mut session, &settings, threads, start, output),
        Some(target) if target.is_share() => {
            share(args, &target, &mut session, &settings, threads, start, output)
        }
        Some(target) => {
            let code = answered(args, &mut session, &settings, threads, start, output);
            target.finish_whole(Body::Paths(session.path_sections()), code, output)
        }
    }
}

/// Answers from paths that were run elsewhere. `next` is told of what the next round has to run, and has an exit code if that fails.
pub fn joined(
    args: &'static Simulate,
    paths: PathWork,
    next: impl FnOnce(Option<Vec<[u64; 2]>>) -> u8,
    start: Instant,
    output: &Output,
) -> u8 {
    let prepared = super::opened(args).and_then(|session| prepared(args, session));
    let (mut session, settings, threads) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    session.set_path_work(paths, None);
    let code = answered(args, &mut session, &settings, threads, start, output);
    match next(session.next_round()) {
        0 => code,
        failed => failed,
    }
}

/// The session and the settings of the options, up to devices.
fn prepared(args: &Simulate, mut session: Session) -> Result<(Session, Settings, usize), Vec<Diagnostic>> {
    if let Some(diagnostic) = misused(args) {
        return Err(vec![diagnostic]);
    }
    let (allowance, threads) = machine::limits(&args.limits)?;
    let sampling = sampling(&args.sampling, args.seed)?;
    let settings = Settings { allowance, sampling: Some(sampling), ..Settings::default() };
    session.set_scheduler(choices(&args.scheduler)?);
    if !args.plot.is_empty() && !session.is_experiment() {
        let message = "--plot draws values over a constant, but no constant takes several values";
        let diagnostic = Diagnostic::error(codes::BAD_USAGE, message);
        return Err(vec![diagnostic.help("give a constant a range: --const T=0:10:200")]);
    }
    Ok((session, settings, threads))
}

/// Runs the paths of a share, and saves them.
fn share(
    args: &Simulate,
    target: &Target,
    session: &mut Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let diagnostics = match session.is_experiment() {
        true => experiment::diagnostics(&volvelle_numbers::experiment(
            session,
            &args.asked.prop,
            settings,
            &control,
        )),
        false => {
            let report = volvelle_numbers::check(session, &args.asked.prop, settings, &control);
            report.all_diagnostics().into_iter().cloned().collect()
        }
    };
    progress.finish();
    // The answers of a share are no answers of the run: whoever has all shares says what there is to say about them.
    let of_answers = [codes::MORE_PATHS_NEEDED, codes::PATH_TOO_LONG];
    let diagnostics = diagnostics.into_iter().filter(|d| !of_answers.contains(&d.code)).collect();
    let body = Body::Paths(session.path_sections());
    target.finish_share(body, args.output.json, diagnostics, session.sources(), output)
}

/// Runs paths, and shows the answers.
fn answered(
    args: &'static Simulate,
    session: &mut Session,
    settings: &Settings,
    threads: usize,
    start: Instant,
    output: &Output,
) -> u8 {
    if session.is_experiment() || args.csv.is_some() {
        let wanted = Wanted {
            prop: &args.asked.prop,
            csv: args.csv.as_deref(),
            plot: &args.plot,
            log_axes: args.log_axes,
            explain: args.explain,
            output: &args.output,
            page: super::page_of(args),
        };
        return experiment::run(wanted, session, settings, threads, start, output);
    }
    let progress = Line::new();
    let mut report = volvelle_numbers::check(
        session,
        &args.asked.prop,
        settings,
        &control(&settings.allowance, threads, start, &progress),
    );
    progress.finish();
    let page = super::page_of(args);
    let (mut written, mut diagnostics) = (Vec::new(), Vec::new());
    let is_whole = !report.all_diagnostics().into_iter().any(files::is_cut);
    page.write((&page.texts(session), is_whole), output, &mut written, &mut diagnostics, |context| {
        page::of_report(&report, false, context)
    });
    report.diagnostics.append(&mut diagnostics);
    if args.output.json {
        let mut document = json::Document::of_check(&report, session.sources());
        if args.explain {
            document = document.explained(report.model.as_ref(), report.results.iter());
        }
        output.print(&document.to_text());
    } else if !page.is_on_standard_output() {
        let mut text = String::new();
        let verbose = args.output.verbose;
        match report.results.as_slice() {
            [] => {}
            [single] => text.push_str(&answer::block(single, verbose, output.style)),
            several if verbose => {
                several.iter().for_each(|r| text.push_str(&answer::block(r, verbose, output.style)));
            }
            several => text.push_str(&table::table(several, output.style)),
        }
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
    finish(&report, session.sources(), output)
}

/// Shows the code that would run the paths.
fn emit(args: &Simulate, form: EmitName, session: &mut Session, settings: &Settings, output: &Output) -> u8 {
    let form = match form {
        EmitName::OpenCl => CodeForm::OpenCl,
        EmitName::Cuda => CodeForm::Cuda,
        EmitName::Kernel => CodeForm::Kernel,
        EmitName::Asm => CodeForm::Assembly,
    };
    let generator = settings.sampling.map(|sampling| sampling.generator).unwrap_or_default();
    let tracing = Tracing { seed: args.seed, path: 0, generator, until: None };
    let (text, diagnostics) = volvelle_paths::path_code(session, &args.asked.prop, tracing, form);
    if let Some(text) = &text {
        output.print_document(text);
    } else if args.output.json {
        output.print(&json::Document::new(&diagnostics, session.sources()).to_text());
    }
    output.print_diagnostics(&diagnostics, session.sources());
    if text.is_some() { 0 } else { EXIT_USAGE }
}

/// Options that do not go together.
fn misused(args: &Simulate) -> Option<Diagnostic> {
    let bad = |message: &str, help: &str| Some(Diagnostic::error(codes::BAD_USAGE, message).help(help));
    if args.sampling.rare && (args.part.shard.is_some() || args.part.checkpoint.is_some()) {
        return bad(
            "--rare does not run in parts: importance splitting draws no numbered paths",
            "leave --rare out, or run all of it with --threads",
        );
    }
    if args.part.shard.is_some() && (args.csv.is_some() || !args.plot.is_empty() || args.page.html.is_some())
    {
        return bad(
            "a share of the paths has no values to show",
            "give --csv, --plot and --html to `volvelle merge`, which has all parts",
        );
    }
    if args.output.json && args.csv.as_deref() == Some(Path::new("-")) {
        return bad("--json and --csv - both write to standard output", "give a file: --csv table.csv");
    }
    None
}

/// Reads the options.
pub fn sampling(args: &SamplingArgs, seed: u64) -> Result<Sampling, Vec<Diagnostic>> {
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
