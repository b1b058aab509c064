//! Ranks: processes of a network that run the paths of one estimation together.
//!
//! Rank 0 leads: it claims blocks of paths for the others as for devices, merges their summaries in the order of the blocks, and asks the
//! stopping rules. The others make the same estimations in the same order; where the leader would run paths, they serve: they compile
//! the same plan, run the blocks that they are told with their own threads and devices, and send a summary of each block. So the result
//! is that of a single process, bit for bit, for any number of ranks.
//!
//! Work that has no paths is shared as numbered tasks (`tasks`): [`Ranks::share_tasks`], where the leader alone goes on with the results,
//! and [`volvelle_control::TaskSharing`], where all do.

mod messages;
mod pause;
mod server;
mod tasks;
mod worker;

pub(crate) use messages::Round;
use messages::{ORDER, Order, REPLY, Reply};
pub(crate) use server::serve;
pub use tasks::TaskHost;
pub(crate) use worker::RankWorker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use volvelle_control::Control;
use volvelle_runtime::network::Wanted;
use volvelle_runtime::{Error, Network};

/// The processes that work together.
pub struct Ranks {
    network: Arc<dyn Network>,
    /// Whether the leader has nothing more to do for the others.
    ended: AtomicBool,
    /// Ranks that are gone, and why, where that was not told yet.
    lost: Mutex<BTreeMap<usize, Option<Error>>>,
}

impl Ranks {
    /// The processes of a network.
    pub fn new(network: Arc<dyn Network>) -> Self {
        Ranks { network, ended: AtomicBool::new(false), lost: Mutex::default() }
    }

    /// Their network.
    pub fn network(&self) -> &Arc<dyn Network> {
        &self.network
    }

    /// Whether this process leads.
    pub fn leads(&self) -> bool {
        self.network.rank() == 0
    }

    /// Tells the others that this rank takes no further part. Those of a leader may wait for an estimation, or be in none; the leader may
    /// wait for a result.
    pub fn end(&self) {
        if self.ended.swap(true, Ordering::Relaxed) {
            return;
        }
        if self.leads() {
            self.tell(&Order::End);
        } else if let Ok(bytes) = messages::bytes(&Reply::Left) {
            let _ = self.network.post(0, REPLY, bytes);
        }
    }

    /// Ends the run on this rank, because its leader is gone: there is nothing to do, and nobody to tell.
    pub fn abandon(&self, error: &Error) {
        self.network.abort(&error.to_string());
    }

    /// The other ranks, as far as they are there.
    fn others(&self) -> Vec<usize> {
        let lost = self.lost();
        (1..self.network.size()).filter(|rank| !lost.contains_key(rank)).collect()
    }

    /// Goes on without a rank.
    fn lose(&self, rank: usize, error: Error) {
        self.lost().insert(rank, Some(error));
    }

    fn lost(&self) -> MutexGuard<'_, BTreeMap<usize, Option<Error>>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ranks that are gone, and why; each is told once.
    pub fn take_lost(&self) -> Vec<(String, Error)> {
        let mut lost = self.lost();
        lost.iter_mut().filter_map(|(rank, error)| Some((format!("rank {rank}"), error.take()?))).collect()
    }

    /// What the leader orders next.
    fn next_order(&self) -> Result<Order, Error> {
        let message = self.network.receive_any(Wanted { from: Some(0), tag: Some(ORDER) })?;
        messages::message(&message.bytes)
    }

    /// Tells all others what to do. Ranks that are gone are found out by whoever waits for them.
    fn tell(&self, order: &Order) {
        for rank in self.others() {
            let _ = self.order(rank, order);
        }
    }

    fn order(&self, rank: usize, order: &Order) -> Result<(), Error> {
        self.network.post(rank, ORDER, messages::bytes(order)?)
    }

    /// Begins a round of an estimation: the workers of the other ranks, which know what to run.
    pub(crate) fn begin<'a>(&'a self, round: Round, control: &'a Control<'a>) -> Vec<RankWorker<'a>> {
        self.tell(&Order::Round(round));
        self.others().into_iter().map(|rank| RankWorker::new(self, rank, control)).collect()
    }

    /// Ends an estimation.
    pub(crate) fn finish(&self) {
        self.tell(&Order::Done);
    }
}
