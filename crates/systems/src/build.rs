//! The labelled transition system of a model, in whatever language it is written.

use super::network::NetworkOrigin;
use super::part::{FirstStates, StateValues, system_report};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_explore::Explored;
use volvelle_lts::{NoSystem, of_space};
use volvelle_searches::SearchSettings;
use volvelle_session::language::Formalism;
use volvelle_session::limits;
use volvelle_session::report::Report;
use volvelle_session::{Model, Session, Settings};
use volvelle_space::{BitSet, Lts, Space};

/// Where the system of a model comes from.
pub(super) enum Origin {
    /// It was in a file, and is given once.
    File(Option<Lts>),
    /// A network.
    Network(Box<NetworkOrigin>),
    /// Processes, statement by statement.
    Processes,
    /// The state space of the model.
    Space,
}

/// The labelled transition system of the model; without one the report says why. A file that has one gives it once.
pub fn transition_system(
    session: &mut Session,
    settings: &Settings,
    control: &Control<'_>,
) -> (Report, Option<Lts>) {
    match origin(session, settings, control) {
        Ok(mut origin) => {
            let (report, found) = first_states(session, &mut origin, usize::MAX, settings, control);
            (report, found.map(|found| found.lts))
        }
        Err(report) => (*report, None),
    }
}

/// Looks where the system comes from; where there is none, the report says why.
pub(super) fn origin(
    session: &mut Session,
    settings: &Settings,
    control: &Control<'_>,
) -> Result<Origin, Box<Report>> {
    if let Some(lts) = session.model.document.as_mut().and_then(|document| document.take_system()) {
        return Ok(Origin::File(Some(lts)));
    }
    if let Some(files) = session.model.document.as_mut().and_then(|document| document.take_network()) {
        let of_file = |session: &mut Session| transition_system(session, settings, control);
        let origin = crate::network::composition(&mut session.model, &files, &of_file, settings, control)?;
        return Ok(Origin::Network(Box::new(origin)));
    }
    Ok(match session.model.formalism() {
        Some(Formalism::Processes) => Origin::Processes,
        _ => Origin::Space,
    })
}

/// Generates the system; once more states than `enough` are known, no more of them are expanded. Without a system the report
/// says why.
pub(super) fn first_states(
    session: &mut Session,
    origin: &mut Origin,
    enough: usize,
    settings: &Settings,
    control: &Control<'_>,
) -> (Report, Option<FirstStates>) {
    match origin {
        Origin::File(lts) => {
            let (report, lts) = of_file(session, lts.take(), settings, control);
            (report, lts.map(|lts| FirstStates { lts, unexpanded: None, values: None }))
        }
        Origin::Network(origin) => crate::network::composed(session, origin, enough, settings, control),
        Origin::Processes => {
            let search = SearchSettings {
                allowance: settings.allowance,
                tier: settings.tier,
                ..SearchSettings::default()
            };
            let (report, states) =
                crate::lts::first_states_of_processes(&mut session.model, true, enough, &search, control);
            let found = states.map(|states| FirstStates::behind(states.expanded as usize, states.into_lts()));
            (report, found)
        }
        Origin::Space => of_states(&mut session.model, enough, settings, control),
    }
}

/// The system of a file.
fn of_file(
    session: &mut Session,
    lts: Option<Lts>,
    settings: &Settings,
    control: &Control<'_>,
) -> (Report, Option<Lts>) {
    let Some(lts) = lts else { return (Report::default(), None) };
    let model = system_report(&session.model, &lts);
    let mut diagnostics = std::mem::take(&mut session.model.diagnostics);
    if let Some(constant) = session.model.given.first() {
        let message = format!("`{}` has no constant `{}`", session.model.file, constant.name);
        diagnostics.push(
            Diagnostic::error(codes::BAD_CONST_OPTION, message)
                .note("a labelled transition system has no constants; names of rates have values in `steady` and `transient`")
                .help("leave --const out"),
        );
        return (Report { model: Some(model), diagnostics, ..Report::default() }, None);
    }
    if control.limits.states.is_some_and(|most| lts.num_states() as u64 > most) {
        diagnostics.push(limits::stopped(Stop::States, &settings.allowance));
        let stop = Some(Stop::States);
        return (Report { model: Some(model), diagnostics, stop, ..Report::default() }, None);
    }
    (Report { model: Some(model), diagnostics, ..Report::default() }, Some(lts))
}

/// The system of a state space.
fn of_states(
    model: &mut Model,
    enough: usize,
    settings: &Settings,
    control: &Control<'_>,
) -> (Report, Option<FirstStates>) {
    // A state without transitions is one, and has no self-loop.
    let settings = Settings { fix_deadlocks: true, ..*settings };
    let (mut report, explored) = model.explore_first(enough, &settings, control);
    report.diagnostics.retain(|diagnostic| diagnostic.code != codes::DEADLOCKS_FIXED);
    let given = match &explored {
        Some(_) => None,
        None if has_errors(&report.diagnostics) => None,
        None => model.document.as_ref().and_then(|document| document.given(control)),
    };
    let space: Option<&Space> = match (&explored, &given) {
        (Some(explored), _) => Some(&explored.space),
        (None, Some(Ok(given))) => Some(&given.space),
        (None, Some(Err(diagnostic))) => {
            report.diagnostics.push(diagnostic.clone());
            None
        }
        (None, None) => None,
    };
    let Some(space) = space else {
        if !has_errors(&report.diagnostics) {
            report.diagnostics.push(no_system(model));
        }
        return (report, None);
    };
    match of_space(space, control) {
        Ok(lts) => {
            // Distributions are states behind those of the space.
            let (unexpanded, values) = match explored {
                Some(Explored { unexpanded, layout, states, .. }) => {
                    (unexpanded, Some(StateValues { layout, states }))
                }
                None => (None, None),
            };
            let unexpanded = unexpanded.filter(|set| set.count() > 0);
            let unexpanded = unexpanded.map(|set| BitSet::of(lts.num_states(), set.iter()));
            (report, Some(FirstStates { lts, unexpanded, values }))
        }
        Err(error) => {
            report.diagnostics.push(not_made(model, error, &settings));
            if let NoSystem::Stopped(stop) = error {
                report.stop = Some(stop);
            }
            (report, None)
        }
    }
}

fn no_system(model: &Model) -> Diagnostic {
    let message = format!("`{}` has no labelled transition system", model.file);
    Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
        .note("models with intervals, parameters or observations have none")
}

fn not_made(model: &Model, error: NoSystem, settings: &Settings) -> Diagnostic {
    match error {
        NoSystem::InitialStates(count) => {
            let message = format!(
                "`{}` has {} initial states, but a labelled transition system has one",
                model.file,
                limits::count(count as u64)
            );
            Diagnostic::error(codes::NO_SINGLE_INITIAL_STATE, message)
                .help("give each variable one initial value, and choose the others by a first step")
        }
        NoSystem::TooLarge => {
            let message = "the transition system has more states or transitions than 32-bit numbers count";
            Diagnostic::error(codes::UNSUPPORTED_CONSTRUCT, message)
        }
        NoSystem::Stopped(stop) => limits::stopped(stop, &settings.allowance),
    }
}
