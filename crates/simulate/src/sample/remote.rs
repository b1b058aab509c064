//! Whoever runs blocks of paths away from the threads: a device, and the thread that waits for it.

use super::claims::Claims;
use super::request::{Claim, Request};
use crate::engine::{Outcome, Remote};
use crate::summary::BLOCK;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use volvelle_control::Control;

/// Claims blocks and has them run, until there are none left, it is over, or the device is of no use any more.
///
/// What the device could not run is given back: `true`, and the caller sees to it that somebody is left who runs it.
pub(super) fn work(
    remote: &dyn Remote,
    request: &Request<'_>,
    control: &Control<'_>,
    claims: &Claims,
    over: &AtomicBool,
    sender: &mpsc::SyncSender<Claim>,
    sharers: u64,
) -> bool {
    let is_needed = || !over.load(Ordering::Relaxed) && control.check().is_ok() && !claims.are_gone();
    // Paths that only early_termination ends would keep it busy for long.
    if request.early_termination.is_some() || !remote.is_ready(&is_needed) {
        return false;
    }
    while is_needed() {
        let Some(blocks) = claims.take(remote.wanted().max(1), sharers) else { return false };
        let first = request.first + blocks.start * BLOCK;
        let last = request.first + (blocks.end * BLOCK).min(request.paths);
        match remote.run(request.seed, first..last, request.max_steps) {
            Some(Outcome::Ended(summaries)) => {
                if sender.send((blocks.start, summaries, None)).is_err() {
                    return false;
                }
            }
            Some(Outcome::Undecided) | None => {
                claims.give_back(blocks);
                return true;
            }
        }
    }
    false
}
