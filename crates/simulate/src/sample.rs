//! Sampling: paths in blocks, on all threads and devices, summed up in the order of their numbers.
//!
//! Blocks of [`BLOCK`] paths are claimed in order and run by free workers. Their summaries are merged in
//! order, so the result depends on the paths alone. After every block the caller decides whether that
//! suffices; later blocks are dropped. Every path that has begun is finished: the paths cut short would be
//! the long ones.

pub mod claims;
mod remote;
mod request;
mod worker;

pub use crate::summary::{BLOCK, Sampled, Summary};
pub use request::{Ended, Request, SinglePath, Undecided};

use crate::engine::Engine;
use claims::Claims;
use request::Claim;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use volvelle_control::{Control, Stop};

/// Runs paths until `enough` returns true for all of them and the last ones, or until there are
/// `request.paths`. Returns the summary, and the reason for ending: a path failed or was given up, or the
/// control requested it.
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
                // Blocks that the device returned are run here, since the other workers may have ended.
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
        // Workers that still deliver results must not wait forever.
        receiver.iter().for_each(drop);
        ended
    });
    let ended = match ended {
        Some(ended) => ended,
        None if all.paths - known < request.paths => {
            // Workers stopped between claims deliver nothing.
            let stop = stopped.or_else(|| control.check().err());
            Some(Ended::Stopped(stop.unwrap_or(Stop::Timeout)))
        }
        None => None,
    };
    (all, ended)
}
