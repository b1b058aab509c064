//! Claims that a finite prefix of a run decides: breadth-first search for a shortest prefix.
//!
//! If a claim stays in its accepting states whatever follows ([`Claim::is_terminal`]), a run is accepted as
//! soon as the claim reaches one, and no cycle is needed. The product of system and claim is then a system
//! itself, whose errors are states from which the claim can move to an accepting state. The product is that
//! of `crate::product`: the claim reads the observation of a state and moves, then the system moves; states
//! inside an atomic sequence are not observed; a state without successors stays.
//!
//! A state of the product contains the set of possible states of the claim (the subset construction), as
//! bits. If successors are left out, the claim must have a single run for each run of the system: a postponed
//! step is taken from a state that the search reaches by other steps, and a guessing claim could have guessed
//! for those instead (S. F. Siegel, *What's wrong with on-the-fly partial order reduction*, CAV 2019). Claims
//! with more states than bits guess, and then nothing is left out.

use crate::bfs;
use crate::claim::{Claim, ClaimState};
use crate::report::Report;
use crate::successors::{Exit, Expander, StepError, Successors, TRANSIENT};
use crate::system::System;
use crate::trail_builder::Listing;
use crate::turns::Turns;
use std::sync::atomic::{AtomicU64, Ordering};
use volvelle_control::Control;

/// The site of the only error: the claim accepts.
pub const ACCEPTED: u32 = 0;

/// The step of the product in which the claim moves alone.
const STAY: u32 = !TRANSIENT;

/// Set in the claim's word inside atomic sequences, where the claim has moved already.
const INSIDE: u64 = 1 << 63;

/// Limit of states of a claim for which the product keeps the set of possible states.
const MAX_SUBSET: usize = 63;

/// Options of a search.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The claim; [sound](Claim::is_sound) and [terminal](Claim::is_terminal).
    pub claim: &'a Claim,
    /// Whether to leave out successors that the claim does not need, as in
    /// [`crate::liveness::Options::reduce`].
    pub reduce: bool,
    /// States of this depth are not expanded.
    pub max_depth: Option<u64>,
    /// Which trails are given in full.
    pub listing: Listing,
}

struct Prefixes<'a> {
    system: &'a dyn System,
    claim: &'a Claim,
    reduce: bool,
    /// Whether the claim's word is a set of states as bits; otherwise it is the number of one state.
    at_once: bool,
    /// The propositions that have held in a state that the claim read.
    held: AtomicU64,
}

struct Machine<'a> {
    product: &'a Prefixes<'a>,
    words: usize,
    expander: Box<dyn Expander + 'a>,
    sources: Vec<u64>,
    found: Successors,
    /// The propositions that have held in a state read by this worker.
    held: u64,
}

/// Searches for a shortest run that the claim accepts. It is the trail of the only fault, whose last state
/// decides.
pub fn search(system: &dyn System, options: &Options<'_>, control: &Control<'_>) -> Report {
    search_in_turns(system, options, None, control)
}

/// Like [`search`], in turns with a probe if there is one, as [`bfs::search_in_turns`].
pub fn search_in_turns(
    system: &dyn System,
    options: &Options<'_>,
    turns: Option<&Turns>,
    control: &Control<'_>,
) -> Report {
    let Options { claim, reduce, max_depth, listing } = *options;
    assert!(claim.is_sound() && claim.is_terminal(), "the claim is decided by beginnings");
    let at_once = claim.states.len() <= MAX_SUBSET;
    let product = Prefixes { system, claim, reduce: reduce && at_once, at_once, held: AtomicU64::new(0) };
    let options = bfs::Options { all_errors: false, max_depth, no_trails: false, listing };
    let mut report = bfs::search_in_turns(&product, &options, turns, control);
    report.held = product.held.load(Ordering::Relaxed);
    for trail in report.faults.iter_mut().filter_map(|fault| fault.trail.as_mut()) {
        let keep: Vec<bool> = trail.steps.iter().map(|&step| step != STAY).collect();
        if let Some(gap) = &mut trail.gap {
            gap.at -= keep[..gap.at].iter().filter(|&&kept| !kept).count();
        }
        // Keep the first state, and the target of each kept step.
        let mut kept = [true].into_iter().chain(keep.iter().copied());
        trail.states.retain(|_| kept.next() == Some(true));
        trail.steps.retain(|&step| step != STAY);
        for state in &mut trail.states {
            state.truncate(system.words());
        }
    }
    report
}

impl<'a> Prefixes<'a> {
    fn machine(&'a self, expander: Box<dyn Expander + 'a>) -> Box<dyn Expander + 'a> {
        let words = self.system.words();
        Box::new(Machine {
            product: self,
            words,
            expander,
            sources: Vec::new(),
            found: Successors::default(),
            held: 0,
        })
    }

    /// The claim's words after a step from a state of this observation; `None` if the claim accepts.
    fn next(&self, word: u64, observation: u64) -> Option<Vec<u64>> {
        let targets = |at: &ClaimState| {
            let enabled = at.edges.iter().filter(|edge| edge.is_enabled(observation));
            enabled.map(|edge| edge.target).collect::<Vec<u32>>()
        };
        let accepts = |at: u32| self.claim.states[at as usize].accepting;
        if !self.at_once {
            let next = targets(&self.claim.states[word as usize]);
            let accepted = accepts(word as u32) || next.iter().any(|&at| accepts(at));
            return (!accepted).then(|| next.into_iter().map(u64::from).collect());
        }
        let next = self.claim.next_subset(word, observation)?;
        Some(if next == 0 { Vec::new() } else { vec![next] })
    }
}

impl System for Prefixes<'_> {
    fn words(&self) -> usize {
        self.system.words() + 1
    }

    fn is_product(&self) -> bool {
        true
    }

    fn initial(&self) -> Vec<u64> {
        let words = self.system.words();
        let claim = if self.at_once { 1 << self.claim.initial } else { u64::from(self.claim.initial) };
        let with_claim = |state: &[u64]| [state, &[claim]].concat();
        self.system.initial().chunks_exact(words).flat_map(with_claim).collect()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        self.machine(self.system.expander())
    }

    fn path_compressing_expander(&self) -> Box<dyn Expander + '_> {
        self.machine(self.system.path_compressing_expander())
    }

    fn counting_expander(&self) -> Option<Box<dyn Expander + '_>> {
        self.system.counting_expander().map(|expander| self.machine(expander))
    }

    fn partial_order_reducing_expander(&self) -> Box<dyn Expander + '_> {
        self.machine(if self.reduce {
            self.system.partial_order_reducing_expander()
        } else {
            self.system.path_compressing_expander()
        })
    }
}

impl Expander for Machine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        self.expand_within(states, &[], out)
    }

    fn expand_within(&mut self, states: &[u64], reach: &[u64], out: &mut Successors) -> Exit {
        let words = self.words;
        self.sources.clear();
        for state in states.chunks_exact(words + 1) {
            self.sources.extend_from_slice(&state[..words]);
        }
        let exit = self.expander.expand_within(&self.sources, reach, &mut self.found);
        out.clear();
        let mut reduced = self.found.reduced.iter().peekable();
        let (mut first, mut held) = (0, 0);
        for (source, state) in states.chunks_exact(words + 1).take(self.found.ends.len()).enumerate() {
            let end = self.found.ends[source] as usize;
            let before = out.steps.len();
            if state[words] & INSIDE == 0 {
                held |= self.found.observations[source];
            }
            self.combine(source as u32, state, first..end, out);
            // If the claim cannot move, nothing was left out.
            if reduced.next_if(|&&at| at as usize == source).is_some() && out.steps.len() > before {
                out.reduced.push(source as u32);
            }
            out.ends.push(out.steps.len() as u32);
            out.observations.push(0);
            first = end;
        }
        self.note_held(held);
        exit
    }
}

impl Machine<'_> {
    /// Records the propositions that hold in some state. They are nearly always known, so workers share no
    /// writes.
    fn note_held(&mut self, held: u64) {
        if held & !self.held != 0 {
            self.held |= held;
            self.product.held.fetch_or(held, Ordering::Relaxed);
        }
    }

    /// The successors of a state of the product, from those of the system.
    fn combine(&self, source: u32, state: &[u64], successors: std::ops::Range<usize>, out: &mut Successors) {
        let (state, word) = (&state[..self.words], state[self.words]);
        if word & INSIDE != 0 {
            return self.append(successors, word & !INSIDE, out);
        }
        let observation = self.found.observations[source as usize];
        let Some(next) = self.product.next(word, observation) else {
            out.errors.push(StepError { source, successor: None, site: ACCEPTED, step: 0 });
            return;
        };
        for claim in next {
            if successors.is_empty() {
                out.states.extend_from_slice(state);
                out.states.push(claim);
                out.steps.push(STAY);
                if !self.found.lengths.is_empty() {
                    out.lengths.push(1);
                }
            }
            self.append(successors.clone(), claim, out);
        }
    }

    /// Appends successors of the system with a state of the claim.
    fn append(&self, successors: std::ops::Range<usize>, claim: u64, out: &mut Successors) {
        for at in successors {
            let step = self.found.steps[at];
            out.states.extend_from_slice(&self.found.states[at * self.words..(at + 1) * self.words]);
            out.states.push(if step & TRANSIENT != 0 { claim | INSIDE } else { claim });
            out.steps.push(step);
            out.lengths.extend(self.found.lengths.get(at));
        }
    }
}
