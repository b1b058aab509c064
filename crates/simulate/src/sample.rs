//! Sampling: paths in blocks, on all threads, summed up in the order of their numbers.
//!
//! Blocks of [`BLOCK`] paths are claimed in order and run by whoever is free; their summaries are merged in order, so that what
//! comes out depends on the paths alone. After every block the caller decides whether that is enough; blocks beyond are dropped.
//! Every path that was begun comes to its end: paths cut short would be the long ones.

use crate::error::Failure;
use crate::monitor::Monitors;
use crate::runner::{Paths, Runner};
use crate::summing::sum_up;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use volvelle_control::{Control, Stop};
use volvelle_statistics::{Moments, Tally};

/// Paths that are summed up together.
pub const BLOCK: u64 = 256;
/// Steps after which a worker hands in what it has.
const STEPS_PER_CLAIM: u64 = 1 << 20;
/// Blocks that a worker takes at most.
const MOST_BLOCKS: u64 = 256;
/// Numbers that the paths of a worker tell at most, unless a single block has more.
const MOST_NUMBERS: u64 = 1 << 21;

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
    /// The first path that was given up undecided.
    pub given_up: Option<u64>,
    /// One for each measure.
    pub summaries: Vec<Summary>,
}

/// Which paths are sampled, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Seed of all streams.
    pub seed: u64,
    /// First path.
    pub first: u64,
    /// Paths at most.
    pub paths: u64,
    /// Steps at which a path is given up.
    pub max_steps: u32,
    /// For each measure whether it is 0 or 1.
    pub indicators: &'a [bool],
    /// How what paths tell is read.
    pub monitors: &'a Monitors,
}

/// Why sampling ended before anybody had enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// A path failed.
    Failed(Failure),
    /// Time is over, or somebody wants to stop.
    Stopped(Stop),
}

impl Sampled {
    /// Nothing yet.
    pub fn nothing(indicators: &[bool]) -> Self {
        let summary = |&indicator: &bool| match indicator {
            true => Summary::Tally(Tally::default()),
            false => Summary::Moments { moments: Moments::new(), infinite: 0 },
        };
        Sampled {
            paths: 0,
            end: 0,
            steps: 0,
            given_up: None,
            summaries: indicators.iter().map(summary).collect(),
        }
    }

    /// The summary of paths from `first` on.
    fn of(first: u64, paths: &Paths, from: usize, to: usize, request: &Request<'_>) -> Self {
        let mut sampled = Sampled::nothing(request.indicators);
        let columns = request.monitors.columns();
        sampled.paths = (to - from) as u64;
        sampled.end = first + to as u64;
        sampled.steps = paths.status[from..to].iter().map(|status| status >> 1).sum();
        let given_up = paths.status[from..to].iter().position(|status| status & 1 != 0);
        sampled.given_up = given_up.map(|i| first + (from + i) as u64);
        let rows = &paths.values[from * columns..to * columns];
        sum_up(request.monitors, rows, &mut sampled.summaries);
        sampled
    }

    /// What is known of one measure.
    pub fn of_measure(&self, measure: usize) -> Self {
        Sampled { summaries: vec![self.summaries[measure].clone()], ..*self }
    }

    /// Adds the paths that follow.
    pub fn merge(&mut self, next: &Sampled) {
        self.paths += next.paths;
        self.end = self.end.max(next.end);
        self.steps += next.steps;
        self.given_up = self.given_up.or(next.given_up);
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

/// What workers hand in: the number of the first block, and a summary of each; or why there is none.
type Claim = (u64, Vec<Sampled>, Option<Failure>);

/// Runs paths until `enough` says so, given all so far and those that came last; or until there are `request.paths`.
///
/// # Errors
/// A path failed, or the control asked to stop; with what is known by then.
pub fn sample(
    runner: &Runner,
    request: &Request<'_>,
    control: &Control<'_>,
    mut enough: impl FnMut(&Sampled, &Sampled) -> bool,
) -> (Sampled, Option<Ended>) {
    let mut all = Sampled::nothing(request.indicators);
    let blocks = request.paths.div_ceil(BLOCK);
    let next = AtomicU64::new(0);
    let over = AtomicBool::new(false);
    let (sender, receiver) = mpsc::sync_channel::<Claim>(4 * control.threads.max(1));
    let mut stopped = None;
    let ended = std::thread::scope(|scope| {
        for _ in 0..control.threads.max(1).min(blocks.max(1) as usize) {
            let sender = sender.clone();
            let (next, over) = (&next, &over);
            scope.spawn(move || work(runner, request, control, blocks, next, over, &sender));
        }
        drop(sender);
        let mut waiting: BTreeMap<u64, Claim> = BTreeMap::new();
        let mut due = 0;
        let mut ended = None;
        'merge: for claim in &receiver {
            waiting.insert(claim.0, claim);
            while let Some((_, summaries, failure)) = waiting.remove(&due) {
                due += summaries.len() as u64;
                for summary in &summaries {
                    all.merge(summary);
                    if enough(&all, summary) {
                        over.store(true, Ordering::Relaxed);
                        ended = Some(None);
                        break 'merge;
                    }
                }
                if let Some(failure) = failure {
                    over.store(true, Ordering::Relaxed);
                    ended = Some(Some(Ended::Failed(failure)));
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
        None if all.paths < request.paths => Some(Ended::Stopped(stopped.unwrap_or(Stop::Timeout))),
        None => None,
    };
    (all, ended)
}

/// Claims blocks and runs them, until there are none left or it is over.
fn work(
    runner: &Runner,
    request: &Request<'_>,
    control: &Control<'_>,
    blocks: u64,
    next: &AtomicU64,
    over: &AtomicBool,
    sender: &mpsc::SyncSender<Claim>,
) {
    let mut worker = Worker { runner, request, control, paths: Paths::default(), piece: None };
    let most_blocks = MOST_NUMBERS / (BLOCK * request.monitors.columns().max(1) as u64);
    let most_blocks = most_blocks.clamp(1, MOST_BLOCKS);
    let mut claim = 1;
    while !over.load(Ordering::Relaxed) && control.check().is_ok() {
        let block = next.fetch_add(claim, Ordering::Relaxed);
        let end = (block + claim).min(blocks);
        if block >= end {
            return;
        }
        let first = request.first + block * BLOCK;
        let last = request.first + (end * BLOCK).min(request.paths);
        let mut summaries = Vec::new();
        let failure = worker.run(first..last, &mut summaries).err();
        let steps: u64 = summaries.iter().map(|s: &Sampled| s.steps).sum();
        let wanted = claim * STEPS_PER_CLAIM / steps.max(1);
        claim = wanted.clamp(claim.div_ceil(2), 2 * claim).clamp(1, most_blocks);
        let paths: u64 = summaries.iter().map(|s| s.paths).sum();
        let is_last = failure.is_some() || paths < last - first;
        if sender.send((block, summaries, failure)).is_err() || is_last {
            return;
        }
    }
}

/// A path with more steps is long: then paths are run in pieces, with a look at the user in between.
const LONG: u32 = 1 << 14;
/// Paths of the first piece, when nobody knows yet how long they are.
const FIRST_PIECE: u64 = 16;
/// Steps of a piece, about.
const STEPS_PER_PIECE: u64 = 1 << 24;

/// Runs blocks.
struct Worker<'a> {
    runner: &'a Runner,
    request: &'a Request<'a>,
    control: &'a Control<'a>,
    paths: Paths,
    /// Paths of a piece, once there was a long one.
    piece: Option<u64>,
}

impl Worker<'_> {
    /// Runs whole blocks; less where time is over, or a path was given up, which ends everything.
    fn run(&mut self, range: Range<u64>, summaries: &mut Vec<Sampled>) -> Result<(), Failure> {
        let Request { seed, max_steps, .. } = *self.request;
        if self.piece.is_none() {
            // All at once keeps lanes busy.
            let most = max_steps.min(LONG);
            let outcome = self.runner.run(seed, range.clone(), most, &mut self.paths);
            if outcome.is_ok() && (self.paths.given_up().is_none() || most == max_steps) {
                let count = (range.end - range.start) as usize;
                for from in (0..count).step_by(BLOCK as usize) {
                    let to = (from + BLOCK as usize).min(count);
                    summaries.push(Sampled::of(range.start, &self.paths, from, to, self.request));
                }
                return Ok(());
            }
            if outcome.is_ok() {
                self.piece = Some(FIRST_PIECE);
            }
        }
        for from in range.clone().step_by(BLOCK as usize) {
            let to = (from + BLOCK).min(range.end);
            let summary = self.block(from..to)?;
            let is_whole = summary.given_up.is_none() && summary.paths == to - from;
            summaries.push(summary);
            if !is_whole {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Runs a block in pieces; less of it where time is over, or a path was given up.
    fn block(&mut self, range: Range<u64>) -> Result<Sampled, Failure> {
        let Request { seed, max_steps, .. } = *self.request;
        let (mut values, mut status) = (Vec::new(), Vec::new());
        let mut from = range.start;
        while from < range.end {
            let to = (from + self.piece.unwrap_or(BLOCK)).min(range.end);
            self.runner.run(seed, from..to, max_steps, &mut self.paths)?;
            values.extend_from_slice(&self.paths.values);
            status.extend_from_slice(&self.paths.status);
            if self.piece.is_some() {
                let mean = self.paths.steps() / (to - from) + 1;
                self.piece = Some((STEPS_PER_PIECE / mean).clamp(FIRST_PIECE, BLOCK));
            }
            from = to;
            // Every path that was begun is finished; no others are begun when time is over.
            if self.paths.given_up().is_some() || self.control.check().is_err() {
                break;
            }
        }
        let paths = Paths { values, status };
        Ok(Sampled::of(range.start, &paths, 0, paths.status.len(), self.request))
    }
}
