//! A worker of the breadth-first search: takes runs of states and interns their successors.

use super::levels::slice;
use super::{Erring, Errors, Halt, Shared, lock, read};
use crate::store::{Interning, Sources};
use crate::system::Expander;
use crate::unfold::{Call, Unfolder};
use std::collections::btree_map::Entry;
use std::sync::atomic::Ordering;
use volvelle_control::Stop;

/// Most states of a run.
const LONGEST_RUN: u64 = 1024;

/// Successors that a run should have, about: what the buffers of a batch hold in cache.
const RIGHT_SUCCESSORS: usize = 4096;

/// A worker with its machine and buffers.
pub struct Worker<'a> {
    shared: &'a Shared<'a>,
    lane: usize,
    expander: Box<dyn Expander + 'a>,
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
            expander: shared.system.expander(),
            unfolder: Unfolder::new(shared.system.words()),
            sources: Sources::default(),
            batch: Interning::default(),
            run: 64,
        }
    }

    /// Enters the initial states.
    pub fn intern_initial(&mut self) {
        let words = self.shared.system.words();
        let initial = self.shared.system.initial();
        let mut rest = &initial[..];
        while rest.len() >= words {
            self.batch.clear();
            let count = read(&self.shared.set).begin_alone(rest, &mut self.batch);
            if let Err(halt) = self.proceed() {
                self.shared.halt(halt);
                return;
            }
            rest = &rest[count * words..];
        }
        self.check_limits();
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
            {
                let set = read(&shared.set);
                for part in slice(&work.runs, first..(first + run).min(work.states)) {
                    set.load(part, &mut self.sources);
                }
            }
            let unfolded = self.unfold(work.depth, &mut errors);
            if let Err(halt) = unfolded {
                shared.halt(halt);
            }
            self.check_limits();
        }
        if !errors.is_empty() {
            let mut all = lock(&shared.errors);
            for (site, erring) in errors {
                note(&mut all, site, erring.depth, &erring.source);
            }
        }
    }

    fn check_limits(&self) {
        let control = self.shared.control;
        let set = read(&self.shared.set);
        let crowded = control.limits.states.is_some_and(|most| set.len() > most);
        let within = control.check().and_then(|()| control.check_memory(set.bytes()));
        let stop = match within {
            Err(stop) => stop,
            Ok(()) if crowded => Stop::States,
            Ok(()) => return,
        };
        self.shared.halt(Halt::Stopped(stop));
    }

    /// Unfolds the loaded sources and interns what comes out.
    fn unfold(&mut self, depth: usize, errors: &mut Errors) -> Result<(), Halt> {
        let words = self.shared.system.words();
        let mut transitions = 0;
        let mut steps = 0;
        self.unfolder.start();
        let outcome = loop {
            let call = self.unfolder.next(&mut *self.expander, &self.sources.words);
            if call == Call::Finished {
                break Ok(());
            }
            steps += self.unfolder.out.steps.len();
            transitions += self.unfolder.source_of().len();
            for error in &self.unfolder.out.errors {
                let source = self.unfolder.source(error.source) as usize;
                note(errors, error.site, depth, &self.sources.words[source * words..(source + 1) * words]);
            }
            if let Err(halt) = self.intern() {
                break Err(halt);
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

    /// Interns the targets of the last call.
    fn intern(&mut self) -> Result<(), Halt> {
        let words = self.shared.system.words();
        let mut at = 0;
        while at < self.unfolder.source_of().len() {
            self.batch.clear();
            let set = read(&self.shared.set);
            let targets = &self.unfolder.targets()[at * words..];
            at += set.begin(&self.sources, targets, &self.unfolder.source_of()[at..], &mut self.batch);
            drop(set);
            self.proceed()?;
        }
        Ok(())
    }

    fn proceed(&mut self) -> Result<(), Halt> {
        while read(&self.shared.set).proceed(self.lane, &mut self.batch).is_err() {
            self.shared.grow()?;
        }
        Ok(())
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
