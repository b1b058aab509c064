//! The successors of states, through atomic sequences, with the limits of a run.

use super::{Halt, Shared, Subject};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use volvelle_search::{AtomicExpander, Call, Expander, System};

/// A successor of a state.
pub(super) struct Target<'a> {
    /// Which of the sources leads to it.
    pub source: usize,
    /// Packed.
    pub state: &'a [u64],
    /// The step of the source with which the path to it begins.
    pub step: u32,
}

/// Finds successors for one worker.
pub(super) struct Unfolder<'s> {
    pub subject: &'s Subject<'s>,
    pub shared: &'s Shared<'s>,
    expander: Box<dyn Expander + 's>,
    atomic: AtomicExpander,
    /// Sites at which steps failed.
    pub failures: BTreeSet<u32>,
    /// Sources, and their stored successors, so far.
    pub states: u64,
    pub transitions: u64,
    /// Bytes that the caller holds, as they were told last.
    held: u64,
    /// By source of the last call: whether it has a successor.
    goes_on: Vec<bool>,
}

impl<'s> Unfolder<'s> {
    /// For a worker that shares limits with others.
    pub fn new(subject: &'s Subject<'s>, shared: &'s Shared<'s>) -> Self {
        Unfolder {
            subject,
            shared,
            expander: subject.system.path_compressing_expander(),
            atomic: AtomicExpander::new(subject.system.words()),
            failures: BTreeSet::new(),
            states: 0,
            transitions: 0,
            held: 0,
            goes_on: Vec::new(),
        }
    }

    /// Calls `take` with every successor of some states (packed).
    pub fn expand(
        &mut self,
        sources: &[u64],
        mut take: impl FnMut(Target<'_>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let words = self.subject.system.words();
        let end_site = self.subject.program.network.end_site.map(|site| site.0);
        let count = sources.len() / words;
        self.goes_on.clear();
        self.goes_on.resize(count, false);
        self.atomic.start();
        loop {
            let call = self.atomic.next(&mut *self.expander, sources);
            match call {
                Call::Finished => break,
                Call::LayoutOverflow { code } => return Err(Halt::LayoutOverflow(code)),
                Call::Expanded => {}
            }
            for error in &self.atomic.out.errors {
                if Some(error.site) != end_site {
                    self.failures.insert(error.site);
                }
            }
            let targets = self.atomic.targets().chunks_exact(words);
            let origins = self.atomic.source_of().iter().zip(self.atomic.first_steps());
            for (state, (&source, &step)) in targets.zip(origins) {
                let source = source as usize;
                self.goes_on[source] = true;
                self.transitions += 1;
                take(Target { source, state, step })?;
            }
        }
        self.states += count as u64;
        self.shared.states.fetch_add(count as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Does some work: what it gives, with the states that were explored for it, and how it ended, as workers tell it.
    pub fn counted<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Halt>,
    ) -> ((Option<T>, u64), Result<(), Halt>) {
        let before = self.states;
        let result = work(self);
        let states = self.states - before;
        match result {
            Ok(found) => ((Some(found), states), Ok(())),
            Err(halt) => ((None, states), Err(halt)),
        }
    }

    /// Sources of the last call that have no successor.
    pub fn dead_ends(&self) -> u64 {
        self.goes_on.iter().filter(|&&goes_on| !goes_on).count() as u64
    }

    /// Looks at the limits, with so many bytes held by this worker. Reads the clock.
    pub fn check(&mut self, bytes: u64) -> Result<(), Halt> {
        let shared = self.shared;
        let all = shared.bytes.fetch_add(bytes.wrapping_sub(self.held), Ordering::Relaxed);
        let all = all.wrapping_add(bytes.wrapping_sub(self.held));
        self.held = bytes;
        shared.control.check().map_err(Halt::Stopped)?;
        shared.control.check_memory(all).map_err(Halt::Stopped)?;
        shared.check_states()?;
        shared.report(all);
        Ok(())
    }
}

impl Drop for Unfolder<'_> {
    fn drop(&mut self) {
        self.shared.bytes.fetch_sub(self.held, Ordering::Relaxed);
        self.shared.transitions.fetch_add(self.transitions, Ordering::Relaxed);
    }
}
