//! The state that the network and its operations share: the session, and requests in progress.

use super::flight::{Duty, Flight, gone};
use super::mailbox::{self, Mailbox, wire};
use super::pause::Pause;
use super::session::{Channel, Session};
use super::table::Handle;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use volvelle_runtime::Error;
use volvelle_runtime::network::{Message, Tag, Wanted};

/// Tags on the direct channel.
pub(super) const PLAIN: c_int = 1;
pub(super) const EXCHANGE: c_int = 2;
pub(super) const GATHER: c_int = 3;
const GOODBYE: c_int = 4;

/// What the network and its operations share.
pub(super) struct Core<H> {
    pub(super) session: Session<H>,
    /// Bytes of the largest piece in which messages travel.
    pub(super) largest: usize,
    /// Requests without a waiting caller: posted messages, and dropped operations.
    loose: Mutex<Vec<Flight<H>>>,
    mailbox: Mutex<Mailbox<H>>,
    /// For each rank that said goodbye, the number of collective operations in which it took part.
    gone: Mutex<Vec<Option<u64>>>,
    /// Operations of all ranks that this one has started.
    operations: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<H: Handle> Core<H> {
    pub(super) fn new(session: Session<H>, largest: usize) -> Self {
        let size = session.size;
        Core {
            session,
            largest: largest.clamp(1, c_int::MAX as usize),
            loose: Mutex::default(),
            mailbox: Mutex::new(Mailbox::new(size)),
            gone: Mutex::new(vec![None; size]),
            operations: AtomicU64::new(0),
        }
    }

    /// The number of the next operation of all ranks.
    pub(super) fn next_operation(&self) -> u64 {
        self.operations.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits for requests.
    ///
    /// # Errors
    /// A request failed, or waits for a rank that is gone. The flight may still be in progress.
    pub(super) fn finish(&self, flight: &mut Flight<H>) -> Result<Vec<Vec<u8>>, Error> {
        let mut pause = Pause::default();
        while !flight.advance(&self.session) {
            if pause.is_long() {
                self.notice_gone(flight)?;
            }
            pause.wait();
        }
        flight.land()
    }

    /// Cancels receives from ranks that turn out to be gone.
    ///
    /// # Errors
    /// As [`Core::give_up`].
    pub(super) fn notice_gone(&self, flight: &mut Flight<H>) -> Result<(), Error> {
        // A failed check is no reason to stop: the library uses the buffers until all requests end.
        match self.notice().unwrap_or(false) {
            true => self.give_up(flight),
            false => Ok(()),
        }
    }

    /// Cancels receives from ranks that are gone.
    ///
    /// # Errors
    /// The flight belongs to a collective operation in which such a rank takes no part: it would never end.
    fn give_up(&self, flight: &mut Flight<H>) -> Result<(), Error> {
        let known = lock(&self.gone).clone();
        for duty in flight.duties() {
            if let Duty::Together { number } = duty
                && let Some(rank) = known.iter().position(|done| done.is_some_and(|done| done <= number))
            {
                return Err(gone(rank));
            }
        }
        flight.cancel(&self.session, |from| known[from].is_some());
        Ok(())
    }

    /// Checks the direct channel for goodbyes. Returns whether any rank is gone.
    fn notice(&self) -> Result<bool, Error> {
        let mut gone = lock(&self.gone);
        while let Some(probed) = self.session.probe(Channel::Direct, None, Some(GOODBYE))? {
            let (from, bytes) = (probed.from, probed.bytes);
            let mut flight = Flight::new(vec![vec![0; bytes]], Default::default());
            flight.start(Duty::Receive { from, bytes }, |buffers, _| {
                // SAFETY: the flight owns the buffer, which has the length of the message.
                unsafe { self.session.receive_probed(probed, &mut buffers[0]) }
            });
            while !flight.advance(&self.session) {
                std::thread::yield_now();
            }
            let buffer = flight.land()?.pop().unwrap_or_default();
            gone[from] = Some(buffer.try_into().map_or(u64::MAX, u64::from_le_bytes));
        }
        Ok(gone.iter().any(Option::is_some))
    }

    /// Keeps requests without a waiting caller until they end.
    pub(super) fn keep(&self, mut flight: Flight<H>) {
        if flight.advance(&self.session) {
            return;
        }
        let mut loose = lock(&self.loose);
        // At sizes 64, 128, …: a constant share of the work.
        if loose.len() >= 64 && loose.len().is_power_of_two() {
            loose.retain_mut(|flight| !flight.advance(&self.session));
        }
        loose.push(flight);
    }

    /// Sends a message with a tag, in pieces. All pieces except the last are full.
    pub(super) fn post(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<(), Error> {
        let (count, largest) = (bytes.len(), self.largest);
        let mut flight = Flight::new(vec![bytes], Default::default());
        for start in (0..=count).step_by(largest) {
            flight.start(Duty::Send, |buffers, _| {
                let piece = &buffers[0][start..count.min(start + largest)];
                // SAFETY: the flight owns the buffer.
                unsafe { self.session.send(Channel::Posted, to, wire(tag), piece) }
            });
        }
        self.launch(flight)
    }

    /// Lets requests run by themselves, unless one could not be started.
    fn launch(&self, mut flight: Flight<H>) -> Result<(), Error> {
        if flight.advance(&self.session) {
            return flight.land().map(drop);
        }
        self.keep(flight);
        Ok(())
    }

    /// The first wanted message with a tag, if it is there.
    pub(super) fn try_receive_any(&self, wanted: Wanted) -> Result<Option<Message>, Error> {
        let mut mailbox = lock(&self.mailbox);
        let found = mailbox.look(&self.session, wanted, self.largest)?;
        match found.is_none() && mailbox.is_vain(&self.session, wanted)? {
            false => Ok(found),
            // The last messages may have arrived just before the goodbye.
            true => match mailbox.look(&self.session, wanted, self.largest)? {
                None if mailbox.is_vain(&self.session, wanted)? => Err(match wanted.from {
                    Some(from) => gone(from),
                    None => Error::Transfer("all other ranks are gone".to_owned()),
                }),
                found => Ok(found),
            },
        }
    }

    /// Waits for the first wanted message with a tag.
    pub(super) fn receive_any(&self, wanted: Wanted) -> Result<Message, Error> {
        let mut pause = Pause::default();
        loop {
            let found = match pause.is_long() {
                true => self.try_receive_any(wanted)?,
                false => lock(&self.mailbox).look(&self.session, wanted, self.largest)?,
            };
            match found {
                Some(message) => return Ok(message),
                None => pause.wait(),
            }
        }
    }

    /// Says goodbye, waits until all others do, and ends the session. Unreceived messages are dropped.
    ///
    /// # Errors
    /// The library failed, or a collective operation was started in which others take no part.
    pub(super) fn close(&self) -> Result<(), Error> {
        if self.session.is_closed() {
            return Ok(());
        }
        let operations = self.operations.load(Ordering::Relaxed).to_le_bytes().to_vec();
        for other in (0..self.session.size).filter(|&other| other != self.session.rank) {
            let mut flight = Flight::new(vec![operations.clone()], Default::default());
            flight.start(Duty::Send, |buffers, _| {
                // SAFETY: the flight owns the buffer.
                unsafe { self.session.send(Channel::Direct, other, GOODBYE, &buffers[0]) }
            });
            flight.start(Duty::Send, |_, _| {
                // SAFETY: nothing is sent.
                unsafe { self.session.send(Channel::Posted, other, mailbox::GOODBYE, &[]) }
            });
            self.launch(flight)?;
        }
        let mut pause = Pause::default();
        let mut dropped: Vec<Flight<H>> = Vec::new();
        loop {
            let is_quiet = lock(&self.mailbox).drain(&self.session)?;
            self.notice()?;
            self.drain_direct(&mut dropped)?;
            let all_gone = {
                let gone = lock(&self.gone);
                (0..gone.len()).all(|rank| rank == self.session.rank || gone[rank].is_some())
            };
            let mut loose = lock(&self.loose);
            loose.retain_mut(|flight| !flight.advance(&self.session));
            if all_gone {
                loose.iter_mut().try_for_each(|flight| self.give_up(flight))?;
            }
            if is_quiet && all_gone && loose.is_empty() && dropped.is_empty() {
                break;
            }
            drop(loose);
            pause.wait();
        }
        self.session.finalize()
    }

    /// Receives and discards messages of known length: their senders may wait for that.
    fn drain_direct(&self, dropped: &mut Vec<Flight<H>>) -> Result<(), Error> {
        for tag in [PLAIN, EXCHANGE, GATHER] {
            while let Some(probed) = self.session.probe(Channel::Direct, None, Some(tag))? {
                let (from, bytes) = (probed.from, probed.bytes);
                let mut flight = Flight::new(vec![vec![0; bytes]], Default::default());
                flight.start(Duty::Receive { from, bytes }, |buffers, _| {
                    // SAFETY: the flight owns the buffer, which has the length of the message.
                    unsafe { self.session.receive_probed(probed, &mut buffers[0]) }
                });
                dropped.push(flight);
            }
        }
        dropped.retain_mut(|flight| !flight.advance(&self.session));
        Ok(())
    }
}
