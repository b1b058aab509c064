//! The run that a claim is launched with, by the search that `check` does.

use crate::found::{Found, FoundRun};
use crate::launch::{Claim, Launch};
use crate::reading::{Refusal, TrailText, session_of};
use crate::witness;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_searches::{SearchSettings, Wanted, save_trail, search as search_model};
use volvelle_session::Model;
use volvelle_session::limits::{Allowance, stopped};
use volvelle_session::report::Report;
use volvelle_session::trace::{Counterexample, TraceStep};
use volvelle_stepping::{KnownRun, KnownStep};

/// What a claim asks to be found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sought {
    Violation,
    Witness,
}

/// Searches, and gives the first violation.
///
/// # Errors
/// There is none, or the search ended before it knew.
pub fn search(
    launch: &Launch,
    claim: &Claim,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<Found, Refusal> {
    let session = session_of(launch, false)?;
    if session.model.processes().is_some() {
        let claims = match claim {
            Claim::Of(text) => vec![text.clone()],
            Claim::Any | Claim::Safety => Vec::new(),
        };
        let wanted = Wanted { safety: *claim == Claim::Safety, claims, ..Wanted::default() };
        return searched(session, &wanted, allowance, control, Sought::Violation, None);
    }
    let has_states_only = session.model.explicit().is_some();
    match claim {
        Claim::Of(text) => match witness::property_of(&session.model, text)? {
            Some(property) => match path_operator(&property) {
                Some((sought, formula)) if !has_states_only => {
                    of_formula(launch, sought, &formula, &property, (allowance, control))
                }
                _ => witness::search(launch, text, (allowance, control)),
            },
            None if has_states_only => Err(no_search(&session.model)),
            None => of_formula(launch, Sought::Violation, text, text, (allowance, control)),
        },
        Claim::Any | Claim::Safety if has_states_only => Err(no_search(&session.model)),
        Claim::Any | Claim::Safety => {
            let wanted = Wanted { safety: true, ..Wanted::default() };
            searched(session, &wanted, allowance, control, Sought::Violation, None)
        }
    }
}

/// `A [ formula ]` and `E [ formula ]`, which a search decides: what is sought, and the formula.
fn path_operator(property: &str) -> Option<(Sought, String)> {
    let sought = match property.as_bytes().first()? {
        b'A' => Sought::Violation,
        b'E' => Sought::Witness,
        _ => return None,
    };
    let formula = property[1..].trim_start().strip_prefix('[')?.strip_suffix(']')?;
    // The bracket at the end has to be the one that closes the first.
    let mut depth = 0_usize;
    for character in formula.chars() {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (depth == 0).then(|| (sought, formula.trim().to_owned()))
}

/// The run of a formula of linear temporal logic.
fn of_formula(
    launch: &Launch,
    sought: Sought,
    formula: &str,
    property: &str,
    (allowance, control): (&Allowance, &Control<'_>),
) -> Result<Found, Refusal> {
    let claim = match sought {
        Sought::Violation => formula.to_owned(),
        Sought::Witness => format!("!({formula})"),
    };
    let wanted = Wanted { claims: vec![claim], ..Wanted::default() };
    searched(session_of(launch, false)?, &wanted, allowance, control, sought, Some(property))
}

fn searched(
    mut session: volvelle_session::Session,
    wanted: &Wanted,
    allowance: &Allowance,
    control: &Control<'_>,
    sought: Sought,
    property: Option<&str>,
) -> Result<Found, Refusal> {
    let settings = SearchSettings { allowance: *allowance, whole_trails: true, ..SearchSettings::default() };
    let report = search_model(&mut session, wanted, &settings, control);
    let (model, sources) = (&session.model, &session.model.sources);
    let mut found =
        report.results.iter().filter_map(|result| Some((result, result.counterexamples.first()?)));
    if let Some((result, example)) = found.next() {
        let property = property.or(result.name.as_deref()).unwrap_or(&result.text);
        if model.processes().is_none() {
            return Ok(Found::Run(found_run(sought, property, example)));
        }
        let trail = save_trail(model, property, example).ok_or_else(|| {
            let message = format!("the run that violates `{property}` cannot be replayed");
            Refusal::of(vec![Diagnostic::error(codes::TRAIL_MISMATCH, message)], sources)
        })?;
        let name = format!("the counterexample to `{property}`");
        return Ok(Found::Trail(TrailText {
            name,
            text: trail.to_text(),
            reason: Some(example.reason.clone()),
        }));
    }
    Err(nothing_found(&report, model, sought, property, (allowance, control)))
}

/// Why there is no run.
fn nothing_found(
    report: &Report,
    model: &Model,
    sought: Sought,
    property: Option<&str>,
    (allowance, control): (&Allowance, &Control<'_>),
) -> Refusal {
    let said: Vec<Diagnostic> = report.all_diagnostics().into_iter().cloned().collect();
    if said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Refusal::of(said, &model.sources);
    }
    if let Err(stop) = control.check() {
        return stopped(stop, allowance).into();
    }
    let of = |result: &volvelle_session::report::PropertyReport| {
        result.name.clone().unwrap_or_else(|| result.text.clone())
    };
    let names: Vec<String> = match property {
        Some(property) => vec![property.to_owned()],
        None => report.results.iter().map(of).collect(),
    };
    let names = names.join(", ");
    let message = match sought {
        Sought::Violation => format!("there is no counterexample: no run was found that violates {names}"),
        Sought::Witness => format!("there is no witness: no run was found that satisfies {names}"),
    };
    let note = format!("`volvelle check {}` says what is guaranteed", model.file);
    let help = "leave `claim` out to choose the steps yourself";
    Diagnostic::error(codes::BAD_USAGE, message).note(note).help(help).into()
}

/// A model that has states only is not searched.
fn no_search(model: &Model) -> Refusal {
    let message = "claims of a model that is given by its states are properties";
    let note = format!("`{}` is one of them: runs of it are not searched", model.file);
    let help = "write a property that a path shows: \"claim\": \"P>=0.9 [ F x=3 ]\"";
    Diagnostic::error(codes::BAD_USAGE, message).note(note).help(help).into()
}

fn found_run(sought: Sought, property: &str, example: &Counterexample) -> FoundRun {
    let (name, reason) = match sought {
        Sought::Violation => (format!("the counterexample to `{property}`"), example.reason.clone()),
        Sought::Witness => (format!("the witness of `{property}`"), "a run that satisfies it".to_owned()),
    };
    let moves: Vec<&TraceStep> = example.steps.iter().filter(|step| step.actor.is_some()).collect();
    let steps: Vec<KnownStep> = moves.into_iter().map(known_step).collect();
    // Where nothing happens any more, the walk is at its end.
    let cycle_start = example.cycle_start.filter(|&start| start < steps.len());
    FoundRun { run: KnownRun { steps, cycle_start }, name, reason, property: None }
}

fn known_step(step: &TraceStep) -> KnownStep {
    let actors = step.actor.iter().chain(&step.partner);
    KnownStep {
        changes: step.changes.clone(),
        places: actors.filter_map(|actor| actor.at.places.first().copied()).collect(),
        ..KnownStep::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Sought, path_operator};

    #[test]
    fn operators_on_all_runs_and_on_some() {
        let read =
            |text: &str| path_operator(text).map(|(sought, formula)| (sought == Sought::Witness, formula));
        assert_eq!(read("A [ G x<3 ]"), Some((false, "G x<3".to_owned())));
        assert_eq!(read("E[F x=3]"), Some((true, "F x=3".to_owned())));
        assert_eq!(read("A [ F P>0.5 [ X a ] ]"), Some((false, "F P>0.5 [ X a ]".to_owned())));
        for other in ["", "P=? [ F x=3 ]", "A [ F a ] & A [ F b ]", "A", "Ax [ F a ]", "A [ F a", "Ä [ F a ]"]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
