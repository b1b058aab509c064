//! `volvelle compare`

use crate::args::Compare;
use std::time::Instant;
use volvelle_console::applicable;
use volvelle_console::applicable::Task;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{Opening, control, settings};
use volvelle_console::options::ModelArgs;
use volvelle_console::output::Output;
use volvelle_console::presented::{Shown, refused};
use volvelle_console::progress::Line;
use volvelle_console::question::Ask;
use volvelle_console::refusal::refuse;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_systems::{Relabelling, compare_systems, document};

impl Ask for Compare {
    const NAME: &'static str = "compare";

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Compares two systems.
pub fn run(args: &Compare, given: &GivenOptions, output: &Output) -> u8 {
    let relation = match args.relation.relation.relation() {
        Ok(relation) => relation,
        Err(relation) => return super::super::weighted::compare::run(args, relation, given, output),
    };
    let start = Instant::now();
    let prepared = settings(&args.building, &args.limits).and_then(|(settings, threads)| {
        let refusals = refused(&args.page, &args.output, None);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let relation = super::options(relation, &args.relation)?;
        let relabelling = Relabelling::read(&args.labels.rename, args.labels.hide.as_deref())?;
        let other = ModelArgs {
            model: args.other.clone(),
            language: None,
            constants: args.model.constants.clone(),
            read_as: args.model.read_as,
            no_probability_check: args.model.no_probability_check,
            parts: volvelle_console::options::PartArgs::default(),
        };
        let standard_input = std::path::Path::new("-");
        if args.other == standard_input && args.model.model == standard_input {
            let message = "both models would be read from standard input";
            return Err(vec![
                Diagnostic::error(codes::BAD_USAGE, message).help("give a file for one of them"),
            ]);
        }
        let opening = Opening { defines: &args.define, limits: Some(&args.limits), ..Opening::default() };
        let sessions = [super::open(&args.model, opening)?, super::open(&other, opening)?];
        let refusals = applicable::refusals(given, Task::System, &sessions[0]);
        if !refusals.is_empty() {
            return Err(refusals);
        }
        Ok((sessions, settings, threads, relation, relabelling))
    });
    let (mut sessions, settings, threads, relation, relabelling) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut spaces, mut both) = (Vec::new(), Vec::new());
    for session in &mut sessions {
        let (mut report, lts) = super::system(session, &settings, &control);
        spaces.extend(report.model.clone());
        let Some(lts) = lts else {
            progress.finish();
            if args.output.json {
                let document = volvelle_systems::json::of_comparison(&report, None, session.sources());
                output.print(&document.to_text());
            }
            return volvelle_console::refusal::finish(&report, session.sources(), output);
        };
        let (lts, warnings) = relabelling.apply(lts);
        // A rule need not match labels of both.
        drop(warnings);
        output.print_diagnostics(&std::mem::take(&mut report.diagnostics), session.sources());
        both.push(lts);
    }
    let files = [args.model.model.display().to_string(), args.other.display().to_string()];
    let (Some(right), Some(left)) = (both.pop(), both.pop()) else { unreachable!("there are two") };
    let found = compare_systems([left, right], files, relation, &settings.allowance, &control);
    progress.finish();
    let mut report = volvelle_session::report::Report::default();
    let found = report.take(found);
    report.diagnostics.extend(found.iter().flat_map(|found| found.diagnostics.iter().cloned()));
    let shown = Shown::new(
        &args.page,
        found.as_ref().map(document::compared).unwrap_or_default(),
        sessions[0].file(),
        sessions[0].sources(),
    )
    .about(&spaces)
    .and_of(sessions[1].sources());
    let written = shown.write(&[], &mut report.diagnostics, output);
    if args.output.json {
        let document = volvelle_systems::json::of_comparison(&report, found.as_ref(), sessions[0].sources());
        output.print(&document.to_text());
    } else {
        shown.print(args.output.verbose, &written, output);
    }
    let code = volvelle_console::refusal::finish(&report, sessions[0].sources(), output);
    match found {
        Some(found) if code == 0 && !found.found.equivalent => 1,
        _ => code,
    }
}
