//! Models of processes.

use super::outputs;
use super::outputs::About;
use super::refused;
use crate::options::{Tune, TuneMethodName};
use crate::{TuneMethod, TuneQuestion, TuneReport, TuneSettings};
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{Opening, open};
use volvelle_console::options::{ModelArgs, PartArgs};
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::progress::Line;
use volvelle_console::refusal::{refuse, refuse_in};
use volvelle_console::{cluster, files, machine};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_session::engine::Tier;
use volvelle_session::{Model, Session, limits};

/// Tunes a model.
pub fn run(args: &'static Tune, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    if let Err(diagnostic) = cluster::join() {
        return refuse(&[diagnostic], args.answer.output.json, output);
    }
    let (mut session, question, settings, threads) = match prepare(args) {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let mut refusals = refused::options_of_kernels(given);
    refusals.extend(refuse_options_of_methods(args, given));
    refusals.extend(files::refusals());
    if !refusals.is_empty() {
        return refuse_in(&refusals, &session.model.sources, args.answer.output.json, output);
    }
    if let Err(diagnostic) = cluster::share(&mut session, given) {
        return refuse(&[diagnostic], args.answer.output.json, output);
    }
    let progress = Line::new();
    let control = volvelle_console::opening::control(&settings.allowance, threads, start, &progress);
    let report = crate::tune(&mut session, &question, &settings, &control);
    progress.finish();
    if cluster::is_follower() {
        return 0;
    }
    show(args, &session.model, report, output)
}

fn show(args: &Tune, model: &Model, mut report: TuneReport, output: &Output) -> u8 {
    let result = report.tuning.take();
    let mut diagnostics = std::mem::take(&mut report.diagnostics);
    let about =
        About { file: &model.file, sources: &model.sources, elapsed: report.time, seed: Some(args.seed) };
    let mut written = Vec::new();
    if let Some(tuning) = &result {
        outputs::write_t4(args, tuning, &mut written, &mut diagnostics);
        written.extend(outputs::write(args, tuning, &about, &mut diagnostics, output));
    }
    outputs::print(args, result.as_ref(), &about, &diagnostics, &written, output);
    output.print_diagnostics(&diagnostics, &model.sources);
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    match errors.as_slice() {
        [] => 0,
        all if all.iter().all(|d| limits::is_limit(d.code)) => 3,
        all if all.iter().all(|d| d.code == codes::GOAL_NOT_REACHED) => 1,
        _ => EXIT_USAGE,
    }
}

type Prepared = (Session, TuneQuestion, TuneSettings, usize);

fn prepare(args: &Tune) -> Result<Prepared, Vec<Diagnostic>> {
    let question = question(args).map_err(|diagnostic| vec![diagnostic])?;
    let (allowance, threads) = machine::limits(&args.limits)?;
    let method = match args.model.search {
        TuneMethodName::BranchAndBound => TuneMethod::BranchAndBound,
        TuneMethodName::Bisection => TuneMethod::Bisection,
        TuneMethodName::Swarm => TuneMethod::Swarm,
    };
    let settings = TuneSettings {
        allowance,
        tier: if args.model.interpreter { Tier::Interpreter } else { Tier::Auto },
        method,
        all: args.model.all,
        no_confluence: args.model.no_confluence,
        no_reduction: args.model.no_reduction,
        seed: args.seed,
    };
    let model = ModelArgs {
        model: args.file.clone(),
        language: None,
        constants: Vec::new(),
        read_as: None,
        no_probability_check: false,
        parts: PartArgs::default(),
    };
    let opening = Opening { defines: &args.define, limits: Some(&args.limits), ..Opening::default() };
    Ok((open(&model, opening)?, question, settings, threads))
}

/// The question, if the options ask one.
fn question(args: &Tune) -> Result<TuneQuestion, Diagnostic> {
    let example = "volvelle tune model.pml --minimize time --goal FIN --parameters WG,TS";
    let missing = |option: &str, what: &str| {
        Diagnostic::error(codes::BAD_USAGE, format!("`{option}` is missing: {what}"))
            .help(format!("for example: {example}"))
    };
    let minimize = args.model.minimize.clone();
    let minimize = minimize.ok_or_else(|| missing("--minimize", "the cost, a variable that only grows"))?;
    let until = args.model.goal.clone();
    let until = until.ok_or_else(|| missing("--goal", "the condition that ends a run"))?;
    let names = args.parameters.iter().flat_map(|list| list.split(','));
    let parameters: Vec<String> =
        names.map(|name| name.trim().to_owned()).filter(|n| !n.is_empty()).collect();
    if parameters.is_empty() {
        return Err(missing("--parameters", "the variables that the model chooses"));
    }
    for (at, name) in parameters.iter().enumerate() {
        if parameters[..at].contains(name) {
            let message = format!("the parameter `{name}` is given twice");
            return Err(Diagnostic::error(codes::BAD_USAGE, message).help("name each parameter once"));
        }
        if let Some((variable, _)) = name.split_once('=') {
            let message =
                format!("`{name}`: the values of a model's parameters are those that the model chooses");
            let help = format!("name the variable: --parameters {variable}");
            return Err(Diagnostic::error(codes::BAD_USAGE, message).help(help));
        }
    }
    Ok(TuneQuestion { minimize, until, parameters })
}

/// Options that mean nothing for the method.
fn refuse_options_of_methods(args: &Tune, given: &GivenOptions) -> Vec<Diagnostic> {
    let (of, why) = match args.model.search {
        TuneMethodName::BranchAndBound => return Vec::new(),
        TuneMethodName::Bisection => ("--search bisection", "bisection looks for the least time only"),
        TuneMethodName::Swarm => ("--search swarm", "a swarm tries every configuration, and explores none"),
    };
    given.refuse(&[("all", "--all")], of, why, "use --search branch-and-bound")
}
