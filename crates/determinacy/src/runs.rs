//! All runs of a program that differ in its own choices, each with the certificate that the schedule makes no difference.
//!
//! Where one process has several steps to choose from, each choice is a run of its own; under a certificate, every schedule comes to
//! the same choices. So the runs together are all runs of the program, if each of them has a certificate.

use crate::evaluate::Stop as Halt;
use crate::order;
use crate::path::{Asked, End, Path, Question, Reached};
use crate::program::Compiled;
use crate::refusal::Refusal;
use crate::trace::Item;
use crate::windows::Pairs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use volvelle_control::{Control, Stop};
use volvelle_model::{FieldId, Program};

/// Limits of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Events of all runs that are executed one by one.
    pub events: u64,
    /// Events of one run.
    pub events_of_run: u64,
    /// Runs.
    pub runs: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { events: 2_000_000, events_of_run: 200_000, runs: 20_000 }
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The options chosen where there were several.
    pub choices: Vec<u32>,
    /// What holds where the goal is reached.
    pub reached: Option<Reached>,
    /// What is told besides, at the end of the run.
    pub observed: Option<Vec<i64>>,
    /// How it ends.
    pub end: End,
    /// Its steps, with those of all iterations of loops.
    pub steps: f64,
    /// Steps that were executed one by one.
    pub executed: u64,
    /// Whether every schedule takes the same steps, as far as it comes.
    pub certificate: Result<(), Refusal>,
}

/// The runs of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// Sorted by their choices.
    pub runs: Vec<Run>,
    /// Whether these are all, and all of them have certificates.
    pub are_certified: bool,
    /// What ended the work early.
    pub stop: Option<Stop>,
}

/// Work that the threads share.
struct Shared {
    open: Mutex<Open>,
    changed: Condvar,
    events: AtomicU64,
    /// Handshakes whose partners may be exchanged, of all runs.
    pairs: Mutex<Pairs>,
    is_over: AtomicBool,
    /// Some run has no certificate.
    has_failed: AtomicBool,
}

#[derive(Default)]
struct Open {
    /// Choices with which runs begin that were not made yet.
    choices: Vec<Vec<u32>>,
    /// Threads that may find more.
    busy: usize,
    done: Vec<Run>,
    stop: Option<Stop>,
    is_limited: bool,
}

/// Makes the runs of a program, with their certificates.
///
/// # Errors
/// The program has something that is not analysed.
pub fn runs(
    program: &Program,
    question: &Question,
    limits: Limits,
    control: &Control<'_>,
) -> Result<Runs, Refusal> {
    let compiled = Compiled::new(program)?;
    let asked = Asked::new(&compiled, question)?;
    let goal_fields = program.reads(question.goal);
    let shared = Shared {
        open: Mutex::new(Open { choices: vec![Vec::new()], ..Open::default() }),
        changed: Condvar::new(),
        events: AtomicU64::new(0),
        pairs: Mutex::new(Pairs::default()),
        is_over: AtomicBool::new(false),
        has_failed: AtomicBool::new(false),
    };
    let work = Work { compiled: &compiled, asked: &asked, goal_fields: &goal_fields, limits, control };
    std::thread::scope(|scope| {
        for _ in 1..control.threads.max(1) {
            scope.spawn(|| work.take_part(&shared));
        }
        work.take_part(&shared);
    });
    let open = shared.open.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut runs = open.done;
    runs.sort_by(|a, b| a.choices.cmp(&b.choices));
    let are_certified = open.stop.is_none()
        && !open.is_limited
        && !runs.is_empty()
        && runs.iter().all(|run| run.certificate.is_ok());
    Ok(Runs { runs, are_certified, stop: open.stop })
}

/// What all runs have in common.
struct Work<'a> {
    compiled: &'a Compiled<'a>,
    asked: &'a Asked,
    goal_fields: &'a [FieldId],
    limits: Limits,
    control: &'a Control<'a>,
}

impl Work<'_> {
    fn take_part(&self, shared: &Shared) {
        let lock = || shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = lock();
        loop {
            if shared.is_over.load(Ordering::Relaxed) {
                return;
            }
            let Some(choices) = open.choices.pop() else {
                if open.busy == 0 {
                    shared.changed.notify_all();
                    return;
                }
                open = shared.changed.wait(open).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            open.busy += 1;
            drop(open);
            let made = self.run(choices, shared);
            open = lock();
            open.busy -= 1;
            match made {
                Ok((run, others)) => {
                    // Then the others tell what can be reached, and no more.
                    if run.certificate.is_err() {
                        shared.has_failed.store(true, Ordering::Relaxed);
                    }
                    open.choices.extend(others);
                    open.done.push(run);
                    open.is_limited |= (open.done.len() + open.choices.len()) as u64 > self.limits.runs;
                    if open.is_limited {
                        shared.is_over.store(true, Ordering::Relaxed);
                    }
                }
                Err(stop) => {
                    open.stop = Some(stop);
                    shared.is_over.store(true, Ordering::Relaxed);
                }
            }
            shared.changed.notify_all();
        }
    }

    /// A run that begins with some choices, and the beginnings of those that choose otherwise later on.
    fn run(&self, choices: Vec<u32>, shared: &Shared) -> Result<(Run, Vec<Vec<u32>>), Stop> {
        self.control.check()?;
        let given = choices.len();
        let failed = |halt: Halt, choices: Vec<u32>| {
            let (end, refusal) = match halt {
                Halt::Failed(site) => (End::Failed(site), Refusal::Failure(site)),
                _ => (End::Unknown, Refusal::Irregular),
            };
            Run {
                choices,
                reached: None,
                observed: None,
                end,
                steps: 0.0,
                executed: 0,
                certificate: Err(refusal),
            }
        };
        let mut path = match Path::new(self.compiled, self.asked) {
            Ok(path) => path,
            Err(halt) => return Ok((failed(halt, choices), Vec::new())),
        };
        let used = shared.events.load(Ordering::Relaxed);
        let is_over = || shared.is_over.load(Ordering::Relaxed) || self.control.check().is_err();
        let most = self.limits.events.saturating_sub(used).min(self.limits.events_of_run);
        path.run(&choices, most, &is_over);
        self.control.check()?;
        shared.events.fetch_add(path.executed, Ordering::Relaxed);
        let certificate = match path.end {
            End::AtOnce => Ok(()),
            _ if shared.has_failed.load(Ordering::Relaxed) => Err(Refusal::Pointless),
            End::Stuck | End::Endless => {
                let lock = || shared.pairs.lock().unwrap_or_else(PoisonError::into_inner);
                let mut pairs = lock().clone();
                let is_endless = path.end == End::Endless;
                let (items, machine) = (&path.items, &mut path.machine);
                let result = order::certify(items, machine, self.goal_fields, is_endless, &mut pairs);
                lock().extend(&pairs);
                result
            }
            End::Limit => Err(Refusal::Limit),
            End::Failed(site) => Err(Refusal::Failure(site)),
            End::Unknown => Err(Refusal::Irregular),
        };
        let chosen = |n: usize| path.decisions[..n].iter().map(|&(_, chosen)| chosen);
        let mut others = Vec::new();
        for (n, &(options, _)) in path.decisions.iter().enumerate().skip(given) {
            others.extend((1..options).map(|option| chosen(n).chain([option]).collect()));
        }
        let choices = chosen(path.decisions.len()).collect();
        let (reached, end, executed) = (path.reached.clone(), path.end, path.executed);
        let observed = path.observed();
        Ok((
            Run { choices, reached, observed, end, steps: steps(&path.items), executed, certificate },
            others,
        ))
    }
}

/// The steps of a path. Recursion is as deep as loops nest.
fn steps(items: &[Item]) -> f64 {
    items
        .iter()
        .map(|item| match item {
            Item::Event(event) => event.steps.len() as f64,
            Item::Loop(inner) => inner.count as f64 * steps(&inner.body),
        })
        .sum()
}
