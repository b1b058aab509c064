//! `volvelle check --transient` and `--steady-state`: distributions over states.

use super::{methods, needs};
use crate::document::distribution;
use crate::options::ComputeDistributions;
use crate::{Moments, csv_of_distributions};
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
use volvelle_session::language::{Analysis, Offers};

impl Member for ComputeDistributions {
    const WHAT: &'static str = "distributions over states";
    const CHOSEN: Chosen = Chosen::ByOptions(&["transient", "steady_state"]);
    const OF: fn(&Offers) -> bool = |offers| offers.allows(Analysis::Numbers);
    const WHY: &'static str = "distributions have probabilities";
    const HELP: &'static str = "request a distribution: --transient 10, or --steady-state";
    const ANALYSIS: Option<Analysis> = Some(Analysis::Numbers);
    const NEEDS: &'static [Need] = needs::DISTRIBUTIONS;
    const VALUES: Values = methods::VALUES;
    const IS_SHARED: bool = true;

    fn ask(&'static self, asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
        run(self, asked, output)
    }
}

/// Computes the distributions and shows them.
fn run(args: &ComputeDistributions, mut asked: Asked<'_>, output: &Output) -> Result<u8, Refused> {
    let (settings, threads) = methods::numeric_settings(&args.numeric, &args.building, &args.limits)?;
    let mut opened = asked.session()?;
    if !cluster::leads(asked.given)? {
        return Ok(0);
    }
    let session = &mut opened;
    devices::select(&args.devices, threads, session)?;
    let wanted = Moments {
        times: args.distribution.transient.as_deref(),
        long_run: args.distribution.steady_state,
        by: &args.distribution.by,
    };
    let progress = Line::new();
    let control = control(&settings.allowance, threads, asked.start, &progress);
    let mut found = crate::distributions(session, &wanted, &settings, &control);
    progress.finish();

    let mut document = distribution::document(&found, &session.model.file);
    if args.explain.explain {
        document.blocks.extend(facts::document(found.model.as_ref(), &[]).blocks);
    }
    let shown = Shown::new(&args.answer, document, &session.model.file, &session.model.sources)
        .about(&found.model)
        .with_table(|| csv_of_distributions(&found));
    let written = shown.write(&[], &mut found.diagnostics, output);
    let json = || {
        let mut document = crate::json::of_distributions(&found, &session.model.sources);
        if args.explain.explain {
            document = document.explained(found.model.as_ref(), std::iter::empty());
        }
        document.to_text()
    };
    shown.print(json, &written, output);
    output.print_diagnostics(&found.diagnostics, &session.model.sources);
    Ok(exit_code(found.status()))
}
