//! The counterexample of a claim, by the search that `check` does.

use crate::launch::{Claim, Launch};
use crate::reading::{Refusal, TrailText, session_of};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_searches::{SearchSettings, Wanted, save_trail, search as search_model};
use volvelle_session::limits::{Allowance, stopped};

/// Searches, and gives the trail of the first violation.
///
/// # Errors
/// There is none, or the search ended before it knew.
pub fn search(
    launch: &Launch,
    claim: &Claim,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<TrailText, Refusal> {
    let mut session = session_of(launch, false)?;
    let claims = match claim {
        Claim::Of(text) => vec![text.clone()],
        Claim::Any | Claim::Safety => Vec::new(),
    };
    let wanted = Wanted { safety: *claim == Claim::Safety, claims, ..Wanted::default() };
    let settings = SearchSettings { allowance: *allowance, whole_trails: true, ..SearchSettings::default() };
    let report = search_model(&mut session, &wanted, &settings, control);
    let (model, sources) = (&session.model, &session.model.sources);
    let mut found =
        report.results.iter().filter_map(|result| Some((result, result.counterexamples.first()?)));
    if let Some((result, example)) = found.next() {
        let property = result.name.as_deref().unwrap_or(&result.text);
        let trail = save_trail(model, property, example).ok_or_else(|| {
            let message = format!("the run that violates `{property}` cannot be replayed");
            Refusal::of(vec![Diagnostic::error(codes::TRAIL_MISMATCH, message)], sources)
        })?;
        let name = format!("the counterexample to `{property}`");
        return Ok(TrailText { name, text: trail.to_text(), reason: Some(example.reason.clone()) });
    }
    let said: Vec<Diagnostic> = report.all_diagnostics().into_iter().cloned().collect();
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    if said.iter().any(is_error) {
        return Err(Refusal::of(said, sources));
    }
    if let Err(stop) = control.check() {
        return Err(stopped(stop, allowance).into());
    }
    let names: Vec<&str> = report.results.iter().map(|r| r.name.as_deref().unwrap_or(&r.text)).collect();
    let message = format!("there is no counterexample: no run was found that violates {}", names.join(", "));
    let note = format!("`volvelle check {}` says what is guaranteed", model.file);
    let help = "leave `claim` out to choose the steps yourself";
    Err(Diagnostic::error(codes::BAD_USAGE, message).note(note).help(help).into())
}
