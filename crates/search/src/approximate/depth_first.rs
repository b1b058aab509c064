//! The depth-first search of all approximate searches: full states on the stack, hashes elsewhere.

use super::{Options, VisitedHashes, mixed};
use crate::atomic::{AtomicExpander, Call};
use crate::path;
use crate::report::{Outcome, Report};
use crate::successors::Expander;
use crate::system::System;
use crate::trail_builder::Listing;
use crate::visited::Halt;
use rustc_hash::FxHashMap;
use volvelle_control::{Control, Counted, ProgressEvent, Stop};
use volvelle_store::hash;

/// Expansions between two checks of the limits.
const CHECK_EVERY: u64 = 256;

/// States between two progress reports.
const REPORT_EVERY: u64 = 1 << 17;

/// The order in which successors are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of the expander.
    AsGiven,
    /// A random one of this seed; the search ends when its memory is exhausted.
    Random(u64),
}

/// A state on the stack.
struct Frame {
    /// Where its remaining successors begin; they are visited from the end.
    pending: usize,
    hash: u64,
}

/// A search under way.
pub struct DepthFirst<'a> {
    system: &'a dyn System,
    options: &'a Options,
    control: &'a Control<'a>,
    memory: &'a mut dyn VisitedHashes,
    order: Order,
    expander: Box<dyn Expander + 'a>,
    reducing: Option<Box<dyn Expander + 'a>>,
    atomic: AtomicExpander,
    frames: Vec<Frame>,
    /// The states of the frames, packed.
    states: Vec<u64>,
    /// Remaining successors, packed; those of the last frame come last.
    pending: Vec<u64>,
    targets: Vec<u64>,
    /// Hashes of the states on the stack, if successors may be left out.
    on_stack: FxHashMap<u64, u32>,
    expansions: u64,
    news_at: u64,
    is_bounded: bool,
    /// Hashes of visited states, if a sample is wanted.
    pub sample: Option<super::sample::Sample>,
    /// The results so far.
    pub report: Report,
}

impl<'a> DepthFirst<'a> {
    /// A search at its beginning.
    pub fn new(
        system: &'a dyn System,
        options: &'a Options,
        control: &'a Control<'a>,
        memory: &'a mut dyn VisitedHashes,
        order: Order,
    ) -> Self {
        DepthFirst {
            system,
            options,
            control,
            memory,
            order,
            expander: system.path_compressing_expander(),
            reducing: options.reduce.then(|| system.partial_order_reducing_expander()),
            atomic: AtomicExpander::new(system.words()),
            frames: Vec::new(),
            states: Vec::new(),
            pending: Vec::new(),
            targets: Vec::new(),
            on_stack: FxHashMap::default(),
            expansions: 0,
            news_at: REPORT_EVERY,
            is_bounded: false,
            sample: None,
            report: Report::new(),
        }
    }

    /// The results, and whether some states were below the depth bound.
    pub fn finish(mut self) -> (Report, bool) {
        self.report.bytes = self.bytes();
        (self.report, self.is_bounded)
    }

    /// Searches until nothing is left, or the first error.
    pub fn run(&mut self) -> Result<(), Halt> {
        let words = self.system.words();
        for initial in self.system.initial().chunks_exact(words) {
            self.visit(initial)?;
            while let Some(frame) = self.frames.last() {
                if self.report.outcome == Outcome::Failed {
                    return Ok(());
                }
                if matches!(self.order, Order::Random(_)) && self.memory.is_exhausted() {
                    return Ok(());
                }
                if self.pending.len() == frame.pending {
                    self.leave();
                    continue;
                }
                let at = self.pending.len() - words;
                let state = self.pending.split_off(at);
                self.visit(&state)?;
            }
        }
        Ok(())
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.states.truncate(self.frames.len() * self.system.words());
        if let Some(count) = self.on_stack.get_mut(&frame.hash) {
            *count -= 1;
            if *count == 0 {
                self.on_stack.remove(&frame.hash);
            }
        }
    }

    /// Puts a state on the stack and expands it, if it is new.
    fn visit(&mut self, state: &[u64]) -> Result<(), Halt> {
        let hash = mixed(hash(state));
        if !self.memory.insert(hash, self.control)? {
            return Ok(());
        }
        if let Some(sample) = &mut self.sample {
            sample.add(hash);
        }
        self.report.states += 1;
        let depth = self.frames.len() as u64;
        self.report.depth = self.report.depth.max(depth);
        self.check_limits()?;
        self.frames.push(Frame { pending: self.pending.len(), hash });
        self.states.extend_from_slice(state);
        if self.reducing.is_some() {
            *self.on_stack.entry(hash).or_insert(0) += 1;
        }
        if self.options.max_depth.is_some_and(|most| depth >= most) {
            self.is_bounded = true;
            return Ok(());
        }
        let mut sites = Vec::new();
        let is_reduced = self.expand(state, self.reducing.is_some(), &mut sites)?;
        if is_reduced && self.closes_cycle() {
            sites.clear();
            self.expand(state, false, &mut sites)?;
        }
        self.arrange();
        self.report.transitions += (self.targets.len() / self.system.words()) as u64;
        self.pending.extend_from_slice(&self.targets);
        for site in sites {
            if self.report.outcome != Outcome::Failed {
                self.found(site);
            }
        }
        Ok(())
    }

    /// Finds the successors; returns whether some were left out.
    fn expand(&mut self, state: &[u64], reduce: bool, sites: &mut Vec<u32>) -> Result<bool, Halt> {
        self.targets.clear();
        self.atomic.start();
        let mut is_reduced = false;
        loop {
            let expander = match &mut self.reducing {
                Some(reducing) if reduce => reducing,
                _ => &mut self.expander,
            };
            let call = self.atomic.next(&mut **expander, state);
            if call == Call::Finished {
                return Ok(is_reduced);
            }
            self.report.steps += self.atomic.out.steps.len() as u64;
            is_reduced |= !self.atomic.out.reduced.is_empty();
            self.targets.extend_from_slice(self.atomic.targets());
            sites.extend(self.atomic.out.errors.iter().map(|error| error.site));
            if let Call::LayoutOverflow { code } = call {
                return Err(Halt::LayoutOverflow(code));
            }
        }
    }

    /// Whether all successors may be on the stack, so that a step could be ignored forever (see
    /// `crate::dfs`).
    fn closes_cycle(&self) -> bool {
        let words = self.system.words();
        self.targets.chunks_exact(words).all(|target| self.on_stack.contains_key(&mixed(hash(target))))
    }

    /// Puts the successors in the order in which they are taken from the end.
    fn arrange(&mut self) {
        let words = self.system.words();
        let count = self.targets.len() / words;
        match self.order {
            Order::AsGiven => {
                for at in 0..count / 2 {
                    swap(&mut self.targets, at, count - 1 - at, words);
                }
            }
            Order::Random(seed) => {
                let mut random = mixed(seed ^ self.report.states);
                for at in (1..count).rev() {
                    random = mixed(random.wrapping_add(0x9e37_79b9_7f4a_7c15));
                    swap(&mut self.targets, at, (random % (at as u64 + 1)) as usize, words);
                }
            }
        }
    }

    fn bytes(&self) -> u64 {
        let stack = self.frames.capacity() * size_of::<Frame>();
        let states = 8 * (self.states.capacity() + self.pending.capacity());
        (stack + states + 24 * self.on_stack.capacity()) as u64 + self.memory.bytes()
    }

    fn check_limits(&mut self) -> Result<(), Halt> {
        self.expansions += 1;
        if !self.expansions.is_multiple_of(CHECK_EVERY) {
            return Ok(());
        }
        let control = self.control;
        let bytes = self.bytes();
        control.check().map_err(Halt::Stopped)?;
        control.check_memory(bytes).map_err(Halt::Stopped)?;
        let (states, transitions) = (self.report.states, self.report.transitions);
        if control.limits.states.is_some_and(|most| states > most) {
            return Err(Halt::Stopped(Stop::States));
        }
        if states >= self.news_at {
            self.news_at = states + REPORT_EVERY;
            let frontier = self.frames.len() as u64;
            let counted = Counted { is_depth_first: true, ..Counted::default() };
            control.progress.report(ProgressEvent::Exploring {
                counted,
                states,
                transitions,
                frontier,
                bytes,
            });
        }
        Ok(())
    }

    /// Records an error of the state on top, unless its site is known.
    fn found(&mut self, site: u32) {
        if self.report.faults.iter().any(|fault| fault.site == site) {
            return;
        }
        let states = self.states.chunks_exact(self.system.words());
        let Some(fault) = path::fault(self.system, states, site, None, Listing::WHOLE) else { return };
        self.report.faults.push(fault);
        if !self.options.all_errors {
            self.report.outcome = Outcome::Failed;
        }
    }
}

/// Exchanges two packed states.
fn swap(states: &mut [u64], a: usize, b: usize, words: usize) {
    for word in 0..words {
        states.swap(a * words + word, b * words + word);
    }
}
