//! Answers of properties on an explored state space, one family after the other.

use crate::beside::{beside, unused_method};
use crate::effort;
use crate::exact::{self, Exact, Trouble, is_soon_exact};
use crate::named::evidence_of;
use std::time::{Duration, Instant};
use volvelle_control::{Control, ProgressEvent, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_explore::Explored;
use volvelle_logic::{Answer, Formula, FormulaValue, Guarantee, Property, StopReason, Value, gate};
use volvelle_markov::{CheckError, ExactValues, NoWitness, Options as Numeric, StateValues};
use volvelle_paths::verify_reports;
use volvelle_session::accuracy::accurate;
use volvelle_session::choices::Choices;
use volvelle_session::failure;
use volvelle_session::language::Analysis;
use volvelle_session::limits;
use volvelle_session::pending::{Pending, RunLog};
use volvelle_session::remarks;
use volvelle_session::report::{PropertyReport, StateValue};
use volvelle_session::sweeping;
use volvelle_session::{Model, Session, Settings};
use volvelle_space::{BitSet, StateId};

/// A number that was not asked for as a fraction, as a double with its bounds.
pub fn rounded(answer: Answer) -> Option<Answer> {
    if matches!(answer.value, Value::Bool(_)) {
        return Some(answer);
    }
    let [number] = &answer.exact[..] else { return None };
    let guarantee = gate::enclosed(number.enclosure()).ok()?;
    matches!(answer.value, Value::Number(_)).then(|| Answer { guarantee, exact: Vec::new(), ..answer })
}

/// Whether an answer has wider bounds than requested: an iteration came to its limit, doubles to the ends of their range, or rounding
/// keeps the bounds apart.
pub fn is_wide(answer: &Answer, explored: &Explored, options: &Numeric) -> bool {
    let is_accepted = answer.guarantee.interval().is_none_or(|[lo, hi]| options.accepts(lo, hi));
    answer.stop == StopReason::IterationLimit
        || (answer.stop == StopReason::Computed && !is_accepted)
        || (explored.errors.is_vague() && matches!(answer.guarantee, Guarantee::Sound { .. }))
}

/// Whether neither the method nor the limit of iterations was chosen.
pub fn has_usual_limits(options: &Numeric) -> bool {
    let usual = Numeric::default();
    options.method == usual.method && options.max_iterations == usual.max_iterations
}

/// One report for each property, in their order, which stand in these rows of the report. Without a state space there are no
/// answers; `reason` says why.
pub fn results(
    session: &Session,
    (pending, rows): (&[Pending], &[usize]),
    explored: Option<&Explored>,
    reason: Option<Diagnostic>,
    settings: &Settings,
    control: &Control<'_>,
    log: &mut RunLog,
) -> Vec<PropertyReport> {
    let Some(explored) = explored else {
        let reason: Vec<Diagnostic> = reason.into_iter().collect();
        let failed = pending.iter().map(|p| p.failed().unwrap_or_else(|| p.refused(&reason)));
        return failed.collect();
    };
    let answerable: Vec<usize> = (0..pending.len()).filter(|&i| pending[i].property.is_ok()).collect();
    let properties: Vec<&Property> =
        answerable.iter().filter_map(|&i| pending[i].property.as_ref().ok()).collect();
    let mut reports: Vec<Option<PropertyReport>> = pending.iter().map(Pending::failed).collect();
    let mut exact = Exact::default();
    let mut done = 0;
    let mut families = volvelle_markov::families(&properties);
    families.sort_by_key(|family| family.iter().map(|&i| effort::of(properties[i])).max());
    for family in families {
        let members: Vec<&Pending> = family.iter().map(|&i| &pending[answerable[i]]).collect();
        let answers = match control.check() {
            Ok(()) => {
                session.run.interim.work_on(family.iter().map(|&i| rows[answerable[i]]));
                let known = log.diagnostics.len();
                let answers = answers(session, &members, explored, settings, control, &mut exact, log);
                session.run.interim.beside(&log.diagnostics[known..]);
                answers
            }
            Err(stop) => {
                log.stop = log.stop.or(Some(stop));
                let reason = limits::not_begun(stop, &settings.allowance);
                let not_begun = |p: &&Pending| PropertyReport {
                    begun: false,
                    ..p.refused(std::slice::from_ref(&reason))
                };
                members.iter().map(not_begun).collect()
            }
        };
        for (&i, report) in family.iter().zip(answers) {
            if report.begun {
                session.run.interim.finished(rows[answerable[i]], &report);
            }
            reports[answerable[i]] = Some(report);
        }
        done += family.len() as u64;
        control.progress.report(ProgressEvent::Answered { done, total: answerable.len() as u64 });
    }
    let mut reports: Vec<PropertyReport> = reports.into_iter().flatten().collect();
    if session.model.allows(Analysis::Sampling) && matches!(session.run.choices, Choices::Unresolved) {
        let mut compute = |pending: &Pending, settings: &Settings, log: &mut RunLog| {
            answers(session, &[pending], explored, settings, control, &mut exact, log).into_iter().next()
        };
        verify_reports(session, pending, &mut reports, settings, control, &mut compute, log);
    }
    reports
}

/// The reports on properties that are answered together: all of them could be lowered.
pub fn answers(
    session: &Session,
    members: &[&Pending],
    explored: &Explored,
    settings: &Settings,
    control: &Control<'_>,
    exact: &mut Exact,
    log: &mut RunLog,
) -> Vec<PropertyReport> {
    let properties: Vec<&Property> = members.iter().filter_map(|p| p.property.as_ref().ok()).collect();
    let start = Instant::now();
    let options = accurate(&settings.numeric, explored, &properties);
    let mut control = *control;
    if let Some(memory) = &mut control.limits.memory_bytes {
        *memory = memory.saturating_sub(explored.bytes());
    }
    if let (true, Some(program)) = (settings.exact, session.model.program()) {
        let reports = members.iter().zip(properties).map(|(pending, property)| {
            let start = Instant::now();
            let result = exact.check(program, explored, property, &options, &control);
            let mut report =
                judged(&session.model, pending, property, result, explored, settings, &control, log);
            report.time = start.elapsed();
            if settings.all_states && report.outcome.is_ok() {
                let values = exact.states(program, explored, property, &options, &control);
                report.values = values.ok().and_then(|values| exact_states(&session.model, values, explored));
            }
            report.remarks =
                volvelle_session::remarks::remarks(&session.model, property, explored, &report.outcome);
            report
        });
        return reports.collect();
    }
    let answers = volvelle_markov::check_family(
        &explored.space,
        &properties,
        &explored.numbers,
        &options,
        session.run.sweeps.as_ref(),
        &control,
    );
    log.diagnostics.extend(sweeping::troubles(session.run.sweeps.as_ref(), &session.run.devices));
    // The time of answers that were computed together is divided equally among them.
    let time = start.elapsed() / members.len().max(1) as u32;
    let reports = members.iter().zip(properties).zip(answers);
    let reports = reports.map(|((pending, property), checked)| {
        let known = interrupted(&checked.outcome);
        let outcome = match (checked.outcome, known) {
            // Bounds of stopped work are no answer, but worth telling.
            (Ok(_), Some(_)) => Err(CheckError::Limit(control.check().err().unwrap_or(Stop::Cancelled))),
            (outcome, _) => outcome,
        };
        let outcome = match outcome {
            Err(undecided) if exact::is_soon_decided(&undecided) => {
                crate::answers::decided_exactly(&session.model, property, explored, settings, &control, exact)
                    .ok_or(Trouble::Check(undecided))
            }
            Ok(wide) if is_wide(&wide, explored, &options) && has_usual_limits(&options) => {
                let found = decided_exactly(&session.model, property, explored, settings, &control, exact);
                match found.and_then(rounded) {
                    Some(found) => Ok(found),
                    None if explored.errors.is_vague() => {
                        volvelle_session::vague::unknown(wide, property).map_err(Trouble::Check)
                    }
                    None => Ok(wide),
                }
            }
            outcome => outcome.map_err(Trouble::Check),
        };
        let mut report =
            judged(&session.model, pending, property, outcome, explored, settings, &control, log);
        report.time = time;
        report.facts = checked.facts;
        if report.outcome.is_ok() {
            let unused = unused_method(checked.method_use, &options);
            log.diagnostics.extend(unused.map(|diagnostic| diagnostic.at(pending.place, "")));
        }
        report.remarks =
            volvelle_session::remarks::remarks(&session.model, property, explored, &report.outcome);
        if let (Some([lo, hi]), Err(diagnostics)) = (known, &mut report.outcome) {
            report.known = known;
            let note = format!("the value lies between {lo:?} and {hi:?}");
            diagnostics.iter_mut().for_each(|d| d.notes.push(note.clone()));
        }
        if settings.all_states && report.outcome.is_ok() {
            report.values = all_states(session, property, explored, settings, &control, exact);
        }
        report
    });
    reports.collect()
}

/// A property whose comparisons bounds could not decide, or whose bounds rounding keeps apart, in rational arithmetic: where
/// a bound is met exactly, nothing else decides it. For small models only, where that takes no time to speak of.
pub fn decided_exactly(
    model: &Model,
    property: &Property,
    explored: &Explored,
    settings: &Settings,
    control: &Control<'_>,
    exact: &mut Exact,
) -> Option<Answer> {
    if !is_soon_exact(explored.space.num_states(), property) {
        return None;
    }
    let found = exact.check(model.program()?, explored, property, &settings.numeric, control);
    let mut answer = found.ok()?;
    answer.method = format!("the bounds did not suffice; {}", answer.method);
    Some(answer)
}

/// The values of a property in all states.
pub fn all_states(
    session: &Session,
    property: &Property,
    explored: &Explored,
    settings: &Settings,
    control: &Control<'_>,
    exact: &mut Exact,
) -> Option<Vec<StateValue>> {
    let document = session.model.document.as_deref()?;
    let options = &accurate(&settings.numeric, explored, &[property]);
    let (space, numbers) = (&explored.space, &explored.numbers);
    let sweeps = session.run.sweeps.as_ref();
    let n = space.num_states();
    let truths = |set: &BitSet| (0..n).map(|s| FormulaValue::Truth(set.contains(s))).collect();
    let values: Vec<FormulaValue> =
        match volvelle_markov::check_states(space, property, numbers, options, sweeps, control) {
            Ok(StateValues::Bool(set)) => truths(&set),
            Ok(StateValues::Number(numbers)) => {
                numbers.bounds.into_iter().map(FormulaValue::Bounds).collect()
            }
            Err(CheckError::CannotDecide { .. }) if is_soon_exact(n, property) => {
                let values =
                    exact.states(session.model.program()?, explored, property, options, control).ok()?;
                return exact_states(&session.model, values, explored);
            }
            Err(_) => return None,
        };
    let of_state = |(s, value): (usize, FormulaValue)| StateValue {
        state: document.state_text(&explored.layout.unpack(explored.states.get(s))),
        value,
        exact: None,
    };
    Some(values.into_iter().enumerate().map(of_state).collect())
}

/// The values of a property in all states, in rational arithmetic.
pub fn exact_states(model: &Model, values: ExactValues, explored: &Explored) -> Option<Vec<StateValue>> {
    let document = model.document.as_deref()?;
    let text = |s: usize| document.state_text(&explored.layout.unpack(explored.states.get(s)));
    let of = |(s, (value, exact))| StateValue { state: text(s), value, exact };
    let n = explored.space.num_states();
    Some(match values {
        ExactValues::Bool(set) => {
            let truths = (0..n).map(|s| (FormulaValue::Truth(set.contains(s)), None));
            truths.enumerate().map(of).collect()
        }
        ExactValues::Number(numbers) => {
            let numbers = numbers.into_iter().map(|x| (FormulaValue::Bounds(x.enclosure()), Some(x)));
            numbers.enumerate().map(of).collect()
        }
    })
}

/// The report on an answer: with its evidence, or with the diagnostic that there is none.
#[expect(clippy::too_many_arguments, reason = "it continues `answers`")]
pub fn judged(
    model: &Model,
    pending: &Pending,
    property: &Property,
    result: Result<Answer, Trouble>,
    explored: &Explored,
    settings: &Settings,
    control: &Control<'_>,
    log: &mut RunLog,
) -> PropertyReport {
    let outcome = match result {
        Ok(answer) => {
            let remarks = beside(&answer, property, pending.place, settings);
            log.diagnostics.extend(remarks.into_iter().map(|remark| pending.at_point(remark)));
            Ok(answer)
        }
        Err(error) => {
            if let Some(stop) = error.stop() {
                log.stop = log.stop.or(Some(stop));
            }
            let values = |state: u32| {
                let known = (state as usize) < explored.states.len();
                known.then(|| explored.layout.unpack(explored.states.get(state as usize)))
            };
            let document = model.document.as_deref();
            let failing = |number: u32, state: u32| {
                let packed = explored.states.get(state as usize);
                let program = model.program()?;
                volvelle_explore::failing_site(program, &explored.layout, number as usize, packed)
            };
            let diagnostic = document.map(|document| match &error {
                Trouble::Check(CheckError::NeedsOptimum) => {
                    let operator = remarks::operator_without_optimum(property).unwrap_or("P");
                    failure::needs_optimum(operator).at(pending.place, "")
                }
                &Trouble::Check(CheckError::UndefinedNumber { number, state })
                    if let Some(site) = failing(number, state) =>
                {
                    let values = values(state).unwrap_or_default();
                    failure::of_site(site, &values, Some(StateId(state)), document, &model.sources)
                }
                Trouble::Check(error) => {
                    failure::of_check(error, pending.place, document, values, &settings.allowance)
                }
                Trouble::Space(error) => {
                    exact::explain(error, pending.place, document, values, &settings.allowance)
                }
            });
            Err(diagnostic.into_iter().collect())
        }
    };
    let states = match (&outcome, &model.document) {
        (Ok(Answer { value: Value::States(states), .. }), Some(document)) => {
            let packed = states.iter().map(|&(state, _)| explored.states.get(state as usize));
            packed.map(|packed| document.state_text(&explored.layout.unpack(packed))).collect()
        }
        _ => Vec::new(),
    };
    let evidence = match (&outcome, settings.evidence.wanted()) {
        (Ok(answer), Some(wanted)) => {
            let is_unmet = answer.value == Value::Bool(false)
                && matches!(property.formulas.get(property.root), Formula::Multi(_));
            let found = if is_unmet {
                Err(NoWitness::NoneMeets.into())
            } else {
                volvelle_markov::witness(
                    &explored.space,
                    property,
                    &explored.numbers,
                    wanted,
                    &accurate(&settings.numeric, explored, &[property]),
                    control,
                )
            };
            let place = pending.place;
            evidence_of(model, answer, property, place, explored, settings, found, control, log).map(Box::new)
        }
        _ => None,
    };
    PropertyReport { states, evidence, ..pending.report(property.constants.clone(), outcome, Duration::ZERO) }
}

/// The bounds that a stopped computation got to, where they are all there is.
pub fn interrupted(outcome: &Result<Answer, CheckError>) -> Option<[f64; 2]> {
    match outcome {
        Ok(Answer { value: Value::Bool(_), .. }) | Err(_) => None,
        Ok(answer) if answer.stop != StopReason::Interrupted => None,
        Ok(answer) => match answer.guarantee {
            Guarantee::Sound { lo, hi, .. } => Some([lo, hi]),
            _ => Some([f64::NEG_INFINITY, f64::INFINITY]),
        },
    }
}
