//! `volvelle explore` for labelled transition systems and networks of them.

use crate::options::ExploreSystem;
use std::path::Path;
use volvelle_console::explored::{show, written_line};
use volvelle_console::export::Export;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::opening::{control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::Wanted;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{Refused, finish};
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_session::language::Offers;

impl Member for ExploreSystem {
    const WHAT: &'static str = "a labelled transition system";
    const CHOSEN: Chosen = Chosen::ByModel;
    const OF: fn(&Offers) -> bool = |offers| offers.is_labelled;
    const WHY: &'static str = super::WHY;
    const HELP: &'static str = "leave it out";
    const REFUSED: &'static [(&'static str, &'static str, &'static str)] = &[(
        "symmetry",
        "states that differ by a permutation are merged where they are made",
        "reduce the system by an equivalence: volvelle reduce MODEL",
    )];
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "the number of states; --export FILE writes them for other tools (.aut, .dot)";
        vec![Suggestion::new(about, format!("explore {}", subject.model()))]
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Generates the system and writes files.
fn run(args: &ExploreSystem, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let start = asked.start;
    let mut refusals = Vec::new();
    let mut targets = Vec::new();
    for path in &args.export.export {
        match crate::written::format(path) {
            Ok(format) => targets.push((path, format)),
            Err(diagnostic) => refusals.push(diagnostic),
        }
    }
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    let (settings, threads) = settings(&args.code, &args.limits)?;
    let mut session = asked.session()?;
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, lts) = super::system(&mut session, &settings, &control);
    let mut export = Export::new(&settings, &control);
    if let Some(lts) = &lts {
        for (path, format) in targets {
            output.print(&crate::written::write(lts, path, format, &mut export));
        }
    }
    let exported = export.finish(&mut report);
    progress.finish();
    let page = Wanted { answer: &args.answer, model: &args.model, seed: None };
    let written = page.write_exploration(&mut session.model, &mut report, None, &exported, output);
    if args.export.export.iter().any(|path| path == Path::new("-")) {
        // Standard output has the system alone.
        return Ok(finish(&report, &session.model.sources, output));
    }
    Ok(show(&args.answer, &session.model, &report, &exported, || written_line(&written, output), output))
}
