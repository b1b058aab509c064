//! `volvelle simulate`

mod run;
pub mod sampling;

use crate::args::Simulate;
use std::time::Instant;
use volvelle_console::applicable::Task;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{Opening, open};
use volvelle_console::output::Output;
use volvelle_console::part::Target;
use volvelle_console::question::{Ask, FileUse, Need};
use volvelle_console::refusal::{refuse, refused_targets};
use volvelle_console::{applicable, cluster, presented};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::Session;
use volvelle_session::language::Analysis;

/// What leaves no room for a page: choices are asked for on standard output, and printed code is no run.
fn without_page(args: &Simulate) -> Option<Diagnostic> {
    let bad = |message: &str, help: &str| Some(Diagnostic::error(codes::BAD_USAGE, message).help(help));
    if args.run.interactive && page_of(args).is_on_standard_output() {
        return bad(
            "--interactive and --html - both write to standard output",
            "give a file: --html page.html",
        );
    }
    None
}

/// The page that is wanted.
fn page_of(args: &Simulate) -> presented::Wanted<'_> {
    presented::Wanted { args: &args.page, model: &args.model, seed: Some(args.seed) }
}

/// Reads the files of the model.
fn opened(args: &Simulate) -> Result<Session, Vec<Diagnostic>> {
    let opening = Opening {
        properties: &args.asked.properties,
        defines: &args.run.define,
        limits: Some(&args.limits),
        ..Opening::default()
    };
    open(&args.model, opening)
}

impl Ask for Simulate {
    const NAME: &'static str = "simulate";
    const FILES: &'static [(&'static str, FileUse)] =
        &[("round", FileUse::Read), ("trail", FileUse::Read), ("out", FileUse::Kept)];
    const NEEDS: &'static [Need] = crate::needs::simulate::NEEDS;

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Samples paths of a model, or runs one step by step, whichever the model allows.
pub fn run(args: &'static Simulate, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    if let Err(diagnostic) = cluster::join() {
        return refuse(&[diagnostic], args.output.json, output);
    }
    Target::begin(&args.part);
    let session = match opened(args) {
        Ok(session) => session,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let refusal = session.refusal(Analysis::Sampling);
    let task = if refusal.is_some() && session.allows(Analysis::Run) { Task::Run } else { Task::Sample };
    let mut refusals = applicable::refusals(given, task, &session);
    if refusals.is_empty() {
        let files = [&args.csv, &args.page.html, &args.part.out, &args.part.checkpoint];
        let targets = files.into_iter().flatten().chain(&args.plot);
        refusals = refused_targets(targets);
        refusals.extend(presented::misused(&args.page, &args.output, args.csv.as_deref()));
        refusals.extend(without_page(args));
    }
    match refusal {
        Some(diagnostic) if task == Task::Sample => refuse(&[diagnostic], args.output.json, output),
        _ if !refusals.is_empty() => refuse(&refusals, args.output.json, output),
        None => sampling::run(args, session, given, start, output),
        Some(_) => run::run(args, session, start, output),
    }
}
