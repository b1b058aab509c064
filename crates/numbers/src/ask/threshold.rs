//! `volvelle check --find`: the least or greatest value of a constant for which a property holds.

use super::{grid, methods, needs};
use crate::document::threshold;
use crate::options::FindThreshold;
use crate::{Extreme, Sought};
use volvelle_console::family::{Asked, Chosen, Member};
use volvelle_console::needs::Need;
use volvelle_console::opening::control;
use volvelle_console::output::{Output, exit_code};
use volvelle_console::presented::Shown;
use volvelle_console::progress::Line;
use volvelle_console::refusal::Refused;
use volvelle_console::values::Values;
use volvelle_console::{cluster, devices};
use volvelle_reports::documents::facts;
use volvelle_session::csv::csv;
use volvelle_session::language::{Analysis, Offers};

impl Member for FindThreshold {
    const WHAT: &'static str = "a threshold";
    const CHOSEN: Chosen = Chosen::ByOptions(&["find"]);
    const OF: fn(&Offers) -> bool = |offers| offers.allows(Analysis::Numbers);
    const WHY: &'static str = "thresholds are about properties with numbers";
    const HELP: &'static str = "name the constant, and leave --prop out: --find N=1:1000";
    const ANALYSIS: Option<Analysis> = Some(Analysis::Numbers);
    const NEEDS: &'static [Need] = needs::THRESHOLDS;
    const VALUES: Values = methods::VALUES;
    const IS_SHARED: bool = true;

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Finds the value and shows what was evaluated.
fn run(args: &FindThreshold, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let (settings, threads) = methods::settings(&args.methods, &args.building, &args.limits)?;
    let mut opened = asked.session()?;
    if !cluster::leads(asked.given)? {
        return Ok(0);
    }
    let session = &mut opened;
    devices::select(&args.devices, threads, session)?;
    let sought = Sought {
        range: args.find.find.as_deref().unwrap_or_default(),
        such_that: args.find.such_that.as_deref().unwrap_or_default(),
        extreme: if args.find.greatest { Extreme::Greatest } else { Extreme::Least },
        every_value: args.find.every_value,
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, asked.start, &progress);
    let mut found = crate::find(session, &sought, &settings, &control);
    progress.finish();

    let mut document = threshold::document(&found, &session.model.file);
    let evaluated = &found.evaluated;
    if let Some(last) = evaluated.points.last().filter(|_| args.explain.explain) {
        document.blocks.extend(facts::document(evaluated.models.last(), &last.results).blocks);
    }
    let spaces = evaluated.models.iter().filter(|_| args.answer.output.verbose);
    let shown = Shown::new(&args.answer, document, &session.model.file, &session.model.sources)
        .about(spaces)
        .with_table(|| csv(evaluated));
    let mut diagnostics = grid::diagnostics(evaluated);
    let told = diagnostics.len();
    let written = shown.write(&[], &mut diagnostics, output);
    found.evaluated.diagnostics.extend(diagnostics.drain(told..));
    let evaluated = &found.evaluated;
    let json = || {
        let mut document = crate::json::of_threshold(&found, &session.model.sources);
        if args.explain.explain {
            let results = evaluated.points.iter().flat_map(|p| &p.results);
            document = document.explained(&evaluated.models, results);
        }
        document.to_text()
    };
    shown.print(json, &written, output);
    output.print_diagnostics(&grid::diagnostics(evaluated), &session.model.sources);
    Ok(exit_code(found.status()))
}
