//! A worker of the breadth-first search: takes runs of states and interns their successors.

use super::levels::slice;
use super::{Erring, Errors, Shared, Work};
use crate::atomic::{AtomicExpander, Call};
use crate::store::{Interning, Sources, StateSet};
use crate::successors::Expander;
use crate::turns::Turns;
use crate::visited::{Halt, lock, read};
use std::collections::btree_map::Entry;
use std::sync::atomic::Ordering;
use volvelle_control::Stop;

/// Most states of a run.
const LONGEST_RUN: u64 = 1024;

/// Approximate number of successors of a run: what the buffers of a batch hold in cache.
const RIGHT_SUCCESSORS: usize = 2048;

/// A worker with its machine and buffers.
pub struct Worker<'a> {
    pub shared: &'a Shared<'a>,
    lane: usize,
    /// Returns ample sets if possible.
    reducing: Box<dyn Expander + 'a>,
    /// Returns all successors.
    full: Box<dyn Expander + 'a>,
    /// For each source: whether successors were left out; and whether one is on the next level or satisfies
    /// the proviso.
    reduced: Vec<bool>,
    goes_on: Vec<bool>,
    /// Whether successors were left out of any state.
    leaves_out: bool,
    atomic: AtomicExpander,
    sources: Sources,
    batch: Interning,
    /// States to take at once.
    run: u64,
}

impl<'a> Worker<'a> {
    /// A worker that inserts through its own lane.
    pub fn new(shared: &'a Shared<'a>, lane: usize) -> Self {
        Worker {
            shared,
            lane,
            reducing: shared.system.partial_order_reducing_expander(),
            full: shared.system.path_compressing_expander(),
            reduced: Vec::new(),
            goes_on: Vec::new(),
            leaves_out: false,
            atomic: AtomicExpander::new(shared.system.words()),
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

    /// Expands the current level until it is done, or a worker halts.
    pub fn work(&mut self) {
        let shared = self.shared;
        let work = read(&shared.work);
        let mut errors = Errors::new();
        while !shared.halted.load(Ordering::Relaxed) {
            // Small runs while there is little work, so that every worker gets some.
            let fair = work.states.div_ceil(4 * shared.threads as u64);
            let run = self.run.min(fair);
            let first = shared.taken.fetch_add(run, Ordering::Relaxed);
            if first >= work.states {
                break;
            }
            self.sources.clear();
            let runs = slice(&work.runs, first..(first + run).min(work.states));
            shared.visited.load(runs, &mut self.sources);
            let expanded = self.expand_all(&work, &mut errors);
            if let Err(halt) = expanded.and_then(|()| shared.visited.check(0)) {
                shared.halt(halt);
            }
            // A level may be much work; the answer may be known before its end.
            if shared.turns.is_some_and(Turns::probe_precedes) {
                shared.give_way();
            }
        }
        if !errors.is_empty() {
            let mut all = lock(&shared.errors);
            for (site, erring) in errors {
                note(&mut all, site, erring.level, &erring.source);
            }
        }
    }

    /// Expands the loaded sources, and records the terminal states of the ignoring proviso.
    fn expand_all(&mut self, work: &Work, errors: &mut Errors) -> Result<(), Halt> {
        if work.again {
            return self.expand(work, false, errors);
        }
        let words = self.shared.system.words();
        let count = self.sources.words.len() / words;
        if !work.reduce {
            self.expand(work, false, errors)?;
            for source in 0..count {
                self.shared.satisfied.insert(self.sources.number(source));
            }
            return Ok(());
        }
        self.reduced.clear();
        self.reduced.resize(count, false);
        self.goes_on.clear();
        self.goes_on.resize(count, false);
        self.expand(work, true, errors)?;
        let left_out = self.reduced.iter().filter(|&&reduced| reduced).count();
        self.shared.left_out.fetch_add(left_out as u64, Ordering::Relaxed);
        self.leaves_out |= left_out > 0;
        if !self.leaves_out {
            return Ok(());
        }
        let mut terminals = Vec::new();
        for source in 0..count {
            let number = self.sources.number(source);
            match (self.reduced[source], self.goes_on[source]) {
                (false, _) => {
                    self.shared.satisfied.insert(number);
                }
                (true, false) => terminals.push(number),
                (true, true) => {}
            }
        }
        if !terminals.is_empty() {
            lock(&self.shared.terminals).append(&mut terminals);
        }
        Ok(())
    }

    /// The ample set of a known state; returns whether successors are left out.
    pub fn reduced_targets(&mut self, state: u32, targets: &mut Vec<u32>) -> Result<bool, Halt> {
        let visited = &self.shared.visited;
        self.sources.clear();
        visited.load(std::iter::once(state..state + 1), &mut self.sources);
        self.batch.clear();
        self.atomic.start();
        let mut is_reduced = false;
        loop {
            match self.atomic.next(&mut *self.reducing, &self.sources.words) {
                Call::Finished => break,
                Call::LayoutOverflow { code } => return Err(Halt::LayoutOverflow(code)),
                Call::Expanded => {}
            }
            is_reduced |= !self.atomic.out.reduced.is_empty();
            let (states, source_of) = (self.atomic.targets(), self.atomic.source_of());
            visited.intern(self.lane, &mut self.sources, states, source_of, &mut self.batch)?;
        }
        targets.extend_from_slice(&self.batch.numbers);
        Ok(is_reduced)
    }

    /// Checks limits and the turns of a probe inside long atomic sequences, where the states after one source
    /// count as work. The largest number for one source does not depend on threads.
    fn check_inside(&self, work: &Work, checked: &mut usize) -> Result<(), Halt> {
        if !self.shared.visited.check_inside(&self.atomic.inner, checked)? {
            return Ok(());
        }
        let units = work.units + Turns::units(0, u64::from(self.atomic.deepest()));
        if self.shared.turns.is_some_and(|turns| !turns.main_goes_on(units)) {
            self.shared.give_way();
            return Err(Halt::Stopped(Stop::Cancelled));
        }
        Ok(())
    }

    /// Expands the loaded sources and interns their targets.
    fn expand(&mut self, work: &Work, reduce: bool, errors: &mut Errors) -> Result<(), Halt> {
        let words = self.shared.system.words();
        let mut transitions = 0;
        let mut steps = 0;
        self.atomic.start();
        let mut checked = 0;
        let outcome = loop {
            if let Err(halt) = self.check_inside(work, &mut checked) {
                break Err(halt);
            }
            let expander = if reduce { &mut self.reducing } else { &mut self.full };
            let call = self.atomic.next(&mut **expander, &self.sources.words);
            if call == Call::Finished {
                break Ok(());
            }
            steps += self.atomic.out.steps.len();
            transitions += self.atomic.source_of().len();
            for error in &self.atomic.out.errors {
                let source = self.atomic.source(error.source) as usize;
                note(
                    errors,
                    error.site,
                    work.level,
                    &self.sources.words[source * words..(source + 1) * words],
                );
            }
            let (targets, source_of) = (self.atomic.targets(), self.atomic.source_of());
            self.batch.clear();
            let visited = &self.shared.visited;
            if let Err(halt) =
                visited.intern(self.lane, &mut self.sources, targets, source_of, &mut self.batch)
            {
                break Err(halt);
            }
            if reduce {
                for &call in &self.atomic.out.reduced {
                    self.reduced[self.atomic.source(call) as usize] = true;
                }
                for (&number, &source) in self.batch.numbers.iter().zip(source_of) {
                    let goes_on = &mut self.goes_on[source as usize];
                    if self.reduced[source as usize] && !*goes_on {
                        *goes_on = !StateSet::is_before(number, &work.known)
                            || self.shared.satisfied.contains(number);
                    }
                }
            }
            if let Call::LayoutOverflow { code } = call {
                break Err(Halt::LayoutOverflow(code));
            }
        };
        self.shared.transitions.fetch_add(transitions as u64, Ordering::Relaxed);
        self.shared.steps.fetch_add(steps as u64, Ordering::Relaxed);
        let size = steps.max(self.atomic.inner.len());
        if size > 2 * RIGHT_SUCCESSORS {
            self.run = (self.run / 2).max(1);
        } else if size < RIGHT_SUCCESSORS {
            self.run = (self.run * 2).min(LONGEST_RUN);
        }
        outcome
    }
}

/// Keeps the smallest source of each site; lower levels are recorded first.
fn note(errors: &mut Errors, site: u32, level: usize, source: &[u64]) {
    match errors.entry(site) {
        Entry::Vacant(entry) => {
            entry.insert(Erring { level, source: source.to_vec() });
        }
        Entry::Occupied(mut entry) => {
            let known = entry.get_mut();
            if known.level == level && source < &known.source[..] {
                known.source.clear();
                known.source.extend_from_slice(source);
            }
        }
    }
}
