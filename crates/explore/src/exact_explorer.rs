//! Exploration in rational arithmetic: guards, updates, weights and labels without rounding, for programs
//! that rounding could change.
//!
//! In: a program and the wanted observations. Out: the same as from [`explore`](crate::explore()), with the
//! rational numbers of the space besides the nearest doubles. States have the same order as in usual
//! exploration. The method is slow and direct: [`volvelle_model::exact`] evaluates every state, on one
//! thread.

use crate::accuracy::{Errors, RowOperations};
use crate::exact::{ExactError, Row, rows_of};
use crate::explorer::{Explored, Rationals, kind_of_space};
use crate::store::StateTable;
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_control::{Control, Stop};
use volvelle_model::exact::{Choice, Evaluator, Stepper};
use volvelle_model::kernels::Selection;
use volvelle_model::rounding::decides;
use volvelle_model::underflow::positive;
use volvelle_model::valuations::{Step, Valuations};
use volvelle_model::{Choice as Deciding, Domain, Initial, Layout, Program};
use volvelle_space::{
    Accuracy, BitSet, Choices, ExactRewards, ExactSpace, Ratios, RatiosBuilder, RewardVectors, Space, StateId,
};

/// States between checks of the limits.
const PATIENCE: usize = 64;

/// Approximate bytes per state besides its words: its place in the map, and its rows.
const BYTES_PER_STATE: u64 = 96;

/// Steps of the search for one initial state.
const MOST_STEPS: usize = 10_000_000;

/// Whether doubles may decide something of a program differently from exact numbers.
pub fn rounding_matters(program: &Program, selection: &Selection) -> bool {
    program.is_static() && !program.exact.rounding_decided() && decides(program, selection)
}

/// Explores all states in rational arithmetic. The numbers of the space are in [`Explored::rationals`].
pub fn explore_exactly(
    program: &Program,
    selection: &Selection,
    control: &Control<'_>,
) -> Result<Explored, ExactError> {
    let mut program = program.clone();
    for field in &mut program.fields {
        if let Domain::Growing { lo, hi } = &mut field.domain {
            (*lo, *hi) = (i32::MIN.into(), i32::MAX.into());
        }
    }
    let layout = Layout::new(&program);
    let observed = observed_labels(&program, selection);
    let roots = observed.iter().map(|&l| program.labels[l].expr);
    let roots = roots.chain(selection.numbers.iter().map(|&n| program.numbers[n].expr));
    let evaluator = Evaluator::new(&program, roots);
    let mut exploration = Exploration {
        program: &program,
        layout: &layout,
        selection,
        states: StateTable::new(layout.words()),
        known: FxHashMap::default(),
        rows: ExactRows::new(selection.rewards.len()),
        labels: vec![Vec::new(); observed.len()],
        numbers: vec![RatiosBuilder::default(); selection.numbers.len()],
        unexpanded: Vec::new(),
        scaled: None,
    };
    exploration.begin(control)?;
    let initial = exploration.states.len();
    exploration.all(&observed, evaluator, control)?;
    Ok(exploration.finish(&observed, initial))
}

/// The labels to evaluate: the wanted ones, and the one that ends steps.
fn observed_labels(program: &Program, selection: &Selection) -> Vec<usize> {
    let mut labels = selection.labels.clone();
    labels.extend(program.stop.filter(|stop| !selection.labels.contains(stop)));
    labels
}

/// Rows in rational arithmetic.
struct ExactRows {
    choice_start: Vec<u32>,
    choice_action: Vec<u32>,
    row_start: Vec<u32>,
    columns: Vec<u32>,
    values: RatiosBuilder,
    deadlocks: Vec<usize>,
    /// For each selected structure.
    state_rewards: Vec<RatiosBuilder>,
    choice_rewards: Vec<RatiosBuilder>,
}

impl ExactRows {
    fn new(structures: usize) -> Self {
        ExactRows {
            choice_start: vec![0],
            choice_action: Vec::new(),
            row_start: vec![0],
            columns: Vec::new(),
            values: RatiosBuilder::default(),
            deadlocks: Vec::new(),
            state_rewards: vec![RatiosBuilder::default(); structures],
            choice_rewards: vec![RatiosBuilder::default(); structures],
        }
    }

    fn end_row(&mut self, action: u32, rewards: impl Iterator<Item = RBig>) {
        self.row_start.push(self.columns.len() as u32);
        self.choice_action.push(action);
        self.choice_rewards.iter_mut().zip(rewards).for_each(|(builder, reward)| builder.push(reward));
    }
}

struct Exploration<'p> {
    program: &'p Program,
    layout: &'p Layout,
    selection: &'p Selection,
    states: StateTable,
    known: FxHashMap<Vec<u64>, u32>,
    rows: ExactRows,
    /// The states where each observed label holds.
    labels: Vec<Vec<usize>>,
    numbers: Vec<RatiosBuilder>,
    /// States where steps end.
    unexpanded: Vec<usize>,
    /// The first state whose probabilities, as written, do not sum to one.
    scaled: Option<u32>,
}

impl Exploration<'_> {
    /// The number of a state.
    fn number(&mut self, values: &[i64], from: StateId) -> Result<u32, ExactError> {
        let packed = self.layout.pack(values);
        if self.layout.unpack(&packed) != values {
            let what = "a variable leaves its range there".to_string();
            return Err(ExactError::Differs { state: from, what });
        }
        let next = self.states.len() as u32;
        let number = *self.known.entry(packed).or_insert(next);
        if number == next {
            self.states.append(&self.layout.pack(values));
        }
        Ok(number)
    }

    fn begin(&mut self, control: &Control<'_>) -> Result<(), ExactError> {
        let first = StateId(0);
        let found = match &self.program.initial {
            Initial::States(states) => states.clone(),
            Initial::Predicate(predicate) => {
                let mut evaluator = Evaluator::new(self.program, [*predicate]);
                let mut search = Valuations::over_rationals(self.program, *predicate);
                let mut found = Vec::new();
                let mut steps = 0;
                loop {
                    steps += 1;
                    if steps % 4096 == 0 {
                        control.check().map_err(ExactError::Stopped)?;
                        if steps / (1 + found.len()) > MOST_STEPS {
                            return Err(ExactError::RoundedStart);
                        }
                    }
                    match search.step() {
                        Step::Working => {}
                        Step::Done => break,
                        Step::Found { .. } => {
                            let values: Vec<i64> = search.values().collect();
                            evaluator.load(&values);
                            let holds = evaluator.truth(*predicate);
                            if holds.map_err(|why| ExactError::Inexact { state: first, why })? {
                                found.push(values);
                            }
                        }
                    }
                }
                found
            }
        };
        if found.is_empty() {
            return Err(ExactError::NoInitialState);
        }
        for values in found {
            self.number(&values, first)?;
        }
        Ok(())
    }

    fn all(
        &mut self,
        observed: &[usize],
        mut evaluator: Evaluator<'_>,
        control: &Control<'_>,
    ) -> Result<(), ExactError> {
        let program = self.program;
        let mut stepper = Stepper::new(program, &self.selection.rewards);
        let mut s = 0;
        while s < self.states.len() {
            if s.is_multiple_of(PATIENCE) {
                control.check().map_err(ExactError::Stopped)?;
                let held = self.states.bytes()
                    + BYTES_PER_STATE * self.states.len() as u64
                    + 8 * self.rows.columns.len() as u64;
                control.check_memory(held).map_err(ExactError::Stopped)?;
                if control.limits.states.is_some_and(|most| self.states.len() as u64 > most) {
                    return Err(ExactError::Stopped(Stop::States));
                }
            }
            let state = StateId(s as u32);
            let inexact = |why| ExactError::Inexact { state, why };
            let values = self.layout.unpack(self.states.get(s));
            evaluator.load(&values);
            let mut stops = false;
            for (at, &label) in observed.iter().enumerate() {
                if evaluator.truth(program.labels[label].expr).map_err(inexact)? {
                    self.labels[at].push(s);
                    stops |= program.stop == Some(label);
                }
            }
            for (builder, &number) in self.numbers.iter_mut().zip(&self.selection.numbers) {
                builder.push(evaluator.ratio(program.numbers[number].expr).map_err(inexact)?.clone());
            }
            let (choices, rewards) = match stops {
                true => (Vec::new(), vec![RBig::ZERO; self.selection.rewards.len()]),
                false => {
                    stepper.load(&values);
                    let choices = stepper.choices().map_err(inexact)?;
                    if stepper.has_scaled() {
                        self.scaled = self.scaled.or(Some(state.0));
                    }
                    (choices, stepper.state_rewards().map_err(inexact)?)
                }
            };
            self.rows
                .state_rewards
                .iter_mut()
                .zip(rewards)
                .for_each(|(builder, reward)| builder.push(reward));
            if stops {
                self.unexpanded.push(s);
            }
            self.state(state, &choices, stops)?;
            s += 1;
        }
        Ok(())
    }

    fn state(&mut self, state: StateId, choices: &[Choice], stops: bool) -> Result<(), ExactError> {
        // Successors get their numbers in the order in which they come.
        for (target, _) in choices.iter().flat_map(|choice| &choice.successors) {
            self.number(target, state)?;
        }
        let structures = self.selection.rewards.len();
        let rows = rows_of(self.program, choices);
        if rows.is_empty() {
            if !stops {
                self.rows.deadlocks.push(state.index());
            }
            self.rows.columns.push(state.0);
            self.rows.values.push(RBig::ONE);
            self.rows.end_row(0, (0..structures).map(|_| RBig::ZERO));
        }
        for (how, choices) in rows {
            let races = how == Deciding::Race;
            let count = RBig::from(if races { 1 } else { choices.len() });
            let mut row = Row::new();
            for (target, weight) in choices.iter().flat_map(|choice| &choice.successors) {
                let number = self.number(target, state)?;
                *row.entry(number).or_insert(RBig::ZERO) += weight;
            }
            if !count.is_one() {
                row.values_mut().for_each(|weight| *weight = &*weight / &count);
            }
            let sum = row.values().fold(RBig::ZERO, |sum, weight| sum + weight);
            if !races && !sum.is_one() {
                return Err(ExactError::Sum { state, sum });
            }
            for (target, weight) in row {
                self.rows.columns.push(target);
                self.rows.values.push(weight);
            }
            let per_step = |choice: &Choice| match races {
                true => choice.successors.iter().fold(RBig::ZERO, |sum, (_, weight)| sum + weight),
                false => RBig::ONE,
            };
            let earned = |k: usize| {
                let worth = choices.iter().filter(|choice| !choice.rewards[k].is_zero());
                worth.fold(RBig::ZERO, |sum, choice| sum + &choice.rewards[k] * per_step(choice)) / &count
            };
            let action = self.program.groups[choices[0].group].action.0;
            let rewards: Vec<RBig> = (0..structures).map(earned).collect();
            self.rows.end_row(if how.merges() { 0 } else { action }, rewards.into_iter());
        }
        self.rows.choice_start.push(self.rows.choice_action.len() as u32);
        Ok(())
    }

    fn finish(self, observed: &[usize], initial: usize) -> Explored {
        let Exploration {
            program, layout, selection, states, rows, labels, numbers, unexpanded, scaled, ..
        } = self;
        let n = states.len();
        let doubles =
            |ratios: &Ratios| -> Vec<f64> { ratios.iter().map(|ratio| ratio.to_f64().value()).collect() };
        let mut exact = ExactSpace {
            values: rows.values.finish(),
            rewards: vec![ExactRewards::default(); program.rewards.len()],
            numbers: vec![Ratios::default(); program.numbers.len()],
        };
        let mut rewards: Vec<RewardVectors> = program
            .rewards
            .iter()
            .map(|structure| RewardVectors {
                name: structure.name.clone().unwrap_or_default(),
                state: None,
                choice: None,
                // The separate rewards of transitions that share a step are not kept here.
                mixed: !structure.transitions.is_empty(),
                accuracy: Accuracy::default(),
            })
            .collect();
        let built = rows.state_rewards.into_iter().zip(rows.choice_rewards);
        for (&structure, (state, choice)) in selection.rewards.iter().zip(built) {
            let (state, choice) = (state.finish(), choice.finish());
            if !program.rewards[structure].states.is_empty() {
                rewards[structure].state = Some(doubles(&state).into());
                exact.rewards[structure].state = Some(state);
            }
            if !program.rewards[structure].transitions.is_empty() {
                rewards[structure].choice = Some(doubles(&choice).into());
                exact.rewards[structure].choice = Some(choice);
            }
        }
        let mut number_values = vec![Vec::new(); program.numbers.len()];
        for (&number, builder) in selection.numbers.iter().zip(numbers) {
            let ratios = builder.finish();
            number_values[number] = doubles(&ratios);
            exact.numbers[number] = ratios;
        }
        let of = |label: usize| {
            observed.iter().position(|&l| l == label).filter(|_| selection.labels.contains(&label))
        };
        let labels = program.labels.iter().enumerate().map(|(l, label)| {
            let members = of(l).map_or(&[][..], |at| &labels[at]);
            (label.name.clone().unwrap_or_default(), BitSet::of(n, members.iter().copied()))
        });
        let labels = labels.collect();
        let kind = kind_of_space(program.kind());
        let choices =
            program.kind().is_nondeterministic().then(|| Choices::new(rows.choice_start, rows.choice_action));
        let space = Space {
            kind,
            choices,
            row_start: rows.row_start,
            columns: rows.columns,
            values: exact.values.iter().map(|ratio| positive(ratio.to_f64().value())).collect(),
            initial: (0..initial as u32).map(StateId).collect(),
            deadlocks: BitSet::of(n, rows.deadlocks.iter().copied()),
            labels,
            rewards,
            actions: program.actions.iter().map(|action| action.name.clone()).collect(),
        };
        let errors = Errors {
            scaled,
            ..Errors::of_read(&space.values, vec![Accuracy::default(); program.numbers.len()])
        };
        Explored {
            space,
            numbers: number_values,
            states,
            index: "hash table",
            unexpanded: program.stop.map(|_| BitSet::of(n, unexpanded.iter().copied())),
            layout: layout.clone(),
            slots: None,
            orbits: Vec::new(),
            rationals: Rationals::Read(exact),
            replaced: vec![None; program.numbers.len()],
            errors,
            operations: RowOperations::default(),
            compiled: false,
        }
    }
}
