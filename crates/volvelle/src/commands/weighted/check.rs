//! `volvelle check --wctl`

use super::{Way, open};
use crate::args::{BlockingArg, Check};
use std::path::Path;
use std::time::Instant;
use volvelle_console::applicable::Task;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::presented::{Shown, refused};
use volvelle_console::progress::Line;
use volvelle_console::refusal::{finish, refuse};
use volvelle_console::{applicable, files, machine};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::Settings;
use volvelle_weights::{WctlSettings, document};

/// Checks formulas of weighted CTL.
pub fn run(args: &Check, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let way = Way {
        model: &args.model,
        weighting: &args.weighting,
        defines: &args.search.define,
        limits: &args.limits,
    };
    let prepared = machine::limits(&args.limits).and_then(|(allowance, threads)| {
        let settings = Settings { allowance, ..Settings::default() };
        let mut refusals = refused(&args.page, &args.output, None);
        if !args.mcl.is_empty() || !args.asked.properties.is_empty() {
            let message = "formulas of weighted CTL are checked alone";
            refusals.push(
                Diagnostic::error(codes::BAD_USAGE, message)
                    .help("give other properties in a command of their own"),
            );
        }
        let mut texts = Vec::new();
        for formula in &args.weighted.wctl {
            match files::text_or_file(formula, Path::new(""), "--wctl") {
                Ok(text) => texts.push(text),
                Err(diagnostic) => refusals.push(diagnostic),
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let (session, selected) = open(&args.model.model, way, true)?;
        let refusals = applicable::refusals(given, Task::Weighted, &session);
        if refusals.is_empty() { Ok((session, selected, settings, threads, texts)) } else { Err(refusals) }
    });
    let (mut session, selected, settings, threads, texts) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let wanted =
        WctlSettings { sink: args.weighted.blocking == BlockingArg::Sink, global: args.weighted.global };
    let mut found = volvelle_weights::check_wctl(&mut session, texts, &selected, wanted, &settings, &control);
    progress.finish();
    let shown = Shown::new(
        &args.page,
        document::formulas(&found.formulas, session.file()),
        session.file(),
        session.sources(),
    )
    .about(&found.report.model);
    let written = shown.write(&[], &mut found.report.diagnostics, output);
    match args.output.json {
        true => output.print(&volvelle_weights::json::of_wctl(&found, session.sources()).to_text()),
        false => shown.print(args.output.verbose, &written, output),
    }
    let code = finish(&found.report, session.sources(), output);
    if code == 0 && found.has_false() { 1 } else { code }
}
