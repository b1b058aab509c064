//! The network: implements the runtime's trait by requests.

use super::core::{Core, EXCHANGE, GATHER, PLAIN};
use super::flight::{Duty, Flight};
use super::session::Channel;
use super::table::Handle;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use volvelle_runtime::network::{Message, Operation, Pending, Tag, Wanted, expect_parts};
use volvelle_runtime::{Error, Network};

/// The processes that a launcher of MPI started.
pub(super) struct MpiNetwork<H: Handle> {
    pub(super) core: Arc<Core<H>>,
    /// Where a rank reports why it ends the run.
    pub(super) say: fn(&str),
    /// Whether this rank has ended the run.
    pub(super) is_ending: AtomicBool,
}

impl<H: Handle> MpiNetwork<H> {
    const TIME_TO_BE_HEARD: Duration = Duration::from_millis(200);

    fn expect_rank(&self, other: usize) -> Result<(), Error> {
        let (own, size) = (self.rank(), self.size());
        match other < size && other != own {
            true => Ok(()),
            false => {
                Err(Error::Transfer(format!("rank {own} of {size} has no message for or from rank {other}")))
            }
        }
    }

    /// Sends the content of a buffer of a flight, in pieces.
    fn start_send(&self, flight: &mut Flight<H>, at: usize, to: usize, bytes: usize, tag: c_int) {
        for start in pieces(bytes, self.core.largest) {
            flight.start(Duty::Send, |buffers, _| {
                let piece = &buffers[at][start..bytes.min(start + self.core.largest)];
                // SAFETY: the flight owns the buffer.
                unsafe { self.core.session.send(Channel::Direct, to, tag, piece) }
            });
        }
    }

    /// Receives into a buffer of a flight, in pieces.
    fn start_receive(&self, flight: &mut Flight<H>, at: usize, from: usize, bytes: usize) {
        for start in pieces(bytes, self.core.largest) {
            let end = bytes.min(start + self.core.largest);
            flight.start(Duty::Receive { from, bytes: end - start }, |buffers, _| {
                // SAFETY: the flight owns the buffer, of which no other request uses this piece.
                unsafe { self.core.session.receive(from, EXCHANGE, &mut buffers[at][start..end]) }
            });
        }
    }

    /// Gathers by messages between all pairs, for parts whose lengths exceed the library's integers.
    fn gather_in_pieces(&self, flight: &mut Flight<H>, counts: &[usize]) {
        let (own, largest, session) = (self.rank(), self.core.largest, &self.core.session);
        let start_of = |rank: usize| counts[..rank].iter().sum::<usize>();
        for other in (0..self.size()).filter(|&other| other != own) {
            for start in pieces(counts[other], largest) {
                let bytes = largest.min(counts[other] - start);
                flight.start(Duty::Receive { from: other, bytes }, |buffers, _| {
                    let start = start_of(other) + start;
                    // SAFETY: the flight owns the buffer, of which no other request uses this piece.
                    unsafe { session.receive(other, GATHER, &mut buffers[0][start..start + bytes]) }
                });
            }
            for start in pieces(counts[own], largest) {
                let bytes = largest.min(counts[own] - start);
                flight.start(Duty::Send, |buffers, _| {
                    let start = start_of(own) + start;
                    // SAFETY: the flight owns the buffer, and nothing is received into this piece.
                    unsafe { session.send(Channel::Direct, other, GATHER, &buffers[0][start..start + bytes]) }
                });
            }
        }
    }

    /// An operation, unless it could not be started.
    fn pending<T: 'static>(
        &self,
        flight: Flight<H>,
        give: impl FnOnce(Vec<Vec<u8>>) -> T + Send + 'static,
    ) -> Result<Pending<T>, Error> {
        if let Some(error) = flight.failure() {
            self.core.keep(flight);
            return Err(error);
        }
        Ok(Box::new(Started {
            core: self.core.clone(),
            flight: Some(flight),
            looks: 0,
            give: Some(Box::new(give)),
        }))
    }
}

/// The starts of the pieces of a number of bytes; at least one piece.
fn pieces(bytes: usize, largest: usize) -> impl Iterator<Item = usize> {
    (0..bytes.max(1)).step_by(largest)
}

impl<H: Handle> Network for MpiNetwork<H> {
    fn name(&self) -> &str {
        "mpi"
    }

    fn rank(&self) -> usize {
        self.core.session.rank
    }

    fn size(&self) -> usize {
        self.core.session.size
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<(), Error> {
        self.expect_rank(to)?;
        let mut flight = Flight::new(Vec::new(), Default::default());
        for start in pieces(bytes.len(), self.core.largest) {
            let piece = &bytes[start..bytes.len().min(start + self.core.largest)];
            flight.start(Duty::Send, |_, _| {
                // SAFETY: the bytes are borrowed until all requests are over, which the wait below ensures.
                unsafe { self.core.session.send(Channel::Direct, to, PLAIN, piece) }
            });
        }
        // A closing rank still receives messages of known length, so this ends.
        self.core.finish(&mut flight).map(drop)
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<(), Error> {
        self.expect_rank(from)?;
        let mut flight = Flight::new(Vec::new(), Default::default());
        let (count, largest) = (bytes.len(), self.core.largest);
        for start in pieces(count, largest) {
            let piece = &mut bytes[start..count.min(start + largest)];
            flight.start(Duty::Receive { from, bytes: piece.len() }, |_, _| {
                // SAFETY: the bytes are borrowed until all requests are over: the wait below fails only when they are, since the
                // flight has no part in operations of all ranks.
                unsafe { self.core.session.receive(from, PLAIN, piece) }
            });
        }
        self.core.finish(&mut flight).map(drop)
    }

    fn post(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<(), Error> {
        self.expect_rank(to)?;
        self.core.post(to, tag, bytes)
    }

    fn receive_any(&self, wanted: Wanted) -> Result<Message, Error> {
        wanted.from.map_or(Ok(()), |from| self.expect_rank(from))?;
        self.core.receive_any(wanted)
    }

    fn try_receive_any(&self, wanted: Wanted) -> Result<Option<Message>, Error> {
        wanted.from.map_or(Ok(()), |from| self.expect_rank(from))?;
        self.core.try_receive_any(wanted)
    }

    fn all_gather(&self, counts: &[usize], all: &mut [u8]) -> Result<(), Error> {
        // After a failure the library may still use the buffer, so the caller's buffer cannot be passed.
        let gathered = self.start_all_gather(counts, all.to_vec())?.wait()?;
        all.copy_from_slice(&gathered);
        Ok(())
    }

    fn start_all_gather(&self, counts: &[usize], all: Vec<u8>) -> Result<Pending<Vec<u8>>, Error> {
        expect_parts(self.size(), counts, &all)?;
        let number = self.core.next_operation();
        let mut flight;
        if all.is_empty() || self.size() == 1 {
            // The address of an empty buffer may equal the number that means `MPI_IN_PLACE`.
            flight = Flight::new(vec![all], Default::default());
        } else if all.len() <= self.core.largest {
            let sizes: Vec<c_int> = counts.iter().map(|&count| count as c_int).collect();
            let mut end = 0;
            let places = sizes.iter().map(|size| (end, end += size).0).collect();
            flight = Flight::new(vec![all], [sizes, places]);
            flight.start(Duty::Together { number }, |buffers, [sizes, places]| {
                // SAFETY: the flight owns counts, places and buffer, and the places lie in it, as was checked.
                unsafe { self.core.session.all_gather(sizes, places, &mut buffers[0]) }
            });
        } else {
            flight = Flight::new(vec![all], Default::default());
            self.gather_in_pieces(&mut flight, counts);
        }
        self.pending(flight, |mut buffers| buffers.pop().unwrap_or_default())
    }

    fn exchange(
        &self,
        sent: Vec<(usize, Vec<u8>)>,
        received: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>, Error> {
        self.start_exchange(sent, received)?.wait()
    }

    fn start_exchange(
        &self,
        sent: Vec<(usize, Vec<u8>)>,
        received: &[(usize, usize)],
    ) -> Result<Pending<Vec<Vec<u8>>>, Error> {
        let mut others = sent.iter().map(|(to, _)| to).chain(received.iter().map(|(from, _)| from));
        others.try_for_each(|&other| self.expect_rank(other))?;
        let (targets, mut buffers): (Vec<usize>, Vec<Vec<u8>>) = sent.into_iter().unzip();
        let sizes: Vec<usize> = buffers.iter().map(Vec::len).collect();
        buffers.extend(received.iter().map(|&(_, bytes)| vec![0; bytes]));
        let mut flight = Flight::new(buffers, Default::default());
        // Receives are started first: a message that is expected when it comes need not be stored in between.
        for (at, &(from, bytes)) in received.iter().enumerate() {
            self.start_receive(&mut flight, targets.len() + at, from, bytes);
        }
        for (at, (&to, bytes)) in targets.iter().zip(sizes).enumerate() {
            self.start_send(&mut flight, at, to, bytes, EXCHANGE);
        }
        let first = targets.len();
        self.pending(flight, move |mut buffers| buffers.split_off(first))
    }

    fn barrier(&self) -> Result<(), Error> {
        let number = self.core.next_operation();
        let mut flight = Flight::new(Vec::new(), Default::default());
        flight.start(Duty::Together { number }, |_, _| self.core.session.barrier());
        self.core.finish(&mut flight).map(drop)
    }

    fn abort(&self, why: &str) {
        // The library's function for ending a process may run handlers that call this again.
        if self.core.session.is_closed() || self.is_ending.swap(true, Ordering::SeqCst) {
            return;
        }
        let (rank, size) = (self.rank(), self.size());
        (self.say)(&format!("rank {rank} of {size} ended the run: {why}"));
        // Launchers pass on the output; MPICH's may lose it if it ends the processes at the same moment.
        std::thread::sleep(Self::TIME_TO_BE_HEARD);
        self.core.session.abort();
    }
}

/// An operation that was started.
struct Started<H: Handle, T> {
    core: Arc<Core<H>>,
    flight: Option<Flight<H>>,
    /// How often it was asked whether it is done.
    looks: u32,
    give: Option<Give<T>>,
}

type Give<T> = Box<dyn FnOnce(Vec<Vec<u8>>) -> T + Send>;

impl<H: Handle, T> Operation<T> for Started<H, T> {
    fn is_done(&mut self) -> Result<bool, Error> {
        let Some(flight) = &mut self.flight else { return Ok(true) };
        let is_done = flight.advance(&self.core.session);
        self.looks += 1;
        if !is_done && self.looks.is_multiple_of(64) {
            self.core.notice_gone(flight)?;
        }
        Ok(is_done)
    }

    fn wait(mut self: Box<Self>) -> Result<T, Error> {
        let ended = || Error::Transfer("an operation has ended before".to_owned());
        let flight = self.flight.as_mut().ok_or_else(ended)?;
        let buffers = self.core.finish(flight)?;
        self.give.take().map(|give| give(buffers)).ok_or_else(ended)
    }
}

impl<H: Handle, T> Drop for Started<H, T> {
    fn drop(&mut self) {
        if let Some(flight) = self.flight.take().filter(|flight| !flight.is_over()) {
            self.core.keep(flight);
        }
    }
}
