//! Ranks: processes of a network that run the paths of one estimation together.
//!
//! Rank 0 leads: it claims blocks of paths for the others as for devices, merges their summaries in the order
//! of the blocks, and evaluates the stopping rules. The others perform the same estimations in the same
//! order. Where the leader would run paths, they serve: they compile the same plan, run the assigned blocks
//! with their own threads and devices, and send a summary of each block. So the result is that of a single
//! process, bit for bit, for any number of ranks.
//!
//! Work without paths is shared as numbered tasks (`tasks`): by [`Ranks::share_tasks`], if only the leader
//! continues with the results, and by [`volvelle_control::TaskSharing`], if all do.

mod group;
mod messages;
mod pause;
mod server;
mod tasks;
mod worker;

pub use group::Ranks;

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

    /// Tells the others that this rank takes no further part. Ranks may be waiting for an estimation of their
    /// leader, or be in none; the leader may be waiting for a result.
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

    /// Ends the run on this rank because its leader is gone: there is nothing to do, and no rank to tell.
    pub fn abandon(&self, error: &Error) {
        self.network.abort(&error.to_string());
    }

    /// The other ranks that are not lost.
    fn others(&self) -> Vec<usize> {
        let lost = self.lost();
        (1..self.network.size()).filter(|rank| !lost.contains_key(rank)).collect()
    }

    /// Continues without a rank.
    fn lose(&self, rank: usize, error: Error) {
        self.lost().insert(rank, Some(error));
    }

    fn lost(&self) -> MutexGuard<'_, BTreeMap<usize, Option<Error>>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lost ranks with their errors; each is returned once.
    pub fn take_lost(&self) -> Vec<(String, Error)> {
        let mut lost = self.lost();
        lost.iter_mut().filter_map(|(rank, error)| Some((format!("rank {rank}"), error.take()?))).collect()
    }

    /// The next order of the leader.
    fn next_order(&self) -> Result<Order, Error> {
        let message = self.network.receive_any(Wanted { from: Some(0), tag: Some(ORDER) })?;
        messages::message(&message.bytes)
    }

    /// Sends an order to all others. Lost ranks are detected when their results are awaited.
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
