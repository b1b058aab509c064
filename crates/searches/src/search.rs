//! The question of all searches: the model is lowered with its formulas, and searched as what it is, processes or modules.

use crate::settings::SearchSettings;
use crate::wanted::Wanted;
use crate::{modules, run, verdict};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, has_errors};
use volvelle_session::report::Report;
use volvelle_session::{Model, Session};

/// Adds claims to a model of processes: formulas, where they are no names.
pub fn add_claims(model: &mut Model, wanted: &[String]) -> Vec<Diagnostic> {
    let Some(document) = model.document.as_mut().filter(|document| document.processes().is_some()) else {
        return Vec::new();
    };
    wanted.iter().flat_map(|text| document.add_claim(&mut model.sources, text)).collect()
}

/// Searches for violations of what is wanted.
pub fn search(
    session: &mut Session,
    wanted: &Wanted,
    settings: &SearchSettings,
    control: &Control<'_>,
) -> Report {
    session.model.refuse_sweeps();
    let mut report =
        Report { diagnostics: std::mem::take(&mut session.model.diagnostics), ..Report::default() };
    if has_errors(&report.diagnostics) {
        return report;
    }
    report.diagnostics.extend(add_claims(&mut session.model, &wanted.claims));
    session.model.lower();
    report.diagnostics.append(&mut session.model.diagnostics);
    if has_errors(&report.diagnostics) {
        return report;
    }
    if session.model.processes().is_none() {
        modules::run(session, wanted, settings, control, &mut report);
    } else if let (Some(program), Some(document)) = (session.model.program(), session.model.processes()) {
        run::run(session, program, document, wanted, settings, &session.run.sharing(control), &mut report);
    }
    report.diagnostics.extend(session.run.lost_ranks("searches"));
    if let (Some(model), several @ 2..) = (&mut report.model, report.results.len()) {
        model.first_of = Some(several as u64);
    }
    verdict::note_cuts(&mut report, settings.max_depth);
    report
}
