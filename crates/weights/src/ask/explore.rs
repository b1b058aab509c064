//! `volvelle explore` for weighted systems.

use super::is_weighted;
use super::written::{format, write};
use crate::options::ExploreWeighted;
use volvelle_console::explored::{show, written_line};
use volvelle_console::export::Export;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::needs::Need;
use volvelle_console::opening::{control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::Wanted;
use volvelle_console::progress::Line;
use volvelle_console::refusal::Refused;
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_session::language::Offers;

impl Member for ExploreWeighted {
    const WHAT: &'static str = "a weighted structure";
    const CHOSEN: Chosen = Chosen::ByOptionsOrModel(&["weights", "observe"], Offers::is_weighted);
    const OF: fn(&Offers) -> bool = Offers::has_weights;
    const WHY: &'static str = super::WHY;
    const HELP: &'static str = "leave it out, or give a weighted system";
    const NEEDS: &'static [Need] = &[Need {
        options: &[("observe", "--observe")],
        acts: |given| given.has("weights"),
        why: "it names the propositions of a weighted structure, and the model has no weights",
        help: "give weights: --weights NAME; or ask for a property of weighted structures: --wctl 'EF[<=5] done'",
    }];
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "the number of states; --export FILE writes them (.wks, .dot)";
        let command = format!("explore {}", subject.model());
        Suggestion::only_if(is_weighted(subject), about, command)
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Generates the structure and writes files.
fn run(args: &ExploreWeighted, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let start = asked.start;
    let (settings, threads) = settings(&args.code, &args.limits)?;
    let mut session = asked.session()?;
    session.run.weighting = args.weighting.weighting();
    let mut refusals = Vec::new();
    let mut targets = Vec::new();
    for path in &args.export.export {
        match format(path) {
            Ok(format) => targets.push((path, format)),
            Err(diagnostic) => refusals.push(diagnostic),
        }
    }
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, model) = crate::weighted_model(&mut session, &Vec::new(), &settings, &control);
    let mut export = Export::new(&settings, &control);
    if let Some(model) = &model {
        for (path, format) in targets {
            write(model, path, format, &mut export);
        }
    }
    let exported = export.finish(&mut report);
    progress.finish();
    let page = Wanted { answer: &args.answer, model: &args.model, seed: None };
    let written = page.write_exploration(&mut session.model, &mut report, None, &exported, output);
    Ok(show(&args.answer, &session.model, &report, &exported, || written_line(&written, output), output))
}
