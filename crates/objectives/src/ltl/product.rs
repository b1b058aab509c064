//! The product of a space with a deterministic automaton.
//!
//! A state of the product is a state `s` of the space and the state `q` of the automaton before it reads the letter of
//! `s`. As the automaton is deterministic, the letter and with it the marks of the transition depend on the pair only,
//! so that acceptance on transitions becomes acceptance on states for free. Pairs after whose letter everything or nothing
//! is accepted are not followed further. Only pairs that can be reached from where values are needed are built.

use rustc_hash::FxHashMap;
use volvelle_automata::{Deterministic, Pair, StateId, Verdict};
use volvelle_control::{Control, Stop};
use volvelle_solver::graph::plain_space;
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Choices, Space, ValuesBuilder};

use super::too_large;

/// No state of the product.
pub const NOT_THERE: u32 = u32::MAX;
/// No choice of the space: the loop of a pair that is not followed.
pub const LOOP: u32 = u32::MAX;

/// Pairs between two looks at limits.
const BATCH: usize = 4096;

/// A product.
pub struct Product {
    /// The product as a space: no labels, no rewards.
    pub space: Space,
    /// For every state of the space the pair with the initial state of the automaton, where it was built.
    pub start_of: Vec<u32>,
    /// For every state of the product that of the space.
    pub state_of: Vec<u32>,
    /// For every state of the product the number of the automaton's state.
    pub memory_of: Vec<u32>,
    /// For every choice of the product that of the space; [`LOOP`] for loops that were added.
    pub choice_of: Vec<u32>,
    /// Pairs after whose letter everything is accepted.
    pub accepted: BitSet,
    /// Pairs after whose letter nothing is accepted.
    pub rejected: BitSet,
    /// Marks met at each pair, for [`Product::has_mark`].
    pub marks: Vec<u32>,
    /// States of the automaton that occur.
    pub automaton_states: usize,
    automaton: Deterministic,
}

impl Product {
    /// From the states of `needed` (`None`: all). `letter_of` says which letter each state is.
    pub fn new(
        context: &Context,
        mut automaton: Deterministic,
        letter_of: &[u32],
        needed: Option<&BitSet>,
    ) -> Result<Self, CheckError> {
        let (space, control) = (context.space, context.control);
        let mut start_of = vec![NOT_THERE; context.states()];
        let mut found = StatePairs::default();
        let initial = automaton.initial();
        for (s, start) in start_of.iter_mut().enumerate() {
            if needed.is_none_or(|n| n.contains(s)) {
                *start = found.number(s as u32, initial)?;
            }
        }
        let mut choices = space.choices.as_ref().map(|_| Choices::new(vec![0], Vec::new()));
        let (mut row_start, mut columns, mut values) = (vec![0u32], Vec::new(), ValuesBuilder::new());
        let (mut choice_of, mut marks) = (Vec::new(), Vec::new());
        let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
        let mut row: Vec<(u32, f64)> = Vec::new();
        let mut next = 0;
        let mut automaton_states = 0;
        while next < found.pairs.len() {
            // States of the automaton may cost much, those of the product do not.
            if next % BATCH == 0 || automaton.num_states() > automaton_states {
                automaton_states = automaton.num_states();
                control.check()?;
                let lists =
                    4 * (row_start.capacity() + columns.capacity() + choice_of.capacity() + marks.capacity());
                let held = lists as u64 + values.so_far().bytes() + found.bytes() + automaton.bytes();
                control.check_memory(held)?;
            }
            let (s, state) = found.pairs[next];
            let step = automaton.step(state, letter_of[s as usize]).map_err(too_large)?;
            marks.push(step.marks);
            match automaton.verdict(step.next) {
                Verdict::Open => {
                    for choice in space.choices_of(s as usize) {
                        row.clear();
                        for (t, value) in space.transitions(choice).filter(|t| t.1 > 0.0) {
                            row.push((found.number(t as u32, step.next)?, value));
                        }
                        row.sort_unstable_by_key(|entry| entry.0);
                        columns.extend(row.iter().map(|entry| entry.0));
                        row.iter().for_each(|entry| values.extend(&[entry.1]));
                        row_start.push(end(columns.len())?);
                        choice_of.push(choice as u32);
                    }
                }
                verdict => {
                    let list = if verdict == Verdict::Accepts { &mut accepted } else { &mut rejected };
                    list.push(next);
                    columns.push(next as u32);
                    values.extend(&[1.0]);
                    row_start.push(end(columns.len())?);
                    choice_of.push(LOOP);
                }
            }
            if let Some(choices) = &mut choices {
                choices.start.push(end(choice_of.len())?);
            }
            next += 1;
        }
        if let Some(choices) = &mut choices {
            choices.action = vec![0; choice_of.len()];
        }
        let n = found.pairs.len();
        let set = |members: Vec<usize>| BitSet::of(n, members);
        let product = plain_space(space.kind, choices, row_start, columns, values.finish());
        control.check_memory(product.bytes() + automaton.bytes())?;
        Ok(Product {
            space: product,
            start_of,
            state_of: found.pairs.iter().map(|&(s, _)| s).collect(),
            memory_of: found.pairs.iter().map(|&(_, state)| state.0).collect(),
            choice_of,
            accepted: set(accepted),
            rejected: set(rejected),
            marks,
            automaton_states: automaton.num_states(),
            automaton,
        })
    }

    /// The control of an analysis of the product, whose memory the product has taken a part of.
    pub fn control<'a>(&self, control: &Control<'a>) -> Control<'a> {
        let mut control = *control;
        if let Some(memory) = &mut control.limits.memory_bytes {
            let states = self.marks.len() + 2 * self.state_of.len() + self.start_of.len();
            let lists = 4 * (self.choice_of.len() + states);
            *memory = memory.saturating_sub(self.space.bytes() + self.automaton.bytes() + lists as u64);
        }
        control
    }

    /// Whether a mark is met at a pair.
    pub fn has_mark(&self, state: usize, mark: u32) -> bool {
        self.automaton.has_mark(self.marks[state], mark)
    }

    /// The acceptance condition as a disjunction.
    pub fn pairs(&self) -> Result<&[Pair], CheckError> {
        self.automaton.pairs().map_err(too_large)
    }

    /// Whether a run is accepted that meets again and again what these marks stand for.
    pub fn accepts(&self, recurring: &[u32]) -> bool {
        self.automaton.accepts(recurring)
    }

    /// Pairs without a verdict.
    pub fn open(&self) -> BitSet {
        let mut decided = self.accepted.clone();
        decided.unite(&self.rejected);
        decided.complement()
    }
}

/// The pairs found so far.
#[derive(Default)]
struct StatePairs {
    pairs: Vec<(u32, StateId)>,
    numbers: FxHashMap<(u32, u32), u32>,
}

impl StatePairs {
    fn number(&mut self, s: u32, state: StateId) -> Result<u32, CheckError> {
        if let Some(&known) = self.numbers.get(&(s, state.0)) {
            return Ok(known);
        }
        let number = end(self.pairs.len())?;
        self.pairs.push((s, state));
        self.numbers.insert((s, state.0), number);
        Ok(number)
    }

    fn bytes(&self) -> u64 {
        (8 * self.pairs.capacity() + 13 * self.numbers.capacity()) as u64
    }
}

/// A position in lists whose places have 32 bits.
pub(crate) fn end(length: usize) -> Result<u32, CheckError> {
    u32::try_from(length).ok().filter(|&n| n != u32::MAX).ok_or(CheckError::Limit(Stop::Memory))
}
