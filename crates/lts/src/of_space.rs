//! Labelled transition systems of explored state spaces.
//!
//! A choice with one certain successor is a transition with the choice's action. Rates and probabilities become labels in the way of CADP:
//! `rate r`; a distribution is a state of its own whose transitions are `prob p`, behind a transition with the action.

use std::fmt::Write;
use volvelle_control::{Control, Stop};
use volvelle_space::{Edge, Kind, Labels, Lts, Space};

/// States between two looks at limits.
const PATIENCE: usize = 1 << 12;

/// Why a state space has no transition system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSystem {
    /// There are several initial states: how many.
    InitialStates(usize),
    /// There are more states or transitions than 32-bit numbers count.
    TooLarge,
    /// A limit was reached, or the user stopped.
    Stopped(Stop),
}

/// The transition system of a state space. Self-loops that were added to states without transitions are left out.
///
/// # Errors
/// See [`NoSystem`].
pub fn of_space(space: &Space, control: &Control<'_>) -> Result<Lts, NoSystem> {
    let [initial] = &space.initial[..] else { return Err(NoSystem::InitialStates(space.initial.len())) };
    let states = space.num_states();
    let mut labels = Labels::new();
    let texts: Vec<u32> = space
        .actions
        .iter()
        .map(|text| if text.is_empty() { Labels::INTERNAL } else { labels.number(text) })
        .collect();
    let (mut starts, mut edges): (Vec<u32>, Vec<Edge>) = (vec![0], Vec::with_capacity(space.num_choices()));
    // Distributions, as states behind the others.
    let mut distributions: Vec<usize> = Vec::new();
    let mut text = String::new();
    let mut number = |word: &str, value: f64| {
        text.clear();
        let shortest = volvelle_decimals::Shortest(value);
        write!(text, "{word} {shortest}").expect("a string takes everything");
        labels.number(&text)
    };
    for state in 0..states {
        if state.is_multiple_of(PATIENCE) {
            control.check().map_err(NoSystem::Stopped)?;
        }
        let is_dead = space.deadlocks.contains(state);
        for choice in space.choices_of(state).filter(|_| !is_dead) {
            let is_race = match (&space.choices, space.kind) {
                (Some(choices), _) => choices.is_markovian(choice),
                (None, kind) => kind == Kind::Ctmc,
            };
            let action = space.choices.as_ref().map(|choices| texts[choices.action[choice] as usize]);
            let mut row = space.transitions(choice).filter(|&(_, value)| value != 0.0);
            match action {
                // An action with one certain successor, or a distribution behind it.
                Some(action) if !is_race => match (row.next(), row.next()) {
                    (Some((target, 1.0)), None) => edges.push(Edge { label: action, target: target as u32 }),
                    _ => {
                        edges.push(Edge { label: action, target: (states + distributions.len()) as u32 });
                        distributions.push(choice);
                    }
                },
                _ => {
                    let word = if is_race { "rate" } else { "prob" };
                    edges.extend(
                        row.map(|(target, value)| Edge { label: number(word, value), target: target as u32 }),
                    );
                }
            }
        }
        starts.push(u32::try_from(edges.len()).map_err(|_| NoSystem::TooLarge)?);
    }
    if u32::try_from(states + distributions.len()).is_err() {
        return Err(NoSystem::TooLarge);
    }
    for choice in distributions {
        let row = space.transitions(choice).filter(|&(_, value)| value != 0.0);
        edges.extend(row.map(|(target, value)| Edge { label: number("prob", value), target: target as u32 }));
        starts.push(u32::try_from(edges.len()).map_err(|_| NoSystem::TooLarge)?);
    }
    Ok(Lts::new(initial.0, labels, starts, edges))
}
