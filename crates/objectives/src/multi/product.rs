//! The product of an MDP with the automata of all objectives, and with a counter of steps where an objective has a
//! limited number of them.
//!
//! A state is a state of the MDP, for every automaton its state before it reads the letter of that state, and the number
//! of steps so far, which stops at the largest limit. An automaton that knows its verdict does not move any more. Only
//! states that can be reached from the initial state are built.

use rustc_hash::FxHashMap;
use volvelle_automata::{Deterministic, Pair, StateId, Verdict};
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Choices, Space, ValuesBuilder};

use crate::ltl::{Ltl, end};

/// States between two looks at limits.
const BATCH: usize = 4096;

/// The marks and the verdict of an automaton at a state of the product.
#[derive(Clone, Copy, Debug)]
enum Met {
    /// Marks, for `Deterministic::has_mark`.
    Marks(u32),
    /// The verdict is that all is accepted, or that nothing is.
    Decided(bool),
}

/// The product, as an MDP without labels and rewards whose first state is the initial one.
pub struct Product {
    /// The MDP.
    pub space: Space,
    /// For every choice that of the space it is made of.
    pub choice_of: Vec<u32>,
    /// Steps so far, for every state, up to the largest limit; empty where there is no limit.
    pub steps: Vec<u64>,
    /// What every state is, in `width` words: a state of the MDP, then the memory of a scheduler.
    keys: Vec<u32>,
    width: usize,
    automata: Vec<Deterministic>,
    /// For every state one entry per automaton.
    met: Vec<Met>,
}

impl Product {
    /// From the initial state; `limit` is the largest number of steps that matters, 0 for none.
    pub fn new(context: &Context, initial: usize, formulas: &[Ltl], limit: u64) -> Result<Self, CheckError> {
        let (space, control) = (context.space, context.control);
        let mut automata = Vec::new();
        let mut letters = Vec::new();
        for formula in formulas {
            let (automaton, letter_of) = formula.automaton(context.states())?;
            automaton.pairs().map_err(crate::ltl::too_large)?;
            automata.push(automaton);
            letters.push(letter_of);
        }
        // A state is `s`, the states of the automata, and the steps in two words.
        let width = automata.len() + 3;
        let mut key: Vec<u32> = vec![initial as u32];
        key.extend(automata.iter().map(|a| a.initial().0));
        key.extend([0, 0]);
        let mut found: Vec<u32> = key.clone();
        let mut numbers: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        numbers.insert(key.clone().into_boxed_slice(), 0);
        let mut choices = Choices::new(vec![0], Vec::new());
        let (mut row_start, mut columns, mut values) = (vec![0u32], Vec::new(), ValuesBuilder::new());
        let (mut choice_of, mut met, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        let mut row: Vec<(u32, f64)> = Vec::new();
        let mut next = 0;
        while next * width < found.len() {
            if next % BATCH == 0 {
                control.check()?;
                let held = 4 * (row_start.capacity() + columns.capacity() + choice_of.capacity())
                    + 8 * (met.capacity() + steps.capacity())
                    + 4 * found.capacity()
                    + numbers.capacity() * (4 * width + 25);
                let automata: u64 = automata.iter().map(Deterministic::bytes).sum();
                control.check_memory(held as u64 + values.so_far().bytes() + automata)?;
            }
            let here: Vec<u32> = found[next * width..(next + 1) * width].to_vec();
            let s = here[0] as usize;
            let count = u64::from(here[width - 2]) | u64::from(here[width - 1]) << 32;
            if limit > 0 {
                steps.push(count);
            }
            let after = (count + 1).min(limit);
            for (i, automaton) in automata.iter_mut().enumerate() {
                let state = StateId(here[1 + i]);
                let (state, seen) = match automaton.verdict(state) {
                    Verdict::Open => {
                        let step = automaton.step(state, letters[i][s]).map_err(crate::ltl::too_large)?;
                        (step.next, Met::Marks(step.marks))
                    }
                    verdict => (state, Met::Decided(verdict == Verdict::Accepts)),
                };
                key[1 + i] = state.0;
                met.push(seen);
            }
            key[width - 2] = after as u32;
            key[width - 1] = (after >> 32) as u32;
            for choice in space.choices_of(s) {
                row.clear();
                for (t, value) in space.transitions(choice).filter(|t| t.1 > 0.0) {
                    key[0] = t as u32;
                    let number = match numbers.get(key.as_slice()) {
                        Some(&known) => known,
                        None => {
                            let number = end(found.len() / width)?;
                            found.extend_from_slice(&key);
                            numbers.insert(key.clone().into_boxed_slice(), number);
                            number
                        }
                    };
                    row.push((number, value));
                }
                row.sort_unstable_by_key(|entry| entry.0);
                columns.extend(row.iter().map(|entry| entry.0));
                row.iter().for_each(|entry| values.extend(&[entry.1]));
                row_start.push(end(columns.len())?);
                choice_of.push(choice as u32);
            }
            choices.start.push(end(choice_of.len())?);
            next += 1;
        }
        choices.action = vec![0; choice_of.len()];
        let space = Space {
            kind: space.kind,
            choices: Some(choices),
            row_start,
            columns,
            values: values.finish(),
            initial: vec![],
            deadlocks: BitSet::new(next),
            labels: vec![],
            rewards: vec![],
            actions: vec![String::new()],
        };
        Ok(Product { space, choice_of, steps, keys: found, width, automata, met })
    }

    /// The state of the MDP behind a state.
    pub fn state_of(&self, state: usize) -> u32 {
        self.keys[state * self.width]
    }

    /// Numbers of the memories of all states: those of the automata and the steps so far.
    pub fn memories(&self) -> Vec<u32> {
        let mut numbers: FxHashMap<&[u32], u32> = FxHashMap::default();
        let mut memories = Vec::with_capacity(self.keys.len() / self.width);
        for key in self.keys.chunks_exact(self.width) {
            let next = numbers.len() as u32;
            memories.push(*numbers.entry(&key[1..]).or_insert(next));
        }
        memories
    }

    /// The marks that a run has to visit again and again to satisfy an automaton by one of its pairs, where it has any left to
    /// visit.
    pub fn marks_to_meet(&self, automaton: usize, pair: usize) -> &[u32] {
        &self.pairs_of(automaton)[pair].meet
    }

    /// Whether a mark is met at a state, or need not be met any more.
    pub fn meets(&self, state: usize, automaton: usize, mark: u32) -> bool {
        match self.met[state * self.automata.len() + automaton] {
            Met::Decided(accepted) => accepted,
            Met::Marks(marks) => self.automata[automaton].has_mark(marks, mark),
        }
    }

    /// The number of acceptance pairs of an automaton.
    pub fn pairs(&self, automaton: usize) -> usize {
        self.pairs_of(automaton).len()
    }

    /// That there are not too many was made sure of.
    fn pairs_of(&self, automaton: usize) -> &[Pair] {
        self.automata[automaton].pairs().unwrap_or(&[])
    }

    /// Whether a run may stay at a state and satisfy an automaton by one of its pairs.
    pub fn may_stay(&self, state: usize, automaton: usize, pair: usize) -> bool {
        match self.met[state * self.automata.len() + automaton] {
            Met::Decided(accepted) => accepted,
            Met::Marks(marks) => {
                let of = &self.automata[automaton];
                !of.has_mark(marks, self.pairs_of(automaton)[pair].avoid)
            }
        }
    }

    /// Whether a run that visits exactly these states again and again, where it may stay, satisfies an automaton by one
    /// of its pairs.
    pub fn satisfies(&self, states: &[u32], automaton: usize, pair: usize) -> bool {
        let of = &self.automata[automaton];
        self.pairs_of(automaton)[pair].meet.iter().all(|&mark| {
            states.iter().any(|&s| match self.met[s as usize * self.automata.len() + automaton] {
                Met::Decided(accepted) => accepted,
                Met::Marks(marks) => of.has_mark(marks, mark),
            })
        })
    }

    /// The number of states of the automata that occur, for messages.
    pub fn describe(&self) -> String {
        format!("product of {} states", self.space.num_states())
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        let automata: u64 = self.automata.iter().map(Deterministic::bytes).sum();
        let lists = 4 * (self.choice_of.len() + self.keys.len()) + 8 * (self.steps.len() + self.met.len());
        self.space.bytes() + automata + lists as u64
    }
}
