//! The state space of one point of an experiment for the next.
//!
//! Where the models of two points differ in probabilities, rates, rewards and observations only, the states stay and the
//! weights are computed again ([`Reusable`]). Whether they do is found out, not assumed; in doubt, and
//! after every error, the point is explored anew, so that answers and diagnostics are those of a single run.

use volvelle_control::{Control, Fact};
use volvelle_explore::{Explored, Mismatch, Options, Reusable};
use volvelle_logic::Property;
use volvelle_session::engine;
use volvelle_session::explore::Outcome;
use volvelle_session::needed::stopping;
use volvelle_session::observed::selection;
use volvelle_session::pending::Pending;
use volvelle_session::{Session, Settings};

/// The state space that is kept from point to point.
#[derive(Default)]
pub struct Sweep {
    kept: Option<Reusable>,
}

impl Sweep {
    /// The state space of the point at hand, unless its [`Outcome`] has it.
    pub fn explored(&self) -> Option<&Explored> {
        self.kept.as_ref().map(Reusable::explored)
    }
}

/// [`explore_for`](crate::exploring::explore_for), with the state space of the point before where it serves. The space is then in
/// `sweep`, where it stays for the next point.
pub fn explore_point(
    session: &Session,
    pending: &mut [Pending],
    settings: &Settings,
    control: &Control<'_>,
    sweep: &mut Sweep,
) -> Outcome {
    let refusal = match reused(session, pending, settings, control, sweep) {
        Some(Ok(outcome)) => return outcome,
        Some(Err(refusal)) => Some(refusal),
        None => None,
    };
    let mut outcome = crate::exploring::explore_for(session, pending, true, settings, control);
    if let (Some(model), Some(refusal)) = (&mut outcome.model, refusal) {
        let why = format!("the states of the previous point could not be reused: {refusal}");
        model.facts.insert(0, Fact::text("states", "explored").because(why));
    }
    if let (Some(program), Some(explored)) = (session.model.program(), outcome.explored.take()) {
        // Properties that failed are taken out by now: these are the properties of the last exploration.
        match Reusable::new(stopping(program, &answerable(pending), settings).into_owned(), explored) {
            Ok(reusable) => sweep.kept = Some(reusable),
            Err(explored) => outcome.explored = Some(explored),
        }
    }
    outcome
}

/// Turns the state space that is kept into that of the point at hand. After a refusal nothing is kept: there is
/// never more than one space in memory.
fn reused(
    session: &Session,
    pending: &[Pending],
    settings: &Settings,
    control: &Control<'_>,
    sweep: &mut Sweep,
) -> Option<Result<Outcome, Mismatch>> {
    let (kept, program) = (sweep.kept.take()?, session.model.program()?);
    let properties = answerable(pending);
    let program = stopping(program, &properties, settings);
    let options = Options { observe: selection(&properties), reusable: true, ..Options::default() };
    let (result, tier) = engine::again(kept, &program, settings.tier, &options, control);
    let reusable = match result {
        Ok(reusable) => reusable,
        Err(refusal) => return Some(Err(refusal)),
    };
    let mut outcome = session.model.explored(reusable.explored(), tier, settings, control);
    if let Some(model) = &mut outcome.model {
        let why = "the points differ in probabilities, rates, rewards and observations only";
        model.facts.insert(0, Fact::text("states", "reused from the previous point").because(why));
    }
    sweep.kept = Some(reusable);
    Some(Ok(outcome))
}

fn answerable(pending: &[Pending]) -> Vec<&Property> {
    pending.iter().filter_map(|p| p.property.as_ref().ok()).collect()
}
