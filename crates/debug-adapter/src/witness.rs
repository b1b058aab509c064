//! The path that shows the value of a property, as `check --witness` finds it.

use crate::found::{Found, FoundRun};
use crate::launch::Launch;
use crate::reading::{Refusal, session_of};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Severity, codes};
use volvelle_logic::Value;
use volvelle_model::{Domain, Program};
use volvelle_numbers::check;
use volvelle_session::evidence::{Evidences, PathReport};
use volvelle_session::limits::{Allowance, stopped};
use volvelle_session::select::Selector;
use volvelle_session::trace::{Change, VariableValue};
use volvelle_session::{Model, Settings};
use volvelle_stepping::{KnownRun, KnownStep};

/// The text of the property that a claim names or is; `None` for a formula on runs.
///
/// # Errors
/// It looks like a number of a property, and there is none.
pub fn property_of(model: &Model, claim: &str) -> Result<Option<String>, Diagnostic> {
    let listed = model.document.as_deref().map_or(&[][..], |document| document.listed());
    let names: Vec<Option<&str>> = listed.iter().map(|listed| listed.name.as_deref()).collect();
    let text = match Selector::of(claim, &names)? {
        Selector::Listed(index) => return Ok(listed.get(index).map(|listed| listed.text.trim().to_owned())),
        Selector::Text(text) => text,
    };
    let rest = ["P", "R", "S", "T", "A", "E"].iter().find_map(|operator| text.strip_prefix(operator));
    let is_operator = rest.is_some_and(|rest| {
        let rest = rest.strip_prefix("min").or_else(|| rest.strip_prefix("max")).unwrap_or(rest).trim_start();
        rest.starts_with(['=', '<', '>', '{', '[']) && rest.contains('[')
    });
    Ok(is_operator.then_some(text))
}

/// The path of a property.
///
/// # Errors
/// The property has none, or is wrong.
pub fn search(
    launch: &Launch,
    claim: &str,
    (allowance, control): (&Allowance, &Control<'_>),
) -> Result<Found, Refusal> {
    let mut session = session_of(launch, false)?;
    let evidence = Evidences { witness: true, ..Evidences::default() };
    let settings = Settings { allowance: *allowance, evidence, ..Settings::default() };
    let report = check(&mut session, &[claim.to_owned()], &settings, control);
    let found =
        report.results.iter().find_map(|result| Some((result, result.evidence.as_ref()?.path.as_ref()?)));
    if let (Some((result, path)), Some(program)) = (found, session.model.program()) {
        let is_false = result.outcome.as_ref().is_ok_and(|answer| answer.value == Value::Bool(false));
        let what = if is_false { "the counterexample to" } else { "the most probable path of" };
        let reason = match path.negated {
            true => "the formula is violated",
            false => "the formula is satisfied",
        };
        return Ok(Found::Run(FoundRun {
            run: run_of(path, program),
            name: format!("{what} `{}`", result.name.as_deref().unwrap_or(&result.text)),
            reason: format!("{reason}; probability {}", shown(path)),
            property: Some(claim.to_owned()),
        }));
    }
    let said: Vec<Diagnostic> = report.all_diagnostics().into_iter().cloned().collect();
    if said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(Refusal::of(said, &session.model.sources));
    }
    if let Err(stop) = control.check() {
        return Err(stopped(stop, allowance).into());
    }
    let message = format!("no path shows the value of `{claim}`");
    let note = "paths are found for F, U, W, R and G in P without a bound, and for F in R and T, where the probability is not 0";
    let help =
        "leave `claim` out to choose the steps yourself, or give a formula that all runs are to satisfy";
    Err(Diagnostic::error(codes::BAD_USAGE, message).note(note).help(help).into())
}

/// Six digits, or the power of ten where a double has none.
fn shown(path: &PathReport) -> String {
    match path.probability > 0.0 {
        true => volvelle_present::format::number(path.probability, path.probability * 1e-6),
        false => format!("10^{:.1}", path.log10),
    }
}

/// The steps of a path by what they change.
fn run_of(path: &PathReport, program: &Program) -> KnownRun {
    let steps = path.steps.windows(2).map(|pair| {
        let (from, to) = (&pair[0], &pair[1]);
        let values = program.fields.iter().zip(from.values.iter().zip(&to.values));
        let changed = values.filter(|(_, (before, after))| before != after);
        let changes = changed.map(|(field, (&before, &after))| {
            let value = |value: i64| match field.domain {
                Domain::Bool => VariableValue::Bool(value != 0),
                _ => VariableValue::Int(value),
            };
            Change { name: field.name.clone(), before: value(before), after: value(after) }
        });
        KnownStep {
            changes: changes.collect(),
            action: from.action.clone(),
            lines: from.commands.iter().map(|command| command.line).collect(),
            places: Vec::new(),
        }
    });
    KnownRun { steps: steps.collect(), cycle_start: None }
}
