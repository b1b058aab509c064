//! The worker of a remote: a thread that claims blocks for a device and waits for it.

use super::claims::Claims;
use super::request::{Claim, Request};
use crate::engine::{Outcome, Remote};
use crate::summary::BLOCK;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use volvelle_control::Control;

/// Claims blocks and has the device run them, until none are left, sampling ends, or the device fails.
///
/// Returns `true` if the device could not run some blocks, which were returned; the caller then provides a
/// worker for them.
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
    let is_unfit = request.early_termination.is_some() && !remote.terminates_early();
    if is_unfit || !remote.is_ready(&is_needed) {
        return false;
    }
    while is_needed() {
        let Some(blocks) = claims.take(remote.wanted().max(1), remote.least(), sharers) else { return false };
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
