//! Swarm verification: many small searches, each with its own order and hash functions.
//!
//! The searches omit different states, and use all cores, also those of other processes. Their common
//! omission is estimated from how often they visited the same states (`sample`).

use super::bits::BitArray;
use super::depth_first::{DepthFirst, Order};
use super::sample::{Census, Sample};
use super::{Estimate, Memory, Options as WalkOptions, is_end, mixed};
use crate::report::{Fault, Outcome, Report};
use crate::system::System;
use crate::visited::{Halt, lock};
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use volvelle_control::tasks::{decoded, encoded, on_threads};
use volvelle_control::{Control, Stop, TaskQueue};

/// Searches after which a swarm may end early, if hardly any states are left.
const ENOUGH: u64 = 8;

/// Options of a swarm.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Bits of the array of one search.
    pub bits: u64,
    /// Bits that a state sets.
    pub functions: u32,
    /// Number of searches. A time limit may end the swarm earlier; results found by then count.
    pub searches: u64,
    /// The seed of random numbers.
    pub seed: u64,
    /// Whether to continue after errors.
    pub all_errors: bool,
    /// Most states on a stack.
    pub max_depth: Option<u64>,
    /// Leave out successors that are not needed.
    pub reduce: bool,
}

/// Data that the workers of a process share.
struct Shared<'a> {
    system: &'a dyn System,
    options: &'a Options,
    control: &'a Control<'a>,
    /// States above it are in no sample.
    limit: AtomicU64,
}

/// A finished search, as sent between processes.
#[derive(Serialize, Deserialize)]
struct Member {
    report: Report,
    ended: Result<(), Halt>,
    sample: Option<Sample>,
    is_bounded: bool,
}

/// The searches to be made, and the results so far. Only the leading process has any.
struct Swarm<'a> {
    shared: &'a Shared<'a>,
    next: AtomicU64,
    over: AtomicBool,
    all: Mutex<All>,
}

/// The results of the searches.
struct All {
    report: Report,
    census: Census,
    is_bounded: bool,
    /// For each error, the search that found it.
    finders: Vec<u64>,
}

/// Searches with all workers, and with those of other processes that share the work. Each search depends on
/// the seed alone, but how many are made in a given time does not. The leading process gets the results;
/// others get an empty report with its outcome.
pub fn search(system: &dyn System, options: &Options, control: &Control<'_>) -> (Report, Estimate) {
    let shared = Shared { system, options, control, limit: AtomicU64::new(u64::MAX) };
    let all = All { report: Report::new(), census: Census::new(), is_bounded: false, finders: Vec::new() };
    let swarm = Swarm {
        shared: &shared,
        next: AtomicU64::new(0),
        over: AtomicBool::new(false),
        all: Mutex::new(all),
    };
    let threads = control.threads.max(1);
    match control.sharing {
        None => on_threads(threads, &|| shared.work(&swarm)),
        Some(sharing) => {
            sharing.share(&swarm, threads, control, &|queue| shared.work(queue));
            let own = encoded(&lock(&swarm.all).report.outcome).unwrap_or_default();
            // All processes have to make room for the same states.
            let told = sharing.announce(own).and_then(|bytes| decoded(&bytes));
            lock(&swarm.all).report.outcome = told.unwrap_or(Outcome::Stopped(Stop::Cancelled));
        }
    }
    let All { mut report, census, is_bounded, .. } =
        swarm.all.into_inner().unwrap_or_else(|e| e.into_inner());
    report.states = census.visited().round() as u64;
    let bits_per_state = options.bits as f64 * census.searches() as f64 / report.states.max(1) as f64;
    let estimate =
        Estimate { omission: census.omission(), bits_per_state, searches: census.searches(), is_bounded };
    (report, estimate)
}

impl Shared<'_> {
    fn work(&self, queue: &dyn TaskQueue) {
        let mut array = None;
        while let Some(number) = queue.next() {
            queue.deliver(number, encoded(&self.member(number, &mut array)));
        }
    }

    /// Makes a search. The worker reuses its array for all its searches.
    fn member(&self, number: u64, array: &mut Option<BitArray>) -> Member {
        let Options { bits, functions, seed, all_errors, max_depth, reduce, .. } = *self.options;
        let array = match array {
            Some(array) => array,
            None => match BitArray::new(bits, functions, 0, self.control) {
                Ok(new) => array.insert(new),
                Err(halt) => {
                    return Member {
                        report: Report::new(),
                        ended: Err(halt),
                        sample: None,
                        is_bounded: false,
                    };
                }
            },
        };
        let memory = Memory::Bits { bits, functions };
        let options = WalkOptions { memory, all_errors, max_depth, reduce };
        let seed = mixed(seed ^ mixed(number + 1));
        array.restart(seed);
        let mut walk = DepthFirst::new(self.system, &options, self.control, array, Order::Random(seed));
        walk.sample = Some(Sample::new(self.limit.load(Ordering::Relaxed)));
        let ended = walk.run();
        let sample = walk.sample.take();
        if let Some(sample) = &sample {
            self.limit.fetch_min(sample.limit(), Ordering::Relaxed);
        }
        let (report, is_bounded) = walk.finish();
        Member { report, ended, sample, is_bounded }
    }
}

impl TaskQueue for Swarm<'_> {
    fn next(&self) -> Option<u64> {
        if self.over.load(Ordering::Relaxed) {
            return None;
        }
        let searches = self.shared.options.searches;
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < searches)
    }

    fn deliver(&self, number: u64, result: Option<Vec<u8>>) {
        if let Some(member) = result.and_then(|bytes| decoded(&bytes)) {
            self.add(number, member);
        }
    }
}

impl Swarm<'_> {
    fn add(&self, number: u64, Member { report, ended, sample, is_bounded }: Member) {
        let mut all = lock(&self.all);
        let all = &mut *all;
        if let Some(sample) = sample {
            all.census.add(sample);
            self.shared.limit.fetch_min(all.census.limit(), Ordering::Relaxed);
        }
        all.is_bounded |= is_bounded;
        all.report.transitions += report.transitions;
        all.report.steps += report.steps;
        all.report.depth = all.report.depth.max(report.depth);
        let threads = self.shared.control.threads.max(1) as u64;
        all.report.bytes = all.report.bytes.max(report.bytes * threads);
        for fault in report.faults {
            note(&mut all.report.faults, &mut all.finders, fault, number);
        }
        // Every state was visited several times: hardly any are left.
        if all.census.searches() >= ENOUGH && all.census.omission() == 0.0 {
            self.over.store(true, Ordering::Relaxed);
        }
        match ended {
            // The end of the given time is the regular end.
            Err(Halt::Stopped(Stop::Timeout)) => self.over.store(true, Ordering::Relaxed),
            Err(halt) => {
                if is_end(all.report.outcome) {
                    all.report.outcome = halt.into();
                }
                self.over.store(true, Ordering::Relaxed);
            }
            Ok(()) => {
                if report.outcome == Outcome::Failed {
                    if is_end(all.report.outcome) {
                        all.report.outcome = Outcome::Failed;
                    }
                    self.over.store(true, Ordering::Relaxed);
                }
            }
        }
    }
}

/// Keeps one error per site: the one with the shortest trail, then of the first search.
fn note(faults: &mut Vec<Fault>, finders: &mut Vec<u64>, fault: Fault, number: u64) {
    match faults.iter().position(|known| known.site == fault.site) {
        None => {
            faults.push(fault);
            finders.push(number);
        }
        Some(at) if (fault.depth, number) < (faults[at].depth, finders[at]) => {
            faults[at] = fault;
            finders[at] = number;
        }
        Some(_) => {}
    }
}
