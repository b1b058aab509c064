//! Schedulers as files have them, on the states of an explored model.

use rustc_hash::FxHashMap;
use volvelle_explore::StateTable;
use volvelle_markov::{Conflict, Memory, Move, Strategy};
use volvelle_model::{FieldId, Layout, Program};
use volvelle_space::Space;

/// Versions of the formats: without memory, and with.
pub const PLAIN: u64 = 1;
/// The version of files of schedulers that have neither memory nor chance.
pub const WITH_MEMORY: u64 = 2;

/// The fields that are variables: a field with a quoted name says where a label holds.
pub fn variables(program: &Program) -> impl Iterator<Item = usize> + '_ {
    let fields = program.fields.iter().enumerate();
    fields.filter(|(_, field)| !field.name.starts_with('"')).map(|(number, _)| number)
}

/// A space with the values of its states.
#[derive(Clone, Copy)]
pub struct Valued<'a> {
    /// The state space.
    pub space: &'a Space,
    /// Its packed states.
    pub states: &'a StateTable,
    /// How they are packed.
    pub layout: &'a Layout,
}

/// A decision of a file over the fields of a program.
pub struct SavedMove {
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
pub struct Unfit {
    /// Place of the move among those that were given.
    pub index: usize,
    /// Why it does not fit.
    pub why: String,
}

/// A strategy of decisions in a file. States of equal values cannot be told apart, and have the same decisions. A state with one
/// choice needs no decision without memory.
pub fn strategy_of(
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
