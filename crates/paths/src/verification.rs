//! Automatic statistical verification: which numerical values are compared with paths, and what follows from it.
//!
//! The comparison itself is [`volvelle_estimate::validation`]. A value that is probably wrong may be computed again with a more
//! careful method.

use super::diagnostics;
use super::model::PathModel;
use super::{PathTier, Sampling};
use std::time::{Duration, Instant};
use volvelle_control::{Control, ProgressEvent};
use volvelle_diagnostics::{Diagnostic, Severity};
use volvelle_estimate::validation::{Unvalidated, Validation};
use volvelle_logic::{Answer, Formula, Guarantee, Property, Query, Value};
use volvelle_markov::{Detection, Method, Options as Numeric};
use volvelle_session::pending::{Pending, RunLog};
use volvelle_session::report::PropertyReport;
use volvelle_session::verification::{Verification, Verify, Verifying, reason};
use volvelle_session::{Session, Settings};
use volvelle_simulate::measure;
use volvelle_statistics::Interval;
use volvelle_statistics::verdict::{Place, Verdict};

/// Computes a property again with other settings.
pub type Compute<'a> = &'a mut dyn FnMut(&Pending, &Settings, &mut RunLog) -> Option<PropertyReport>;

/// Verifies the values of reports, in their order; a value that is probably wrong is computed again by `compute`.
pub fn verify_reports(
    session: &Session,
    pending: &[Pending],
    reports: &mut [PropertyReport],
    settings: &Settings,
    control: &Control<'_>,
    compute: Compute<'_>,
    log: &mut RunLog,
) {
    let wanted: Vec<usize> = (0..reports.len())
        .filter(|&i| pending[i].property.as_ref().is_ok_and(|p| is_wanted(p, &reports[i], &settings.verify)))
        .collect();
    let model = if wanted.is_empty() { Ok(None) } else { crate::model::path_model(session, control) };
    // Numerical options that were precise enough to repair one value are used for the values that follow.
    let mut carried: Option<Numeric> = None;
    for (done, &i) in wanted.iter().enumerate() {
        if control.check().is_err() {
            break;
        }
        let Ok(property) = &pending[i].property else { continue };
        if let Some(numeric) = carried
            && is_wanted(property, &reports[i], &Verifying { which: Verify::EarlyStop, ..settings.verify })
        {
            let tightened = Settings { numeric, ..*settings };
            let again = compute(&pending[i], &tightened, log);
            reports[i] = again.unwrap_or_else(|| reports[i].clone());
        }
        let Some(mut verification) =
            verify_value(session, property, &reports[i], &model, &settings.verify, control)
        else {
            continue;
        };
        if settings.verify.repair && verification.agrees() == Some(false) {
            let mut numeric = carried.unwrap_or(settings.numeric);
            while let Some((tighter, how)) = tighter(&numeric) {
                numeric = tighter;
                let tightened = Settings { numeric, ..*settings };
                let again = compute(&pending[i], &tightened, log);
                let Some(again) = again else { break };
                let Some((value, bounds)) = value_of(&again) else { break };
                let verdict = judged_again(&verification, bounds);
                if verdict.is_some_and(|verdict| verdict.place != Place::Outside99) {
                    verification.replaced = Some(verification.value);
                    verification.value = value;
                    verification.repaired = Some(how);
                    if let (Some(verdict), Ok(known)) = (verdict, &mut verification.verdict) {
                        *known = verdict;
                    }
                    reports[i] = again;
                    carried = Some(numeric);
                    break;
                }
            }
        }
        if verification.agrees() == Some(false) {
            let doubt = diagnostics::of_doubt(&verification, pending[i].place);
            log.diagnostics.push(pending[i].at_point(doubt));
        }
        for trouble in std::mem::take(&mut verification.troubles) {
            if !log.diagnostics.contains(&trouble) {
                log.diagnostics.push(trouble);
            }
        }
        reports[i].verification = Some(Box::new(verification));
        control
            .progress
            .report(ProgressEvent::Answered { done: done as u64 + 1, total: wanted.len() as u64 });
    }
}

/// Draws paths for a value; `None` if it is no number.
fn verify_value(
    session: &Session,
    property: &Property,
    report: &PropertyReport,
    model: &Result<Option<PathModel>, Diagnostic>,
    verifying: &Verifying,
    control: &Control<'_>,
) -> Option<Verification> {
    let begin = Instant::now();
    let (value, bounds) = value_of(report)?;
    let mut verification = Verification {
        value,
        verdict: Err(reason(&Unvalidated::NoPath)),
        is_precise: false,
        redrawn: false,
        samples: 0,
        steps: 0,
        seed: verifying.sampling.seed,
        tier: String::new(),
        troubles: Vec::new(),
        time: Duration::ZERO,
        repaired: None,
        replaced: None,
    };
    let PathModel { mut program, table } = match model {
        Ok(model) => model.clone()?,
        Err(why) => {
            // The value stands, without a verdict.
            verification.troubles.push(Diagnostic { severity: Severity::Warning, ..why.clone() });
            return Some(verification);
        }
    };
    let mut automata = Vec::new();
    let measure = match measure::measure(&mut program, &mut automata, property) {
        Ok(asked) => asked.measure,
        Err(why) => {
            verification.verdict = Err(reason(&Unvalidated::Unsupported(why)));
            return Some(verification);
        }
    };
    let validation = Validation {
        value: bounds,
        sampling: &verifying.sampling,
        time: verifying.time,
        samples: verifying.samples,
        tier: tier_of_paths(session, &verifying.sampling),
        devices: &session.run.devices,
        table: table.as_ref(),
    };
    let validated = validation.run(program, measure, automata, begin, control);
    Some(Verification {
        is_precise: validated.verdict.as_ref().is_ok_and(|verdict| verdict.is_precise(verifying.width)),
        verdict: validated.verdict.map_err(|why| reason(&why)),
        redrawn: validated.redrawn,
        samples: validated.samples,
        steps: validated.steps,
        seed: validated.seed,
        tier: validated.tier,
        troubles: validated.failures.iter().map(diagnostics::of_device).collect(),
        time: begin.elapsed(),
        ..verification
    })
}

/// The code that runs paths on this machine's processors.
pub(super) fn tier_of_paths(session: &Session, sampling: &Sampling) -> PathTier {
    if session.run.devices.are_interpreted() { PathTier::Interpreter } else { sampling.tier }
}

/// The verdict of the same paths on another value.
fn judged_again(verification: &Verification, bounds: Interval) -> Option<Verdict> {
    let known = verification.verdict.as_ref().ok()?;
    Some(Verdict { place: known.place_of(bounds), ..*known })
}

/// The number that an answer gives or compares, with its bounds.
fn value_of(report: &PropertyReport) -> Option<(f64, Interval)> {
    let answer = report.outcome.as_ref().ok()?;
    let value = match answer.value {
        Value::Number(value) => value,
        _ => answer.compared?,
    };
    let [lo, hi] = answer.guarantee.interval().unwrap_or([value, value]);
    Some((value, Interval { lo: lo.min(value), hi: hi.max(value) }))
}

/// Whether the value of a property is to be verified.
fn is_wanted(property: &Property, report: &PropertyReport, verifying: &Verifying) -> bool {
    let Ok(Answer { guarantee, stop, .. }) = &report.outcome else { return false };
    let early = !stop.is_sound();
    let without_bounds = matches!(guarantee, Guarantee::Approximate { .. });
    match verifying.which {
        Verify::Never => false,
        Verify::EarlyStop => early,
        Verify::Auto => early || (without_bounds && is_quantitative(property)),
        Verify::Quantitative => is_quantitative(property),
        Verify::Always => true,
    }
}

/// Whether the property asks for a number.
fn is_quantitative(property: &Property) -> bool {
    matches!(
        property.formulas.get(property.root),
        Formula::Prob { query: Query::Value, .. }
            | Formula::Reward { query: Query::Value, .. }
            | Formula::Time { query: Query::Value, .. }
    )
}

/// The smallest difference between iterates that is worth a try.
const LEAST_EPSILON: f64 = 1e-12;

/// A more careful way to compute, and what it is called; `None` if there is none.
fn tighter(numeric: &Numeric) -> Option<(Numeric, String)> {
    let classical = matches!(numeric.method, Method::Classical(_));
    let early = numeric.detection == Detection::Prism;
    if !classical && !early {
        return None;
    }
    let epsilon = numeric.epsilon / 1000.0;
    if epsilon >= LEAST_EPSILON {
        return Some((Numeric { epsilon, ..*numeric }, format!("epsilon {epsilon:.0e}")));
    }
    let sound = Numeric { method: Method::Auto, detection: Detection::Sound, ..*numeric };
    Some((sound, "a method with bounds".to_owned()))
}
