//! `volvelle reduce`

use crate::options::ReduceSystem;
use crate::{Relabelling, document, reduce_system};
use std::path::Path;
use volvelle_console::export::Export;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::opening::{control, settings};
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{Refused, finish};
use volvelle_console::suggestions::{Subject, Suggestion};
use volvelle_session::language::Offers;

impl Member for ReduceSystem {
    const WHAT: &'static str = "equivalences of transition systems";
    const CHOSEN: Chosen = Chosen::ByValues(super::is_equivalence);
    const OF: fn(&Offers) -> bool = |offers| !offers.is_weighted();
    const WHY: &'static str = super::WHY;
    const HELP: &'static str = "weighted systems are reduced by --relation wbb";
    const FILES: &'static [(&'static str, FileUse)] = &[("file", FileUse::Written)];
    const AS_SYSTEM: bool = true;
    const SUGGESTS: fn(&Subject<'_>) -> Vec<Suggestion> = |subject| {
        let about = "the smallest system that behaves the same";
        let command = format!("reduce {} -o small.aut", subject.model());
        Suggestion::only_if(subject.is_system(), about, command)
    };

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Reduces a system and writes it.
fn run(args: &ReduceSystem, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let start = asked.start;
    let relation = super::relation(args.relation.relation);
    let (settings, threads) = settings(&args.code, &args.limits)?;
    let mut refusals = super::refused(&args.reduced.file);
    let relation = super::options(relation, &args.sums).map_err(|more| refusals.extend(more)).ok();
    let relabelling = Relabelling::read(&args.labels.rename, args.labels.hide.as_deref());
    let relabelling = relabelling.map_err(|more| refusals.extend(more)).ok();
    let (Some(relation), Some(relabelling), []) = (relation, relabelling, &refusals[..]) else {
        return Err(refusals.into());
    };
    let mut session = asked.session()?;
    let progress = Line::new();
    let control = control(&settings.allowance, threads, start, &progress);
    let (mut report, lts) = super::system(&mut session, &settings, &control);
    let mut reduced = None;
    if let Some(lts) = lts {
        let (lts, warnings) = relabelling.apply(lts);
        report.diagnostics.extend(warnings);
        reduced = report.take(reduce_system(lts, relation, &settings.allowance, &control));
        report.diagnostics.extend(reduced.iter().flat_map(|found| found.diagnostics.iter().cloned()));
    }
    let mut export = Export::new(&settings, &control);
    let is_on_standard_output = args.reduced.file.as_deref() == Some(Path::new("-"));
    if let (Some(found), Some(path)) = (&reduced, &args.reduced.file)
        && let Ok(format) = crate::written::format(path)
    {
        output.print(&crate::written::write(&found.lts, path, format, &mut export));
    }
    let written = export.finish(&mut report);
    progress.finish();
    let shown = Shown::new(
        &args.answer,
        reduced.as_ref().map(document::reduced).unwrap_or_default(),
        &session.model.file,
        &session.model.sources,
    )
    .about(&report.model);
    let all = shown.write(&written, &mut report.diagnostics, output);
    if !is_on_standard_output {
        let sources = &session.model.sources;
        let json = || crate::json::of_reduction(&report, reduced.as_ref(), &written, sources).to_text();
        shown.print(json, &all, output);
    }
    Ok(finish(&report, &session.model.sources, output))
}
