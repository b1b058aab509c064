//! The state space of a system generated on the fly, as a matrix, for numerical analysis, bisimulation and
//! files.
//!
//! In: a [`System`], as searches use it, and labels that its observations contain. Out: a [`Space`] whose
//! choices are the steps, with one transition of value 1 each; and the step of each choice. [`States`]
//! selects the states of the space.
//!
//! A single thread runs breadth first, so states have the same numbers on every run.

use crate::error::Reached;
use crate::store::{MAX_STATES, NumberedStates, StateTable};
use rustc_hash::FxHashSet;
use volvelle_control::{Control, Counted, ProgressEvent, Stop};
use volvelle_search::{Exit, Expander, StepError, Successors, System, TRANSIENT};
use volvelle_space::{BitSet, Choices, Kind, Space, StateId, ValuesBuilder};

/// The states that a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum States {
    /// The states that a search without reductions stores: an atomic sequence is one step, represented by the
    /// first step of the sequence.
    Stored,
    /// Also the states inside atomic sequences: each statement is a separate step.
    EveryStatement,
}

/// The choice of a state without steps, which is a loop.
pub const NO_STEP: u32 = u32::MAX;

/// States that are expanded at once.
const BATCH: usize = 256;

/// Steps inside atomic sequences between checks of limits.
const PATIENCE: usize = 1 << 12;

/// A state space, with the meaning of its numbers in the system.
#[derive(Debug)]
pub struct Tabulated {
    /// The matrix.
    pub space: Space,
    /// The packed states.
    pub states: StateTable,
    /// The step of each choice, or [`NO_STEP`].
    pub steps: Vec<u32>,
    /// The failures, by state.
    pub failures: Vec<Failure>,
    /// Whether some states are inside atomic sequences; never with [`States::Stored`].
    pub has_states_inside: bool,
    /// Number of expanded states. The others have greater numbers and no steps here.
    pub expanded: usize,
}

impl Tabulated {
    /// Number of steps of the system, without loops of states that have none.
    pub fn num_steps(&self) -> usize {
        self.steps.iter().filter(|&&step| step != NO_STEP).count()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.space.bytes() + self.states.bytes() + size_of_val(&self.steps[..]) as u64
    }
}

/// An error in a state, or in a step that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The state.
    pub state: StateId,
    /// The property or line of the model that failed.
    pub site: u32,
    /// No step leads on from the error.
    pub is_end: bool,
}

/// Why there is no matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum TabulateError {
    /// A limit was reached or the user stopped it.
    Stopped {
        /// Which.
        stop: Stop,
        /// Sizes when the work ended.
        reached: Reached,
    },
    /// More states or transitions than 32 bits number.
    TooLarge,
    /// The layout has no room for a state; a larger system is needed.
    LayoutOverflow,
}

/// Tabulates a system. Bit `i` of its observations is the label `labels[i]`. Once more than `enough` states
/// are known, no further ones are expanded; labels then say nothing about the rest.
///
/// # Errors
/// Limits, and states without room.
pub fn tabulate(
    system: &dyn System,
    labels: &[String],
    states: States,
    enough: usize,
    control: &Control<'_>,
) -> Result<Tabulated, TabulateError> {
    let mut table = Table::new(system, states, control);
    table.enter(&system.initial())?;
    let initial = table.known.states().len();
    while table.done() < table.known.states().len() && table.known.states().len() <= enough {
        table.expand()?;
    }
    Ok(table.finish(initial, labels))
}

struct Table<'s> {
    control: &'s Control<'s>,
    every_statement: bool,
    has_states_inside: bool,
    known: NumberedStates,
    limit: usize,
    expander: Box<dyn Expander + 's>,
    inner: Box<dyn Expander + 's>,
    batch: Successors,
    observations: Vec<u64>,
    /// The end of the choices of each finished state.
    ends: Vec<u32>,
    steps: Vec<u32>,
    columns: Vec<u32>,
    deadlocks: Vec<u32>,
    failures: Vec<Failure>,
    numbers: Vec<u32>,
    /// Steps of the current state, and their targets.
    found: Vec<u32>,
    targets: Vec<u64>,
}

impl<'s> Table<'s> {
    fn new(system: &'s dyn System, states: States, control: &'s Control<'s>) -> Self {
        let every_statement = states == States::EveryStatement;
        let expander = if every_statement { system.expander() } else { system.path_compressing_expander() };
        Table {
            control,
            every_statement,
            has_states_inside: false,
            known: NumberedStates::new(system.words()),
            limit: control.limits.states.unwrap_or(u64::MAX).min(MAX_STATES as u64) as usize,
            expander,
            inner: system.path_compressing_expander(),
            batch: Successors::default(),
            observations: Vec::new(),
            ends: Vec::new(),
            steps: Vec::new(),
            columns: Vec::new(),
            deadlocks: Vec::new(),
            failures: Vec::new(),
            numbers: Vec::new(),
            found: Vec::new(),
            targets: Vec::new(),
        }
    }

    fn done(&self) -> usize {
        self.ends.len()
    }

    fn bytes(&self) -> u64 {
        self.known.bytes() + 8 * self.observations.len() as u64 + 16 * self.steps.len() as u64
    }

    fn stopped(&self, stop: Stop) -> TabulateError {
        let reached = Reached {
            states: self.known.states().len() as u64,
            expanded: self.done() as u64,
            transitions: self.steps.len() as u64,
            bytes: self.bytes(),
        };
        TabulateError::Stopped { stop, reached }
    }

    /// Numbers states; their numbers are in `numbers` afterwards.
    fn enter(&mut self, packed: &[u64]) -> Result<(), TabulateError> {
        if self.known.number(packed, &mut self.numbers, self.limit) {
            return Ok(());
        }
        let all = self.limit == MAX_STATES;
        Err(if all { TabulateError::TooLarge } else { self.stopped(Stop::States) })
    }

    fn look_at_limits(&self) -> Result<(), TabulateError> {
        let checked = self.control.check().and_then(|()| self.control.check_memory(self.bytes()));
        checked.map_err(|stop| self.stopped(stop))?;
        let (states, transitions) = (self.known.states().len() as u64, self.steps.len() as u64);
        let frontier = states - self.done() as u64;
        self.control.progress.report(ProgressEvent::Exploring {
            counted: Counted::default(),
            states,
            transitions,
            frontier,
            bytes: self.bytes(),
        });
        Ok(())
    }

    /// Expands some states after the finished ones.
    fn expand(&mut self) -> Result<(), TabulateError> {
        self.look_at_limits()?;
        let first = self.done();
        let mut batch = std::mem::take(&mut self.batch);
        let exit = self.expander.expand(self.known.states().run(first, BATCH), &mut batch);
        let words = self.known.states().words();
        let mut begin = 0;
        for (i, &end) in batch.ends.iter().enumerate() {
            let end = end as usize;
            self.found.clear();
            self.targets.clear();
            for (&step, target) in batch.steps[begin..end]
                .iter()
                .zip(batch.states[begin * words..end * words].chunks_exact(words))
            {
                if step & TRANSIENT == 0 || self.every_statement {
                    self.has_states_inside |= step & TRANSIENT != 0;
                    self.found.push(step & !TRANSIENT);
                    self.targets.extend_from_slice(target);
                } else {
                    self.walk_through(first + i, step & !TRANSIENT, target)?;
                }
            }
            self.observations.push(batch.observations[i]);
            self.end_state(batch.steps[begin..end].first().copied())?;
            begin = end;
        }
        batch.errors.iter().for_each(|error| self.fail(first + error.source as usize, error));
        self.batch = batch;
        if matches!(exit, Exit::LayoutOverflow { .. }) { Err(TabulateError::LayoutOverflow) } else { Ok(()) }
    }

    /// Finds the states after the atomic sequence that a step of a state begins.
    fn walk_through(&mut self, source: usize, step: u32, begin: &[u64]) -> Result<(), TabulateError> {
        let words = begin.len();
        let mut inside = begin.to_vec();
        let mut seen: FxHashSet<Box<[u64]>> = FxHashSet::default();
        seen.insert(begin.into());
        let mut out = Successors::default();
        let mut at = 0;
        while at < inside.len() {
            if (at / words).is_multiple_of(PATIENCE) {
                self.control.check().map_err(|stop| self.stopped(stop))?;
            }
            if let Exit::LayoutOverflow { .. } = self.inner.expand(&inside[at..at + words], &mut out) {
                return Err(TabulateError::LayoutOverflow);
            }
            for (&next, target) in out.steps.iter().zip(out.states.chunks_exact(words)) {
                if !seen.insert(target.into()) {
                    continue;
                }
                if next & TRANSIENT == 0 {
                    self.found.push(step);
                    self.targets.extend_from_slice(target);
                } else {
                    inside.extend_from_slice(target);
                }
            }
            out.errors.iter().for_each(|error| self.fail(source, error));
            at += words;
        }
        Ok(())
    }

    fn fail(&mut self, state: usize, error: &StepError) {
        let is_end = error.successor.is_none();
        self.failures.push(Failure { state: StateId(state as u32), site: error.site, is_end });
    }

    /// Numbers the targets of the present state, and finishes it. It gets a loop if it has no step, or if its
    /// steps (`first` is one) lead into atomic sequences that never end.
    fn end_state(&mut self, first: Option<u32>) -> Result<(), TabulateError> {
        if self.columns.len() + self.found.len() >= u32::MAX as usize {
            return Err(TabulateError::TooLarge);
        }
        let targets = std::mem::take(&mut self.targets);
        self.enter(&targets)?;
        self.targets = targets;
        self.steps.append(&mut self.found);
        self.columns.extend_from_slice(&self.numbers);
        if self.numbers.is_empty() {
            let state = self.done() as u32;
            self.deadlocks.extend(first.is_none().then_some(state));
            self.steps.push(first.map_or(NO_STEP, |step| step & !TRANSIENT));
            self.columns.push(state);
        }
        self.ends.push(self.columns.len() as u32);
        Ok(())
    }

    fn finish(mut self, initial: usize, labels: &[String]) -> Tabulated {
        let count = self.known.states().len();
        let expanded = self.done();
        for state in expanded as u32..count as u32 {
            self.steps.push(NO_STEP);
            self.columns.push(state);
            self.ends.push(self.columns.len() as u32);
            self.observations.push(0);
        }
        let set = |holds: &dyn Fn(usize) -> bool| BitSet::of(count, (0..count).filter(|&state| holds(state)));
        let deadlocks = BitSet::of(count, self.deadlocks.iter().map(|&state| state as usize));
        let labels = labels
            .iter()
            .enumerate()
            .map(|(bit, name)| (name.clone(), set(&|state: usize| self.observations[state] >> bit & 1 != 0)));
        let labels = labels.collect();
        let transitions = self.columns.len();
        let mut values = ValuesBuilder::new();
        (0..transitions).for_each(|_| values.push(1.0));
        let space = Space {
            kind: Kind::Mdp,
            choices: Some(Choices::new(std::iter::once(0).chain(self.ends).collect(), vec![0; transitions])),
            row_start: (0..=transitions as u32).collect(),
            columns: self.columns,
            values: values.finish(),
            initial: (0..initial as u32).map(StateId).collect(),
            deadlocks,
            labels,
            rewards: Vec::new(),
            actions: vec![String::new()],
        };
        Tabulated {
            space,
            states: self.known.into_states(),
            steps: self.steps,
            failures: self.failures,
            has_states_inside: self.has_states_inside,
            expanded,
        }
    }
}
