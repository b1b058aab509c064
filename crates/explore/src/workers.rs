//! Expanding states on all threads, numbering them in one order.
//!
//! Threads take tickets: runs of states that have numbers but no successors yet. A ticket has four parts.
//! First the thread expands its states and looks up the successors, in parallel with other threads. Then it
//! numbers the successors that were not found, sorts the rows, and appends them to the matrix. Numbering and
//! appending happen in turns, in the order of the tickets, which is the order of the states; so numbers, rows
//! and the first error do not depend on the threads. Sorting, between the two turns, is parallel again. There
//! are no barriers between levels (unless their number is limited): a ticket can be taken while states of the
//! previous level are being expanded.

use crate::assemble::Assembler;
use crate::batch::Batch;
use crate::canonical::Canonicalizer;
use crate::error::Reached;
use crate::levels::Levels;
use crate::memo::{Known, Memo};
use crate::modules::{Chooser, Stubborn};
use crate::rows::{RowShape, Rows};
use crate::store::{Index, StateTable, UNKNOWN};
use crate::tiers::Tiers;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockWriteGuard};
use volvelle_control::{Control, Counted, Monitor, ProgressEvent, Stop};
use volvelle_kernel::{Compiler, Exit, Site};
use volvelle_model::Program;
use volvelle_model::kernels::StepKernel;

/// Most states that a ticket stands for.
const TICKET_STATES: usize = 1024;

/// Approximate number of successors of a ticket, to fill the buffers of a batch.
const TICKET_SUCCESSORS: usize = 3000;

/// Number of states of a ticket before anything is known of their successors. Few, since they are
/// interpreted.
const FIRST_STATES: usize = 4;

/// States between two reports on progress.
const REPORT_EVERY: usize = 1 << 16;

/// Why the threads stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All states are expanded.
    Done,
    /// A limit, or the user.
    Stopped(Stop),
    /// A site failed in this state; all states before it are expanded.
    Failed { site: Site, state: usize },
    /// More states or transitions than 32 bits count.
    TooLarge(&'static str),
}

/// The exploration as it stands between runs of the threads.
pub struct Frontier {
    /// All states found.
    pub states: StateTable,
    /// From states to numbers.
    pub index: Index,
    /// The matrix of the states that are expanded.
    pub matrix: Assembler,
    /// Number of initial states: they have the first numbers.
    pub initial: usize,
    /// The limit of exploration by levels, if any.
    pub levels: Option<Levels>,
}

/// The data that all threads share.
struct Shared<'a, 't> {
    states: &'a StateTable,
    index: RwLock<Arc<Index>>,
    /// Threads are notified when a turn ends.
    schedule: Monitor<Schedule>,
    matrix: Mutex<&'a mut Assembler>,
    expansion: Expansion<'a, 't>,
    shape: &'a RowShape,
    control: &'a Control<'a>,
    threads: usize,
    limit: usize,
    /// Whether slots of rows are recorded.
    reusable: bool,
}

struct Schedule {
    /// First state without a ticket.
    next: usize,
    /// Number of states with a number (from finished turns).
    known: usize,
    /// Tickets given out.
    issued: u64,
    /// The next ticket whose successors are to be numbered.
    numbered: u64,
    /// The next ticket whose rows are to be appended.
    appended: u64,
    /// Restricts the states that get tickets, if levels are limited.
    levels: Option<Levels>,
    /// Number of successors and states of the tickets numbered so far, which determines the size of tickets.
    successors: usize,
    expanded: usize,
    outcome: Option<Outcome>,
    report_at: usize,
}

/// The choices in a batch that may stand for all choices of their state.
struct Singles<'a> {
    stubborn: &'a Stubborn,
    chooser: Chooser,
    kept: Vec<Option<usize>>,
}

impl<'a> Singles<'a> {
    fn new(stubborn: &'a Stubborn) -> Self {
        Singles { stubborn, chooser: Chooser::new(stubborn), kept: Vec::new() }
    }

    /// Examines the complete states of a batch.
    fn choose(&mut self, batch: &Batch, packed: &[u64]) {
        let count = batch.state_ends.len();
        self.kept.clear();
        self.kept.resize(count, None);
        self.chooser.look(self.stubborn, packed, count, batch.words());
        for (state, kept) in self.kept.iter_mut().enumerate() {
            let choices = batch.choices(state);
            if choices.len() > 1 {
                let single = self.chooser.single(self.stubborn, state, &batch.choice_groups[choices.clone()]);
                *kept = single.map(|choice| choices.start + choice);
            }
        }
    }
}

/// The reductions of a worker.
struct Fewer<'a> {
    singles: Option<Singles<'a>>,
    canonicalizer: Option<Canonicalizer>,
}

/// A run of states to expand.
struct Ticket {
    number: u64,
    first: usize,
    end: usize,
}

/// The code that expands states, with its reductions.
#[derive(Clone, Copy)]
pub struct Expansion<'a, 't> {
    pub program: &'a Program,
    pub step: &'a StepKernel,
    pub tiers: &'a Tiers,
    pub compiler: &'a dyn Compiler,
    /// Which choices may be left out, if any.
    pub reduction: Option<&'a Stubborn>,
    /// Canonicalises states, with symmetry.
    pub canonicalizer: Option<&'a Canonicalizer>,
    /// The results of functions, for a program that applies some.
    pub memo: Option<&'a Memo<'t>>,
}

/// Expands everything from state `frontier.matrix.states` on.
pub fn run(
    frontier: &mut Frontier,
    expansion: Expansion<'_, '_>,
    shape: &RowShape,
    control: &Control<'_>,
) -> Outcome {
    let known = frontier.states.len();
    let limit = control.limits.states.unwrap_or(u64::MAX).min(crate::store::MAX_STATES as u64) as usize;
    let placeholder = Index::new(1, 0);
    let index = std::mem::replace(&mut frontier.index, placeholder);
    let schedule = Schedule {
        next: frontier.matrix.states,
        known,
        issued: 0,
        numbered: 0,
        appended: 0,
        levels: frontier.levels,
        successors: 0,
        expanded: 0,
        outcome: None,
        report_at: known,
    };
    let threads = control.threads.max(1);
    let shared = Shared {
        states: &frontier.states,
        index: RwLock::new(Arc::new(index)),
        schedule: Monitor::new(schedule),
        reusable: frontier.matrix.slots.is_some(),
        matrix: Mutex::new(&mut frontier.matrix),
        expansion,
        shape,
        control,
        threads,
        limit,
    };
    if threads == 1 {
        shared.work();
    } else {
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| shared.work());
            }
            shared.work();
        });
    }
    let Shared { index, schedule, .. } = shared;
    let index = index.into_inner().unwrap_or_else(PoisonError::into_inner);
    frontier.index = Arc::into_inner(index).expect("the threads have let go of the index");
    let schedule = schedule.into_inner();
    frontier.levels = schedule.levels;
    schedule.outcome.unwrap_or(Outcome::Done)
}

impl Schedule {
    /// The number of states that may be expanded now.
    fn available(&self) -> usize {
        let end = self.levels.map_or(self.known, |levels| levels.end().min(self.known));
        end.saturating_sub(self.next)
    }

    /// Goes to the next level once all states before it are expanded, so that its end is known.
    fn next_level(&mut self) {
        if let Some(levels) = &mut self.levels
            && self.outcome.is_none()
            && self.issued == self.numbered
            && self.next >= levels.end()
        {
            levels.go_on(self.known);
        }
    }
}

impl Shared<'_, '_> {
    fn index(&self) -> Arc<Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn work(&self) {
        let _guard = self.schedule.guard();
        let mut batch = Batch::new(self.expansion.step);
        let mut rows = Rows::new(self.reusable);
        let singles = self.expansion.reduction.map(Singles::new);
        let mut fewer = Fewer { singles, canonicalizer: self.expansion.canonicalizer.cloned() };
        while let Some(ticket) = self.take_ticket() {
            rows.clear();
            let turn = self.ticket(&ticket, &mut batch, &mut fewer, &mut rows);
            let turn = turn.and_then(|()| self.wait_until(|schedule| schedule.appended == ticket.number));
            if turn.is_none() {
                return;
            }
            let outcome = self.append(&rows, &batch);
            let mut schedule = self.schedule.lock();
            schedule.appended += 1;
            schedule.outcome = schedule.outcome.or(outcome);
            drop(schedule);
            self.schedule.notify();
        }
    }

    /// Waits for a turn; `None` if another thread panicked.
    fn wait_until(&self, turn: impl Fn(&Schedule) -> bool) -> Option<()> {
        self.schedule.wait_until(turn).map(drop)
    }

    fn take_ticket(&self) -> Option<Ticket> {
        // Until a state can be expanded, or no ticket is left that could add one.
        let mut schedule = self.schedule.wait_until(|schedule| {
            schedule.outcome.is_some() || schedule.available() > 0 || schedule.issued == schedule.numbered
        })?;
        schedule.next_level();
        let available = schedule.available();
        if schedule.outcome.is_some() || available == 0 {
            return None;
        }
        // Small runs while there is little work, so that every thread gets some.
        let fair = if self.threads == 1 { available } else { available.div_ceil(2 * self.threads) };
        let right = match schedule.expanded {
            0 => FIRST_STATES,
            expanded => TICKET_SUCCESSORS * (expanded + 1) / (schedule.successors + 1),
        };
        let count = fair.min(right).clamp(1, TICKET_STATES);
        let ticket = Ticket { number: schedule.issued, first: schedule.next, end: schedule.next + count };
        schedule.issued += 1;
        schedule.next += count;
        Some(ticket)
    }

    /// Expands the states of a ticket, numbers their successors and sorts their rows. `None` if another thread panicked.
    fn ticket(
        &self,
        ticket: &Ticket,
        batch: &mut Batch,
        fewer: &mut Fewer<'_>,
        rows: &mut Rows,
    ) -> Option<()> {
        let mut at = ticket.first;
        let mut successors = 0;
        // Set once this ticket evaluates functions.
        let mut asking: Option<RwLockWriteGuard<'_, Known<'_>>> = None;
        let outcome = loop {
            let packed = self.states.run(at, ticket.end - at);
            let Expansion { program, step, tiers, compiler, memo, .. } = self.expansion;
            let held = self.states.bytes() + self.index().bytes() + memo.map_or(0, Memo::bytes);
            let mut may_hold = |batch: u64| {
                self.control.check()?;
                self.control.check_memory(held + batch * self.threads as u64)
            };
            let code = tiers.code(&step.kernel, compiler);
            let expanded = match (memo, &asking) {
                (None, _) => batch.expand_within(code, packed, &[], &mut may_hold),
                (Some(memo), None) => batch.expand_within(code, packed, &memo.read().tables, &mut may_hold),
                (Some(_), Some(known)) => batch.expand_within(code, packed, &known.tables, &mut may_hold),
            };
            let exit = match expanded {
                Ok(exit) => exit,
                Err(stop) => {
                    let schedule = self.schedule.wait_until(|schedule| schedule.numbered == ticket.number)?;
                    break schedule.outcome.is_none().then_some(Outcome::Stopped(stop));
                }
            };
            let count = batch.state_ends.len();
            tiers.count((count + batch.weights.len()) as u64);
            if let Some(canonicalizer) = &mut fewer.canonicalizer {
                canonicalizer.canonicalize(&mut batch.successors);
            }
            fewer.singles.iter_mut().for_each(|singles| singles.choose(batch, packed));
            if self.threads > 1 {
                self.index().look_up(self.states, &batch.successors, &mut batch.numbers);
            } else {
                batch.numbers.clear();
                batch.numbers.resize(batch.weights.len(), UNKNOWN);
            }
            let schedule = self.schedule.wait_until(|schedule| schedule.numbered == ticket.number)?;
            if schedule.outcome.is_some() {
                break None;
            }
            drop(schedule);
            let numbered = match &mut fewer.singles {
                None => self.number(batch),
                Some(singles) => self.number_reduced(batch, at, singles),
            };
            if let Some(outcome) = numbered {
                break Some(outcome);
            }
            at += count;
            successors += batch.weights.len();
            match exit {
                Exit::Done | Exit::Full(_) => {}
                Exit::Failed(site) => {
                    rows.add(self.shape, batch, ticket.first);
                    // It is still the turn of this ticket.
                    if let Some(memo) = memo {
                        let known = asking.get_or_insert_with(|| memo.write());
                        let state = self.states.get(at);
                        if known.supply(program, step, tiers.interpreted(), batch, state, site) {
                            memo.measure(known);
                            if let Err(stop) = self.control.check() {
                                break Some(Outcome::Stopped(stop));
                            }
                            continue;
                        }
                    }
                    break Some(Outcome::Failed { site, state: at });
                }
                Exit::OutOfBounds(buffer) => unreachable!("the step kernel left buffer {}", buffer.0),
            }
            if at == ticket.end {
                self.end_numbering(ticket, successors, None);
                rows.add(self.shape, batch, ticket.first);
                return Some(());
            }
            rows.add(self.shape, batch, ticket.first);
        };
        self.end_numbering(ticket, successors, outcome);
        Some(())
    }

    /// Numbers the new states of a batch, in the turn of its thread.
    fn number(&self, batch: &mut Batch) -> Option<Outcome> {
        let index = match self.index_for(batch.weights.len()) {
            Ok(index) => index,
            Err(stop) => return Some(Outcome::Stopped(stop)),
        };
        self.number_range(&index, batch, 0..batch.weights.len())
    }

    /// The index, with room for a number of new states, in the turn of the calling thread.
    fn index_for(&self, more: usize) -> Result<Arc<Index>, Stop> {
        let mut index = self.index();
        if let Some(larger) = index.growth_bytes(self.states.len() + more) {
            // Both exist while states move from one to the other.
            let matrix = self.matrix.lock().unwrap_or_else(PoisonError::into_inner).bytes();
            self.control.check_memory(self.states.bytes() + index.bytes() + larger + matrix)?;
        }
        if let Some(larger) = index.reserve(self.states, more) {
            index = Arc::new(larger);
            *self.index.write().unwrap_or_else(PoisonError::into_inner) = index.clone();
        }
        Ok(index)
    }

    fn number_range(&self, index: &Index, batch: &mut Batch, range: Range<usize>) -> Option<Outcome> {
        let words = self.states.words();
        let packed = &batch.successors[range.start * words..range.end * words];
        let numbers = &mut batch.numbers[range];
        // SAFETY: turns are taken one at a time, and only this place inserts.
        if unsafe { index.find_or_insert(self.states, packed, numbers, self.limit) } {
            return None;
        }
        Some(match self.control.limits.states {
            Some(_) => Outcome::Stopped(Stop::States),
            None => Outcome::TooLarge("states"),
        })
    }

    /// Numbers the new states of a batch, whose first state has the number `first`, and drops choices that
    /// are left out. A choice stands for the others only if all its successors are expanded later. So every
    /// cycle has a state with all its choices, and no choice is postponed forever. Called in the turn of its
    /// thread.
    fn number_reduced(&self, batch: &mut Batch, first: usize, singles: &mut Singles<'_>) -> Option<Outcome> {
        let index = match self.index_for(batch.weights.len()) {
            Ok(index) => index,
            Err(stop) => return Some(Outcome::Stopped(stop)),
        };
        for state in 0..batch.state_ends.len() {
            let choices = batch.choices(state);
            if let Some(choice) = singles.kept[state] {
                let successors = batch.successors_of(choice..choice + 1);
                if let Some(outcome) = self.number_range(&index, batch, successors.clone()) {
                    return Some(outcome);
                }
                let is_later = |&number: &u32| number as usize > first + state;
                if batch.numbers[successors].iter().all(is_later) {
                    continue;
                }
                singles.kept[state] = None;
            }
            let successors = batch.successors_of(choices);
            if let Some(outcome) = self.number_range(&index, batch, successors) {
                return Some(outcome);
            }
        }
        batch.retain(&singles.kept);
        None
    }

    fn end_numbering(&self, ticket: &Ticket, successors: usize, outcome: Option<Outcome>) {
        let mut schedule = self.schedule.lock();
        schedule.outcome = schedule.outcome.or(outcome);
        schedule.known = self.states.len();
        schedule.numbered += 1;
        schedule.successors += successors;
        schedule.expanded += ticket.end - ticket.first;
        drop(schedule);
        self.schedule.notify();
    }

    /// Appends rows, checks the limits and reports progress, in the turn of its thread.
    fn append(&self, rows: &Rows, batch: &Batch) -> Option<Outcome> {
        let mut matrix = self.matrix.lock().unwrap_or_else(PoisonError::into_inner);
        if !matrix.append(rows) {
            return Some(Outcome::TooLarge("transitions"));
        }
        let memo = self.expansion.memo.map_or(0, Memo::bytes);
        let others = self.states.bytes() + self.index().bytes() + memo + batch.bytes() * self.threads as u64;
        let mut bytes = others + matrix.bytes();
        if matrix.slots.is_some() && self.control.check_memory(bytes).is_err() {
            // Better to explore again for the next point than not at all.
            matrix.slots = None;
            bytes = others + matrix.bytes();
        }
        let go_on = self.control.check().and_then(|()| self.control.check_memory(bytes));
        if let Err(stop) = go_on {
            return Some(Outcome::Stopped(stop));
        }
        let states = self.states.len();
        let mut schedule = self.schedule.lock();
        if states >= schedule.report_at + REPORT_EVERY {
            schedule.report_at = states;
            drop(schedule);
            self.control.progress.report(ProgressEvent::Exploring {
                counted: Counted::default(),
                states: states as u64,
                transitions: matrix.columns.len() as u64,
                frontier: (states - matrix.states) as u64,
                bytes,
            });
        }
        None
    }
}

impl Frontier {
    /// The sizes so far.
    pub fn reached(&self) -> Reached {
        Reached {
            states: self.states.len() as u64,
            expanded: self.matrix.states as u64,
            transitions: self.matrix.columns.len() as u64,
            bytes: self.states.bytes() + self.index.bytes() + self.matrix.bytes(),
        }
    }
}
