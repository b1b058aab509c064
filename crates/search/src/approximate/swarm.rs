//! Swarm verification: many small searches, each with an order and hash functions of its own.
//!
//! The searches omit different states, and use all cores. The omission of all of them is estimated from how often they
//! visited the same states (`sample`).

use super::bits::BitArray;
use super::depth_first::{DepthFirst, Order};
use super::sample::{Census, Sample};
use super::{Estimate, Memory, Options as WalkOptions, is_end, mixed};
use crate::report::{Fault, Outcome, Report};
use crate::system::System;
use crate::visited::{Halt, lock};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use volvelle_control::{Control, Stop};

/// Searches after which a swarm may end early, if hardly any states are left.
const ENOUGH: u64 = 8;

/// Options of a swarm.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Bits of the array of one search.
    pub bits: u64,
    /// Bits that a state sets.
    pub functions: u32,
    /// Searches to make. A time limit may end the swarm before; what it found until then counts.
    pub searches: u64,
    /// The seed of random numbers.
    pub seed: u64,
    /// Go on behind errors.
    pub all_errors: bool,
    /// Most states on a stack.
    pub max_depth: Option<u64>,
    /// Leave out successors that are not needed.
    pub reduce: bool,
}

/// Data that all workers share.
struct Shared<'a> {
    system: &'a dyn System,
    options: &'a Options,
    control: &'a Control<'a>,
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

/// Searches with all workers. Each search is the same for the same seed; how many are made in a time is not.
pub fn search(system: &dyn System, options: &Options, control: &Control<'_>) -> (Report, Estimate) {
    let all = All { report: Report::new(), census: Census::new(), is_bounded: false, finders: Vec::new() };
    let shared = Shared {
        system,
        options,
        control,
        next: AtomicU64::new(0),
        over: AtomicBool::new(false),
        all: Mutex::new(all),
    };
    std::thread::scope(|scope| {
        for _ in 1..control.threads.max(1) {
            scope.spawn(|| shared.work());
        }
        shared.work();
    });
    let All { mut report, census, is_bounded, .. } =
        shared.all.into_inner().unwrap_or_else(|e| e.into_inner());
    report.states = census.visited().round() as u64;
    let bits_per_state = options.bits as f64 * census.searches() as f64 / report.states.max(1) as f64;
    let estimate =
        Estimate { omission: census.omission(), bits_per_state, searches: census.searches(), is_bounded };
    (report, estimate)
}

impl Shared<'_> {
    fn work(&self) {
        let Options { bits, functions, searches, seed, all_errors, max_depth, reduce } = *self.options;
        let mut array = match BitArray::new(bits, functions, 0, self.control) {
            Ok(array) => array,
            Err(halt) => {
                lock(&self.all).report.outcome = halt.into();
                return;
            }
        };
        let memory = Memory::Bits { bits, functions };
        let options = WalkOptions { memory, all_errors, max_depth, reduce };
        while !self.over.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= searches {
                return;
            }
            let seed = mixed(seed ^ mixed(number + 1));
            array.restart(seed);
            let mut walk =
                DepthFirst::new(self.system, &options, self.control, &mut array, Order::Random(seed));
            walk.sample = Some(Sample::new(lock(&self.all).census.limit()));
            let ended = walk.run();
            let sample = walk.sample.take();
            let (report, is_bounded) = walk.finish();
            self.add(number, report, ended, sample, is_bounded);
        }
    }

    fn add(
        &self,
        number: u64,
        report: Report,
        ended: Result<(), Halt>,
        sample: Option<Sample>,
        is_bounded: bool,
    ) {
        let mut all = lock(&self.all);
        let all = &mut *all;
        if let Some(sample) = sample {
            all.census.add(sample);
        }
        all.is_bounded |= is_bounded;
        all.report.transitions += report.transitions;
        all.report.steps += report.steps;
        all.report.depth = all.report.depth.max(report.depth);
        all.report.bytes = all.report.bytes.max(report.bytes * self.control.threads.max(1) as u64);
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

/// Keeps one error of each site: that of the shortest trail, then of the first search.
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
