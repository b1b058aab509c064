//! `volvelle check --wctl`

use super::{Way, open};
use crate::options::{BlockingArg, CheckWeighted};
use crate::{WctlSettings, document};
use std::path::Path;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{finish, refuse};
use volvelle_console::{files, machine};
use volvelle_session::Settings;
use volvelle_session::language::Offers;

impl Member for CheckWeighted {
    const WHAT: &'static str = "formulas of weighted CTL";
    const CHOSEN: Chosen = Chosen::ByOptions(&["wctl"]);
    const OF: fn(&Offers) -> bool = Offers::has_weights;
    const WHY: &'static str = "formulas of weighted CTL are about steps with weights";
    const HELP: &'static str = super::HELP;

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> u8 {
        run(self, &asked, output)
    }
}

/// Checks formulas of weighted CTL.
fn run(args: &CheckWeighted, asked: &Asked<'_>, output: &Output) -> u8 {
    let way = Way {
        model: &args.model,
        weighting: &args.weighting,
        defines: &args.macros.define,
        limits: &args.limits,
    };
    let prepared = machine::limits(&args.limits).and_then(|(allowance, threads)| {
        let settings = Settings { allowance, ..Settings::default() };
        let mut refusals = Vec::new();
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
        let refusals = asked.refusals(&session);
        if refusals.is_empty() { Ok((session, selected, settings, threads, texts)) } else { Err(refusals) }
    });
    let (mut session, selected, settings, threads, texts) = match prepared {
        Ok(prepared) => prepared,
        Err(diagnostics) => return refuse(&diagnostics, args.output.json, output),
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, asked.start, &progress);
    let wanted =
        WctlSettings { sink: args.weighted.blocking == BlockingArg::Sink, global: args.weighted.global };
    let mut found = crate::check_wctl(&mut session, texts, &selected, wanted, &settings, &control);
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
        true => output.print(&crate::json::of_wctl(&found, session.sources()).to_text()),
        false => shown.print(args.output.verbose, &written, output),
    }
    let code = finish(&found.report, session.sources(), output);
    if code == 0 && found.has_false() { 1 } else { code }
}
