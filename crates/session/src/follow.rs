//! Following schedulers: the Markov chain that a scheduler makes of an explored model, and what the scheduler is worth.

use crate::choices::Choices;
use crate::limits;
use crate::saved_strategy::Valued;
use crate::session::Session;
use crate::settings::Settings;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explore::Explored;
use volvelle_logic::{Answer, Formula, Goal, Guarantee, Objective, Optimum, Property, Value};
use volvelle_markov::{Found, Induced, Memory, Move, Strategy, Unfollowed, induced};
use volvelle_model::Program;
use volvelle_space::{Kind, Space};

/// Why a scheduler is not followed.
pub enum Refused {
    /// It is for another model, or says too little.
    Misfit(Diagnostic),
    /// A limit was reached.
    Stopped(Stop),
}

/// The chain of a strategy that is complete.
pub fn chain_of(explored: &Explored, strategy: &Strategy, control: &Control<'_>) -> Result<Induced, Stop> {
    let start = explored.space.initial.iter().map(|s| s.0);
    induced(&explored.space, strategy, start, control).map_err(|error| match error {
        Unfollowed::Stopped(stop) => stop,
        Unfollowed::Undecided { .. } => unreachable!("strategies decide wherever they lead"),
    })
}

/// The chain that is made by the scheduler of the run, if there is one.
pub fn followed(
    session: &Session,
    program: &Program,
    model: Valued<'_>,
    control: &Control<'_>,
) -> Result<Induced, Refused> {
    let strategy = match &session.run.choices {
        Choices::Unresolved | Choices::Uniform => uniform(model.space),
        Choices::Scheduler(saved) => saved.strategy(program, model).map_err(Refused::Misfit)?,
    };
    let start = model.space.initial.iter().map(|s| s.0);
    induced(model.space, &strategy, start, control).map_err(|error| match error {
        Unfollowed::Stopped(stop) => Refused::Stopped(stop),
        Unfollowed::Undecided { state, memory } => {
            let values = model.layout.unpack(model.states.get(state as usize));
            let text = session.model.document.as_ref().map_or(String::new(), |d| d.state_text(&values));
            Refused::Misfit(session.run.choices.undecided(&text, memory, strategy.memory))
        }
    })
}

/// The chain that the scheduler of the run makes of an explored model.
pub fn resolved(
    session: &Session,
    explored: Explored,
    settings: &Settings,
    control: &Control<'_>,
) -> Result<Explored, (Option<Stop>, Diagnostic)> {
    let Some(program) = session.model.program() else { return Ok(explored) };
    if explored.space.kind != Kind::Mdp {
        let message = format!("--scheduler does not apply: a {} has no choices", explored.space.kind.name());
        return Err((None, Diagnostic::error(codes::BAD_USAGE, message).help("leave --scheduler out")));
    }
    let model = Valued { space: &explored.space, states: &explored.states, layout: &explored.layout };
    match followed(session, program, model, control) {
        Ok(chain) => Ok(explored.followed(chain.space, &chain.state_of, chain.mixed)),
        Err(Refused::Misfit(complaint)) => Err((None, complaint)),
        Err(Refused::Stopped(stop)) => Err((Some(stop), limits::stopped(stop, &settings.allowance))),
    }
}

/// Every choice that is enabled is equally likely.
fn uniform(space: &Space) -> Strategy {
    let moves: Vec<(u32, u32, Move)> = (0..space.num_states())
        .flat_map(|s| {
            let choices = space.choices_of(s);
            let probability = 1.0 / choices.len() as f64;
            choices.map(move |choice| (s as u32, 0, Move { choice: choice as u32, probability, next: 0 }))
        })
        .collect();
    Strategy::of_moves(space.num_states(), Memory::None, 0, &moves)
        .unwrap_or_else(|_| Strategy::memoryless(Vec::new()))
}

/// Whether the scheduler of a run can only be followed on the chain that it makes.
pub fn needs_chain(choices: &Choices) -> bool {
    matches!(choices, Choices::Scheduler(saved) if !saved.is_plain())
}

/// Says so if a scheduler may be worse than the answer, by more than the precision.
pub fn loses(found: &Found, property: &Property, answer: &Answer, settings: &Settings) -> Option<Diagnostic> {
    if let Formula::Multi(objectives) = property.formulas.get(property.root) {
        return misses(found, objectives, settings);
    }
    let [lo, hi] = match (&answer.guarantee, &answer.value, &answer.compared) {
        (Guarantee::Sound { lo, hi, .. }, ..) => [*lo, *hi],
        (Guarantee::Exact { .. }, Value::Number(value), _) | (Guarantee::Exact { .. }, _, Some(value)) => {
            [*value; 2]
        }
        _ => return None,
    };
    let (Some(optimum), [value]) = (found.optimum, found.values.as_slice()) else { return None };
    let lost = match optimum {
        Optimum::Max => lo - value[1],
        Optimum::Min => value[0] - hi,
    };
    let scale = if settings.numeric.relative { lo.abs().max(value[0].abs()) } else { 1.0 };
    let is_lost = lost > TOLERATED * settings.numeric.precision * scale;
    (is_lost && lost.is_finite() || lost == f64::INFINITY).then(|| {
        let message = "the scheduler found may not be optimal: its value was not computed precisely";
        Diagnostic::warning(codes::NOT_CONVERGED, message)
            .note(format!("its value lies between {:?} and {:?}", value[0], value[1]))
            .note(format!("the optimum lies between {lo:?} and {hi:?}"))
            .help("request more precision with --precision")
    })
}

/// Says so if a scheduler may miss a bound of several objectives, by more than the precision.
fn misses(found: &Found, objectives: &[Objective], settings: &Settings) -> Option<Diagnostic> {
    let missed = |(objective, [lo, hi]): (&Objective, &[f64; 2])| {
        let (bound, by) = match objective.goal {
            Goal::AtLeast(bound) | Goal::MoreThan(bound) => (bound, bound - hi),
            Goal::AtMost(bound) | Goal::LessThan(bound) => (bound, lo - bound),
            Goal::Maximise | Goal::Minimise => return None,
        };
        (by > TOLERATED * settings.numeric.precision * bound.abs().max(1e-3)).then_some((bound, *lo, *hi))
    };
    let (bound, lo, hi) = objectives.iter().zip(&found.values).find_map(missed)?;
    let message = "the scheduler found may not meet all bounds: its values were not computed precisely";
    let note = format!("one of its values lies between {lo:?} and {hi:?}, and should meet the bound {bound}");
    let help = "request more precision with --precision";
    Some(Diagnostic::warning(codes::NOT_CONVERGED, message).note(note).help(help))
}

/// What a scheduler may lose, in multiples of the precision.
const TOLERATED: f64 = 10.0;
