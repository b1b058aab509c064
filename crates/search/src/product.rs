//! The product of a system with a claim, and with the counter of weak fairness.
//!
//! A state of the product is a state of the system and one more word, with the claim's state and the counter.
//! The claim moves first and reads the observation of the source state; then the system moves. A state of the
//! system without successors stutters, if requested: the claim moves alone.
//!
//! For the claim, acceptance, progress and fairness, an atomic sequence is one step: states inside it are not
//! observed, as in SPIN 6.5.2 ("accept label inside atomic - is invisible").
//!
//! Weak fairness (Choueka, *Theories of automata on ω-tapes*, JCSS 8, 1974; Holzmann's copies): the counter
//! waits at 0 for an accepting state, and then for each process in turn to move or to be disabled. When all
//! have, the state is accepting, and the counter restarts. It skips all processes at once that are already
//! satisfied.

use crate::atomic::{AtomicExpander, Call};
use crate::claim::Claim;
use crate::successors::{ACCEPTING, Expander, TRANSIENT};
use crate::system::System;
use crate::visited::{Halt, Visited};

/// The step of a trail in which the system stutters because it cannot move.
pub const STUTTER: u32 = u32::MAX;

/// The part of a state's successors that is visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// An ample set.
    Ample,
    /// All of them.
    Full,
}

/// A product.
#[derive(Clone, Copy)]
pub struct Product<'a> {
    pub system: &'a dyn System,
    pub claim: &'a Claim,
    /// Whether accepting states of the system count like those of the claim.
    pub accepting_states: bool,
    /// Whether states without successors stutter.
    pub stutter: bool,
    /// Number of processes under weak fairness.
    pub processes: Option<u32>,
    /// Whether successors may be left out that the claim does not need. Not under weak fairness.
    pub reduce: bool,
}

/// Expands states of a product.
pub struct Machine<'a> {
    product: Product<'a>,
    expander: Box<dyn Expander + 'a>,
    /// Leaves successors out.
    reducing: Option<Box<dyn Expander + 'a>>,
    atomic: AtomicExpander,
    /// Limits that apply inside long atomic sequences.
    limits: Option<&'a Visited<'a>>,
    /// Stored targets of the system's state, and the first step to each.
    reached: Vec<u64>,
    first_steps: Vec<u32>,
    /// Processes that are enabled.
    enabled: Vec<bool>,
    /// Successors of the state that was expanded last, packed.
    pub targets: Vec<u64>,
    /// The source of each in the set's sense: there is one only.
    pub source_of: Vec<u32>,
    /// Steps of the system that were found.
    pub steps: u32,
    /// Whether successors were left out.
    pub is_reduced: bool,
    /// The propositions that have held in a state that the claim read.
    pub held: u64,
}

impl Product<'_> {
    /// Whether a state of the system may occur several times, with different states of the claim or the
    /// counter.
    pub fn is_product(&self) -> bool {
        self.claim.states.len() > 1 || self.processes.is_some()
    }

    /// Words of a state.
    pub fn words(&self) -> usize {
        self.system.words() + 1
    }

    /// All initial states.
    pub fn initial(&self) -> Vec<u64> {
        let words = self.system.words();
        let mut states = Vec::new();
        for state in self.system.initial().chunks_exact(words) {
            states.extend_from_slice(state);
            states.push(pack(self.claim.initial, 0));
        }
        states
    }

    /// The counter after a step from a state with the counter `count`.
    fn count(&self, count: u32, accepting: bool, satisfied: impl Fn(u32) -> bool) -> u32 {
        let Some(processes) = self.processes else { return 0 };
        let mut count = if count > processes { 0 } else { count };
        if count == 0 {
            if !accepting {
                return 0;
            }
            count = 1;
        }
        while count <= processes && satisfied(count - 1) {
            count += 1;
        }
        count
    }
}

/// The word after the system's words.
pub fn pack(claim: u32, count: u32) -> u64 {
    u64::from(count) << 32 | u64::from(claim)
}

/// The claim's state.
pub fn claim_state(word: u64) -> u32 {
    word as u32
}

impl<'a> Machine<'a> {
    /// A machine for one worker.
    pub fn new(product: Product<'a>) -> Self {
        Machine {
            product,
            expander: product.system.path_compressing_expander(),
            reducing: product.reduce.then(|| product.system.partial_order_reducing_expander()),
            atomic: AtomicExpander::new(product.system.words()),
            limits: None,
            reached: Vec::new(),
            first_steps: Vec::new(),
            enabled: vec![false; product.processes.unwrap_or(0) as usize],
            targets: Vec::new(),
            source_of: Vec::new(),
            steps: 0,
            is_reduced: false,
            held: 0,
        }
    }

    /// Also applies the limits of a search inside long atomic sequences.
    pub fn within(self, limits: &'a Visited<'a>) -> Self {
        Machine { limits: Some(limits), ..self }
    }

    /// Finds the successors of a state; returns whether the state is accepting.
    pub fn expand(&mut self, state: &[u64], expansion: Expansion) -> Result<bool, Halt> {
        let words = self.product.system.words();
        let (state, word) = (&state[..words], state[words]);
        let observation = self.expand_system(state, expansion)?;
        self.held |= observation;
        let (claim, count) = (&self.product.claim.states[claim_state(word) as usize], (word >> 32) as u32);
        let marked = self.product.accepting_states && observation & ACCEPTING != 0;
        let accepting = claim.accepting || marked;
        self.targets.clear();
        self.source_of.clear();
        let stutters = self.product.stutter && self.steps == 0;
        for edge in claim.edges.iter().filter(|edge| edge.is_enabled(observation)) {
            for (target, &step) in self.reached.chunks_exact(words).zip(&self.first_steps) {
                self.targets.extend_from_slice(target);
                let satisfied = |process: u32| self.is_satisfied(process, step);
                self.targets.push(pack(edge.target, self.product.count(count, accepting, satisfied)));
                self.source_of.push(0);
            }
            if stutters {
                self.targets.extend_from_slice(state);
                self.targets.push(pack(edge.target, self.product.count(count, accepting, |_| true)));
                self.source_of.push(0);
            }
        }
        Ok(match self.product.processes {
            Some(processes) => count > processes,
            None => accepting,
        })
    }

    /// The first step of the system on the way to a successor of the state expanded last.
    pub fn step_to(&self, target: &[u64]) -> Option<u32> {
        let at = self.targets.chunks_exact(self.product.words()).position(|known| known == target)?;
        // The same targets follow one another for each edge of the claim.
        Some(self.first_steps.get(at % self.first_steps.len().max(1)).copied().unwrap_or(STUTTER))
    }

    /// Whether a process moves with this step, or cannot move.
    fn is_satisfied(&self, process: u32, step: u32) -> bool {
        let system = self.product.system;
        !self.enabled[process as usize]
            || system.process_of(step) == process
            || system.partner_of(step) == Some(process)
    }

    /// Finds the stored targets of a state of the system. Returns its observation.
    fn expand_system(&mut self, state: &[u64], expansion: Expansion) -> Result<u64, Halt> {
        let expander = match &mut self.reducing {
            Some(reducing) if expansion == Expansion::Ample => reducing,
            _ => &mut self.expander,
        };
        self.is_reduced = false;
        self.reached.clear();
        self.first_steps.clear();
        self.enabled.fill(false);
        self.steps = 0;
        self.atomic.start();
        let mut observation = None;
        let mut checked = 0;
        loop {
            let call = self.atomic.next(&mut **expander, state);
            if call == Call::Finished {
                return Ok(observation.unwrap_or(0));
            }
            if let Call::LayoutOverflow { code } = call {
                return Err(Halt::LayoutOverflow(code));
            }
            if let Some(limits) = self.limits
                && limits.check_inside(&self.atomic.inner, &mut checked)?
            {
                limits.take_turns_inside(&self.atomic.inner)?;
            }
            if observation.is_none() {
                observation = self.atomic.out.observations.first().copied();
                if self.product.processes.is_some() {
                    note_enabled(self.product.system, &self.atomic.out.steps, &mut self.enabled);
                }
            }
            self.is_reduced |= !self.atomic.out.reduced.is_empty();
            self.steps += self.atomic.out.steps.len() as u32;
            self.reached.extend_from_slice(self.atomic.targets());
            self.first_steps.extend_from_slice(self.atomic.first_steps());
        }
    }
}

/// Records the processes that have a step in the source state.
fn note_enabled(system: &dyn System, steps: &[u32], enabled: &mut [bool]) {
    for step in steps {
        let step = step & !TRANSIENT;
        for process in std::iter::once(system.process_of(step)).chain(system.partner_of(step)) {
            if let Some(enabled) = enabled.get_mut(process as usize) {
                *enabled = true;
            }
        }
    }
}
