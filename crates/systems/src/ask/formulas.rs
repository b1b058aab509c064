//! `volvelle check --mcl`

use crate::options::CheckFormulas;
use crate::{Relabelling, document};
use std::path::Path;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::files;
use volvelle_console::opening::{control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::refuse;
use volvelle_session::Settings;
use volvelle_session::language::Offers;

impl Member for CheckFormulas {
    const WHAT: &'static str = "formulas of the mu-calculus";
    const CHOSEN: Chosen = Chosen::ByOptions(&["mcl"]);
    const OF: fn(&Offers) -> bool = |offers| !offers.is_weighted();
    const WHY: &'static str = super::WHY;
    const HELP: &'static str = "give a formula: --mcl '[true*] <true> true'";
    const REFUSED: &'static [(&'static str, &'static str, &'static str)] = &[(
        "properties",
        "properties are about numbers, formulas about labels",
        "give the formula, or the name of its file: --mcl safety.mcl",
    )];
    const AS_SYSTEM: bool = true;

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> u8 {
        run(self, asked, output)
    }
}

/// Checks formulas of the mu-calculus.
fn run(args: &CheckFormulas, mut asked: Asked<'_>, output: &Output) -> u8 {
    let start = asked.start;
    let prepared = settings(&args.code.clone().into(), &args.limits).and_then(|(settings, threads)| {
        let settings = Settings { full_space: args.full_space, ..settings };
        let mut refusals = Vec::new();
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
        Ok((asked.session()?, settings, threads, relabelling, texts))
    });
    let (mut session, settings, threads, relabelling, texts) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let mut found =
        crate::check_formulas(&mut session, texts, &settings, |lts| relabelling.apply(lts), &control);
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
        true => output.print(&crate::json::of_formulas(&found, session.sources()).to_text()),
        false => shown.print(args.output.verbose, &written, output),
    }
    let code = volvelle_console::refusal::finish(&found.report, session.sources(), output);
    if code == 0 && found.has_false() { 1 } else { code }
}
