//! A worker of the breadth-first search: takes runs of states and interns their successors.

use super::levels::slice;
use super::{Erring, Errors, Shared, Work};
use crate::store::{Interning, Sources, StateSet};
use crate::system::Expander;
use crate::unfold::{Call, Unfolder};
use crate::visited::{Halt, lock, read};
use std::collections::btree_map::Entry;
use std::sync::atomic::Ordering;

/// Most states of a run.
const LONGEST_RUN: u64 = 1024;

/// Successors that a run should have, about: what the buffers of a batch hold in cache.
const RIGHT_SUCCESSORS: usize = 2048;

/// A worker with its machine and buffers.
pub struct Worker<'a> {
    shared: &'a Shared<'a>,
    lane: usize,
    /// Leaves out successors where it can.
    reducing: Box<dyn Expander + 'a>,
    /// Gives all successors.
    full: Box<dyn Expander + 'a>,
    /// For each source: how many transitions, whether successors were left out, whether one is of the next level.
    counts: Vec<u32>,
    reduced: Vec<bool>,
    deeper: Vec<bool>,
    again: Sources,
    unfolder: Unfolder,
    sources: Sources,
    batch: Interning,
    /// States to take at once.
    run: u64,
}

impl<'a> Worker<'a> {
    /// A worker that inserts by way of a lane of its own.
    pub fn new(shared: &'a Shared<'a>, lane: usize) -> Self {
        Worker {
            shared,
            lane,
            reducing: shared.system.reducing_expander(),
            full: shared.system.swift_expander(),
            counts: Vec::new(),
            reduced: Vec::new(),
            deeper: Vec::new(),
            again: Sources::default(),
            unfolder: Unfolder::new(shared.system.words()),
            sources: Sources::default(),
            batch: Interning::default(),
            run: 64,
        }
    }

    /// Enters the initial states.
    pub fn intern_initial(&mut self) {
        let initial = self.shared.system.initial();
        let visited = &self.shared.visited;
        let entered = visited.intern_alone(self.lane, &initial, &mut self.batch);
        if let Err(halt) = entered.and_then(|()| visited.check(0)) {
            self.shared.halt(halt);
        }
    }

    /// Works on the current level until nothing is left of it, or somebody halts.
    pub fn work(&mut self) {
        let shared = self.shared;
        let work = read(&shared.work);
        let mut errors = Errors::new();
        while !shared.halted.load(Ordering::Relaxed) {
            // Small runs while there is little to do, so that every worker gets some.
            let fair = work.states.div_ceil(4 * shared.threads as u64);
            let run = self.run.min(fair);
            let first = shared.taken.fetch_add(run, Ordering::Relaxed);
            if first >= work.states {
                break;
            }
            self.sources.clear();
            let runs = slice(&work.runs, first..(first + run).min(work.states));
            shared.visited.load(runs, &mut self.sources);
            let unfolded = self.unfold_all(&work, &mut errors);
            if let Err(halt) = unfolded.and_then(|()| shared.visited.check(0)) {
                shared.halt(halt);
            }
        }
        if !errors.is_empty() {
            let mut all = lock(&shared.errors);
            for (site, erring) in errors {
                note(&mut all, site, erring.depth, &erring.source);
            }
        }
    }

    /// Unfolds the loaded sources; those once more, in full, whose successors are all of this level or an earlier one:
    /// a step that is left out on a cycle of such states would never be taken. (A successor of the next level is
    /// expanded later, so on every cycle some state is expanded in full.)
    fn unfold_all(&mut self, work: &Work, errors: &mut Errors) -> Result<(), Halt> {
        let words = self.shared.system.words();
        let count = self.sources.words.len() / words;
        self.counts.clear();
        self.counts.resize(count, 0);
        self.reduced.clear();
        self.reduced.resize(count, false);
        self.deeper.clear();
        self.deeper.resize(count, false);
        self.unfold(work, true, errors)?;
        if !self.reduced.contains(&true) {
            return Ok(());
        }
        self.again.clear();
        let mut counted_twice = 0;
        for source in 0..count {
            if self.reduced[source] && !self.deeper[source] {
                let number = self.sources.number(source);
                self.shared.visited.load(std::iter::once(number..number + 1), &mut self.again);
                counted_twice += u64::from(self.counts[source]);
            }
        }
        if self.again.words.is_empty() {
            return Ok(());
        }
        self.shared.transitions.fetch_sub(counted_twice, Ordering::Relaxed);
        std::mem::swap(&mut self.sources, &mut self.again);
        self.unfold(work, false, errors)
    }

    /// Unfolds the loaded sources and interns what comes out.
    fn unfold(&mut self, work: &Work, reduce: bool, errors: &mut Errors) -> Result<(), Halt> {
        let depth = work.depth;
        let words = self.shared.system.words();
        let mut transitions = 0;
        let mut steps = 0;
        self.unfolder.start();
        let outcome = loop {
            let expander = if reduce { &mut self.reducing } else { &mut self.full };
            let call = self.unfolder.next(&mut **expander, &self.sources.words);
            if call == Call::Finished {
                break Ok(());
            }
            steps += self.unfolder.out.steps.len();
            transitions += self.unfolder.source_of().len();
            for error in &self.unfolder.out.errors {
                let source = self.unfolder.source(error.source) as usize;
                note(errors, error.site, depth, &self.sources.words[source * words..(source + 1) * words]);
            }
            let (targets, source_of) = (self.unfolder.targets(), self.unfolder.source_of());
            self.batch.clear();
            let visited = &self.shared.visited;
            if let Err(halt) =
                visited.intern(self.lane, &mut self.sources, targets, source_of, &mut self.batch)
            {
                break Err(halt);
            }
            if reduce {
                for &call in &self.unfolder.out.reduced {
                    self.reduced[self.unfolder.source(call) as usize] = true;
                }
                for (&number, &source) in self.batch.numbers.iter().zip(source_of) {
                    self.counts[source as usize] += 1;
                    self.deeper[source as usize] |= !StateSet::is_before(number, &work.known);
                }
            }
            if let Call::NeedsRoom { code } = call {
                break Err(Halt::NeedsRoom(code));
            }
        };
        self.shared.transitions.fetch_add(transitions as u64, Ordering::Relaxed);
        self.shared.steps.fetch_add(steps as u64, Ordering::Relaxed);
        let size = steps.max(self.unfolder.inner.len());
        if size > 2 * RIGHT_SUCCESSORS {
            self.run = (self.run / 2).max(1);
        } else if size < RIGHT_SUCCESSORS {
            self.run = (self.run * 2).min(LONGEST_RUN);
        }
        outcome
    }
}

/// Keeps the smallest source of each site; a lower depth is there first.
fn note(errors: &mut Errors, site: u32, depth: usize, source: &[u64]) {
    match errors.entry(site) {
        Entry::Vacant(entry) => {
            entry.insert(Erring { depth, source: source.to_vec() });
        }
        Entry::Occupied(mut entry) => {
            let known = entry.get_mut();
            if known.depth == depth && source < &known.source[..] {
                known.source.clear();
                known.source.extend_from_slice(source);
            }
        }
    }
}
