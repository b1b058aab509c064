//! Sampling: paths in blocks, on all threads and devices, summed up in the order of their numbers.
//!
//! Blocks of [`BLOCK`] paths are claimed in order and run by whoever is free; their summaries are merged in order, so that what
//! comes out depends on the paths alone. After every block the caller decides whether that is enough; blocks beyond are dropped.
//! Every path that was begun comes to its end: paths cut short would be the long ones.

mod claims;
mod remote;
mod worker;

use crate::engine::{Engine, Remote};
use crate::error::Failure;
use crate::foresight::Foresight;
use crate::monitor::Monitors;
use crate::runner::{Paths, Runner};
use crate::summing::sum_up;
use claims::Claims;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use volvelle_control::{Control, Stop};
use volvelle_statistics::{Moments, Tally};

/// Paths that are summed up together.
pub const BLOCK: u64 = 256;
/// A path with more steps is long: then paths are run in pieces, with a look at the user in between.
pub(crate) const LONG: u32 = 1 << 14;

/// Values of a measure over paths.
#[derive(Clone, Debug)]
pub enum Summary {
    /// How often it was one.
    Tally(Tally),
    /// Finite values, and how many were infinite.
    Moments {
        /// The finite ones.
        moments: Moments,
        /// Number of the others.
        infinite: u64,
    },
}

/// What is known after some paths.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// Paths.
    pub paths: u64,
    /// Number of the path after the last of them.
    pub end: u64,
    /// Steps on them.
    pub steps: u64,
    /// One for each measure.
    pub summaries: Vec<Summary>,
}

/// Has what runs one path at a time fast, or makes it when it is first asked for: only long paths need it.
pub trait Alone: Sync {
    /// The code; `None` if there is none to be had.
    fn runner(&self) -> Option<&Runner>;
}

/// Which paths are sampled, and how.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Seed of all streams.
    pub seed: u64,
    /// First path.
    pub first: u64,
    /// Paths at most.
    pub paths: u64,
    /// Steps at which a path is given up.
    pub max_steps: u32,
    /// Says what is measured, and how what paths tell is read.
    pub monitors: &'a Monitors,
    /// What is known of states, where that is needed to end paths.
    pub foresight: Option<&'a Foresight<'a>>,
    /// Runs one path at a time fast, where there are long ones and what runs paths is slow at that.
    pub alone: Option<&'a dyn Alone>,
    /// Devices that run paths as well, each asked by a thread of its own.
    pub remotes: &'a [&'a dyn Remote],
    /// Whether threads run paths where there are devices, besides what devices could not run.
    pub threads_too: bool,
}

impl<'a> Request<'a> {
    /// Paths that nobody looks ahead for.
    pub fn new(seed: u64, first: u64, paths: u64, max_steps: u32, monitors: &'a Monitors) -> Self {
        Request {
            seed,
            first,
            paths,
            max_steps,
            monitors,
            foresight: None,
            alone: None,
            remotes: &[],
            threads_too: true,
        }
    }
}

/// Why sampling ended before anybody had enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A path failed.
    Failed(Failure),
    /// A path was given up before it decided these measures. What is known does not include its block.
    Undecided(Undecided),
    /// Time is over, or somebody wants to stop.
    Stopped(Stop),
}

/// A path that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Its number.
    pub path: u64,
    /// Indices of the measures that it does not decide.
    pub measures: Vec<usize>,
}

impl Sampled {
    /// Nothing yet.
    pub fn nothing(indicators: &[bool]) -> Self {
        let summary = |&indicator: &bool| match indicator {
            true => Summary::Tally(Tally::default()),
            false => Summary::Moments { moments: Moments::new(), infinite: 0 },
        };
        Sampled { paths: 0, end: 0, steps: 0, summaries: indicators.iter().map(summary).collect() }
    }

    /// The summary of paths from `first` on.
    pub(crate) fn of(first: u64, paths: &Paths, from: usize, to: usize, monitors: &Monitors) -> Self {
        let mut sampled = Sampled::nothing(monitors.indicators());
        let columns = monitors.columns();
        sampled.paths = (to - from) as u64;
        sampled.end = first + to as u64;
        sampled.steps = paths.status[from..to].iter().map(|status| status >> 1).sum();
        sum_up(monitors, &paths.values[from * columns..to * columns], &mut sampled.summaries);
        sampled
    }

    /// The same paths, but only some of the measures.
    pub fn only(&self, measures: &[usize]) -> Sampled {
        let summaries = measures.iter().map(|&measure| self.summaries[measure].clone()).collect();
        Sampled { summaries, ..*self }
    }

    /// Adds the paths that follow.
    pub fn merge(&mut self, next: &Sampled) {
        self.paths += next.paths;
        self.end = self.end.max(next.end);
        self.steps += next.steps;
        for (summary, next) in self.summaries.iter_mut().zip(&next.summaries) {
            match (summary, next) {
                (Summary::Tally(a), Summary::Tally(b)) => a.merge(*b),
                (
                    Summary::Moments { moments: a, infinite: m },
                    Summary::Moments { moments: b, infinite: n },
                ) => {
                    a.merge(b);
                    *m += n;
                }
                _ => unreachable!("summaries of the same measures"),
            }
        }
    }
}

/// What workers hand in: the number of the first block, a summary of each, and why there are no more.
type Claim = (u64, Vec<Sampled>, Option<Ended>);

/// Runs paths until `enough` says so, given all so far and those that came last; or until there are `request.paths`. With
/// what is known by then, and why there is no more: a path failed or was given up, or the control asked to stop.
pub fn sample(
    engine: &dyn Engine,
    request: &Request<'_>,
    control: &Control<'_>,
    enough: impl FnMut(&Sampled, &Sampled) -> bool,
) -> (Sampled, Option<Ended>) {
    resume(engine, request, control, Sampled::nothing(request.monitors.indicators()), enough)
}

/// The same, on top of paths that are known already.
pub fn resume(
    engine: &dyn Engine,
    request: &Request<'_>,
    control: &Control<'_>,
    mut all: Sampled,
    mut enough: impl FnMut(&Sampled, &Sampled) -> bool,
) -> (Sampled, Option<Ended>) {
    let known = all.paths;
    let blocks = request.paths.div_ceil(BLOCK);
    let claims = Claims::new(blocks);
    let over = AtomicBool::new(false);
    let (sender, receiver) = mpsc::sync_channel::<Claim>(4 * control.threads.max(1));
    let mut stopped = None;
    let ended = std::thread::scope(|scope| {
        let (claims, over) = (&claims, &over);
        let remotes = request.remotes;
        let threads = if remotes.is_empty() || request.threads_too { control.threads.max(1) } else { 0 };
        let sharers = (threads + remotes.len()) as u64;
        for _ in 0..threads.min(blocks.max(1) as usize) {
            let sender = sender.clone();
            scope.spawn(move || worker::work(engine, request, control, claims, over, &sender));
        }
        for &remote in remotes {
            let sender = sender.clone();
            scope.spawn(move || {
                let gave_back = remote::work(remote, request, control, claims, over, &sender, sharers);
                // What it has given back is run here: who else is there may be through already.
                if gave_back || threads == 0 {
                    worker::work(engine, request, control, claims, over, &sender);
                }
            });
        }
        drop(sender);
        let mut waiting: BTreeMap<u64, Claim> = BTreeMap::new();
        let mut due = 0;
        let mut ended = None;
        'merge: for claim in &receiver {
            waiting.insert(claim.0, claim);
            while let Some((_, summaries, why)) = waiting.remove(&due) {
                due += summaries.len() as u64;
                for summary in &summaries {
                    all.merge(summary);
                    if enough(&all, summary) {
                        over.store(true, Ordering::Relaxed);
                        ended = Some(None);
                        break 'merge;
                    }
                }
                if why.is_some() {
                    over.store(true, Ordering::Relaxed);
                    ended = Some(why);
                    break 'merge;
                }
            }
            if stopped.is_none() {
                stopped = control.check().err();
            }
        }
        // Workers that still hand something in must not wait for ever.
        receiver.iter().for_each(drop);
        ended
    });
    let ended = match ended {
        Some(ended) => ended,
        None if all.paths - known < request.paths => {
            // Workers that were stopped between claims hand nothing in.
            let stop = stopped.or_else(|| control.check().err());
            Some(Ended::Stopped(stop.unwrap_or(Stop::Timeout)))
        }
        None => None,
    };
    (all, ended)
}
