//! Networks: processes that work together, each with a context of its own.
//!
//! A process is a *rank*: its number among all. [`Single`] is one process alone; [`ThreadsAsRanks`] are threads of one process
//! that behave like processes, for tests and teaching. Whatever passes messages between machines fits behind [`Network`].
//!
//! There are three kinds of messages, which do not meet:
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

/// Processes that send one another messages.
///
/// Messages of known length between two ranks arrive in the order in which they were sent, and so do those with one tag. All ranks
/// call the functions for all (`all_gather`, `exchange`, `barrier`) in the same order.
pub trait Network: Send + Sync {
    /// `single`, `mpi`: what configurations call it.
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

    /// Sends a message with a tag to another rank, which takes it with [`Network::receive_any`]. Does not wait: what is not
    /// delivered yet takes memory of the sender.
    ///
    /// # Errors
    /// The other rank is gone, no rank has this number, or the network has no such messages.
    fn post(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<(), Error> {
        drop((to, tag, bytes));
        Err(without_tags(self.name()))
    }

    /// Waits for a message of any length that another rank posted, one of those that are wanted. If several have arrived, the
    /// network chooses whose comes first.
    ///
    /// # Errors
    /// All ranks are gone that could send one, or the network has no such messages.
    fn receive_any(&self, wanted: Wanted) -> Result<Message, Error> {
        let _ = wanted;
        Err(without_tags(self.name()))
    }

    /// As [`Network::receive_any`], without waiting: none if none is there yet.
    ///
    /// # Errors
    /// None is there, and all ranks are gone that could send one; or the network has no such messages.
    fn try_receive_any(&self, wanted: Wanted) -> Result<Option<Message>, Error> {
        let _ = wanted;
        Err(without_tags(self.name()))
    }

    /// Gathers the parts of all ranks on every rank: `all` holds them one behind the other, of as many bytes as `counts` says
    /// (the same on all ranks), and this rank's part is there already.
    ///
    /// # Errors
    /// A rank is gone, or the counts do not fit.
    fn all_gather(&self, counts: &[usize], all: &mut [u8]) -> Result<(), Error> {
        let parts = parts(counts);
        expect_parts(self.size(), counts, all)?;
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

    /// Starts [`Network::all_gather`], which gives the buffer back in the end. Networks that have nothing better do it at once.
    ///
    /// # Errors
    /// As [`Network::all_gather`].
    fn start_all_gather(&self, counts: &[usize], mut all: Vec<u8>) -> Result<Pending<Vec<u8>>, Error> {
        self.all_gather(counts, &mut all)?;
        Ok(Box::new(Done(all)))
    }

    /// Sends messages to other ranks, and receives others: of each pair of a rank and a number of bytes one. What a rank gets
    /// from another is what that one sends, in the same order. Gives what was received.
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

    /// Starts [`Network::exchange`]. Networks that have nothing better do it at once.
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

    /// Waits until all ranks are here.
    ///
    /// # Errors
    /// A rank is gone.
    fn barrier(&self) -> Result<(), Error> {
        self.all_gather(&vec![1; self.size()], &mut vec![0; self.size()])
    }

    /// Ends the run on all ranks, because this one cannot go on: none waits for it in vain. Where ranks are processes, they
    /// end, this one too, and the reason is written to the error channel; where they are not, their calls fail with it. A
    /// process that is alone has nobody to tell, and just goes on.
    fn abort(&self, why: &str) {
        let _ = why;
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

/// Whether counts fit the ranks and the room of an [`Network::all_gather`].
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
