//! Checking properties: lowering each, one exploration for all, then one answer after the other.
//!
//! A property that cannot be answered costs only itself. In particular an observation that fails in some state (a
//! division by zero in the text of a property, say) would end the exploration; its properties are taken out with
//! the diagnostic, and the others go on.

use crate::answers::results;
use crate::exploring::explore_for;
use crate::parts::{Answered, Early, completed};
use crate::refusals::{without_effect, without_scheduler};
use volvelle_control::Control;
use volvelle_diagnostics::{Severity, codes, has_errors};
use volvelle_paths::sampled;
use volvelle_session::choices::Choices;
use volvelle_session::pending::{Pending, RunLog};
use volvelle_session::report::Report;
use volvelle_session::{Model, Session, Settings, mentions};

/// Checks properties: those that `wanted` selects (arguments of `--prop`), or all of the files.
pub fn check(session: &mut Session, wanted: &[String], settings: &Settings, control: &Control<'_>) -> Report {
    let (pending, mut report) = match asked(&mut session.model, wanted, settings) {
        Ok(asked) => asked,
        Err(report) => return *report,
    };
    let Some(sampling) = &settings.sampling else {
        return computed(session, &pending, report, settings, control);
    };
    let mut log = RunLog::default();
    report.results = sampled(session, &pending, sampling, settings, control, &mut log);
    report.diagnostics.extend(log.diagnostics);
    report.stop = log.stop;
    report
}

/// The properties that can be asked, and the report so far; the whole report where none can.
fn asked(
    model: &mut Model,
    wanted: &[String],
    settings: &Settings,
) -> Result<(Vec<Pending>, Report), Box<Report>> {
    model.refuse_sweeps();
    let lowered = model.lower();
    let mut report = Report { diagnostics: std::mem::take(&mut model.diagnostics), ..Report::default() };
    if !lowered {
        if mentions(&report.diagnostics, codes::OPEN_CONSTANT) {
            // A constant without a value and a value without a constant are often the same mistake, unless
            // a property mentions the value.
            model.select(wanted, &mut Vec::new());
            report.diagnostics.extend(model.unmentioned_constants());
        }
        return Err(report.into());
    }
    let mut complaints = Vec::new();
    let pending = model.select(wanted, &mut complaints);
    if pending.iter().all(|p| p.property.is_ok())
        && let Some(document) = &model.document
    {
        // A property that failed may have mentioned the constant.
        complaints.extend(document.unused_constants());
    }
    if settings.evidence.wants_scheduler() {
        complaints.extend(without_scheduler(model, &pending));
    }
    complaints.extend(without_effect(model, settings));
    let refused = has_errors(&complaints);
    report.diagnostics.extend(complaints);
    if refused || pending.iter().all(|p| p.property.is_err()) {
        report.results = pending.iter().filter_map(Pending::failed).collect();
        return Err(report.into());
    }
    Ok((pending, report))
}

/// Answers computed from the states of the model.
fn computed(
    session: &Session,
    pending: &[Pending],
    mut report: Report,
    settings: &Settings,
    control: &Control<'_>,
) -> Report {
    // A scheduler may go on where properties are decided.
    let full_space = settings.full_space || !matches!(session.run.choices, Choices::Unresolved);
    let settings = &Settings { full_space, ..*settings };
    let outline =
        session.model.document.as_ref().and_then(|document| document.outline(&session.model.sources));
    let begin = |report: &Report| {
        let rows = pending.iter().map(Pending::open);
        session.run.interim.begin(report.clone(), rows, outline.clone(), &session.model.sources);
    };
    let mut log = RunLog::default();
    begin(&report);
    let mut rest = pending.to_vec();
    let Early { answered: mut early, shared } =
        crate::parts::answered_by_few_states(session, &mut rest, settings, control, &mut log);
    let is_open = |row: &usize, early: &[Answered]| early.iter().all(|known| known.row != *row);
    let rows: Vec<usize> = (0..rest.len()).filter(|row| is_open(row, &early)).collect();
    let mut at = 0..;
    rest.retain(|_| at.next().is_some_and(|row| is_open(&row, &early)));
    if rest.is_empty() {
        let largest = early.iter().max_by_key(|known| known.model.as_ref().map(|model| model.states));
        let largest = largest.map(|known| (known.model.clone(), known.diagnostics.clone()));
        let (model, diagnostics) = largest.unwrap_or_default();
        report.model = model;
        report.diagnostics.extend(diagnostics);
        return completed(report, early, log);
    }
    let outcome = shared.unwrap_or_else(|| explore_for(session, &mut rest, false, settings, control));
    report.model = outcome.model;
    report.stop = outcome.stop;
    let reason = outcome.diagnostics.iter().find(|d| d.severity == Severity::Error).cloned();
    report.diagnostics.extend(outcome.diagnostics);
    let mut explored = outcome.explored.filter(|_| reason.is_none());
    if !matches!(session.run.choices, Choices::Unresolved)
        && let (Some(all), Some(model)) = (explored.take(), &mut report.model)
    {
        match volvelle_session::follow::resolved(session, all, settings, control) {
            Ok(chain) => {
                model.kind = format!("{} of an MDP, {}", chain.space.kind.name(), session.run.choices);
                model.states = chain.space.num_states() as u64;
                model.transitions = chain.space.num_transitions() as u64;
                model.choices = None;
                explored = Some(chain);
            }
            Err((stop, complaint)) => {
                report.stop = stop;
                report.diagnostics.push(complaint.clone());
                report.results =
                    pending.iter().map(|p| p.refused(std::slice::from_ref(&complaint))).collect();
                return report;
            }
        }
    }
    begin(&report);
    early.iter().for_each(|known| session.run.interim.finished(known.row, &known.report));
    log.stop = log.stop.or(report.stop);
    let found = results(session, (&rest, &rows), explored.as_ref(), reason, settings, control, &mut log);
    let answered = rows.iter().zip(found).map(|(&row, report)| Answered::of(row, report));
    match report.stop.filter(|_| explored.is_none()) {
        Some(stop) => {
            let answered: Vec<Answered> = answered.collect();
            let alone =
                crate::parts::answered_by_parts(session, &mut rest, &rows, stop, settings, control, &mut log);
            early.extend(answered.into_iter().filter(|known| is_open(&known.row, &alone)));
            early.extend(alone);
        }
        None => early.extend(answered),
    }
    completed(report, early, log)
}
