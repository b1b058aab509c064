//! `volvelle check --mcl`

use crate::args::Check;
use std::path::Path;
use std::time::Instant;
use volvelle_console::applicable::Task;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::{Opening, control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::{Shown, refused};
use volvelle_console::progress::Line;
use volvelle_console::refusal::refuse;
use volvelle_console::{applicable, files};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::Settings;
use volvelle_systems::{Relabelling, document};

/// Checks formulas of the mu-calculus.
pub fn run(args: &Check, given: &GivenOptions, output: &Output) -> u8 {
    let start = Instant::now();
    let prepared = settings(&args.building, &args.limits).and_then(|(settings, threads)| {
        let settings = Settings { full_space: args.full_space, ..settings };
        let mut refusals = refused(&args.page, &args.output, None);
        if !args.asked.properties.is_empty() {
            let message = "a property file does not apply to formulas of the mu-calculus";
            refusals.push(
                Diagnostic::error(codes::BAD_USAGE, message)
                    .note("properties are about numbers, formulas about labels")
                    .help("give the formula, or the name of its file: --mcl safety.mcl"),
            );
        }
        let relabelling = Relabelling::read(&args.labels.rename, args.labels.hide.as_deref());
        let relabelling = relabelling.map_err(|more| refusals.extend(more)).unwrap_or_default();
        let mut texts = Vec::new();
        for formula in &args.mcl {
            match files::text_or_file(formula, Path::new(""), "--mcl") {
                Ok(text) => texts.push(text),
                Err(diagnostic) => refusals.push(diagnostic),
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let opening = Opening {
            defines: &args.search.define,
            limits: Some(&args.limits),
            with_input: true,
            ..Opening::default()
        };
        let session = super::open(&args.model, opening)?;
        let refusals = applicable::refusals(given, Task::Formulas, &session);
        if refusals.is_empty() { Ok((session, settings, threads, relabelling, texts)) } else { Err(refusals) }
    });
    let (mut session, settings, threads, relabelling, texts) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let mut found = volvelle_systems::check_formulas(
        &mut session,
        texts,
        &settings,
        |lts| relabelling.apply(lts),
        &control,
    );
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
        true => output.print(&volvelle_systems::json::of_formulas(&found, session.sources()).to_text()),
        false => shown.print(args.output.verbose, &written, output),
    }
    let code = volvelle_console::refusal::finish(&found.report, session.sources(), output);
    if code == 0 && found.has_false() { 1 } else { code }
}
