//! Evidence of answers: it is found by the engine, and gets names here.

use crate::beside::no_witness;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Severity, Span, codes};
use volvelle_explore::Explored;
use volvelle_logic::{Answer, Property, Value};
use volvelle_markov::{CheckError, NoWitness, Witness, WitnessError};
use volvelle_session::evidence::Evidence;
use volvelle_session::failure;
use volvelle_session::follow::loses;
use volvelle_session::limits;
use volvelle_session::pending::RunLog;
use volvelle_session::{Model, Settings};

/// The evidence for an answer, or a diagnostic that there is none.
#[expect(clippy::too_many_arguments, reason = "it continues `judged`")]
pub fn evidence_of(
    model: &Model,
    answer: &Answer,
    property: &Property,
    place: Span,
    explored: &Explored,
    settings: &Settings,
    found: Result<Witness, WitnessError>,
    control: &Control<'_>,
    log: &mut RunLog,
) -> Option<Evidence> {
    let wanted = settings.evidence;
    match found {
        Ok(witness) => {
            if wanted.witness && witness.path.is_none() && witness.no_path.is_none() {
                let message = "there is no witness: no path leads to the target";
                log.diagnostics.push(Diagnostic::note_only(codes::NO_WITNESS, message).at(place, ""));
            }
            if let Some(form) = witness.no_path {
                log.diagnostics.push(no_witness(Severity::Warning, "witness", &form).at(place, ""));
            }
            let mut chain = None;
            if let Some(found) = &witness.strategy {
                log.diagnostics.extend(loses(found, property, answer, settings).map(|d| d.at(place, "")));
                if wanted.wants_chain() {
                    chain = match volvelle_session::follow::chain_of(explored, &found.strategy, control) {
                        Ok(chain) => Some(chain),
                        Err(stop) => {
                            // The scheduler itself is written nevertheless.
                            log.stop = log.stop.or(Some(stop));
                            let complaint = limits::stopped(stop, &settings.allowance).at(place, "");
                            log.diagnostics.push(complaint.note("the chain of the scheduler is too large"));
                            None
                        }
                    };
                }
            }
            let is_false = answer.value == Value::Bool(false);
            return Some(crate::witness::evidence(
                model,
                explored,
                property,
                witness,
                chain.as_ref(),
                wanted,
                is_false,
            ));
        }
        Err(WitnessError::Form(form)) => {
            let what = if wanted.wants_scheduler() { "scheduler" } else { "witness" };
            let severity = match form {
                NoWitness::TooManyAmounts(_) => Severity::Error,
                _ => Severity::Warning,
            };
            log.diagnostics.push(no_witness(severity, what, &form).at(place, ""));
        }
        Err(WitnessError::Check(error)) => {
            if let CheckError::Limit(stop) = error {
                log.stop = log.stop.or(Some(stop));
            }
            let document = model.document.as_deref();
            log.diagnostics.extend(
                document.map(|document| {
                    failure::of_check(&error, place, document, |_| None, &settings.allowance)
                }),
            );
        }
    }
    None
}
