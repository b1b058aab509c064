//! All runs of a program that differ in its own choices, each with a certificate for all schedules.
//!
//! Where one process has several steps to choose from, each choice is a separate run. Under a certificate,
//! every schedule comes to the same choices. So if each run has a certificate, these are all runs of the
//! program.
//!
//! Runs without a certificate, for example because they do not end, are made again with a bound on the cost:
//! the run's own cost if it reaches the goal, else the least cost of all runs. Their certificates then say
//! that they are not better.

mod branched;

use crate::affine::Stop as Halt;
use crate::order;
use crate::path::{Asked, End, Path, Question, Reached};
use crate::program::Compiled;
use crate::refusal::Refusal;
use crate::trace::Item;
use crate::windows::Pairs;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use volvelle_control::{Control, Stop};
use volvelle_model::{FieldId, Program};

/// Limits of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Events that are executed one by one, over all runs.
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
    /// The further observations at the end of the run.
    pub observed: Option<Vec<i64>>,
    /// How it ends.
    pub end: End,
    /// Number of steps, with all iterations of loops.
    pub steps: f64,
    /// Steps that were executed one by one.
    pub executed: u64,
    /// If the run is cut off before its goal: reaching the goal costs more than this.
    pub above: Option<i64>,
    /// The locations of its processes at the end.
    pub locations: Vec<u32>,
    /// Whether every schedule takes the same steps, as far as the run goes.
    pub certificate: Result<(), Refusal>,
}

impl Run {
    /// A run that cannot be followed.
    fn failed(choices: Vec<u32>, halt: Halt) -> Self {
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
            above: None,
            locations: Vec::new(),
            certificate: Err(refusal),
        }
    }

    fn is_certified(&self) -> bool {
        self.certificate.is_ok()
    }
}

/// The runs of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// Sorted by their choices.
    pub runs: Vec<Run>,
    /// Whether these are all runs, and each has a certificate.
    pub are_certified: bool,
    /// What ended the work early.
    pub stop: Option<Stop>,
}

/// A run to be made.
struct Task {
    /// The choices with which it begins.
    choices: Vec<u32>,
    /// Bounds of the cost (or none), tried in this order until one gives a certificate.
    bounds: Vec<Option<i64>>,
}

/// Work that the threads share.
struct Shared {
    open: Mutex<Open>,
    changed: Condvar,
    events: AtomicU64,
    /// Handshakes whose partners may be exchanged, collected over all runs.
    pairs: Mutex<Pairs>,
    is_over: AtomicBool,
    /// Whether some run has no certificate and will get none: further certificates are then of no use.
    has_failed: AtomicBool,
    /// Whether this is the second attempt, which is only about certificates.
    is_second: bool,
}

#[derive(Default)]
struct Open {
    /// Runs still to be made.
    tasks: Vec<Task>,
    /// Number of threads that may still add tasks.
    busy: usize,
    /// Runs, with the choices with which they began.
    done: Vec<(Vec<u32>, Run)>,
    stop: Option<Stop>,
    is_limited: bool,
}

/// Makes the runs of a program, with their certificates.
///
/// # Errors
/// The program contains something that is not analysed.
pub fn runs(
    program: &Program,
    question: &Question,
    limits: Limits,
    control: &Control<'_>,
) -> Result<Runs, Refusal> {
    let compiled = Compiled::new(program)?;
    let asked = Asked::new(&compiled, question)?;
    let goal_fields = program.reads(question.goal);
    let work = Work { compiled: &compiled, asked: &asked, goal_fields: &goal_fields, limits, control };
    let first = Task { choices: Vec::new(), bounds: vec![question.within] };
    let (Open { done, stop, is_limited, .. }, pairs) = work.round(vec![first], Pairs::default(), false);
    let (certified, others): (Vec<Run>, Vec<Run>) =
        done.into_iter().map(|(_, run)| run).partition(Run::is_certified);
    let mut found = Runs { runs: certified, are_certified: false, stop };
    if stop.is_some() || is_limited {
        found.runs.extend(others);
    } else if let Some(runs) = work.branches(&found.runs, &others) {
        (found.runs, found.are_certified) = (runs, true);
    } else {
        work.again(&mut found, others, question.within, pairs);
    }
    found.runs.sort_by(|a, b| a.choices.cmp(&b.choices));
    Ok(found)
}

/// The common data of all runs.
struct Work<'a> {
    compiled: &'a Compiled<'a>,
    asked: &'a Asked,
    goal_fields: &'a [FieldId],
    limits: Limits,
    control: &'a Control<'a>,
}

impl Work<'_> {
    /// Makes the runs without a certificate again, with bounds.
    fn again(&self, found: &mut Runs, others: Vec<Run>, within: Option<i64>, pairs: Pairs) {
        let best = found.runs.iter().chain(&others).filter_map(|run| Some(run.reached.as_ref()?.cost)).min();
        let task = |run: &Run| {
            let bound = run.reached.as_ref().map(|reached| reached.cost).or(best).map(Some);
            let whole = (run.certificate == Err(Refusal::Pointless)).then_some(within);
            // A run that loops forever at a low cost does so under any bound: trying `within` first gains
            // nothing.
            let bounds = match run.end {
                End::Endless if bound.is_some() => bound.into_iter().collect(),
                _ => whole.into_iter().chain(bound).collect(),
            };
            Task { choices: run.choices.clone(), bounds }
        };
        let tasks: Vec<Task> = others.iter().map(task).collect();
        if tasks.iter().any(|task| task.bounds.is_empty()) {
            found.runs.extend(others);
            return;
        }
        let (open, _) = self.round(tasks, pairs, true);
        // Without a certificate, the run without a bound says more.
        let mut others: FxHashMap<Vec<u32>, Run> =
            others.into_iter().map(|run| (run.choices.clone(), run)).collect();
        for (given, run) in open.done {
            let before =
                if run.is_certified() { others.remove(&given).and(None) } else { others.remove(&given) };
            found.runs.push(before.unwrap_or(run));
        }
        found.runs.extend(others.into_values());
        found.stop = open.stop;
        found.are_certified = open.stop.is_none()
            && !open.is_limited
            && !found.runs.is_empty()
            && found.runs.iter().all(Run::is_certified);
    }

    /// Makes runs, and those that differ from them in later choices.
    fn round(&self, tasks: Vec<Task>, pairs: Pairs, is_second: bool) -> (Open, Pairs) {
        let shared = Shared {
            open: Mutex::new(Open { tasks, ..Open::default() }),
            changed: Condvar::new(),
            events: AtomicU64::new(0),
            pairs: Mutex::new(pairs),
            is_over: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            is_second,
        };
        std::thread::scope(|scope| {
            for _ in 1..self.control.threads.max(1) {
                scope.spawn(|| self.take_part(&shared));
            }
            self.take_part(&shared);
        });
        let open = shared.open.into_inner().unwrap_or_else(PoisonError::into_inner);
        (open, shared.pairs.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn take_part(&self, shared: &Shared) {
        let lock = || shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = lock();
        loop {
            if shared.is_over.load(Ordering::Relaxed) {
                return;
            }
            let Some(task) = open.tasks.pop() else {
                if open.busy == 0 {
                    shared.changed.notify_all();
                    return;
                }
                open = shared.changed.wait(open).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            open.busy += 1;
            drop(open);
            let made = self.run(&task, shared);
            open = lock();
            open.busy -= 1;
            match made {
                Ok((run, others)) => {
                    open.tasks.extend(others);
                    if !run.is_certified() && shared.is_second {
                        shared.is_over.store(true, Ordering::Relaxed);
                    }
                    open.done.push((task.choices, run));
                    open.is_limited |= (open.done.len() + open.tasks.len()) as u64 > self.limits.runs;
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

    /// Makes a run. Also returns the tasks for runs that differ in later choices.
    fn run(&self, task: &Task, shared: &Shared) -> Result<(Run, Vec<Task>), Stop> {
        let mut made = (Run::failed(task.choices.clone(), Halt::Undecided), Vec::new());
        for &bound in &task.bounds {
            made = self.attempt(&task.choices, bound, shared)?;
            if made.0.is_certified() {
                break;
            }
        }
        let (run, others) = made;
        let others = others.into_iter().map(|choices| Task { choices, bounds: task.bounds.clone() });
        Ok((run, others.collect()))
    }

    /// Tries one bound: makes the run, and lists the beginnings of runs that differ in later choices.
    fn attempt(
        &self,
        choices: &[u32],
        bound: Option<i64>,
        shared: &Shared,
    ) -> Result<(Run, Vec<Vec<u32>>), Stop> {
        self.control.check()?;
        let given = choices.len();
        let mut path = match Path::new(self.compiled, self.asked, bound) {
            Ok(path) => path,
            Err(halt) => return Ok((Run::failed(choices.to_vec(), halt), Vec::new())),
        };
        let used = shared.events.load(Ordering::Relaxed);
        let is_over = || shared.is_over.load(Ordering::Relaxed) || self.control.check().is_err();
        let most = self.limits.events.saturating_sub(used).min(self.limits.events_of_run);
        path.run(choices, most, &is_over);
        self.control.check()?;
        shared.events.fetch_add(path.executed, Ordering::Relaxed);
        let certificate = self.certificate(&mut path, shared);
        // The remaining runs only show what can be reached; they need no certificates.
        if certificate.is_err() && matches!(path.end, End::Stuck | End::Bounded) && !shared.is_second {
            shared.has_failed.store(true, Ordering::Relaxed);
        }
        let chosen = |n: usize| path.decisions[..n].iter().map(|&(_, chosen)| chosen);
        let mut others = Vec::new();
        for (n, &(options, _)) in path.decisions.iter().enumerate().skip(given) {
            others.extend((1..options).map(|option| chosen(n).chain([option]).collect()));
        }
        let choices = chosen(path.decisions.len()).collect();
        let (reached, end, executed) = (path.reached.clone(), path.end, path.executed);
        let run = Run {
            choices,
            observed: path.observed(),
            above: bound.filter(|_| end == End::Bounded && reached.is_none()),
            reached,
            end,
            steps: steps(&path.items),
            executed,
            locations: path.machine.locations(),
            certificate,
        };
        Ok((run, others))
    }

    fn certificate(&self, path: &mut Path<'_, '_>, shared: &Shared) -> Result<(), Refusal> {
        match path.end {
            End::AtOnce => Ok(()),
            End::Stuck | End::Endless | End::Bounded => {
                // A bound shortens endless runs; that is the second attempt.
                let is_early = path.end == End::Endless && !shared.is_second;
                if is_early || shared.has_failed.load(Ordering::Relaxed) {
                    return Err(Refusal::Pointless);
                }
                let lock = || shared.pairs.lock().unwrap_or_else(PoisonError::into_inner);
                let mut pairs = lock().clone();
                let result = order::certify(path, self.goal_fields, path.end == End::Endless, &mut pairs);
                lock().extend(&pairs);
                result
            }
            End::Limit => Err(Refusal::Limit),
            End::Failed(site) => Err(Refusal::Failure(site)),
            End::Unknown => Err(Refusal::Irregular),
        }
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
