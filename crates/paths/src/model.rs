//! The models that paths are drawn from: a program, or the states of an explicit model.

use super::diagnostics;
use std::sync::Arc;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Severity, Sources, codes};
use volvelle_estimate::with_initial_state;
use volvelle_explicit::Allowance;
use volvelle_explore::{Explored, LoadedSpace, Options, StateTable};
use volvelle_model::kernels::Selection;
use volvelle_model::{Action, FieldId, Kind, Layout, Program};
use volvelle_session::choices::Choices;
use volvelle_session::follow::{Refused, needs_chain};
use volvelle_session::limits;
use volvelle_session::saved_strategy::Valued;
use volvelle_session::{Session, Settings};
use volvelle_simulate::automaton::MonitorAutomaton;
use volvelle_simulate::error::Unsupported;
use volvelle_simulate::measure::Measure;
use volvelle_simulate::path::{Generator, Plan};
use volvelle_simulate::scheduler::Resolution;
use volvelle_simulate::table::{States, Table, resolve};
use volvelle_space::Space;

/// A model whose paths are wanted. Conditions of properties go into the program.
#[derive(Clone)]
pub struct PathModel {
    /// With an initial state; of an explicit model the fields and actions.
    pub program: Program,
    /// The states of an explicit model, its choices made.
    pub table: Option<Arc<Table>>,
}

/// The values of states, packed.
struct Packed {
    layout: Layout,
    states: StateTable,
}

impl States for Packed {
    fn value(&self, state: usize, field: FieldId) -> i64 {
        self.layout.get(self.states.get(state), field)
    }
}

/// The values of the states of a chain that a scheduler makes.
struct FollowedStates {
    packed: Packed,
    /// For every state of the chain that of the model.
    state_of: Vec<u32>,
}

impl States for FollowedStates {
    fn value(&self, state: usize, field: FieldId) -> i64 {
        self.packed.value(self.state_of[state] as usize, field)
    }
}

/// Bytes of a table, beside its space: alias tables, marks, exit rates and rewards.
fn bytes_of_table(space: &Space) -> u64 {
    let (states, transitions) = (space.num_states() as u64, space.num_transitions() as u64);
    let vectors = 1 + 2 * space.rewards.len() as u64;
    20 * transitions + 8 * states * (1 + vectors)
}

/// What paths are made of; `None` if there is none.
///
/// # Errors
/// The states of an explicit model are not simulated, for example because nothing makes its choices.
pub(super) fn path_model(session: &Session, control: &Control<'_>) -> Result<Option<PathModel>, Diagnostic> {
    let (Some(program), Some(document)) = (session.model.program(), session.model.document.as_deref()) else {
        return Ok(None);
    };
    if program.kind() == Kind::Mdp && needs_chain(&session.run.choices) {
        return chain_model(session, program, control).map(Some);
    }
    let Some(given) = document.given(control) else {
        return Ok(Some(PathModel { program: with_initial_state(program), table: None }));
    };
    let LoadedSpace { space, states, .. } = given?;
    let bytes = bytes_of_table(&space).saturating_add(space.bytes()).saturating_add(states.bytes());
    let room = Allowance::new(control).take(bytes);
    room.map_err(|finding| finding.to_diagnostic(&mut Sources::new()))?;
    let mut program = program.clone();
    program.actions = space.actions.iter().map(|name| Action { name: name.clone() }).collect();
    // Schedulers tell states apart by variables: fields of labels, which come behind them, follow from these.
    let mut variables = program.clone();
    variables.fields.retain(|field| !field.name.starts_with('"'));
    let resolution = resolution(session, &variables)?;
    let packed = Packed { layout: Layout::new(&program), states };
    let table = resolve(space, Box::new(packed), variables.fields.len(), &resolution)
        .map_err(|refusal| of_plan(session, &refusal, &variables))?;
    Ok(Some(PathModel { program, table: Some(Arc::new(table)) }))
}

/// The chain that a scheduler with memory makes, by its states.
fn chain_model(session: &Session, program: &Program, control: &Control<'_>) -> Result<PathModel, Diagnostic> {
    let settings = Settings::default();
    let mut program = with_initial_state(program);
    let rewards = (0..program.rewards.len()).collect();
    let observe = Selection { rewards, ..Selection::default() };
    let options = Options { observe, ..Options::default() };
    let outcome = session.model.run_exploration(&program, false, &options, &settings, control);
    let error = outcome.diagnostics.into_iter().find(|d| d.severity == Severity::Error);
    let (Some(explored), None) = (outcome.explored, &error) else {
        let lost = || Diagnostic::error(codes::BAD_SCHEDULER, "the states of the model were not found");
        return Err(error.unwrap_or_else(lost));
    };
    let model = Valued { space: &explored.space, states: &explored.states, layout: &explored.layout };
    let chain =
        volvelle_session::follow::followed(session, &program, model, control).map_err(
            |refused| match refused {
                Refused::Misfit(complaint) => complaint,
                Refused::Stopped(stop) => limits::stopped(stop, &settings.allowance),
            },
        )?;
    program.actions = chain.space.actions.iter().map(|name| Action { name: name.clone() }).collect();
    let Explored { layout, states, .. } = explored;
    let values = FollowedStates { packed: Packed { layout, states }, state_of: chain.state_of };
    let table = resolve(chain.space, Box::new(values), program.fields.len(), &Resolution::Model)
        .map_err(|refusal| of_plan(session, &refusal, &program))?;
    Ok(PathModel { program, table: Some(Arc::new(table)) })
}

/// How the choices of a program are resolved.
pub(super) fn resolution(session: &Session, program: &Program) -> Result<Resolution, Diagnostic> {
    match program.kind() {
        Kind::Mdp => session.run.choices.resolution(program),
        // Without choices there is nothing that a file could fit.
        _ if !matches!(session.run.choices, Choices::Unresolved) => Ok(Resolution::Uniform),
        _ => Ok(Resolution::Model),
    }
}

/// The plan of a model and its measures.
pub(super) fn prepared(
    session: &Session,
    model: &PathModel,
    measures: Vec<Measure>,
    automata: Vec<MonitorAutomaton>,
    generator: Generator,
) -> Result<Plan, Diagnostic> {
    let program = model.program.clone();
    let plan = match &model.table {
        Some(table) => Plan::tabled(program, Arc::clone(table), measures, automata, generator),
        None => {
            let resolution = resolution(session, &model.program)?;
            Plan::resolved(program, measures, automata, generator, &resolution)
        }
    };
    plan.map_err(|refusal| of_plan(session, &refusal, &model.program))
}

/// Why a program has no plan.
pub(super) fn of_plan(session: &Session, refusal: &Unsupported, program: &Program) -> Diagnostic {
    let explained = session.model.document.as_deref().and_then(|document| match refusal {
        Unsupported::Mismatch(mismatch) => session.run.choices.of_mismatch(mismatch, program, document),
        Unsupported::Condition { site, state } => {
            Some(document.explain_failure(&session.model.sources, *site, state))
        }
        _ => None,
    });
    explained.unwrap_or_else(|| diagnostics::of_unsupported(refusal, program))
}
