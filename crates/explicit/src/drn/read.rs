//! A model from the header and the pieces of the body.

use super::body::{self, Piece};
use super::expression::Parameters;
use super::header::{self, Header};
use crate::allowance::Allowance;
use crate::finding::Finding;
use crate::input::Input;
use crate::model::{Entity, Label, Measure, Model, Numbers, Observations, Reward, Rows, Time};
use crate::options::ReadOptions;
use crate::text::{
    Arithmetic, Gathered, Halt, Names, Script, bit_set, column, concatenate, cut, each, exact_if_needed,
    join_actions, join_names, starts, to_intervals,
};
use std::ops::Range;
use volvelle_diagnostics::codes;
use volvelle_space::BitSet;

/// Reads a model; with it come findings that do not refuse the file.
pub(crate) fn read(
    input: Input<'_>,
    options: &ReadOptions,
    allowance: &Allowance<'_>,
) -> Result<(Model, Vec<Finding>), Finding> {
    let script = Script::in_pieces(input.name, input.bytes)?;
    let header = header::read(script, options)?;
    script.check(0..header.body)?;
    exact_if_needed(header.arithmetic, |arithmetic| {
        read_body(script, &header, arithmetic, options, allowance)
    })
}

fn read_body(
    script: Script<'_>,
    header: &Header<'_>,
    arithmetic: Arithmetic,
    options: &ReadOptions,
    allowance: &Allowance<'_>,
) -> Result<(Model, Vec<Finding>), Halt> {
    let ranges = cut(script.bytes, header.body..script.bytes.len(), body::begins_state);
    let read = |range: Range<usize>| {
        script.check(range.clone())?;
        body::read(script, header, arithmetic, range)
    };
    let pieces = each(&ranges, allowance, Piece::bytes, read)?;
    check_states(script, header, &pieces)?;
    let mut remarks = Vec::new();
    let mut model = assemble(script, header, pieces, allowance, &mut remarks)?;
    if arithmetic == Arithmetic::Symbolic {
        let parameters = Parameters::new(&header.parameters, options, script.file)?;
        parameters.apply(&mut model).map_err(|finding| located(script, header.body, finding))?;
    }
    Ok((model, remarks))
}

/// A finding about an expression, at the misspelt name in it, if that stands in the body once.
#[cold]
fn located(script: Script<'_>, body: usize, finding: Finding) -> Finding {
    let Some(word) = finding.misspelt.as_ref().map(|misspelt| misspelt.word.as_bytes().to_vec()) else {
        return finding;
    };
    let is_part = |at: usize| script.bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let rest = script.bytes.get(body..).unwrap_or_default();
    let places = rest.windows(word.len().max(1)).enumerate().filter(|(_, part)| *part == word);
    let mut whole = places
        .map(|(at, _)| body + at)
        .filter(|&at| !is_part(at.wrapping_sub(1)) && !is_part(at + word.len()));
    match (whole.next(), whole.next()) {
        (Some(at), None) => finding.at(script.place(at..at + word.len())),
        _ => finding,
    }
}

/// Whether the states of the pieces follow each other, and are as many as the header says; also choices.
fn check_states(script: Script<'_>, header: &Header<'_>, pieces: &[Piece<'_>]) -> Result<(), Finding> {
    let mut states = 0;
    for piece in pieces {
        if let Some((first, at)) = piece.first.clone().filter(|&(first, _)| first != states) {
            return Err(body::out_of_order(script, first, states, at));
        }
        states += piece.choices.len() as u64;
    }
    let differs = |what: &str, there: u64, says: u64, at: &Range<usize>| {
        let message = format!("the header declares {says} {what}, but there {}", are(there));
        Err(script.refuse(codes::EXPLICIT_COUNT, at.clone(), message))
    };
    if states != u64::from(header.states) {
        return differs("states", states, header.states.into(), &header.states_at);
    }
    let choices = pieces.iter().map(|piece| piece.branches.len() as u64).sum::<u64>();
    match &header.choices {
        Some((says, at)) if *says != choices => differs("choices", choices, *says, at),
        _ => Ok(()),
    }
}

fn are(count: u64) -> String {
    if count == 1 { "is 1".to_owned() } else { format!("are {count}") }
}

/// What the pieces gave, sorted by what it is.
#[derive(Default)]
struct Parts<'t> {
    choices: Vec<Vec<u32>>,
    branches: Vec<Vec<u32>>,
    targets: Vec<Vec<u32>>,
    values: Vec<Gathered<'t>>,
    exit_rates: Vec<Gathered<'t>>,
    observations: Vec<Vec<u32>>,
    state_rewards: Vec<Vec<Gathered<'t>>>,
    choice_rewards: Vec<Vec<Gathered<'t>>>,
    labels: Vec<Names<'t>>,
    labelled: Vec<Vec<(u32, u32)>>,
    actions: Vec<Names<'t>>,
    action: Vec<Vec<u32>>,
}

impl<'t> Parts<'t> {
    fn new(pieces: Vec<Piece<'t>>, rewards: usize) -> Self {
        let columns = || (0..rewards).map(|_| Vec::new()).collect();
        let mut parts = Parts { state_rewards: columns(), choice_rewards: columns(), ..Parts::default() };
        for piece in pieces {
            parts.choices.push(piece.choices);
            parts.branches.push(piece.branches);
            parts.targets.push(piece.targets);
            parts.values.push(piece.values);
            parts.exit_rates.push(piece.exit_rates);
            parts.observations.push(piece.observations);
            parts.labels.push(piece.labels);
            parts.labelled.push(piece.labelled);
            parts.actions.push(piece.actions);
            parts.action.push(piece.action);
            for (all, column) in parts.state_rewards.iter_mut().zip(piece.state_rewards) {
                all.push(column);
            }
            for (all, column) in parts.choice_rewards.iter_mut().zip(piece.choice_rewards) {
                all.push(column);
            }
        }
        parts
    }

    /// The sets of states that have labels, by name, in the order of their first occurrence.
    fn label_sets(&self, states: usize, allowance: &Allowance<'_>) -> Result<Vec<(String, BitSet)>, Finding> {
        let (names, numbers) = join_names(&self.labels);
        let mut sets = Vec::new();
        for _ in &names {
            sets.push(bit_set(states, allowance)?);
        }
        let mut first = 0;
        for ((labelled, numbers), choices) in self.labelled.iter().zip(&numbers).zip(&self.choices) {
            for &(label, state) in labelled {
                sets[numbers[label as usize] as usize].insert(first + state as usize);
            }
            first += choices.len();
        }
        Ok(names.into_iter().zip(sets).collect())
    }
}

fn assemble(
    script: Script<'_>,
    header: &Header<'_>,
    pieces: Vec<Piece<'_>>,
    allowance: &Allowance<'_>,
    remarks: &mut Vec<Finding>,
) -> Result<Model, Finding> {
    let held = pieces.iter().map(Piece::bytes).sum();
    let states = header.states as usize;
    let parts = Parts::new(pieces, header.rewards.len());
    let labels = parts.label_sets(states, allowance)?;
    let column =
        |columns: Vec<Gathered<'_>>, remarks: &mut Vec<Finding>| column(script, columns, allowance, remarks);
    let choices = Rows::from_starts(starts(parts.choices, allowance)?);
    let branches = Rows::from_starts(starts(parts.branches, allowance)?);
    let targets = concatenate(parts.targets, allowance)?;
    let mut model = Model::new(header.time, header.control, choices, branches, targets);
    model.parameters = header.parameters.clone();
    let values = column(parts.values, remarks)?;
    model.values = Some(if header.intervals { to_intervals(values) } else { values });
    if header.time == Time::Stochastic {
        model.measure = Measure::Rates;
    }
    if header.has_exit_rates() {
        let rates = column(parts.exit_rates, remarks)?;
        if header.time == Time::UrgentStochastic {
            let mut markovian = BitSet::new(states);
            for (state, _) in rates.iter().enumerate().filter(|(_, rate)| !rate.is_zero()) {
                markovian.insert(state);
            }
            model.markovian = Some(markovian);
        }
        model.exit_rates = Some(rates);
    }
    if header.observed {
        let of = concatenate(parts.observations, allowance)?;
        let count = of.iter().max().map_or(0, |&last| last + 1);
        model.observations = Some(Observations { count, on: Entity::States, of, distribution: None });
    }
    model.choice_actions = join_actions(&parts.actions, parts.action, allowance)?;
    for (name, set) in labels {
        if name == "init" {
            model.initial = set;
        } else if name != "deadlock" || set.iter().any(|state| !model.is_deadlock(state)) {
            model.labels.push(Label { name, description: None, states: set });
        }
    }
    let rewards = header.rewards.iter().zip(parts.state_rewards.into_iter().zip(parts.choice_rewards));
    for (name, (of_states, of_choices)) in rewards {
        let mut rewards = |columns| -> Result<Option<Numbers>, Finding> {
            let numbers = column(columns, remarks)?;
            let is_needed = numbers.iter().any(|number| !number.is_zero());
            Ok(is_needed.then_some(numbers))
        };
        let (states, choices) = (rewards(of_states)?, rewards(of_choices)?);
        model.rewards.push(Reward { name: name.clone(), states, choices, ..Reward::default() });
    }
    allowance.give_back(held);
    Ok(model)
}
