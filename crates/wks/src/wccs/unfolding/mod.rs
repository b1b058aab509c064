//! The states of a process, generated as they are asked for.
//!
//! A state is a term in a context of restrictions and relabellings. Parallel composition and choice are flattened into sorted lists of
//! parts with counts, `0` drops out of them, and a name stands for its definition: fewer states than terms, with the same behaviour
//! (a strong bisimulation that keeps propositions, multiplicities and weights). Steps of parts are computed once; those of states are not
//! kept.

mod build;
mod context;
mod explore;
mod limits;
mod memo;
mod steps;
mod store;
mod text;
mod valuations;

use limits::NONE;
pub use limits::TooLarge;

pub use explore::NoStructure;

use crate::wccs::Wccs;
use context::Contexts;
use memo::{Found, Memo, MemoStep, Piece};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;
use store::{Kind, Lists, Part, Store};
use valuations::Valuations;
use volvelle_space::WeightedStep;

/// A term in a context.
#[derive(Clone, Copy, Debug)]
struct State {
    term: u32,
    context: u32,
    valuation: u32,
}

/// The unfolding of a process: states have numbers from 0 on, in the order in which they are met.
#[derive(Clone, Debug)]
pub struct Unfolding {
    system: Arc<Wccs>,
    store: Store,
    contexts: Contexts,
    valuations: Valuations,
    /// Terms by the number of the term as it is written; [`NONE`] where it was not needed yet.
    term_of: Vec<u32>,
    /// Parts in lists that came from the text.
    written_parts: usize,
    /// Names of terms that are the definition of a process.
    names: FxHashMap<(u32, u32), u32>,
    states: Vec<State>,
    /// States of terms that are states in several contexts, but for the first one.
    further: FxHashMap<(u32, u32), u32>,
    /// Valuations in contexts.
    renamed: FxHashMap<(u32, u32), u32>,
    memos: Vec<Memo>,
    memo_steps: Vec<MemoStep>,
    /// By context and part: the steps of the part alone that the context lets through.
    alone: Vec<Vec<(u32, u32)>>,
    // Buffers.
    found: Vec<Found>,
    pieces: Vec<Piece>,
    parts: Vec<Part>,
    moved: Lists,
}

impl Unfolding {
    /// The unfolding of the process with this number.
    ///
    /// # Errors
    /// The initial term is too large.
    ///
    /// # Panics
    /// There is no process with this number.
    pub fn new(system: impl Into<Arc<Wccs>>, process: u32) -> Result<Self, TooLarge> {
        let system = system.into();
        let body = system.processes[process as usize].body;
        let mut unfolding = Unfolding {
            store: Store::new(),
            contexts: Contexts::new(&system),
            valuations: Valuations::new(),
            term_of: vec![NONE; system.terms.len()],
            written_parts: 0,
            names: FxHashMap::default(),
            states: Vec::new(),
            further: FxHashMap::default(),
            renamed: FxHashMap::default(),
            memos: Vec::new(),
            memo_steps: Vec::new(),
            alone: Vec::new(),
            found: Vec::new(),
            pieces: Vec::new(),
            parts: Vec::new(),
            moved: Lists::default(),
            system,
        };
        let term = unfolding.term_of(body)?;
        let key = unfolding.without_context(term);
        unfolding.names.entry(key).or_insert(process);
        unfolding.state(context::IDENTITY, term)?;
        Ok(unfolding)
    }

    /// The definitions.
    pub fn system(&self) -> &Wccs {
        &self.system
    }

    /// The initial state: 0.
    pub fn initial(&self) -> u32 {
        0
    }

    /// How many states have numbers.
    pub fn num_states(&self) -> usize {
        self.states.len()
    }

    /// Appends the steps of a state, sorted, each once.
    ///
    /// # Errors
    /// A successor is too large.
    pub fn steps(&mut self, state: u32, into: &mut Vec<WeightedStep>) -> Result<(), TooLarge> {
        let State { term, context, .. } = self.states[state as usize];
        self.steps_of(term, context)?;
        self.take(context, 0..self.found.len(), into)
    }

    /// Appends some of the steps that were found, those of a state in this context, as [`Self::steps`] gives them.
    fn take(
        &mut self,
        context: u32,
        found: Range<usize>,
        into: &mut Vec<WeightedStep>,
    ) -> Result<(), TooLarge> {
        let start = into.len();
        for at in found {
            let Found { weight, target, .. } = self.found[at];
            let target = self.state(context, target)?;
            into.push(WeightedStep { weight: self.system.weights[weight as usize], target });
        }
        let added = &mut into[start..];
        added.sort_unstable();
        let mut kept = start;
        for at in start..into.len() {
            if kept == start || into[kept - 1] != into[at] {
                into[kept] = into[at];
                kept += 1;
            }
        }
        into.truncate(kept);
        Ok(())
    }

    /// The propositions of a state: numbers in increasing order, each with its multiplicity, which is positive.
    pub fn valuation(&self, state: u32) -> &[(u32, u32)] {
        self.valuations.get(self.valuation_of(state))
    }

    /// The number of the propositions of a state: equal exactly for states with the same propositions and multiplicities.
    pub fn valuation_of(&self, state: u32) -> u32 {
        self.states[state as usize].valuation
    }

    /// How many times a state has a proposition.
    pub fn multiplicity(&self, state: u32, proposition: u32) -> u32 {
        let valuation = self.valuation(state);
        valuation.iter().find(|&&(known, _)| known == proposition).map_or(0, |&(_, times)| times)
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let alone: usize = self.alone.iter().map(|parts| 8 * parts.capacity() + 24).sum();
        let maps = 16 * (self.names.capacity() + self.further.capacity() + self.renamed.capacity());
        (self.store.bytes()
            + self.contexts.bytes()
            + self.valuations.bytes()
            + 4 * self.term_of.capacity()
            + size_of::<State>() * self.states.capacity()
            + size_of::<Memo>() * self.memos.capacity()
            + size_of::<MemoStep>() * self.memo_steps.capacity()
            + alone
            + maps) as u64
    }

    /// The number of a term in a context as a state.
    #[inline]
    fn state(&mut self, context: u32, term: u32) -> Result<u32, TooLarge> {
        let entry = self.store.entry(term);
        if entry.context == context && entry.state != NONE {
            return Ok(entry.state);
        }
        let (context, term) = match entry.kind {
            Kind::Mapped => {
                let (inner, term) = (entry.a, entry.b);
                (self.contexts.compose(context, inner), term)
            }
            Kind::Null => (context::IDENTITY, term),
            _ => (context, term),
        };
        let entry = self.store.entry(term);
        if entry.state != NONE {
            if entry.context == context {
                return Ok(entry.state);
            }
            if let Some(&state) = self.further.get(&(context, term)) {
                return Ok(state);
            }
        }
        let number = u32::try_from(self.states.len()).ok().filter(|&n| n != NONE).ok_or(TooLarge::States)?;
        let valuation = self.renamed(context, entry.valuation)?;
        let entry = self.store.entry_mut(term);
        if entry.state == NONE {
            (entry.context, entry.state) = (context, number);
        } else {
            self.further.insert((context, term), number);
        }
        self.states.push(State { term, context, valuation });
        Ok(number)
    }

    /// A valuation as it is seen from outside a context.
    fn renamed(&mut self, context: u32, valuation: u32) -> Result<u32, TooLarge> {
        if valuation == valuations::EMPTY || self.contexts.keeps_propositions(context) {
            return Ok(valuation);
        }
        if let Some(&known) = self.renamed.get(&(context, valuation)) {
            return Ok(known);
        }
        let contexts = &self.contexts;
        let new = self.valuations.renamed(valuation, |old| contexts.proposition(context, old))?;
        self.renamed.insert((context, valuation), new);
        Ok(new)
    }
}
