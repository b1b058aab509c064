//! Expanding states on all threads, numbering them in one order.
//!
//! Threads take tickets: runs of states that have numbers but no successors yet. A thread expands its run
//! and looks the successors up beside all others; then it waits for its ticket's turn, enters the states
//! that nobody had found, and appends its rows to the matrix. Turns go in the order of the tickets, which
//! is the order of the states, so numbers, rows and the first error do not depend on the threads. There are no
//! level barriers: a ticket can be taken while states of the level before are being expanded.

use crate::assemble::Assembler;
use crate::batch::Batch;
use crate::error::Reached;
use crate::store::{Index, StateTable, UNKNOWN};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use volvelle_control::{Control, News, Stop};
use volvelle_kernel::{Code, Exit, Site};
use volvelle_model::kernels::StepKernel;

/// Most states that a ticket stands for.
const TICKET: usize = 1024;

/// States between two pieces of news.
const NEWS_EVERY: usize = 1 << 16;

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
}

/// What all threads see.
struct Shared<'a> {
    states: &'a StateTable,
    index: RwLock<Arc<Index>>,
    schedule: Mutex<Schedule>,
    /// Signalled when a turn ends.
    turned: Condvar,
    matrix: Mutex<&'a mut Assembler>,
    step: &'a StepKernel,
    code: &'a dyn Code,
    control: &'a Control<'a>,
    limit: usize,
}

struct Schedule {
    /// First state without a ticket.
    next: usize,
    /// States that have a number (those of finished turns).
    known: usize,
    issued: u64,
    turn: u64,
    outcome: Option<Outcome>,
    news_at: usize,
}

/// A run of states to expand.
struct Ticket {
    number: u64,
    first: usize,
    end: usize,
}

/// Expands everything from state `frontier.matrix.states` on.
pub fn run(frontier: &mut Frontier, step: &StepKernel, code: &dyn Code, control: &Control<'_>) -> Outcome {
    let known = frontier.states.len();
    let limit = control.limits.states.unwrap_or(u64::MAX).min(crate::store::MAX_STATES as u64) as usize;
    let placeholder = Index::new(1, 0);
    let index = std::mem::replace(&mut frontier.index, placeholder);
    let next = frontier.matrix.states;
    let shared = Shared {
        states: &frontier.states,
        index: RwLock::new(Arc::new(index)),
        schedule: Mutex::new(Schedule { next, known, issued: 0, turn: 0, outcome: None, news_at: known }),
        turned: Condvar::new(),
        matrix: Mutex::new(&mut frontier.matrix),
        step,
        code,
        control,
        limit,
    };
    let threads = control.threads.max(1);
    if threads == 1 {
        shared.work(false);
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| shared.work(true));
            }
        });
    }
    let Shared { index, schedule, .. } = shared;
    let index = index.into_inner().unwrap_or_else(PoisonError::into_inner);
    frontier.index = Arc::into_inner(index).expect("the threads have let go of the index");
    schedule.into_inner().unwrap_or_else(PoisonError::into_inner).outcome.unwrap_or(Outcome::Done)
}

impl Shared<'_> {
    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, parallel: bool) {
        let mut batch = Batch::new(self.step);
        while let Some(ticket) = self.take_ticket() {
            let outcome = self.ticket(&ticket, &mut batch, parallel);
            let mut schedule = self.wait_for_turn(ticket.number);
            if schedule.outcome.is_none() {
                schedule.outcome = outcome;
            }
            schedule.known = self.states.len();
            schedule.turn += 1;
            drop(schedule);
            self.turned.notify_all();
        }
    }

    fn take_ticket(&self) -> Option<Ticket> {
        let mut schedule = self.schedule();
        loop {
            if schedule.outcome.is_some() {
                return None;
            }
            let available = schedule.known - schedule.next;
            if available > 0 {
                // Small runs while there is little to do, so that every thread gets some.
                let fair = available.div_ceil(2 * self.control.threads.max(1));
                let count = fair.clamp(1, TICKET);
                let ticket =
                    Ticket { number: schedule.issued, first: schedule.next, end: schedule.next + count };
                schedule.issued += 1;
                schedule.next += count;
                return Some(ticket);
            }
            if schedule.issued == schedule.turn {
                return None;
            }
            schedule = self.turned.wait(schedule).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wait_for_turn(&self, ticket: u64) -> MutexGuard<'_, Schedule> {
        let mut schedule = self.schedule();
        while schedule.turn != ticket {
            schedule = self.turned.wait(schedule).unwrap_or_else(PoisonError::into_inner);
        }
        schedule
    }

    /// Expands the states of a ticket; `Some` ends the exploration.
    fn ticket(&self, ticket: &Ticket, batch: &mut Batch, parallel: bool) -> Option<Outcome> {
        let mut at = ticket.first;
        while at < ticket.end {
            let packed = self.states.run(at, ticket.end - at);
            let exit = batch.expand(self.code, packed);
            let count = batch.state_ends.len();
            let successors = batch.weights.len();
            if parallel {
                let index = self.index.read().unwrap_or_else(PoisonError::into_inner).clone();
                index.look_up(self.states, &batch.successors, &mut batch.numbers);
            } else {
                batch.numbers.clear();
                batch.numbers.resize(successors, UNKNOWN);
            }
            let schedule = self.wait_for_turn(ticket.number);
            if schedule.outcome.is_some() {
                return None;
            }
            drop(schedule);
            if let Some(outcome) = self.commit(batch, successors) {
                return Some(outcome);
            }
            at += count;
            match exit {
                Exit::Done | Exit::Full(_) => {}
                Exit::Failed(site) => return Some(Outcome::Failed { site, state: at }),
                Exit::OutOfBounds(buffer) => unreachable!("the step kernel left buffer {}", buffer.0),
            }
        }
        None
    }

    /// Numbers the new states of a batch and appends its rows. Called by the thread whose turn it is.
    fn commit(&self, batch: &mut Batch, successors: usize) -> Option<Outcome> {
        let mut matrix = self.matrix.lock().unwrap_or_else(PoisonError::into_inner);
        let mut index = self.index.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(larger) = index.reserve(self.states, successors) {
            index = Arc::new(larger);
            *self.index.write().unwrap_or_else(PoisonError::into_inner) = index.clone();
        }
        if !matrix.has_room(successors + batch.state_ends.len()) {
            return Some(Outcome::TooLarge("transitions"));
        }
        // SAFETY: turns are taken one at a time, and this is the only place that inserts.
        let complete =
            unsafe { index.find_or_insert(self.states, &batch.successors, &mut batch.numbers, self.limit) };
        if !complete {
            return Some(match self.control.limits.states {
                Some(_) => Outcome::Stopped(Stop::States),
                None => Outcome::TooLarge("states"),
            });
        }
        matrix.add(batch);
        self.look_around(&matrix, &index, batch)
    }

    /// Limits and news.
    fn look_around(&self, matrix: &Assembler, index: &Index, batch: &Batch) -> Option<Outcome> {
        let bytes = self.states.bytes()
            + index.bytes()
            + matrix.bytes()
            + batch.bytes() * self.control.threads.max(1) as u64;
        let go_on = self.control.check().and_then(|()| self.control.check_memory(bytes));
        if let Err(stop) = go_on {
            return Some(Outcome::Stopped(stop));
        }
        let states = self.states.len();
        let mut schedule = self.schedule();
        if states >= schedule.news_at + NEWS_EVERY {
            schedule.news_at = states;
            drop(schedule);
            self.control.progress.news(News::Exploring {
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
    /// How far it came.
    pub fn reached(&self) -> Reached {
        Reached {
            states: self.states.len() as u64,
            expanded: self.matrix.states as u64,
            transitions: self.matrix.columns.len() as u64,
            bytes: self.states.bytes() + self.index.bytes() + self.matrix.bytes(),
        }
    }
}
