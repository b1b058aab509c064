//! `volvelle check --wctl`

use super::is_weighted;
use super::{Way, open};
use crate::options::{BlockingArg, CheckWeighted};
use crate::{WctlSettings, document};
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{Refused, finish};
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_console::{files, machine};
use volvelle_session::Settings;
use volvelle_session::language::Offers;

impl Member for CheckWeighted {
    const WHAT: &'static str = "formulas of weighted CTL";
    const CHOSEN: Chosen = Chosen::ByOptions(&["wctl"]);
    const OF: fn(&Offers) -> bool = Offers::has_weights;
    const WHY: &'static str = "formulas of weighted CTL are about steps with weights";
    const HELP: &'static str = super::HELP;
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "whether a state is reached for little (a formula of weighted CTL)";
        let command = format!("check {} --wctl 'EF[<=5] true'", subject.model());
        Suggestion::only_if(is_weighted(subject), about, command)
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, &asked, output)
    }
}

/// Checks formulas of weighted CTL.
fn run(args: &CheckWeighted, asked: &Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let way = Way {
        model: &args.model,
        weighting: &args.weighting,
        defines: &args.macros.define,
        limits: &args.limits,
    };
    let (allowance, threads) = machine::limits(&args.limits)?;
    let settings = Settings { allowance, ..Settings::default() };
    let mut refusals = Vec::new();
    let texts = files::texts_or_files(&args.weighted.wctl, "--wctl", &mut refusals);
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    let (mut session, selected) = open(&args.model.model, way, true)?;
    asked.check(&session.model)?;
    let progress = Line::new();
    let control = control(&settings.allowance, threads, asked.start, &progress);
    let wanted =
        WctlSettings { sink: args.weighted.blocking == BlockingArg::Sink, global: args.weighted.global };
    let mut found = crate::check_wctl(&mut session, texts, &selected, wanted, &settings, &control);
    progress.finish();
    let shown = Shown::new(
        &args.answer,
        document::formulas(&found.formulas, &session.model.file),
        &session.model.file,
        &session.model.sources,
    )
    .about(&found.report.model);
    let written = shown.write(&[], &mut found.report.diagnostics, output);
    shown.print(|| crate::json::of_wctl(&found, &session.model.sources).to_text(), &written, output);
    let code = finish(&found.report, &session.model.sources, output);
    Ok(if code == 0 && found.has_false() { 1 } else { code })
}
