//! Networks: cooperating processes, each with its own context.
//!
//! A process is a *rank*, named by its number. [`Single`] is a process without others. [`ThreadsAsRanks`] are
//! threads of one process that behave like processes, for tests and teaching. Anything that passes messages
//! between machines can implement [`Network`].
//!
//! There are three kinds of messages, which never mix:
//!
//! | kind | sender | receiver |
//! |---|---|---|
//! | of known length | [`Network::send`] | [`Network::receive`], from one rank |
//! | with tags | [`Network::post`], which does not wait | [`Network::receive_any`], [`Network::try_receive_any`] |
//! | of all ranks together | [`Network::all_gather`], [`Network::exchange`], [`Network::barrier`] | the same |

mod message;
mod pending;
mod single;
mod storage;
mod threads;

pub use message::{Message, Tag, Wanted};
pub use pending::{Done, Operation, Pending};
pub use single::Single;
pub use storage::NetworkStorage;
pub use threads::ThreadsAsRanks;

use crate::error::Error;
use std::ops::Range;

/// Processes that send messages to each other.
///
/// Messages of known length between two ranks arrive in the order in which they were sent, and so do messages
/// with the same tag. All ranks call the collective functions (`all_gather`, `exchange`, `barrier`) in the
/// same order.
pub trait Network: Send + Sync {
    /// Its name in configurations: `single`, `mpi`.
    fn name(&self) -> &str;

    /// Number of this process.
    fn rank(&self) -> usize;

    /// Number of processes.
    fn size(&self) -> usize;

    /// Sends a message to another rank. May wait until it is received.
    ///
    /// # Errors
    /// The other rank is gone, or no rank has this number.
    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error>;

    /// Receives the next message from another rank, which has exactly this length.
    ///
    /// # Errors
    /// The other rank is gone, no rank has this number, or the message has another length.
    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error>;

    /// Sends a message with a tag to another rank, which takes it with [`Network::receive_any`]. Does not
    /// wait: messages not delivered yet take memory of the sender.
    ///
    /// # Errors
    /// The other rank is gone, no rank has this number, or the network has no such messages.
    fn post(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<(), Error> {
        drop((to, tag, bytes));
        Err(without_tags(self.name()))
    }

    /// Waits for one of the wanted messages, of any length, that another rank posted. If several have
    /// arrived, the network chooses the sender.
    ///
    /// # Errors
    /// All ranks that could send one are gone, or the network has no such messages.
    fn receive_any(&self, wanted: Wanted) -> Result<Message, Error> {
        let _ = wanted;
        Err(without_tags(self.name()))
    }

    /// As [`Network::receive_any`], without waiting: `None` if no such message has arrived.
    ///
    /// # Errors
    /// No message has arrived, and all ranks that could send one are gone; or the network has no such
    /// messages.
    fn try_receive_any(&self, wanted: Wanted) -> Result<Option<Message>, Error> {
        let _ = wanted;
        Err(without_tags(self.name()))
    }

    /// Gathers the parts of all ranks on every rank. `all` holds them one after the other, with the lengths
    /// in `counts` (the same on all ranks); the caller has written this rank's part.
    ///
    /// # Errors
    /// A rank is gone, or the counts do not fit.
    fn all_gather(&self, counts: &[usize], all: &mut [u8]) -> Result<(), Error> {
        let parts = parts(counts);
        expect_parts(self.size(), counts, all)?;
        let own = self.rank();
        // All ranks order pairs in the same way, by the smaller number, then by the larger. So the first pair
        // that is not done is next for both of its ranks, and no cycle of waiting ranks arises.
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

    /// Starts [`Network::all_gather`]; the finished operation returns the buffer. By default all work is done
    /// at once.
    ///
    /// # Errors
    /// As [`Network::all_gather`].
    fn start_all_gather(&self, counts: &[usize], mut all: Vec<u8>) -> Result<Pending<Vec<u8>>, Error> {
        self.all_gather(counts, &mut all)?;
        Ok(Box::new(Done(all)))
    }

    /// Sends and receives messages: for each pair of a rank and a number of bytes, one message. What a rank
    /// receives from another must match what that one sends, in the same order. Returns what was received.
    ///
    /// # Errors
    /// A rank is gone, no rank has this number, or a message has another length.
    fn exchange(
        &self,
        sent: Vec<(usize, Vec<u8>)>,
        received: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>, Error> {
        let own = self.rank();
        let mut found: Vec<Vec<u8>> = received.iter().map(|&(_, bytes)| vec![0; bytes]).collect();
        let strange = sent.iter().map(|(to, _)| *to).chain(received.iter().map(|(from, _)| *from));
        if let Some(other) = strange.into_iter().find(|&other| other == own || other >= self.size()) {
            return Err(no_other(own, self.size(), other));
        }
        let send_all = |to: usize| {
            sent.iter().filter(|(rank, _)| *rank == to).try_for_each(|(_, bytes)| self.send(to, bytes))
        };
        // The order of pairs of `all_gather`.
        for other in (0..self.size()).filter(|&other| other != own) {
            if own < other {
                send_all(other)?;
            }
            for ((from, _), bytes) in received.iter().zip(&mut found) {
                if *from == other {
                    self.receive(other, bytes)?;
                }
            }
            if own > other {
                send_all(other)?;
            }
        }
        Ok(found)
    }

    /// Starts [`Network::exchange`]. By default all work is done at once.
    ///
    /// # Errors
    /// As [`Network::exchange`].
    fn start_exchange(
        &self,
        sent: Vec<(usize, Vec<u8>)>,
        received: &[(usize, usize)],
    ) -> Result<Pending<Vec<Vec<u8>>>, Error> {
        Ok(Box::new(Done(self.exchange(sent, received)?)))
    }

    /// Waits until all ranks have called it.
    ///
    /// # Errors
    /// A rank is gone.
    fn barrier(&self) -> Result<(), Error> {
        self.all_gather(&vec![1; self.size()], &mut vec![0; self.size()])
    }

    /// Ends the run on all ranks because this one cannot continue, so that none waits for it forever. If
    /// ranks are processes, all of them end, including this one, and the reason is written to the error
    /// channel. Otherwise, the calls of the other ranks fail with it. For a single process it does nothing.
    fn abort(&self, why: &str) {
        let _ = why;
    }
}

/// The places of parts with these lengths, one after the other.
pub(crate) fn parts(counts: &[usize]) -> Vec<Range<usize>> {
    let mut start = 0_usize;
    let part = |&count: &usize| {
        let part = start..start.saturating_add(count);
        start = part.end;
        part
    };
    counts.iter().map(part).collect()
}

/// Checks that counts fit the ranks and the size of the buffer of an [`Network::all_gather`].
///
/// # Errors
/// They do not.
pub fn expect_parts(size: usize, counts: &[usize], all: &[u8]) -> Result<(), Error> {
    let bytes = parts(counts).last().map_or(0, |last| last.end);
    if counts.len() == size && bytes == all.len() {
        return Ok(());
    }
    let (ranks, room) = (counts.len(), all.len());
    Err(Error::Transfer(format!(
        "{bytes} bytes of {ranks} ranks are gathered among {size} ranks with room for {room}"
    )))
}

fn no_other(own: usize, size: usize, other: usize) -> Error {
    Error::Transfer(format!("rank {own} of {size} has no message for or from rank {other}"))
}

fn without_tags(network: &str) -> Error {
    Error::Unavailable(format!("the network `{network}` has no messages with tags"))
}
