//! `volvelle reduce` by weighted branching bisimulation.

use super::written::{format, write};
use super::{Way, is_related, open};
use crate::options::{ReduceWeighted, relation};
use crate::{WeightedRelation, document, reduce_weighted};
use std::path::Path;
use volvelle_console::export::Export;
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::file_use::FileUse;
use volvelle_console::machine;
use volvelle_console::opening::control;
use volvelle_console::output::Output;
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::{Refused, finish};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::Settings;
use volvelle_session::language::Offers;

impl Member for ReduceWeighted {
    const WHAT: &'static str = "relations of weighted systems";
    const CHOSEN: Chosen = Chosen::ByValues(is_related);
    const OF: fn(&Offers) -> bool = Offers::has_weights;
    const WHY: &'static str = super::WHY;
    const HELP: &'static str = super::OF_RELATIONS;
    const FILES: &'static [(&'static str, FileUse)] = &[("file", FileUse::Written)];

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, &asked, output)
    }
}

/// Reduces a weighted system and writes it.
fn run(args: &ReduceWeighted, asked: &Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let relation = relation(args.relation.relation);
    let comparison = args.divergence.comparison(relation);
    let way = Way {
        model: &args.model,
        weighting: &args.weighting,
        defines: &args.macros.define,
        limits: &args.limits,
    };
    let (allowance, threads) = machine::limits(&args.limits)?;
    let settings = Settings { allowance, ..Settings::default() };
    let mut refusals = Vec::new();
    if relation != WeightedRelation::Bisimulation {
        let message = format!("{} is no equivalence, by which a system could be reduced", relation.name());
        refusals.push(Diagnostic::error(codes::BAD_USAGE, message).help("reduce by --relation wbb"));
    }
    let target = match args.reduced.file.as_deref().map(|path| (path, format(path))) {
        Some((path, Ok(format))) => Some((path, format)),
        Some((_, Err(diagnostic))) => {
            refusals.push(diagnostic);
            None
        }
        None => None,
    };
    if !refusals.is_empty() {
        return Err(refusals.into());
    }
    let (mut session, selected) = open(&args.model.model, way, true)?;
    asked.check(&session.model)?;
    let progress = Line::new();
    let control = control(&settings.allowance, threads, asked.start, &progress);
    let (mut report, whole) = crate::weighted_model(&mut session, &selected, &settings, &control);
    let reduced = whole
        .and_then(|whole| report.take(reduce_weighted(&whole, comparison, &settings.allowance, &control)));
    let mut export = Export::new(&settings, &control);
    let is_on_standard_output = args.reduced.file.as_deref() == Some(Path::new("-"));
    if let (Some(found), Some((path, format))) = (&reduced, target) {
        if is_on_standard_output {
            output.print(&found.model.text(format));
        } else {
            write(&found.model, path, format, &mut export);
        }
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
