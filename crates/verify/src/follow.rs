//! Following schedulers: the Markov chain that a scheduler makes of an explored model.

use crate::sampling::Choices;
use crate::session::Session;
use crate::strategy_text::variables;
use rustc_hash::FxHashMap;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_explore::{Explored, StateTable};
use volvelle_markov::{Conflict, Induced, Memory, Move, Strategy, Unfollowed, induced};
use volvelle_model::{FieldId, Layout, Program};
use volvelle_space::Space;

/// Why a scheduler is not followed.
pub(crate) enum Refused {
    /// It is for another model, or says too little.
    Misfit(Diagnostic),
    /// A limit was reached.
    Stopped(Stop),
}

/// A space with the values of its states.
#[derive(Clone, Copy)]
pub(crate) struct Valued<'a> {
    pub space: &'a Space,
    pub states: &'a StateTable,
    pub layout: &'a Layout,
}

impl Session {
    /// The chain of a strategy that is complete.
    pub(crate) fn chain_of(
        &self,
        explored: &Explored,
        strategy: &Strategy,
        control: &Control<'_>,
    ) -> Result<Induced, Stop> {
        let start = explored.space.initial.iter().map(|s| s.0);
        induced(&explored.space, strategy, start, control).map_err(|error| match error {
            Unfollowed::Stopped(stop) => stop,
            Unfollowed::Undecided { .. } => unreachable!("strategies decide wherever they lead"),
        })
    }

    /// The chain that is made by the scheduler of the session, if there is one.
    pub(crate) fn followed(
        &self,
        program: &Program,
        model: Valued<'_>,
        control: &Control<'_>,
    ) -> Result<Induced, Refused> {
        let strategy = match &self.choices {
            Choices::Unresolved | Choices::Uniform => uniform(model.space),
            Choices::Scheduler(saved) => saved.strategy(program, model).map_err(Refused::Misfit)?,
        };
        let start = model.space.initial.iter().map(|s| s.0);
        induced(model.space, &strategy, start, control).map_err(|error| match error {
            Unfollowed::Stopped(stop) => Refused::Stopped(stop),
            Unfollowed::Undecided { state, memory } => {
                let values = model.layout.unpack(model.states.get(state as usize));
                let text = self.document.as_ref().map_or(String::new(), |d| d.state_text(&values));
                Refused::Misfit(self.choices.undecided(&text, memory, strategy.memory))
            }
        })
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

/// A decision of a file over the fields of a program.
pub(crate) struct SavedMove {
    /// Values of the fields.
    pub values: Vec<i64>,
    /// First and last memory.
    pub memory: [u32; 2],
    /// The choice, counted within the state.
    pub choice: u32,
    /// Its action.
    pub action: String,
    /// Its probability.
    pub probability: f64,
    /// The memory after it.
    pub next: u32,
}

/// Why the decision with an index does not fit.
pub(crate) struct Unfit {
    pub index: usize,
    pub why: String,
}

/// A strategy of decisions in a file. States of equal values cannot be told apart, and have the same decisions. A state with one
/// choice needs no decision without memory.
pub(crate) fn strategy_of(
    program: &Program,
    model: Valued<'_>,
    memory: Memory,
    initial: u32,
    saved: &[SavedMove],
) -> Result<Strategy, Unfit> {
    let space = model.space;
    let n = space.num_states();
    let fields: Vec<usize> = variables(program).collect();
    let mut by_values: FxHashMap<Vec<i64>, Vec<u32>> = FxHashMap::default();
    for state in 0..n {
        let packed = model.states.get(state);
        let values = fields.iter().map(|&f| model.layout.get(packed, FieldId(f as u32))).collect();
        by_values.entry(values).or_default().push(state as u32);
    }
    let (mut moves, mut places): (Vec<(u32, u32, Move)>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut runs: Vec<(u32, u32, u32)> = Vec::new();
    let mut is_decided = vec![false; n];
    for (index, saved) in saved.iter().enumerate() {
        let unfit = |why: String| Unfit { index, why };
        // States that the strategy was found for, and that are not reached in this model, do no harm.
        for &state in by_values.get(&saved.values).map_or(&[][..], Vec::as_slice) {
            let choices = space.choices_of(state as usize);
            let choice = choices.start + saved.choice as usize;
            if choice >= choices.end {
                let count = choices.len();
                return Err(unfit(format!(
                    "it takes choice {} (counted from 0), but the model has only {count} there",
                    saved.choice
                )));
            }
            let action = space.choices.as_ref().map_or(0, |levels| levels.action[choice]);
            let name = space.actions.get(action as usize).map_or("", String::as_str);
            if name != saved.action && choices.len() > 1 {
                return Err(unfit(format!(
                    "it takes choice {} with the action `{}`, which is `{name}` in the model",
                    saved.choice, saved.action
                )));
            }
            is_decided[state as usize] = true;
            let choice = choice as u32;
            if memory == Memory::StepsLeft {
                runs.push((state, saved.memory[0], choice));
                continue;
            }
            let then = Move { choice, probability: saved.probability, next: saved.next };
            moves.push((state, saved.memory[0], then));
            places.push(index);
        }
    }
    if memory == Memory::StepsLeft {
        let begins: Vec<(u32, u32)> = runs.iter().map(|r| (r.0, r.1)).collect();
        let mut sorted = begins.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let index = begins.iter().rposition(|begin| *begin == pair[0]).unwrap_or(0);
            return Err(Unfit { index, why: "there are two decisions for this state".to_owned() });
        }
        return Ok(Strategy::counting(n, initial, runs));
    }
    if memory == Memory::None {
        for state in (0..n).filter(|&s| !is_decided[s] && space.choices_of(s).len() == 1) {
            let choice = space.choices_of(state).start as u32;
            moves.push((state as u32, 0, Move { choice, probability: 1.0, next: 0 }));
            places.push(0);
        }
    }
    Strategy::of_moves(n, memory, initial, &moves).map_err(|conflict| match conflict {
        Conflict::Twice(at) => {
            Unfit { index: places[at], why: "there are two decisions for this state".to_owned() }
        }
        Conflict::Sum(at, sum) => {
            Unfit { index: places[at], why: format!("the probabilities there add up to {sum}") }
        }
    })
}

/// Whether the scheduler of a session can only be followed on the chain that it makes.
pub(crate) fn needs_chain(choices: &Choices) -> bool {
    matches!(choices, Choices::Scheduler(saved) if !saved.is_plain())
}
