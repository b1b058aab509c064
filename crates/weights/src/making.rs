//! How the weighted structure of a model is made: read, unfolded, or imported from a model of another kind.

use super::model::{Names, SelectedState, WeightedModel};
use super::parameters::{self, Assumed};
use super::unknown::unknown_in;
use std::sync::Arc;
use volvelle_control::{Control, Counted, ProgressEvent, Stop};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_logic::Constant;
use volvelle_session::language::WeightedSource;
use volvelle_session::limits;
use volvelle_session::report::{ModelReport, Report};
use volvelle_session::{Model, Session, Settings};
use volvelle_wks::wccs::{NoStructure, TooLarge, Unfolding, Wccs};

/// The weighted structure of the model, with all its states; without one the report says why.
pub fn weighted_model(
    session: &mut Session,
    selected: &SelectedState,
    settings: &Settings,
    control: &Control<'_>,
) -> (Report, Option<WeightedModel>) {
    let (mut report, model) = weighted_model_with(session, None, selected, settings, control);
    report.diagnostics.extend(model.iter().flat_map(|model| model.assumed.remarks()));
    let refused = has_errors(&report.diagnostics);
    (report, model.filter(|_| !refused))
}

/// The same of one of two models that are given the same constants; [`Assumed::remarks_on`] has what is to be said of both.
pub fn weighted_model_of_pair(
    session: &mut Session,
    selected: &SelectedState,
    settings: &Settings,
    control: &Control<'_>,
) -> (Report, Option<WeightedModel>) {
    weighted_model_with(session, None, selected, settings, control)
}

/// The same; where the model has to be made a weighted structure, states are told apart by these names.
pub(super) fn weighted_model_with(
    session: &mut Session,
    names: Option<&[String]>,
    selected: &SelectedState,
    settings: &Settings,
    control: &Control<'_>,
) -> (Report, Option<WeightedModel>) {
    session.model.refuse_sweeps();
    let mut report =
        Report { diagnostics: std::mem::take(&mut session.model.diagnostics), ..Report::default() };
    if has_errors(&report.diagnostics) {
        return (report, None);
    }
    let made = match session.model.document.as_ref().map(|document| document.weighted()) {
        None => return (report, None),
        Some(None) if crate::import::is_importable(&session.model) => {
            let made = crate::import::imported(session, names, settings, control, &mut report);
            let Some(mut model) = made else { return (report, None) };
            model.select(&session.model.file, selected).map(|()| model)
        }
        Some(None) => Err(not_weighted(session)),
        Some(Some(WeightedSource::Structures(structures))) => {
            read(&session.model.file, structures, selected, &session.model.given)
        }
        Some(Some(WeightedSource::Terms(terms))) => process(&session.model.file, terms, selected)
            .and_then(|process| unfolded(terms, process, settings, control, &mut report.stop))
            .map(|model| WeightedModel {
                assumed: Assumed::unused(&session.model.file, &[], &session.model.given),
                ..model
            }),
    };
    match made {
        Ok(model) => {
            let structure = &model.structure;
            let (states, steps) = (structure.num_states() as u64, structure.num_steps() as u64);
            let blocking = Some(model.num_blocking() as u64);
            report.model = Some(weighted_report(&session.model, states, steps, blocking, structure.bytes()));
            (report, Some(model))
        }
        Err(diagnostic) => {
            report.diagnostics.push(diagnostic);
            (report, None)
        }
    }
}

fn not_weighted(session: &Session) -> Diagnostic {
    Diagnostic::error(
        codes::UNSUPPORTED_CONSTRUCT,
        format!("`{}` has no weights on its steps", session.model.file),
    )
    .help("give a weighted Kripke structure (.wks, .json) or terms of weighted CCS (.wccs)")
    .help("or a PRISM model with rewards, or a Promela model that counts costs in a variable")
}

/// What is said of a weighted system.
pub(super) fn weighted_report(
    model: &Model,
    states: u64,
    steps: u64,
    blocking: Option<u64>,
    bytes: u64,
) -> ModelReport {
    ModelReport {
        file: model.file.clone(),
        kind: "WKS".to_owned(),
        constants: Vec::new(),
        complete: true,
        ended_by_error: false,
        states,
        is_product: false,
        first_of: None,
        choices: None,
        transitions: steps,
        initial_states: Some(1),
        deadlocks: blocking,
        unexpanded: None,
        bits: 32,
        bytes,
        tier: "none".into(),
        time: model.started.elapsed(),
        facts: Vec::new(),
    }
}

/// The structure and the state that are selected among some.
fn read(
    file: &str,
    structures: &[(Option<String>, volvelle_wks::structure::Explicit)],
    selected: &SelectedState,
    given: &[Constant],
) -> Result<WeightedModel, Diagnostic> {
    let mut rest = selected.as_slice();
    let named = |wanted: &str| structures.iter().find(|(name, _)| name.as_deref() == Some(wanted));
    let found = match (structures, rest) {
        ([one], []) => one,
        ([one], [first, behind @ ..]) => {
            // A name may be that of the structure or of a state.
            if one.0.as_deref() == Some(first) && (!behind.is_empty() || one.1.state(first).is_none()) {
                rest = behind;
            }
            one
        }
        (_, [first, behind @ ..]) => {
            rest = behind;
            named(first).ok_or_else(|| {
                unknown_in(file, "structure", first, structures.iter().filter_map(|(n, _)| n.as_deref()))
            })?
        }
        (_, []) => {
            let names: Vec<&str> = structures.iter().filter_map(|(name, _)| name.as_deref()).collect();
            let message = format!("`{file}` has {} structures", structures.len());
            return Err(Diagnostic::error(codes::WKS_NAME, message)
                .note(format!("they are {}", names.join(", ")))
                .help(format!("name one: {file}:{}", names.first().unwrap_or(&"NAME"))));
        }
    };
    let explicit = &found.1;
    let (mut structure, parametric, assumed) = parameters::with_values(file, explicit, given)?;
    match rest {
        [] => {}
        [state] => {
            let names = || explicit.states.iter().map(String::as_str);
            structure.initial =
                explicit.state(state).ok_or_else(|| unknown_in(file, "state", state, names()))?;
        }
        _ => return Err(too_many(file)),
    }
    Ok(WeightedModel { structure, parametric, assumed, names: Names::Read(explicit.states.clone()) })
}

/// The process that is selected.
pub(super) fn process(file: &str, terms: &Wccs, selected: &SelectedState) -> Result<u32, Diagnostic> {
    match selected.as_slice() {
        [] => Ok(0),
        [name] => {
            let names = terms.processes.iter().map(|process| process.name.as_str());
            terms.process(name).ok_or_else(|| unknown_in(file, "process", name, names))
        }
        _ => Err(too_many(file)),
    }
}

fn too_many(file: &str) -> Diagnostic {
    Diagnostic::error(codes::WKS_NAME, format!("too many names behind `{file}`"))
        .help("a state is FILE:STATE, or FILE:STRUCTURE:STATE where a file has several structures")
}

/// The unfolding of a process.
pub(super) fn unfolding(terms: &Arc<Wccs>, process: u32) -> Result<Unfolding, Diagnostic> {
    Unfolding::new(Arc::clone(terms), process).map_err(too_large)
}

fn too_large(reason: TooLarge) -> Diagnostic {
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, reason.to_string())
}

/// All states of terms.
fn unfolded(
    terms: &Arc<Wccs>,
    process: u32,
    settings: &Settings,
    control: &Control<'_>,
    stop: &mut Option<Stop>,
) -> Result<WeightedModel, Diagnostic> {
    let mut unfolding = unfolding(terms, process)?;
    let mut found = None;
    let structure = unfolding.explore(&mut |states, bytes| {
        control.progress.report(ProgressEvent::Exploring {
            counted: Counted::default(),
            states: states as u64,
            transitions: 0,
            frontier: 0,
            bytes,
        });
        found = control.check().err();
        if control.limits.memory_bytes.is_some_and(|most| bytes > most) {
            found = Some(Stop::Memory);
        }
        if control.limits.states.is_some_and(|most| states as u64 > most) {
            found = Some(Stop::States);
        }
        found.is_none()
    });
    match structure {
        Ok(structure) => {
            let names = Names::Terms(Box::new(unfolding));
            Ok(WeightedModel { structure, parametric: None, assumed: Assumed::default(), names })
        }
        Err(NoStructure::TooLarge(reason)) => Err(too_large(reason)),
        Err(NoStructure::Stopped) => {
            let reached = found.unwrap_or(Stop::Cancelled);
            *stop = Some(reached);
            Err(limits::stopped(reached, &settings.allowance))
        }
    }
}
