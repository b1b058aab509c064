//! `volvelle compare`

use crate::options::CompareSystems;
use crate::{Relabelling, compare_systems, document};
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::opening::{Opening, control, settings, two_inputs};
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{Refused, finish};
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_session::language::Offers;

impl Member for CompareSystems {
    const WHAT: &'static str = "equivalences of transition systems";
    const CHOSEN: Chosen = Chosen::ByValues(super::is_equivalence);
    const OF: fn(&Offers) -> bool = |offers| !offers.is_weighted();
    const WHY: &'static str = super::WHY;
    const HELP: &'static str = super::OF_EQUIVALENCES;
    const AS_SYSTEM: bool = true;
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "whether another system behaves the same, and what tells them apart";
        let command = format!("compare {} OTHER", subject.model());
        Suggestion::only_if(subject.is_system(), about, command)
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Compares two systems.
fn run(args: &CompareSystems, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let start = asked.start;
    let relation = super::relation(args.relation.relation);
    let (settings, threads) = settings(&args.code, &args.limits)?;
    let relation = super::options(relation, &args.sums)?;
    let relabelling = Relabelling::read(&args.labels.rename, args.labels.hide.as_deref())?;
    two_inputs(&args.model.model, &args.other.other)?;
    let opening = Opening { defines: &args.macros.define, limits: Some(&args.limits), ..Opening::default() };
    let mut sessions = [asked.session()?, super::open(&args.model.other(args.other.other.clone()), opening)?];
    asked.check(&sessions[1].model)?;
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut spaces, mut both) = (Vec::new(), Vec::new());
    for session in &mut sessions {
        let (mut report, lts) = super::system(session, &settings, &control);
        spaces.extend(report.model.clone());
        let Some(lts) = lts else {
            progress.finish();
            if args.answer.output.json {
                let document = crate::json::of_comparison(&report, None, &session.model.sources);
                output.print(&document.to_text());
            }
            return Ok(finish(&report, &session.model.sources, output));
        };
        let (lts, warnings) = relabelling.apply(lts);
        // A rule need not match labels of both.
        drop(warnings);
        output.print_diagnostics(&std::mem::take(&mut report.diagnostics), &session.model.sources);
        both.push(lts);
    }
    let files = [args.model.model.display().to_string(), args.other.other.display().to_string()];
    let (Some(right), Some(left)) = (both.pop(), both.pop()) else { unreachable!("there are two") };
    let found = compare_systems([left, right], files, relation, &settings.allowance, &control);
    progress.finish();
    let mut report = volvelle_session::report::Report::default();
    let found = report.take(found);
    report.diagnostics.extend(found.iter().flat_map(|found| found.diagnostics.iter().cloned()));
    let shown = Shown::new(
        &args.answer,
        found.as_ref().map(document::compared).unwrap_or_default(),
        &sessions[0].model.file,
        &sessions[0].model.sources,
    )
    .about(&spaces)
    .and_of(&sessions[1].model.sources);
    let written = shown.write(&[], &mut report.diagnostics, output);
    let json = || crate::json::of_comparison(&report, found.as_ref(), &sessions[0].model.sources).to_text();
    shown.print(json, &written, output);
    let code = finish(&report, &sessions[0].model.sources, output);
    Ok(match found {
        Some(found) if code == 0 && !found.found.equivalent => 1,
        _ => code,
    })
}
