//! `volvelle lint`

use super::Opening;
use crate::applicable::{self, Task};
use crate::args::Lint;
use crate::output::{EXIT_USAGE, Output};
use crate::progress::Line;
use crate::screen::flow;
use std::time::Instant;
use volvelle_console::given::GivenOptions;
use volvelle_console::question::Ask;
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_verify::{Analysis, SearchSettings, limits};

impl Ask for Lint {
    const NAME: &'static str = "lint";

    fn ask(&'static self, given: &GivenOptions, output: &Output) -> u8 {
        run(self, given, output)
    }
}

/// Reports dead statements, and values that do not fit.
pub fn run(args: &Lint, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let opening =
        Opening { defines: &args.define, limits: Some(&args.limits), with_input: true, ..Opening::default() };
    let prepared = super::settings(&args.building, &args.limits)
        .and_then(|(settings, threads)| Ok((super::open(&args.model, opening)?, settings, threads)));
    let (mut session, settings, threads) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return super::refuse(&diagnostics, args.output.json, output),
    };
    if !session.allows(Analysis::Coverage) {
        let message = "`lint` applies to Promela models only";
        let diagnostic = Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
            .help("`volvelle info` and `volvelle explore` check the text of other models");
        return super::refuse(&[diagnostic], args.output.json, output);
    }
    let refusals = applicable::refusals(given, Task::Lint, &session);
    if !refusals.is_empty() {
        return super::refuse(&refusals, args.output.json, output);
    }
    let progress = Line::new();
    let control = super::control(&settings.allowance, threads, start, &progress);
    let search =
        SearchSettings { allowance: settings.allowance, tier: settings.tier, ..SearchSettings::default() };
    let lint = volvelle_verify::lint(&mut session, &search, &control);
    progress.finish();
    if args.output.json {
        output.print(
            &volvelle_verify::searches::json::of_lint(session.file(), &lint, session.sources()).to_text(),
        );
    } else if let Some((executed, all)) = lint.executed {
        let name = output.style.bold(&args.model.model.display().to_string());
        let counts =
            format!("{executed} of {} are executed by some run", limits::counted(all as u64, "statement"));
        output.print(&flow::items("", &[name, counts], "  ", 2, output.style));
    }
    output.print_diagnostics(&lint.diagnostics, session.sources());
    let errors: Vec<_> = lint.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    match errors.as_slice() {
        [] => u8::from(!lint.diagnostics.is_empty()),
        all if all.iter().all(|d| limits::is_limit(d.code)) => 3,
        _ => EXIT_USAGE,
    }
}
