//! Networks: processes that work together, each with a context of its own.
//!
//! A process is a *rank*: its number among all. [`Single`] is one process alone; [`ThreadsAsRanks`] are threads of one process
//! that behave like processes, for tests and teaching. Whatever passes messages between machines fits behind [`Network`].

mod single;
mod storage;
mod threads;

pub use single::Single;
pub use storage::NetworkStorage;
pub use threads::ThreadsAsRanks;

use crate::error::Error;
use std::ops::Range;

/// Processes that send one another messages.
///
/// Messages between two ranks arrive in the order in which they were sent. All ranks call the functions for all
/// (`all_gather`, `barrier`) in the same order.
pub trait Network: Send + Sync {
    /// `single`, `MPI`: what configurations call it.
    fn name(&self) -> &str;

    /// Number of this process.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn size(&self) -> usize;

    /// Sends a message to another rank. May wait until it is received.
    ///
    /// # Errors
    /// The other rank is gone, or no rank has this number.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error>;

    /// Receives the next message of another rank, which has just this length.
    ///
    /// # Errors
    /// The other rank is gone, no rank has this number, or the message has another length.
    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error>;

    /// Gathers the parts of all ranks on every rank: `all` holds them one behind the other, of as many bytes as `counts` says
    /// (the same on all ranks), and this rank's part is there already.
    ///
    /// # Errors
    /// A rank is gone, or the counts do not fit.
    fn all_gather(&self, counts: &[usize], all: &mut [u8]) -> Result<(), Error> {
        let parts = parts(counts);
        check(self.size(), counts, all)?;
        let own = self.rank();
        // All go through their partners in the same order: of the pairs that are not done, the first (by the smaller number,
        // then by the larger) is next for both.
        for other in (0..self.size()).filter(|&other| other != own) {
            if own < other {
                self.send(other, &all[parts[own].clone()])?;
                self.receive(other, &mut all[parts[other].clone()])?;
            } else {
                self.receive(other, &mut all[parts[other].clone()])?;
                self.send(other, &all[parts[own].clone()])?;
            }
        }
        Ok(())
    }

    /// Waits until all ranks are here.
    ///
    /// # Errors
    /// A rank is gone.
    fn barrier(&self) -> Result<(), Error> {
        self.all_gather(&vec![1; self.size()], &mut vec![0; self.size()])
    }
}

/// Where parts of these lengths lie, one behind the other.
pub(crate) fn parts(counts: &[usize]) -> Vec<Range<usize>> {
    let mut start = 0_usize;
    let part = |&count: &usize| {
        let part = start..start.saturating_add(count);
        start = part.end;
        part
    };
    counts.iter().map(part).collect()
}

/// Whether counts fit.
fn check(size: usize, counts: &[usize], all: &[u8]) -> Result<(), Error> {
    let bytes = parts(counts).last().map_or(0, |last| last.end);
    if counts.len() == size && bytes == all.len() {
        return Ok(());
    }
    let (ranks, room) = (counts.len(), all.len());
    Err(Error::Transfer(format!(
        "{bytes} bytes of {ranks} ranks are gathered among {size} ranks with room for {room}"
    )))
}
