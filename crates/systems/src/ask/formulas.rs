//! `volvelle check --mcl`

use crate::options::CheckFormulas;
use crate::{Relabelling, document};
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::files;
use volvelle_console::opening::{control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{Refused, finish};
use volvelle_console::suggestions::{Subject, Suggestion};
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
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "whether it can always go on (a formula of the mu-calculus)";
        let command = format!("check {} --mcl '[true*] <true> true'", subject.model());
        Suggestion::only_if(subject.is_system(), about, command)
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Checks formulas of the mu-calculus.
fn run(args: &CheckFormulas, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let start = asked.start;
    let (settings, threads) = settings(&args.code, &args.limits)?;
    let settings = Settings { full_space: args.space.full_space, ..settings };
    let mut refusals = Vec::new();
    let relabelling = Relabelling::read(&args.labels.rename, args.labels.hide.as_deref());
    let relabelling = relabelling.map_err(|more| refusals.extend(more)).unwrap_or_default();
    let texts = files::texts_or_files(&args.mcl, "--mcl", &mut refusals);
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    let mut session = asked.session()?;
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let mut found =
        crate::check_formulas(&mut session, texts, &settings, |lts| relabelling.apply(lts), &control);
    progress.finish();
    let shown = Shown::new(
        &args.answer,
        document::formulas(&found.formulas, &session.model.file),
        &session.model.file,
        &session.model.sources,
    )
    .about(&found.report.model);
    let written = shown.write(&[], &mut found.report.diagnostics, output);
    let json = || crate::json::of_formulas(&found, &session.model.sources).to_text();
    shown.print(json, &written, output);
    let code = finish(&found.report, &session.model.sources, output);
    Ok(if code == 0 && found.has_false() { 1 } else { code })
}
