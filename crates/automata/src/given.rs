//! Deterministic automata of both origins: translated from a formula, or given.
//!
//! A given automaton may have any condition on what recurs. As a disjunction it is one of generalised Rabin pairs: a mark of a
//! pair to avoid stands for several kinds of transitions. Its complement has the opposite condition.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use volvelle_logic::{Acceptance, Among, OmegaAutomaton};

use crate::automaton::{Automaton, Pair, StateId, Step, Verdict};
use crate::normal::TooLarge;

/// Pairs that a condition may become.
const MOST_PAIRS: usize = 1 << 10;

/// A deterministic automaton.
#[derive(Clone, Debug)]
pub enum Deterministic {
    /// Translated from a formula.
    Translated(Box<Automaton>),
    /// Given.
    Given(Box<Given>),
}

/// An automaton that is given, or its complement.
#[derive(Clone, Debug)]
pub struct Given {
    automaton: Arc<OmegaAutomaton>,
    acceptance: Acceptance,
    negated: bool,
    /// The letters, one bit for each proposition.
    letters: Vec<u64>,
    /// The pairs; `None` if there are too many.
    pairs: Option<Vec<Pair>>,
    /// For every mark the kinds of transitions that it stands for.
    kinds: Vec<Vec<Among>>,
    /// The sets behind the marks of a step.
    marks: Vec<u64>,
    mark_ids: FxHashMap<u64, u32>,
    verdicts: Vec<Verdict>,
    seen: Vec<bool>,
    states: usize,
}

impl Given {
    /// For the letters that may occur: each maps every proposition to its truth value. With `negated`, the complement.
    pub fn new(automaton: Arc<OmegaAutomaton>, negated: bool, letters: &[Vec<bool>]) -> Self {
        let acceptance = if negated { automaton.acceptance.negation() } else { automaton.acceptance.clone() };
        let word =
            |letter: &Vec<bool>| letter.iter().rev().fold(0u64, |word, &bit| word << 1 | u64::from(bit));
        let mut kinds = Vec::new();
        let clauses = acceptance.clauses(MOST_PAIRS);
        let pairs = clauses.map(|clauses| {
            let mut pairs = Vec::new();
            for clause in clauses {
                let avoid = kinds.len() as u32;
                kinds.push(clause.finitely);
                let meet = clause.infinitely.into_iter().map(|among| {
                    kinds.push(vec![among]);
                    kinds.len() as u32 - 1
                });
                pairs.push(Pair { avoid, meet: meet.collect() });
            }
            pairs
        });
        // One state more: where runs go that find no transition.
        let states = automaton.start.len() - 1;
        let (lost, won) = match negated {
            false => (Verdict::Rejects, Verdict::Accepts),
            true => (Verdict::Accepts, Verdict::Rejects),
        };
        let verdict = |state: usize| match automaton.edges_of(state as u32) {
            [] => lost,
            // The state is never left, whatever is read.
            edges if edges.iter().all(|e| e.target as usize == state && e.sets == edges[0].sets) => {
                match automaton.acceptance.holds(&[edges[0].sets]) {
                    false => lost,
                    true if edges.iter().any(|edge| edge.letters.mask == 0) => won,
                    true => Verdict::Open,
                }
            }
            _ => Verdict::Open,
        };
        let verdicts = (0..states).map(verdict).chain([lost]).collect();
        Given {
            letters: letters.iter().map(word).collect(),
            acceptance,
            negated,
            pairs,
            kinds,
            marks: Vec::new(),
            mark_ids: FxHashMap::default(),
            verdicts,
            seen: vec![false; states + 1],
            states: 0,
            automaton,
        }
    }

    fn initial(&self) -> StateId {
        StateId(self.automaton.initial.unwrap_or(self.sink()))
    }

    /// The state of runs that found no transition.
    fn sink(&self) -> u32 {
        self.automaton.start.len() as u32 - 1
    }

    fn step(&mut self, state: StateId, letter: u32) -> Step {
        let sink = self.sink();
        if !std::mem::replace(&mut self.seen[state.0 as usize], true) {
            self.states += 1;
        }
        let found =
            if state.0 == sink { None } else { self.automaton.edge(state.0, self.letters[letter as usize]) };
        let (next, sets) = found.map_or((sink, 0), |edge| (edge.target, edge.sets));
        let next_mark = self.marks.len() as u32;
        let marks = *self.mark_ids.entry(sets).or_insert(next_mark);
        if marks == next_mark {
            self.marks.push(sets);
        }
        Step { next: StateId(next), marks }
    }

    fn has_mark(&self, marks: u32, mark: u32) -> bool {
        let sets = self.marks[marks as usize];
        self.kinds[mark as usize].iter().any(|among| among.contains(sets))
    }

    fn accepts(&self, recurring: &[u32]) -> bool {
        let sets: Vec<u64> = recurring.iter().map(|&marks| self.marks[marks as usize]).collect();
        self.acceptance.holds(&sets)
    }

    /// Whether it is the complement.
    pub fn is_negated(&self) -> bool {
        self.negated
    }
}

impl Deterministic {
    /// The state before anything is read.
    pub fn initial(&self) -> StateId {
        match self {
            Deterministic::Translated(automaton) => automaton.initial(),
            Deterministic::Given(given) => given.initial(),
        }
    }

    /// The acceptance condition: a word is accepted if one of the pairs is fulfilled.
    ///
    /// # Errors
    /// There are too many.
    pub fn pairs(&self) -> Result<&[Pair], TooLarge> {
        match self {
            Deterministic::Translated(automaton) => Ok(automaton.pairs()),
            Deterministic::Given(given) => {
                let too_large =
                    TooLarge { what: "pairs that the acceptance condition of the automaton becomes" };
                given.pairs.as_deref().ok_or(too_large)
            }
        }
    }

    /// Whether a word is accepted on which these are the marks of the steps that recur.
    pub fn accepts(&self, recurring: &[u32]) -> bool {
        match self {
            Deterministic::Translated(automaton) => {
                let some = |mark: u32| recurring.iter().any(|&marks| automaton.has_mark(marks, mark));
                automaton.pairs().iter().any(|p| !some(p.avoid) && p.meet.iter().all(|&m| some(m)))
            }
            Deterministic::Given(given) => given.accepts(recurring),
        }
    }

    /// Number of states found so far.
    pub fn num_states(&self) -> usize {
        match self {
            Deterministic::Translated(automaton) => automaton.num_states(),
            Deterministic::Given(given) => given.states,
        }
    }

    /// The verdict about all words that are read from a state on.
    pub fn verdict(&self, state: StateId) -> Verdict {
        match self {
            Deterministic::Translated(automaton) => automaton.verdict(state),
            Deterministic::Given(given) => given.verdicts[state.0 as usize],
        }
    }

    /// Whether a set of marks, as a [`Step`] has it, has a mark.
    pub fn has_mark(&self, marks: u32, mark: u32) -> bool {
        match self {
            Deterministic::Translated(automaton) => automaton.has_mark(marks, mark),
            Deterministic::Given(given) => given.has_mark(marks, mark),
        }
    }

    /// Reads a letter.
    pub fn step(&mut self, state: StateId, letter: u32) -> Result<Step, TooLarge> {
        match self {
            Deterministic::Translated(automaton) => automaton.step(state, letter),
            Deterministic::Given(given) => Ok(given.step(state, letter)),
        }
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        match self {
            Deterministic::Translated(automaton) => automaton.bytes(),
            Deterministic::Given(given) => {
                (32 * given.automaton.edges.len() + 8 * given.seen.len() + 32 * given.marks.len()) as u64
            }
        }
    }
}
