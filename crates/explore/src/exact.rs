//! The numbers of an explored space in rational arithmetic.
//!
//! Every state is expanded once more, slowly, with exact weights ([`volvelle_model::exact`]), and compared
//! with the space that compiled code has found: it must have the same choices with the same targets, and
//! doubles that are roundings of the rationals. If rounding decided something (a guard, a weight that is zero
//! in only one arithmetic, the bounds of a variable), there is no exact answer for this space; this is an
//! error, never a guess. States that were not expanded are not expanded here either: the caller that limited
//! exploration judges whether that was right.

use crate::canonical::Canonicalizer;
use crate::explorer::{Explored, Rationals};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use volvelle_control::{Control, Stop};
use volvelle_kernel::{ExprId, Type};
use volvelle_model::exact::{Choice, Evaluator, Inexact, Stepper};
use volvelle_model::kernels::Selection;
use volvelle_model::{Choice as Deciding, Initial, Program};
use volvelle_space::{ExactRewards, ExactSpace, Ratios, RatiosBuilder, StateId};

/// States between checks of the limits.
const PATIENCE: usize = 256;

/// Limit of the distance of a double from its rational: relative, and for sums that cancel absolute.
const TOLERANCE: f64 = 1e-9;

/// Why a space has no exact numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum ExactError {
    /// Something of a state has no rational value.
    Inexact {
        /// The state.
        state: StateId,
        /// The reason.
        why: Inexact,
    },
    /// The probabilities of a choice do not sum to one.
    Sum {
        /// The state.
        state: StateId,
        /// Their sum.
        sum: RBig,
    },
    /// Rounding has decided something: in exact arithmetic the state differs.
    Differs {
        /// The state.
        state: StateId,
        /// The difference, as a clause for messages.
        what: String,
    },
    /// A comparison or rounding of constants gives something else exactly.
    RoundedConstants,
    /// The initial states are chosen by a condition on numbers that are rounded.
    RoundedStart,
    /// No state is initial.
    NoInitialState,
    /// The space was read from a file with rounded numbers.
    RoundedFile,
    /// A limit was reached.
    Stopped(Stop),
}

/// Exact values of a space's transitions, and of the observations in `selection`.
pub fn exact(
    program: &Program,
    explored: &Explored,
    selection: &Selection,
    control: &Control<'_>,
) -> Result<ExactSpace, ExactError> {
    match &explored.rationals {
        Rationals::Computed => {}
        Rationals::Missing => return Err(ExactError::RoundedFile),
        Rationals::Read(read) => {
            return Ok(ExactSpace {
                numbers: observations(program, explored, selection, control)?,
                ..read.clone()
            });
        }
    }
    if program.exact.rounding_decided() {
        return Err(ExactError::RoundedConstants);
    }
    if let Initial::Predicate(predicate) = program.initial
        && is_rounded(program, predicate)
    {
        return Err(ExactError::RoundedStart);
    }
    let mut numbers: FxHashMap<&[u64], u32> = FxHashMap::default();
    for s in 0..explored.states.len() {
        numbers.insert(explored.states.get(s), s as u32);
    }
    let stepper = Stepper::new(program, &selection.rewards);
    let canonicalizer = Canonicalizer::of(&explored.orbits, &explored.layout);
    let out = Output::new(selection.rewards.len());
    let mut rows = Rows { program, explored, selection, numbers, canonicalizer, out };
    rows.all(stepper, control)?;
    let out = rows.out;
    let mut rewards = vec![ExactRewards::default(); program.rewards.len()];
    let parts = out.states.into_iter().zip(out.choices);
    for (&structure, (state, choice)) in selection.rewards.iter().zip(parts) {
        let Some(doubles) = explored.space.rewards.get(structure) else { continue };
        rewards[structure] = ExactRewards {
            state: doubles.state.as_ref().map(|_| state.finish()),
            choice: doubles.choice.as_ref().map(|_| choice.finish()),
        };
    }
    let numbers = observations(program, explored, selection, control)?;
    Ok(ExactSpace { values: out.values.finish(), rewards, numbers })
}

/// Whether an expression computes with doubles.
fn is_rounded(program: &Program, root: ExprId) -> bool {
    program.exprs.needed([root]).into_iter().any(|id| program.exprs.ty(id) == Type::F64)
}

fn agrees(double: f64, exact: &RBig) -> bool {
    let near = exact.to_f64().value();
    (double - near).abs() <= TOLERANCE * near.abs().max(1e-3)
}

/// Numeric observations; and labels that compare doubles, which must not depend on rounding.
fn observations(
    program: &Program,
    explored: &Explored,
    selection: &Selection,
    control: &Control<'_>,
) -> Result<Vec<Ratios>, ExactError> {
    let labels: Vec<usize> =
        selection.labels.iter().copied().filter(|&l| is_rounded(program, program.labels[l].expr)).collect();
    let roots = labels.iter().map(|&l| program.labels[l].expr);
    let roots = roots.chain(selection.numbers.iter().map(|&n| program.numbers[n].expr));
    let mut evaluator = Evaluator::new(program, roots);
    let mut found = vec![RatiosBuilder::default(); program.numbers.len()];
    if labels.is_empty() && selection.numbers.is_empty() {
        return Ok(vec![Ratios::default(); program.numbers.len()]);
    }
    for s in 0..explored.states.len() {
        if s.is_multiple_of(PATIENCE) {
            control.check().map_err(ExactError::Stopped)?;
        }
        let state = StateId(s as u32);
        let inexact = |why| ExactError::Inexact { state, why };
        evaluator.load(&explored.layout.unpack(explored.states.get(s)));
        for &label in &labels {
            let holds = evaluator.truth(program.labels[label].expr).map_err(inexact)?;
            if holds != explored.space.labels[label].1.contains(s) {
                let what = "rounding decides whether a condition holds there";
                return Err(ExactError::Differs { state, what: what.to_string() });
            }
        }
        for &number in &selection.numbers {
            let value = evaluator.ratio(program.numbers[number].expr).map_err(inexact)?;
            if !agrees(explored.numbers[number][s], value) {
                let what =
                    format!("a number is {value}, which is rounded to {}", explored.numbers[number][s]);
                return Err(ExactError::Differs { state, what });
            }
            found[number].push(value.clone());
        }
    }
    Ok(found.into_iter().map(RatiosBuilder::finish).collect())
}

struct Output {
    values: RatiosBuilder,
    /// For each selected structure.
    states: Vec<RatiosBuilder>,
    choices: Vec<RatiosBuilder>,
}

impl Output {
    fn new(structures: usize) -> Self {
        let builders = vec![RatiosBuilder::default(); structures];
        Output { values: RatiosBuilder::default(), states: builders.clone(), choices: builders }
    }
}

struct Rows<'a> {
    program: &'a Program,
    explored: &'a Explored,
    selection: &'a Selection,
    numbers: FxHashMap<&'a [u64], u32>,
    canonicalizer: Option<Canonicalizer>,
    out: Output,
}

/// The choices combined in each row of a state: all that race, all that are equally likely, or a single one.
pub fn rows_of<'c>(program: &Program, choices: &'c [Choice]) -> Vec<(Deciding, Vec<&'c Choice>)> {
    let mut rows: Vec<(Deciding, Vec<&Choice>)> = Vec::new();
    for choice in choices.iter().filter(|choice| !choice.successors.is_empty()) {
        let how = program.choice_of(&program.groups[choice.group]);
        match rows.iter_mut().find(|(other, _)| *other == how && how.merges()) {
            Some((_, merged)) => merged.push(choice),
            None => rows.push((how, vec![choice])),
        }
    }
    rows
}

/// A row: targets with their weights, merged.
pub type Row = BTreeMap<u32, RBig>;

impl Rows<'_> {
    fn all(&mut self, mut stepper: Stepper<'_>, control: &Control<'_>) -> Result<(), ExactError> {
        for s in 0..self.explored.states.len() {
            if s.is_multiple_of(PATIENCE) {
                control.check().map_err(ExactError::Stopped)?;
            }
            let state = StateId(s as u32);
            let inexact = |why| ExactError::Inexact { state, why };
            stepper.load(&self.explored.layout.unpack(self.explored.states.get(s)));
            let unexpanded = self.explored.unexpanded.as_ref().is_some_and(|set| set.contains(s));
            let (choices, rewards) = if unexpanded {
                (Vec::new(), vec![RBig::ZERO; self.selection.rewards.len()])
            } else {
                (stepper.choices().map_err(inexact)?, stepper.state_rewards().map_err(inexact)?)
            };
            self.state(state, &choices, unexpanded)?;
            for (k, reward) in rewards.into_iter().enumerate() {
                let doubles = &self.explored.space.rewards[self.selection.rewards[k]].state;
                if let Some(doubles) = doubles
                    && !agrees(doubles.get(s), &reward)
                {
                    let what = format!("a reward is {reward}, which is rounded to {}", doubles.get(s));
                    return Err(ExactError::Differs { state, what });
                }
                self.out.states[k].push(reward);
            }
        }
        Ok(())
    }

    fn state(&mut self, state: StateId, choices: &[Choice], unexpanded: bool) -> Result<(), ExactError> {
        let explored = self.explored;
        let space = &explored.space;
        let found = space.choices_of(state.0 as usize);
        let stays = choices.iter().all(|c| c.successors.is_empty());
        if stays != (unexpanded || space.deadlocks.contains(state.0 as usize)) {
            return Err(differs(state, "rounding decides whether it has a transition"));
        }
        if stays {
            self.out.values.push(RBig::ONE);
            self.out.choices.iter_mut().for_each(|builder| builder.push(RBig::ZERO));
            return Ok(());
        }
        let rows = rows_of(self.program, choices);
        if rows.len() != found.len() {
            return Err(differs(state, "rounding decides which commands are enabled"));
        }
        for ((how, choices), row) in rows.into_iter().zip(found) {
            let races = how == Deciding::Race;
            let count = RBig::from(if races { 1 } else { choices.len() });
            let merged = self.merged(state, &choices, &count)?;
            self.row(state, row, merged, !races)?;
            let per_step = |c: &Choice| match races {
                true => c.successors.iter().fold(RBig::ZERO, |sum, (_, w)| sum + w),
                false => RBig::ONE,
            };
            let earned = |k: usize| {
                let worth = choices.iter().filter(|c| !c.rewards[k].is_zero());
                worth.fold(RBig::ZERO, |sum, c| sum + &c.rewards[k] * per_step(c)) / &count
            };
            let rewards = (0..self.selection.rewards.len()).map(earned).collect();
            self.rewards(state, row, rewards)?;
        }
        Ok(())
    }

    /// Weights of equal targets added, divided by `divisor`.
    fn merged(&mut self, state: StateId, choices: &[&Choice], divisor: &RBig) -> Result<Row, ExactError> {
        let layout = &self.explored.layout;
        let mut row = Row::new();
        for (target, weight) in choices.iter().flat_map(|c| &c.successors) {
            let mut packed = layout.pack(target);
            // Values without room would be cut off by packing.
            let has_room = layout.unpack(&packed) == *target;
            self.canonicalizer.iter_mut().for_each(|canonicalizer| canonicalizer.canonicalize(&mut packed));
            let number = self.numbers.get(packed.as_slice()).copied();
            let Some(number) = number.filter(|_| has_room) else {
                return Err(differs(state, "rounding affects a successor state"));
            };
            *row.entry(number).or_insert(RBig::ZERO) += weight;
        }
        if !divisor.is_one() {
            row.values_mut().for_each(|weight| *weight = &*weight / divisor);
        }
        Ok(row)
    }

    fn row(&mut self, state: StateId, row: usize, merged: Row, stochastic: bool) -> Result<(), ExactError> {
        let space = &self.explored.space;
        if !space.columns[space.row(row)].iter().eq(merged.keys()) {
            return Err(differs(state, "rounding decides which states are its successors"));
        }
        if stochastic {
            let sum = merged.values().fold(RBig::ZERO, |sum, weight| sum + weight);
            if !sum.is_one() {
                return Err(ExactError::Sum { state, sum });
            }
        }
        for ((_, double), exact) in space.transitions(row).zip(merged.values()) {
            if !agrees(double, exact) {
                let what = format!("a weight is {exact}, which is rounded to {double}");
                return Err(ExactError::Differs { state, what });
            }
        }
        merged.into_values().for_each(|weight| self.out.values.push(weight));
        Ok(())
    }

    fn rewards(&mut self, state: StateId, row: usize, rewards: Vec<RBig>) -> Result<(), ExactError> {
        for (k, reward) in rewards.into_iter().enumerate() {
            let doubles = &self.explored.space.rewards[self.selection.rewards[k]].choice;
            if let Some(doubles) = doubles
                && !agrees(doubles.get(row), &reward)
            {
                let what = format!("a reward is {reward}, which is rounded to {}", doubles.get(row));
                return Err(ExactError::Differs { state, what });
            }
            self.out.choices[k].push(reward);
        }
        Ok(())
    }
}

fn differs(state: StateId, what: &str) -> ExactError {
    ExactError::Differs { state, what: what.to_string() }
}
