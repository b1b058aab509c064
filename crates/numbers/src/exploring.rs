//! One exploration for all properties, without those whose observations fail.

use std::borrow::Cow;
use volvelle_control::Control;
use volvelle_explore::Options;
use volvelle_logic::Property;
use volvelle_session::choices::Choices;
use volvelle_session::explore::Outcome;
use volvelle_session::failure;
use volvelle_session::needed;
use volvelle_session::observed::{observes, selection};
use volvelle_session::pending::Pending;
use volvelle_session::reduced;
use volvelle_session::remarks;
use volvelle_session::ways;
use volvelle_session::{Session, Settings};

/// States in which choices are looked for before all states are explored.
pub const FIRST_STATES: u64 = 1000;

/// Explores once for all properties, without those whose observations fail.
pub fn explore_for(
    session: &Session,
    pending: &mut [Pending],
    reusable: bool,
    settings: &Settings,
    control: &Control<'_>,
) -> Outcome {
    refuse_choices(session, pending, control);
    if !pending.is_empty() && pending.iter().all(|p| p.property.is_err()) {
        return Outcome::default();
    }
    loop {
        let properties: Vec<&Property> = pending.iter().filter_map(|p| p.property.as_ref().ok()).collect();
        let Some(program) = session.model.program() else { return Outcome::default() };
        // An explicit model is neither reduced nor cut: all its states are there.
        let is_explored = session.model.explicit().is_none();
        let symmetry = is_explored && reduced::fits_permutations(&properties, settings);
        let mut observe = selection(&properties);
        if settings.evidence.induced {
            observe.add_named(program);
        }
        let steps = match is_explored && !reusable {
            true => needed::step_limit(program.kind(), &properties, settings, control),
            false => None,
        };
        let options = Options { observe, reusable, symmetry, steps, code: None };
        let reduce = is_explored && reduced::fits(program, &properties, settings);
        let is_unreduced = settings.reduce && !reduce;
        let needed = match reduce || !is_explored {
            true => Cow::Borrowed(program),
            false => needed::stopping(program, &properties, settings),
        };
        let mut outcome = session.model.run_exploration(&needed, reduce, &options, settings, control);
        if outcome.stop.is_some_and(ways::is_about_states) {
            let ways = volvelle_session::ways::ways_out(
                &session.model,
                program,
                &properties,
                &options.observe,
                settings,
            );
            ways::add(&mut outcome.diagnostics, ways);
        }
        if is_unreduced {
            outcome.diagnostics.push(reduced::no_effect());
        }
        let Some(site) = outcome.failed else { return outcome.or_full_space(symmetry, settings) };
        let mut taken_out = false;
        for p in pending.iter_mut() {
            if p.property.as_ref().is_ok_and(|property| observes(program, property, site)) {
                p.property = Err(outcome.diagnostics.clone());
                taken_out = true;
            }
        }
        if !taken_out {
            return outcome;
        }
        if pending.iter().all(|p| p.property.is_err()) {
            outcome.diagnostics.clear();
            return outcome;
        }
    }
}

/// Refuses properties that need a minimum or maximum, if the first states of the model already have choices.
pub fn refuse_choices(session: &Session, pending: &mut [Pending], control: &Control<'_>) {
    let Some(program) = session.model.program() else { return };
    let is_open = matches!(session.run.choices, Choices::Unresolved);
    let is_mdp = program.kind().is_nondeterministic() && session.model.explicit().is_none() && is_open;
    let operator =
        |p: &Pending| p.property.as_ref().ok().and_then(remarks::operator_without_optimum).filter(|_| is_mdp);
    if !pending.iter().any(|p| operator(p).is_some()) {
        return;
    }
    let Some(state) = volvelle_explore::state_with_choices(program, FIRST_STATES, control) else {
        return;
    };
    let state =
        session.model.document.as_ref().map(|document| document.state_text(&state)).unwrap_or_default();
    for p in pending.iter_mut() {
        if let Some(operator) = operator(p) {
            let diagnostic = failure::needs_optimum(operator).at(p.place, "");
            p.property = Err(vec![match state.is_empty() {
                true => diagnostic,
                false => diagnostic.note(format!("there are several choices in state {state}")),
            }]);
        }
    }
}
