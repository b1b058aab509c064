//! The worker of a thread: claims blocks of paths and runs them.

use super::claims::Claims;
use super::request::{Claim, Ended, Request, Undecided};
use crate::early_termination::EarlyTermination;
use crate::engine::{Engine, LONG};
use crate::measure::is_undecided;
use crate::runner::Paths;
use crate::summary::{BLOCK, Sampled};
use crate::summing::summarise;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use volvelle_control::Control;

/// Approximate number of steps of a claim.
const STEPS_PER_CLAIM: u64 = 1 << 20;
/// Most blocks of a claim.
const MOST_BLOCKS: u64 = 256;
/// Most result values of a claim, unless a single block has more.
const MOST_NUMBERS: u64 = 1 << 21;
/// Paths of the first piece, when their length is not known yet.
const FIRST_PIECE: u64 = 16;
/// Approximate number of steps of a piece.
const STEPS_PER_PIECE: u64 = 1 << 24;

/// Claims blocks and runs them, until none are left or sampling ends. Between claims the engine may use the
/// thread.
pub(super) fn work(
    engine: &dyn Engine,
    request: &Request<'_>,
    control: &Control<'_>,
    claims: &Claims,
    over: &AtomicBool,
    sender: &mpsc::SyncSender<Claim>,
) {
    let mut worker = Worker { engine, request, control, paths: Paths::default(), piece: None };
    let most_blocks = MOST_NUMBERS / (BLOCK * request.monitors.columns().max(1) as u64);
    let most_blocks = most_blocks.clamp(1, MOST_BLOCKS);
    let mut claim = 1;
    let is_needed = || !over.load(Ordering::Relaxed) && control.check().is_ok() && !claims.are_gone();
    loop {
        engine.between(&is_needed);
        if !is_needed() {
            return;
        }
        let Some(blocks) = claims.take(claim, 1, 1) else { return };
        let first = request.first + blocks.start * BLOCK;
        let last = request.first + (blocks.end * BLOCK).min(request.paths);
        let mut summaries = Vec::new();
        let ended = worker.run(first..last, &mut summaries).err();
        let steps: u64 = summaries.iter().map(|s: &Sampled| s.steps).sum();
        let wanted = claim * STEPS_PER_CLAIM / steps.max(1);
        claim = wanted.clamp(claim.div_ceil(2), 2 * claim).clamp(1, most_blocks);
        let paths: u64 = summaries.iter().map(|s| s.paths).sum();
        let is_last = ended.is_some() || paths < last - first;
        if sender.send((blocks.start, summaries, ended)).is_err() || is_last {
            return;
        }
    }
}

/// Runs blocks.
struct Worker<'a> {
    engine: &'a dyn Engine,
    request: &'a Request<'a>,
    control: &'a Control<'a>,
    paths: Paths,
    /// Paths of a piece, once there was a long one.
    piece: Option<u64>,
}

impl Worker<'_> {
    /// Runs whole blocks; fewer if a path fails or is given up, and part of the last one if time runs out.
    fn run(&mut self, range: Range<u64>, summaries: &mut Vec<Sampled>) -> Result<(), Ended> {
        let Request { seed, max_steps, monitors, early_termination, .. } = *self.request;
        if self.piece.is_none() {
            // Running all at once keeps lanes busy.
            let most = early_termination.map_or(LONG, EarlyTermination::first_look).min(max_steps);
            let outcome = self.engine.run(seed, range.clone(), most, &mut self.paths);
            if outcome.is_ok() && self.paths.given_up().is_none() {
                let count = (range.end - range.start) as usize;
                for from in (0..count).step_by(BLOCK as usize) {
                    let to = (from + BLOCK as usize).min(count);
                    summaries.push(summarise(range.start, &self.paths, from, to, monitors));
                }
                return Ok(());
            }
            if outcome.is_ok() {
                self.piece = Some(FIRST_PIECE);
                self.first_long_path(&range)?;
            }
        }
        for from in range.clone().step_by(BLOCK as usize) {
            let to = (from + BLOCK).min(range.end);
            let summary = self.block(from..to)?;
            let is_whole = summary.paths == to - from;
            summaries.push(summary);
            if !is_whole {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Runs the first long path to its end. If it remains undecided, the others are not needed.
    fn first_long_path(&mut self, range: &Range<u64>) -> Result<(), Ended> {
        let Request { seed, max_steps, early_termination, single_path, .. } = *self.request;
        let (None, Some(single_path), Some(i)) = (early_termination, single_path, self.paths.given_up())
        else {
            return Ok(());
        };
        let Some(single_path) = single_path.runner() else { return Ok(()) };
        let path = range.start + i as u64;
        // A failure is reported in the order of the paths.
        if single_path.run(seed, path..path + 1, max_steps, &mut self.paths).is_ok() {
            self.unless_given_up(path)
        } else {
            Ok(())
        }
    }

    /// An error if one of the last paths, from `first` on, was given up.
    fn unless_given_up(&self, first: u64) -> Result<(), Ended> {
        let Some(i) = self.paths.given_up() else { return Ok(()) };
        let values = self.request.monitors.values(self.paths.row(i));
        let open = values.enumerate().filter(|&(_, value)| is_undecided(value));
        let measures = open.map(|(measure, _)| measure).collect();
        Err(Ended::Undecided(Undecided { path: first + i as u64, measures }))
    }

    /// Runs a block in pieces; only part of it if time runs out.
    fn block(&mut self, range: Range<u64>) -> Result<Sampled, Ended> {
        let Request { seed, max_steps, monitors, early_termination, .. } = *self.request;
        let mut paths = Paths::default();
        let mut from = range.start;
        while from < range.end {
            let to = (from + self.piece.unwrap_or(BLOCK)).min(range.end);
            let outcome = match early_termination {
                Some(early_termination) => {
                    early_termination.run(self.engine, seed, from..to, max_steps, &mut self.paths)
                }
                None => self.engine.run(seed, from..to, max_steps, &mut self.paths),
            };
            outcome.map_err(Ended::Failed)?;
            self.unless_given_up(from)?;
            paths.append(&self.paths);
            if self.piece.is_some() {
                let mean = self.paths.steps() / (to - from) + 1;
                self.piece = Some((STEPS_PER_PIECE / mean).clamp(FIRST_PIECE, BLOCK));
            }
            from = to;
            // Every path that has begun is finished; no others are begun after time has run out.
            if self.control.check().is_err() {
                break;
            }
        }
        Ok(summarise(range.start, &paths, 0, paths.status.len(), monitors))
    }
}
