//! `volvelle trace`: one path of a stochastic model, step by step; and what `volvelle step` does for such a model.

mod reporter;
mod step;

use crate::options::Trace;
use crate::screen::PathTable;
use crate::{Path, PathPlan, Tracing, path_csv, screen};
use reporter::Reporter;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{Opening, choices, control, open};
use volvelle_console::output::{EXIT_USAGE, Output};
use volvelle_console::question::Ask;
use volvelle_console::refusal::refuse;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_console::{amounts, machine, of_language};
use volvelle_control::{Control, Silent, Stop};
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_session::language::Analysis;
use volvelle_session::{json, limits};

/// Steps of a path without `--steps`.
const DEFAULT_STEPS: u32 = 1000;

impl Ask for Trace {
    const NAME: &'static str = "trace";
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let is_sampled =
            subject.offers.is_some_and(|offers| offers.allows(Analysis::Sampling)) && !subject.is_system();
        let is_open = !subject.is_of_kind(&["DTMC", "CTMC"]);
        let resolved = if is_open { " --scheduler uniform" } else { "" };
        let command = format!("trace {}{resolved}", subject.model());
        Suggestion::only_if(is_sampled, "one random path, step by step", command)
    };

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Shows a path.
pub fn run(args: &Trace, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let opened = prepare(args).and_then(|prepared| {
        let limits = args.limits.all();
        let (allowance, threads) = machine::limits(&limits)?;
        let opening =
            Opening { properties: &args.asked.properties, limits: Some(&limits), ..Opening::default() };
        let mut session = open(&args.model, opening)?;
        if let Some(diagnostic) = session.model.refusal(Analysis::Sampling) {
            return Err(vec![diagnostic]);
        }
        let refusals = of_language::refusals(given, &session.model);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        session.run.choices = choices(&args.scheduler)?;
        Ok((session, prepared, (allowance, threads)))
    });
    let (mut session, (tracing, limit), (allowance, threads)) = match opened {
        Ok(opened) => opened,
        Err(diagnostics) => return refuse(&diagnostics, args.answer.output.json, output),
    };
    let (plan, diagnostics) = crate::plan_path(&mut session, &args.asked.selected.prop, tracing);
    let mut reporter = Reporter::new(args, &session.model, output, diagnostics);
    let walked = plan.as_ref().and_then(|plan| Some((plan, crate::start_path(&session.model, plan)?)));
    let Some((plan, path)) = walked else {
        if args.answer.output.json {
            output.print(&json::Document::new(&reporter.diagnostics, &session.model.sources).to_text());
        }
        output.print_diagnostics(&reporter.diagnostics, &session.model.sources);
        return EXIT_USAGE;
    };
    let refused = reporter.diagnostics.iter().any(|d| d.severity == Severity::Error);
    if reporter.is_table() {
        output.print_diagnostics(&std::mem::take(&mut reporter.diagnostics), &session.model.sources);
        output.print(&screen::title(&session.model.file, plan, output.style));
    }
    let mut table = PathTable::new(plan, output.style);
    if args.answer.csv.is_some() {
        reporter.csv = path_csv::header(plan);
    }
    let first = path.first().clone();
    reporter.show(plan, &mut table, first);
    let control = control(&allowance, threads, start, &Silent);
    let (path, stop) = at_random(path, plan, &mut table, &mut reporter, limit, &control);
    reporter.diagnostics.extend(stop.map(|stop| limits::stopped(stop, &allowance)));
    reporter.finish(plan, &path, refused)
}

/// Reads the options: the path, and the maximum number of steps.
fn prepare(args: &Trace) -> Result<(Tracing, u32), Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let limit = match args.steps.as_deref() {
        None => DEFAULT_STEPS,
        Some(text) => {
            let count = amounts::count(text, "a number of steps", "--steps 500").and_then(|n| {
                u32::try_from(n).ok().filter(|&n| n < u32::MAX).ok_or_else(|| {
                    let message = format!("`{text}` steps are too many");
                    Diagnostic::error(codes::BAD_LIMIT, message).help("write a number below 4e9: --steps 1e6")
                })
            });
            count.map_err(|d| diagnostics.push(d)).unwrap_or(DEFAULT_STEPS)
        }
    };
    let generator = crate::generator(&args.rng).map_err(|d| diagnostics.push(d)).unwrap_or_default();
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let until = args.until.clone();
    Ok((Tracing { seed: args.seed, path: args.path, generator, until, is_chosen: false }, limit))
}

/// Shows the sampled steps of the path.
fn at_random<'p, 'm>(
    mut path: Path<'p, 'm>,
    plan: &PathPlan,
    table: &mut PathTable<'_>,
    reporter: &mut Reporter<'_>,
    limit: u32,
    control: &Control<'_>,
) -> (Path<'p, 'm>, Option<Stop>) {
    while path.steps() < limit {
        if let Err(stop) = control.check() {
            return (path, Some(stop));
        }
        let Some(step) = path.step() else { break };
        reporter.show(plan, table, step);
    }
    (path, None)
}
