//! Witnesses: schedulers, paths and subsystems that demonstrate an answer.
//!
//! In: a space and a property. Out, as far as it is requested: a [`Strategy`](crate::Strategy) that attains the value (MDP);
//! for a property about reaching a set of states, the most probable [`Path`] to the target, under that scheduler, and for a
//! probability that is larger than the property allows a critical [`Subsystem`].

mod path;
mod several;
mod subsystem;

pub use subsystem::Subsystem;

use volvelle_control::Control;
use volvelle_logic::Property;
use volvelle_objectives::scheduler::{induced, optimal, restricted, values};
use volvelle_solver::{CheckError, Context, Method, NoWitness, Options, WitnessError};
use volvelle_space::{BitSet, Kind, Space};

use crate::evaluate::objective;
use crate::strategy::{Found, strategy};

/// The kind of witness that is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WitnessRequest {
    /// An optimal scheduler.
    pub scheduler: bool,
    /// A path, and a subsystem where the property bounds a probability from above.
    pub witness: bool,
    /// Paths besides the most probable one.
    pub further: usize,
}

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The state.
    pub state: u32,
    /// The choice taken; `None` at the end.
    pub choice: Option<u32>,
    /// Probability of going on to the next state; 1 at the end.
    pub probability: f64,
}

/// A path to the target.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// State by state; the last one is in the target.
    pub steps: Vec<Step>,
    /// Its probability, rounded; zero where it is too small for a double.
    pub probability: f64,
    /// The decimal logarithm of the probability.
    pub log10: f64,
}

/// A witness, as far as it was asked for.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    /// A strategy that attains the value, for an MDP.
    pub strategy: Option<Found>,
    /// Why there is no path although there is a strategy.
    pub no_path: Option<NoWitness>,
    /// The most probable path to the target; `None` where none leads there.
    pub path: Option<Path>,
    /// The paths that are next in probability, as many as were requested and there are.
    pub further: Vec<Path>,
    /// States that suffice to exceed the bound of the property.
    pub subsystem: Option<Subsystem>,
    /// Whether the formula was negated, so that the path leads to states where the property fails.
    pub negated: bool,
}

/// Finds witnesses.
///
/// # Errors
/// Properties of its form have none, or it has no answer.
pub fn witness(
    space: &Space,
    property: &Property,
    numbers: &[Vec<f64>],
    wanted: WitnessRequest,
    options: &Options,
    control: &Control,
) -> Result<Witness, WitnessError> {
    Context::require_engine(space)?;
    // Everything here is proven by bounds.
    let method = match options.method {
        Method::Classical(_) => Method::Auto,
        other => other,
    };
    let options = &Options { method, ..*options };
    let mut found = Witness::default();
    if wanted.scheduler && (space.kind == Kind::Mdp || !wanted.witness) {
        found.strategy = Some(strategy(space, property, numbers, options, control)?);
    }
    if !wanted.witness {
        return Ok(found);
    }
    let objective = match objective(space, property, numbers, options, control) {
        Err(WitnessError::Form(form)) if found.strategy.is_some() => {
            found.no_path = Some(form);
            return Ok(found);
        }
        objective => objective?,
    };
    found.negated = objective.negated;
    let context = Context::new(space, *options, control);
    let chosen = match found.strategy.as_ref().and_then(|found| found.strategy.choices()) {
        Some(choices) => choices.to_vec(),
        None if space.kind == Kind::Mdp => optimal(&context, &objective)?.choices,
        None => (0..space.num_states() as u32).collect(),
    };
    let chain = induced(space, &chosen);
    let objective = restricted(&objective, &chosen);
    let context = Context::new(&chain, *options, control);
    // From the state where the value is worst.
    let mut start = objective.start.iter().next();
    if objective.start.count() > 1 {
        let bounds = values(&context, &objective)?.bounds;
        start = objective.start.iter().reduce(|a, b| if bounds[b][0] > bounds[a][0] { b } else { a });
    }
    let Some(start) = start else { return Err(NoWitness::EmptyFilter.into()) };
    let mut via = objective.left.clone();
    via.subtract(&objective.right);
    let mut from = BitSet::new(chain.num_states());
    from.insert(start);
    let probability = path::probabilities(&chain);
    let forward = path::forwards(&chain, &probability, &from, &via, &objective.right);
    found.path = most_probable(&chain, &forward, &probability, &objective.right, &chosen);
    if wanted.further > 0
        && let Some(first) = &found.path
    {
        let target = &objective.right;
        let onwards = path::backwards(&chain, &context.predecessors(), &probability, target, &via);
        let count = wanted.further + 1;
        let paths = several::most_probable(
            &chain,
            &probability,
            start as u32,
            &via,
            target,
            &onwards,
            count,
            control,
        )
        .map_err(CheckError::from)?;
        let paths =
            paths.into_iter().map(|(states, whole)| path_over(&chain, &probability, &states, whole, &chosen));
        let mut paths: Vec<Path> = paths.collect();
        // Of equally probable paths another one may have come first.
        paths.retain(|path| path.steps != first.steps);
        paths.truncate(wanted.further);
        found.further = paths;
    }
    if let Some(limit) = objective.upper_limit().filter(|_| found.path.is_some()) {
        found.subsystem = subsystem::critical(&context, &objective, &probability, &forward, start, limit)?;
    }
    Ok(found)
}

/// A path over these states.
fn path_over(
    chain: &Space,
    probability: &[f64],
    states: &[u32],
    whole: path::Scaled,
    chosen: &[u32],
) -> Path {
    let step = |i: usize| {
        let state = states[i];
        let next = states.get(i + 1).and_then(|next| {
            let row = chain.row(state as usize);
            let place = chain.columns[row.clone()].binary_search(next).ok()?;
            Some(probability[row.start + place])
        });
        let choice = next.map(|_| chosen[state as usize]);
        Step { state, choice, probability: next.unwrap_or(1.0) }
    };
    Path { steps: (0..states.len()).map(step).collect(), probability: whole.value(), log10: whole.log10() }
}

/// The best of the paths to the target.
fn most_probable(
    chain: &Space,
    forward: &path::Best,
    probability: &[f64],
    target: &BitSet,
    chosen: &[u32],
) -> Option<Path> {
    let end = *forward.order.iter().find(|&&s| target.contains(s as usize))?;
    let whole = forward.probability[end as usize];
    let mut steps = vec![Step { state: end, choice: None, probability: 1.0 }];
    let mut at = end;
    while forward.link[at as usize] != at {
        let before = forward.link[at as usize];
        let row = chain.row(before as usize);
        let place = chain.columns[row.clone()].binary_search(&at).ok()?;
        let probability = probability[row.start + place];
        steps.push(Step { state: before, choice: Some(chosen[before as usize]), probability });
        at = before;
    }
    steps.reverse();
    Some(Path { steps, probability: whole.value(), log10: whole.log10() })
}

#[cfg(test)]
mod tests;
