//! Ranks: processes of a network that run the paths of one estimation together.
//!
//! Rank 0 leads: it claims blocks of paths for the others as for devices, merges their summaries in the order of the blocks, and asks the
//! stopping rules. The others make the same estimations in the same order; where the leader would run paths, they serve: they compile
//! the same plan, run the blocks that they are told with their own threads and devices, and send a summary of each block. So the result
//! is that of a single process, bit for bit, for any number of ranks.
//!
//! Work that has no paths is shared as numbered tasks ([`Ranks::share_tasks`]).

mod messages;
mod pause;
mod server;
mod tasks;
mod worker;

pub(crate) use messages::Round;
use messages::{ORDER, Order};
pub(crate) use server::serve;
pub use tasks::{TaskHost, TaskResults};
pub(crate) use worker::RankWorker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use volvelle_control::Control;
use volvelle_runtime::{Error, Network};

/// The processes that work together.
pub struct Ranks {
    network: Arc<dyn Network>,
    /// Whether the leader has nothing more to do for the others.
    ended: AtomicBool,
}

impl Ranks {
    /// The processes of a network.
    pub fn new(network: Arc<dyn Network>) -> Self {
        Ranks { network, ended: AtomicBool::new(false) }
    }

    /// Their network.
    pub fn network(&self) -> &Arc<dyn Network> {
        &self.network
    }

    /// Whether this process leads.
    pub fn leads(&self) -> bool {
        self.network.rank() == 0
    }

    /// Tells the others that no estimation follows. They may wait for one, or be in none.
    pub fn end(&self) {
        if self.leads() && !self.ended.swap(true, Ordering::Relaxed) {
            self.tell(&Order::End);
        }
    }

    /// Tells all others what to do. Ranks that are gone are found out by whoever waits for them.
    fn tell(&self, order: &Order) {
        for rank in 1..self.network.size() {
            let _ = self.order(rank, order);
        }
    }

    fn order(&self, rank: usize, order: &Order) -> Result<(), Error> {
        self.network.post(rank, ORDER, messages::bytes(order)?)
    }

    /// Begins a round of an estimation: the workers of the other ranks, which know what to run.
    pub(crate) fn begin<'a>(&'a self, round: Round, control: &'a Control<'a>) -> Vec<RankWorker<'a>> {
        self.tell(&Order::Round(round));
        (1..self.network.size()).map(|rank| RankWorker::new(self, rank, control)).collect()
    }

    /// Ends an estimation.
    pub(crate) fn finish(&self) {
        self.tell(&Order::Done);
    }
}
