//! The state of one worker: the step kernel, the labels, and the reductions.

use super::flags::evaluate;
use super::stubborn::{Chooser, Stubborn};
use super::system::Modules;
use crate::batch::Batch;
use crate::canonical::Canonicalizer;
use volvelle_kernel::Site;
use volvelle_search::{Exit, Expander, StepError, Successors};

/// Expands states in full.
pub struct Machine<'s> {
    system: &'s Modules<'s>,
    batch: Batch,
    flags: Vec<Vec<u8>>,
    canonicalizer: Option<Canonicalizer>,
}

impl<'s> Machine<'s> {
    /// A machine of a system.
    pub fn new(system: &'s Modules<'s>) -> Self {
        let flags = vec![Vec::new(); system.options.labels.len()];
        let canonicalizer = system.canonicalizer.clone();
        Machine { system, batch: Batch::new(&system.step), flags, canonicalizer }
    }

    /// A machine without symmetry reduction.
    pub fn without_symmetry(system: &'s Modules<'s>) -> Self {
        Machine { canonicalizer: None, ..Machine::new(system) }
    }

    /// Gives a state in which the program cannot be evaluated no successors, and an error.
    fn fail(&self, site: Site, states: &[u64], out: &mut Successors) -> Exit {
        let words = self.system.layout.words();
        if self.system.needs_room(site, &states[..words]) {
            return Exit::LayoutOverflow { code: site.0 };
        }
        self.system.note_failure(site, &states[..words]);
        out.ends.push(0);
        out.observations.push(0);
        out.errors.push(StepError { source: 0, successor: None, site: site.0, step: 0 });
        if states.len() > words { Exit::Full } else { Exit::Done }
    }

    /// The observations of the first `count` states; if a label fails in a state, of those before it, and
    /// their number.
    fn observe(&mut self, states: &[u64], count: usize, out: &mut Successors) -> Result<(), (usize, Site)> {
        out.observations.resize(count, 0);
        let Some(code) = &self.system.label_code else { return Ok(()) };
        let words = self.system.layout.words();
        if let Some(site) = evaluate(&**code, &states[..count * words], count, &mut self.flags) {
            let fails = |state: &[u64]| evaluate(&**code, state, 1, &mut self.flags).is_some();
            let first = states.chunks_exact(words).position(fails).unwrap_or(0);
            return Err((first, site));
        }
        for (bit, flags) in self.flags.iter().enumerate() {
            for (observation, &flag) in out.observations.iter_mut().zip(flags) {
                *observation |= u64::from(flag) << bit;
            }
        }
        Ok(())
    }

    /// Appends the successors of the complete states.
    fn collect(&mut self, count: usize, out: &mut Successors) {
        let Batch { choice_ends, choice_groups, state_ends, .. } = &self.batch;
        let (mut choice, mut successor) = (0, 0);
        for (source, &end) in state_ends[..count].iter().enumerate() {
            let before = successor;
            while choice < end as usize {
                let after = choice_ends[choice] as usize;
                out.steps.resize(after, choice_groups[choice]);
                successor = after;
                choice += 1;
            }
            if successor == before && self.system.options.deadlocks {
                let (source, site) = (source as u32, self.system.deadlock_site());
                out.errors.push(StepError { source, successor: None, site, step: 0 });
            }
            out.ends.push(successor as u32);
        }
        out.states.extend_from_slice(&self.batch.successors[..successor * self.system.layout.words()]);
        if let Some(canonicalizer) = &mut self.canonicalizer {
            canonicalizer.canonicalize(&mut out.states);
        }
    }
}

impl Expander for Machine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        out.clear();
        let words = self.system.layout.words();
        let exit = self.batch.expand(&*self.system.step_code, states);
        let mut complete = self.batch.state_ends.len();
        let exit = match exit {
            volvelle_kernel::Exit::Done => Exit::Done,
            volvelle_kernel::Exit::Full(_) => Exit::Full,
            volvelle_kernel::Exit::Failed(site) if complete == 0 => return self.fail(site, states, out),
            volvelle_kernel::Exit::Failed(_) => Exit::Full,
            exit => unreachable!("the step kernel ended with {exit:?}"),
        };
        if let Err((first, site)) = self.observe(states, complete, out) {
            if first == 0 {
                out.clear();
                return self.fail(site, states, out);
            }
            // The next call begins with the state that fails.
            (complete, out.observations) = (first, Vec::new());
            let again = self.observe(&states[..first * words], first, out);
            debug_assert!(again.is_ok(), "these states did not fail before");
            self.collect(complete, out);
            return Exit::Full;
        }
        self.collect(complete, out);
        exit
    }
}

/// Expands states with partial-order reduction.
pub struct ReducingMachine<'s> {
    machine: Machine<'s>,
    stubborn: &'s Stubborn,
    chooser: Chooser,
    all: Successors,
}

impl<'s> ReducingMachine<'s> {
    /// Wraps a machine without reduction.
    pub fn new(machine: Machine<'s>, stubborn: &'s Stubborn) -> Self {
        ReducingMachine { machine, stubborn, chooser: Chooser::new(stubborn), all: Successors::default() }
    }
}

impl Expander for ReducingMachine<'_> {
    fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
        let exit = self.machine.expand(states, &mut self.all);
        out.clear();
        let words = self.machine.system.layout.words();
        let complete = self.all.ends.len();
        self.chooser.look(self.stubborn, states, complete, words);
        let mut from = 0;
        for (source, &end) in self.all.ends.iter().enumerate() {
            let steps = &self.all.steps[from..end as usize];
            // Steps of one command follow one another.
            let several = steps.first() != steps.last();
            let is_reduced = several && self.chooser.choose(self.stubborn, source, steps);
            for (at, &step) in (from..).zip(steps) {
                if !is_reduced || self.chooser.keeps(step) {
                    out.steps.push(step);
                    out.states.extend_from_slice(&self.all.states[at * words..(at + 1) * words]);
                }
            }
            if is_reduced {
                out.reduced.push(source as u32);
            }
            out.ends.push(out.steps.len() as u32);
            from = end as usize;
        }
        out.observations.extend_from_slice(&self.all.observations);
        // Errors belong to states: no step causes one.
        out.errors.extend_from_slice(&self.all.errors);
        exit
    }
}
