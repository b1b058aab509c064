//! Answers from a part of the states, so that a property that needs few states does not wait for one that needs all of them.
//!
//! Several properties share one exploration, which ends only where all of them are decided. Where that is large, properties that
//! may be decided before it are tried on their own, each with an exploration that stops as soon as it is decided: at
//! first with few states, and without such a limit once the shared exploration has reached a limit.

use std::borrow::Cow;
use volvelle_control::{Control, Fact, Limits, Stop};
use volvelle_diagnostics::{Diagnostic, Severity};
use volvelle_explore::Explored;
use volvelle_session::choices::Choices;
use volvelle_session::explore::Outcome;
use volvelle_session::needed;
use volvelle_session::pending::{Pending, RunLog};
use volvelle_session::report::{ModelReport, PropertyReport, Report};
use volvelle_session::{Session, Settings};

/// States of a shared exploration up to which it costs next to nothing.
const SHARED: u64 = 100_000;

/// States that the exploration for one property may have before the shared one.
const OWN: u64 = 20_000;

/// Properties that are tried on their own.
const MOST: usize = 32;

/// A property that was answered from a part of the states.
pub struct Answered {
    /// Its place among all properties.
    pub row: usize,
    pub report: PropertyReport,
    /// The part.
    pub model: Option<ModelReport>,
    /// What exploring the part told, beside answers.
    pub diagnostics: Vec<Diagnostic>,
}

/// What was found with few states.
#[derive(Default)]
pub struct Early {
    /// Properties that have their answers.
    pub answered: Vec<Answered>,
    /// The states that all properties need, if they are few.
    pub shared: Option<Outcome>,
}

impl Answered {
    /// A report that has nothing to do with parts.
    pub fn of(row: usize, report: PropertyReport) -> Self {
        Answered { row, report, model: None, diagnostics: Vec::new() }
    }
}

/// The report with its results, and what went with them.
pub fn completed(mut report: Report, mut answered: Vec<Answered>, log: RunLog) -> Report {
    answered.sort_by_key(|known| known.row);
    report.results = answered.into_iter().map(|known| known.report).collect();
    report.diagnostics.extend(log.diagnostics);
    report.stop = log.stop;
    report
}

/// Answers properties that few states decide, where the states that all of them need together are many. Where these are few,
/// they are given instead.
pub fn answered_by_few_states(
    session: &Session,
    pending: &mut [Pending],
    settings: &Settings,
    control: &Control<'_>,
    log: &mut RunLog,
) -> Early {
    let allowed = control.limits.states.is_none_or(|most| most > SHARED);
    if !allowed || with_parts(session, pending, settings).is_empty() {
        return Early::default();
    }
    let shared = crate::exploring::explore_for(session, pending, false, settings, &at_most(SHARED, control));
    if shared.stop != Some(Stop::States) {
        return Early { answered: Vec::new(), shared: Some(shared) };
    }
    let parts = with_parts(session, pending, settings);
    let rows: Vec<usize> = (0..pending.len()).collect();
    let own = at_most(OWN, control);
    let answered = answered_alone(session, (pending, &rows), parts, settings, &own, log);
    Early { answered, shared: None }
}

/// Answers properties that are decided before a limit, after the exploration for all of them has reached it. They stand in these
/// rows of the report.
pub fn answered_by_parts(
    session: &Session,
    pending: &mut [Pending],
    rows: &[usize],
    stop: Stop,
    settings: &Settings,
    control: &Control<'_>,
    log: &mut RunLog,
) -> Vec<Answered> {
    if !matches!(stop, Stop::Memory | Stop::States) {
        return Vec::new();
    }
    let parts = with_parts(session, pending, settings);
    answered_alone(session, (pending, rows), parts, settings, control, log)
}

/// The properties, of several, that may be decided before all states are explored.
fn with_parts(session: &Session, pending: &[Pending], settings: &Settings) -> Vec<usize> {
    let is_whole = settings.exact || settings.symmetry || settings.reduce;
    let Some(program) = session.model.program().filter(|_| session.model.explicit().is_none() && !is_whole)
    else {
        return Vec::new();
    };
    if pending.len() < 2 || !matches!(session.run.choices, Choices::Unresolved) {
        return Vec::new();
    }
    let has_part = |p: &Pending| {
        let property = p.property.as_ref().ok();
        property.is_some_and(|p| {
            needed::steps(program.kind(), &[p], settings).is_some()
                || matches!(needed::stopping(program, &[p], settings), Cow::Owned(_))
        })
    };
    (0..pending.len()).filter(|&row| has_part(&pending[row])).take(MOST).collect()
}

/// Answers properties one by one, each by an exploration of its own. Those that reach a limit are left out.
fn answered_alone(
    session: &Session,
    (pending, rows): (&mut [Pending], &[usize]),
    parts: Vec<usize>,
    settings: &Settings,
    control: &Control<'_>,
    log: &mut RunLog,
) -> Vec<Answered> {
    let mut answered = Vec::new();
    for part in parts {
        if control.check().is_err() {
            break;
        }
        let (own, row) = (std::slice::from_mut(&mut pending[part]), rows[part]);
        let outcome = crate::exploring::explore_for(session, own, false, settings, control);
        let Some(explored) = found(&outcome) else { continue };
        let reports =
            crate::answers::results(session, (own, &[row]), Some(explored), None, settings, control, log);
        let few = "decided by these alone, so that it did not wait for what other properties need";
        let few = Fact::count("states explored", explored.space.num_states() as u64).because(few);
        answered.extend(reports.into_iter().map(|mut report| Answered {
            row,
            report: {
                report.facts.push(few.clone());
                report
            },
            model: outcome.model.clone(),
            diagnostics: outcome.diagnostics.clone(),
        }));
    }
    answered
}

/// The states of an exploration that ended.
fn found(outcome: &Outcome) -> Option<&Explored> {
    let has_failed = outcome.diagnostics.iter().any(|d| d.severity == Severity::Error);
    outcome.explored.as_ref().filter(|_| outcome.stop.is_none() && !has_failed)
}

/// The same with fewer states.
fn at_most<'a>(states: u64, control: &Control<'a>) -> Control<'a> {
    let least = control.limits.states.map_or(states, |most| most.min(states));
    Control { limits: Limits { states: Some(least), ..control.limits }, ..*control }
}
