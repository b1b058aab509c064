//! A worker of the nested depth-first search.
//!
//! Colours of a state, as in the paper: *cyan*, on the stack of this worker's first search; *blue*, left by
//! some worker's first search; *pink*, visited by this worker's current second search; *red*, left by second
//! searches. The second search begins at an accepting state when the first one leaves it, and searches for a
//! cyan state, which closes a cycle. Before pink states become red, the worker waits until all other
//! accepting states among them are red, so that they do not cut short another worker's second search.
//!
//! If successors may be left out, [`super::proviso`] has the expansion of each state.
//!
//! Workers visit targets in different orders, the first worker in the order of the expander.

use super::Shared;
use super::lasso::Cycle;
use crate::product::{Expansion, Machine};
use crate::stack::{Frame, Stack};
use crate::store::{Interning, Sources};
use crate::turns::Turns;
use crate::visited::Halt;
use std::sync::atomic::Ordering;
use volvelle_control::{Barrier, Counted, Stop};
use volvelle_store::BitSet;

/// Expansions between two checks of the limits.
const CHECK_EVERY: u32 = 256;

/// A worker with its machine, stacks and colours.
pub struct Worker<'a> {
    shared: &'a Shared<'a>,
    barrier: &'a Barrier,
    lane: usize,
    machine: Machine<'a>,
    source: Sources,
    batch: Interning,
    cyan: BitSet,
    pink: BitSet,
    /// Cyan states that are accepting.
    accepting: BitSet,
    first: Stack,
    /// The expansion of each state on that stack, if it has an ample set.
    expansions: Vec<Option<Expansion>>,
    second: Stack,
    /// Pink states, and whether they are accepting.
    pink_states: Vec<(u32, bool)>,
    until_check: u32,
    /// Bytes of this worker's data in the common count.
    counted_bytes: u64,
}

/// The reason why a search ends early.
enum End {
    /// A cycle was found, by this worker or another; or another one halted.
    Over,
    /// This worker must halt.
    Halt(Halt),
}

impl From<Halt> for End {
    fn from(halt: Halt) -> Self {
        End::Halt(halt)
    }
}

impl<'a> Worker<'a> {
    /// A worker that inserts through its own lane.
    pub fn new(shared: &'a Shared<'a>, barrier: &'a Barrier, lane: usize) -> Self {
        Worker {
            shared,
            barrier,
            lane,
            machine: Machine::new(shared.product).within(&shared.visited),
            source: Sources::default(),
            batch: Interning::default(),
            cyan: BitSet::default(),
            pink: BitSet::default(),
            accepting: BitSet::default(),
            first: Stack::default(),
            expansions: Vec::new(),
            second: Stack::default(),
            pink_states: Vec::new(),
            until_check: 0,
            counted_bytes: 0,
        }
    }

    /// Searches until no state is left, or a worker halts.
    pub fn work(mut self) {
        if let Err(End::Halt(halt)) = self.search() {
            self.shared.halt(halt);
        }
        self.count_bytes();
        self.count_stack();
        self.shared.held.fetch_or(self.machine.held, Ordering::Relaxed);
    }

    /// Counts the transitions of states still on the stack when the search ended; these were expanded as
    /// well.
    fn count_stack(&mut self) {
        while let Some(top) = self.first.top() {
            self.leave(top);
            self.first.pop();
        }
    }

    /// Leaves a state in the first search. The first worker to do so counts its transitions.
    fn leave(&self, top: Frame) {
        if self.shared.blue.insert(top.state) {
            self.shared.transitions.fetch_add(u64::from(top.count), Ordering::Relaxed);
            self.shared.steps.fetch_add(u64::from(top.steps), Ordering::Relaxed);
        }
    }

    fn search(&mut self) -> Result<(), End> {
        let initial = self.shared.product.initial();
        self.shared.visited.intern_alone(self.lane, &initial, &mut self.batch)?;
        let mut initial = self.batch.numbers.clone();
        self.permute(&mut initial, 0);
        for state in initial {
            if !self.shared.blue.contains(state) {
                self.enter(state)?;
                self.first_search()?;
            }
        }
        Ok(())
    }

    /// The first search, from the state on the stack.
    fn first_search(&mut self) -> Result<(), End> {
        while let Some(top) = self.first.top() {
            match self.first.next_target() {
                Some(target) if self.cyan.contains(target as usize) => {
                    if self.accepting.contains(top.state as usize) || self.accepting.contains(target as usize)
                    {
                        return self.close(target);
                    }
                }
                Some(target) => {
                    if !self.shared.blue.contains(target) {
                        self.enter(target)?;
                    }
                }
                None if self.falls_short(top.state) => {
                    self.expand(top.state, Expansion::Full)?;
                    self.first.extend(&self.batch.numbers);
                    self.expansions.pop();
                    self.expansions.push(Some(Expansion::Full));
                }
                None => {
                    self.expansions.pop();
                    self.leave(top);
                    if self.accepting.contains(top.state as usize) {
                        self.second_search(top.state)?;
                    }
                    self.cyan.remove(top.state as usize);
                    self.accepting.remove(top.state as usize);
                    self.first.pop();
                }
            }
        }
        Ok(())
    }

    /// Decides the expansion of the state on top, which is being left. Returns whether it includes more than
    /// this worker visited.
    fn falls_short(&self, state: u32) -> bool {
        let Some(&Some(expansion)) = self.expansions.last() else { return false };
        let decided = self.shared.proviso.decide(state, expansion);
        expansion == Expansion::Ample && decided == Expansion::Full
    }

    /// Puts a state on the stack of the first search.
    fn enter(&mut self, state: u32) -> Result<(), End> {
        if self.first.len() >= self.shared.max_depth {
            self.shared.cut.insert(state);
            self.shared.depth.fetch_max(self.first.len() as u64, Ordering::Relaxed);
            self.first.push(state, &[], 0);
            self.expansions.push(None);
            return Ok(());
        }
        let decided = self.shared.proviso.get(state);
        let mut accepting = self.expand(state, decided.unwrap_or(Expansion::Ample))?;
        self.cyan.insert_growing(state as usize);
        let mut expansion = self.machine.is_reduced.then_some(Expansion::Ample);
        if expansion.is_some()
            && decided.is_none()
            && self.batch.numbers.iter().any(|&t| self.cyan.contains(t as usize))
        {
            accepting = self.expand(state, Expansion::Full)?;
            expansion = Some(Expansion::Full);
        }
        if accepting {
            self.accepting.insert_growing(state as usize);
        }
        self.shared.depth.fetch_max(self.first.len() as u64, Ordering::Relaxed);
        self.first.push(state, &self.batch.numbers, self.machine.steps);
        self.expansions.push(expansion);
        Ok(())
    }

    /// The second search, from an accepting state.
    fn second_search(&mut self, seed: u32) -> Result<(), End> {
        self.second.clear();
        self.enter_second(seed)?;
        while self.second.top().is_some() {
            match self.second.next_target() {
                Some(target) if self.cyan.contains(target as usize) => return self.close(target),
                Some(target) => {
                    if !self.pink.contains(target as usize) && !self.shared.red.contains(target) {
                        self.enter_second(target)?;
                    }
                }
                None => {
                    self.second.pop();
                }
            }
        }
        for at in 0..self.pink_states.len() {
            let (state, accepting) = self.pink_states[at];
            let shared = self.shared;
            while accepting && state != seed && !shared.red.contains(state) && !shared.cut.contains(state) {
                if shared.is_halted() || self.barrier.is_broken() {
                    return Err(End::Over);
                }
                self.check_limits()?;
                std::thread::yield_now();
            }
        }
        for (state, _) in self.pink_states.drain(..) {
            self.shared.red.insert(state);
            self.pink.remove(state as usize);
        }
        Ok(())
    }

    fn enter_second(&mut self, state: u32) -> Result<(), End> {
        if self.shared.cut.contains(state) {
            self.pink.insert_growing(state as usize);
            self.pink_states.push((state, false));
            self.second.push(state, &[], 0);
            return Ok(());
        }
        let decided = self.shared.proviso.get(state);
        let mut accepting = self.expand(state, decided.unwrap_or(Expansion::Ample))?;
        // No first search has left it, so full expansion is right whatever they do.
        if self.machine.is_reduced
            && decided.is_none()
            && self.shared.proviso.decide(state, Expansion::Full) == Expansion::Full
        {
            accepting = self.expand(state, Expansion::Full)?;
        }
        self.pink.insert_growing(state as usize);
        self.pink_states.push((state, accepting));
        self.second.push(state, &self.batch.numbers, 0);
        Ok(())
    }

    /// Reports the cycle over the stacks that this target closes.
    fn close(&mut self, target: u32) -> Result<(), End> {
        let states = self.first.states().chain(self.second.states().skip(1)).chain([target]).collect();
        let start = self.first.position(target).expect("a cyan state is on the stack");
        self.shared.found(Cycle { states, start });
        Err(End::Over)
    }

    /// Finds the successors of a state, whose numbers are then in the batch. Returns whether the state is
    /// accepting.
    fn expand(&mut self, state: u32, expansion: Expansion) -> Result<bool, End> {
        self.check_limits()?;
        self.source.clear();
        self.shared.visited.load(std::iter::once(state..state + 1), &mut self.source);
        let accepting = self.machine.expand(&self.source.words, expansion)?;
        self.batch.clear();
        let (targets, source_of) = (&self.machine.targets, &self.machine.source_of);
        self.shared.visited.intern(self.lane, &mut self.source, targets, source_of, &mut self.batch)?;
        let mut numbers = std::mem::take(&mut self.batch.numbers);
        self.permute(&mut numbers, state);
        self.batch.numbers = numbers;
        Ok(accepting)
    }

    /// Puts targets in an order of this worker's own.
    fn permute(&self, targets: &mut [u32], state: u32) {
        if self.lane == 0 || targets.len() < 2 {
            return;
        }
        let mixed = u64::from(state).wrapping_add(self.lane as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        targets.rotate_left((mixed >> 33) as usize % targets.len());
        if self.lane % 2 == 1 {
            targets.reverse();
        }
    }

    fn check_limits(&mut self) -> Result<(), End> {
        if self.until_check > 0 {
            self.until_check -= 1;
            return Ok(());
        }
        self.until_check = CHECK_EVERY;
        if self.shared.is_halted() || self.barrier.is_broken() {
            return Err(End::Over);
        }
        self.count_bytes();
        let shared = self.shared;
        let others = shared.bytes.load(Ordering::Relaxed) + shared.blue.bytes() + shared.red.bytes();
        let others = others + shared.proviso.bytes();
        shared.visited.check(others)?;
        if let Some(turns) = shared.turns
            && !turns.main_goes_on(Turns::units(shared.visited.len(), shared.steps.load(Ordering::Relaxed)))
        {
            return Err(Halt::Stopped(Stop::Cancelled).into());
        }
        if self.lane == 0 {
            let counted = Counted { is_product: shared.product.is_product(), is_depth_first: true };
            let transitions = shared.transitions.load(Ordering::Relaxed);
            shared.visited.report_progress(counted, transitions, self.first.len() as u64);
        }
        Ok(())
    }

    /// Accounts for this worker's memory.
    fn count_bytes(&mut self) {
        let own = self.cyan.bytes() + self.pink.bytes() + self.accepting.bytes();
        let own = own
            + self.first.bytes()
            + self.second.bytes()
            + 8 * self.pink_states.capacity() as u64
            + self.expansions.capacity() as u64;
        if own > self.counted_bytes {
            self.shared.bytes.fetch_add(own - self.counted_bytes, Ordering::Relaxed);
            self.counted_bytes = own;
        }
    }
}
