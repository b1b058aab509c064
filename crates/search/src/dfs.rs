//! Depth-first search for errors, in the order of the expander: one worker, the stack on the heap.
//!
//! For searches whose order matters. Errors are found in depth-first order, and trails are read from the
//! stack. A bound on the depth leaves deeper states unexpanded. A state first visited at the bound is not
//! expanded again when a shorter path reaches it, so a bounded search may miss errors that `crate::bfs` finds
//! within the same depth.
//!
//! Ample sets satisfy the stack proviso: a state whose successors are all on the stack is expanded in full.
//! So a fully expanded state is reachable from every state that the search leaves, because some successor was
//! left before, and has this property. A step that was left out is taken there at the latest.

use crate::atomic::{AtomicExpander, Call};
use crate::path;
use crate::report::{Outcome, Report};
use crate::stack::Stack;
use crate::store::{Interning, Sources};
use crate::successors::Expander;
use crate::system::System;
use crate::trail_builder::Listing;
use crate::visited::{Halt, Visited};
use volvelle_control::{Control, Counted};
use volvelle_store::BitSet;

/// Expansions between two checks of the limits.
const CHECK_EVERY: u32 = 256;

/// Options of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether to continue after errors, with the first one of each site. Otherwise the search ends with the
    /// first error.
    pub all_errors: bool,
    /// Limit of states on the stack, if any.
    pub max_depth: Option<u64>,
    /// Whether to leave out successors not needed to find deadlocks and errors
    /// ([`System::partial_order_reducing_expander`]).
    pub reduce: bool,
    /// Which trails are given in full.
    pub listing: Listing,
}

struct Search<'a> {
    system: &'a dyn System,
    options: &'a Options,
    visited: Visited<'a>,
    expander: Box<dyn Expander + 'a>,
    reducing: Option<Box<dyn Expander + 'a>>,
    atomic: AtomicExpander,
    source: Sources,
    batch: Interning,
    /// States that have been on the stack.
    entered: BitSet,
    /// States on the stack.
    on_stack: BitSet,
    /// Errors of the state that was expanded last.
    sites: Vec<u32>,
    stack: Stack,
    report: Report,
    until_check: u32,
}

/// Searches all reachable states, or until the first error.
pub fn search(system: &dyn System, options: &Options, control: &Control<'_>) -> Report {
    let mut search = Search {
        system,
        options,
        visited: Visited::new(system.words(), 1, control),
        expander: system.path_compressing_expander(),
        reducing: options.reduce.then(|| system.partial_order_reducing_expander()),
        atomic: AtomicExpander::new(system.words()),
        source: Sources::default(),
        batch: Interning::default(),
        entered: BitSet::default(),
        on_stack: BitSet::default(),
        sites: Vec::new(),
        stack: Stack::default(),
        report: Report::new(),
        until_check: 0,
    };
    if let Err(halt) = search.run() {
        search.report.outcome = halt.into();
    }
    let Search { visited, mut report, entered, on_stack, stack, .. } = search;
    let set = visited.into_set();
    report.states = set.len();
    report.bytes = set.bytes() + entered.bytes() + on_stack.bytes() + stack.bytes();
    report
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), Halt> {
        self.visited.intern_alone(0, &self.system.initial(), &mut self.batch)?;
        let initial = self.batch.numbers.clone();
        for state in initial {
            if self.entered.contains(state as usize) || self.report.outcome == Outcome::Failed {
                continue;
            }
            self.enter(state)?;
            while self.stack.len() > 0 && self.report.outcome != Outcome::Failed {
                match self.stack.next_target() {
                    Some(target) if self.entered.contains(target as usize) => {}
                    Some(target) => self.enter(target)?,
                    None => {
                        if let Some(left) = self.stack.top() {
                            self.on_stack.remove(left.state as usize);
                        }
                        self.stack.pop();
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts a state on the stack and expands it.
    fn enter(&mut self, state: u32) -> Result<(), Halt> {
        self.check_limits()?;
        self.entered.insert_growing(state as usize);
        let depth = self.stack.len() as u64;
        self.report.depth = self.report.depth.max(depth);
        if self.options.max_depth.is_some_and(|most| depth >= most) {
            self.stack.push(state, &[], 0);
            return Ok(());
        }
        self.source.clear();
        self.visited.load(std::iter::once(state..state + 1), &mut self.source);
        if self.reducing.is_some() {
            self.on_stack.insert_growing(state as usize);
        }
        let is_reduced = self.expand(self.reducing.is_some())?;
        if is_reduced && self.batch.numbers.iter().all(|&target| self.on_stack.contains(target as usize)) {
            self.expand(false)?;
        }
        self.report.transitions += self.batch.numbers.len() as u64;
        self.stack.push(state, &self.batch.numbers, 0);
        for site in std::mem::take(&mut self.sites) {
            if self.report.outcome != Outcome::Failed {
                self.found(site);
            }
        }
        Ok(())
    }

    /// Finds the successors and errors of the loaded state. Returns whether some successors were left out.
    fn expand(&mut self, reduce: bool) -> Result<bool, Halt> {
        self.batch.clear();
        self.sites.clear();
        self.atomic.start();
        let mut is_reduced = false;
        let mut checked = 0;
        loop {
            self.visited.check_inside(&self.atomic.inner, &mut checked)?;
            let expander = match &mut self.reducing {
                Some(reducing) if reduce => reducing,
                _ => &mut self.expander,
            };
            let call = self.atomic.next(&mut **expander, &self.source.words);
            if call == Call::Finished {
                return Ok(is_reduced);
            }
            self.report.steps += self.atomic.out.steps.len() as u64;
            is_reduced |= !self.atomic.out.reduced.is_empty();
            let (targets, source_of) = (self.atomic.targets(), self.atomic.source_of());
            self.visited.intern(0, &mut self.source, targets, source_of, &mut self.batch)?;
            self.sites.extend(self.atomic.out.errors.iter().map(|error| error.site));
            if let Call::LayoutOverflow { code } = call {
                return Err(Halt::LayoutOverflow(code));
            }
        }
    }

    fn check_limits(&mut self) -> Result<(), Halt> {
        if self.until_check > 0 {
            self.until_check -= 1;
            return Ok(());
        }
        self.until_check = CHECK_EVERY;
        self.visited.check(self.entered.bytes() + self.on_stack.bytes() + self.stack.bytes())?;
        let counted = Counted { is_depth_first: true, ..Counted::default() };
        self.visited.report_progress(counted, self.report.transitions, self.stack.len() as u64);
        Ok(())
    }

    /// Records an error of the state on top, unless its site is known.
    fn found(&mut self, site: u32) {
        if self.report.faults.iter().any(|fault| fault.site == site) {
            return;
        }
        let mut stored = Sources::default();
        self.visited.load(self.stack.states().map(|state| state..state + 1), &mut stored);
        let states = stored.words.chunks_exact(self.system.words());
        let Some(fault) = path::fault(self.system, states, site, None, self.options.listing) else { return };
        self.report.faults.push(fault);
        if !self.options.all_errors {
            self.report.outcome = Outcome::Failed;
        }
    }
}
