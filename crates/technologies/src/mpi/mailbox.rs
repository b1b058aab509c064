//! Incoming messages with tags.
//!
//! A message travels in pieces: full ones, and a last one that is shorter, perhaps empty. Most messages are
//! one piece. Pieces of a message arrive in order (section 3.5 of the standard), mixed with those of other
//! senders or tags.

use super::flight::{Duty, Flight};
use super::session::{Channel, Session};
use super::table::Handle;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_int;
use volvelle_runtime::Error;
use volvelle_runtime::network::{Message, Tag, Wanted};

/// The tag with which a rank says that it sends nothing more.
pub(super) const GOODBYE: c_int = 0;

/// The tag on the wire.
pub(super) fn wire(tag: Tag) -> c_int {
    c_int::from(tag) + 1
}

/// Messages that are arriving.
pub(super) struct Mailbox<H> {
    /// Pieces that are being received, in the order of their arrival.
    pieces: VecDeque<Piece<H>>,
    /// Incomplete messages, by sender and tag.
    begun: BTreeMap<(usize, Tag), Vec<u8>>,
    /// Ranks that said goodbye.
    gone: Vec<bool>,
}

struct Piece<H> {
    from: usize,
    tag: Tag,
    flight: Flight<H>,
}

impl<H: Handle> Mailbox<H> {
    pub(super) fn new(size: usize) -> Self {
        Mailbox { pieces: VecDeque::new(), begun: BTreeMap::new(), gone: vec![false; size] }
    }

    /// The first wanted message that is there.
    pub(super) fn look(
        &mut self,
        session: &Session<H>,
        wanted: Wanted,
        largest: usize,
    ) -> Result<Option<Message>, Error> {
        loop {
            if let Some(message) = self.deliver(session, wanted, largest)? {
                return Ok(Some(message));
            }
            if !self.accept(session, wanted.from, wanted.tag.map(wire))? {
                return Ok(None);
            }
        }
    }

    /// Whether no wanted message can come any more: all ranks that could send one have said goodbye.
    pub(super) fn is_vain(&mut self, session: &Session<H>, wanted: Wanted) -> Result<bool, Error> {
        while self.accept(session, None, Some(GOODBYE))? {}
        let mut senders = (0..session.size).filter(|&rank| rank != session.rank);
        let may_send = senders.any(|rank| wanted.from.is_none_or(|from| from == rank) && !self.gone[rank]);
        Ok(!may_send && !self.pieces.iter().any(|piece| wanted.takes(piece.from, piece.tag)))
    }

    /// Receives and discards everything. Returns whether all others have said goodbye and nothing is in
    /// progress.
    pub(super) fn drain(&mut self, session: &Session<H>) -> Result<bool, Error> {
        while self.accept(session, None, None)? {}
        self.pieces.retain_mut(|piece| !piece.flight.advance(session));
        let all_gone = (0..session.size).all(|rank| rank == session.rank || self.gone[rank]);
        Ok(all_gone && self.pieces.is_empty())
    }

    /// Starts to receive a piece that has arrived; whether there was one.
    fn accept(
        &mut self,
        session: &Session<H>,
        from: Option<usize>,
        tag: Option<c_int>,
    ) -> Result<bool, Error> {
        let Some(probed) = session.probe(Channel::Posted, from, tag)? else { return Ok(false) };
        let (from, tag, bytes) = (probed.from, probed.tag, probed.bytes);
        let mut flight = Flight::new(vec![vec![0; bytes]], Default::default());
        flight.start(Duty::Receive { from, bytes }, |buffers, _| {
            // SAFETY: the flight owns the buffer, which has the length of the message.
            unsafe { session.receive_probed(probed, &mut buffers[0]) }
        });
        flight.advance(session);
        match Tag::try_from(tag - 1) {
            Ok(tag) => self.pieces.push_back(Piece { from, tag, flight }),
            Err(_) => self.gone[from] = true,
        }
        Ok(true)
    }

    /// The first wanted message that is complete.
    fn deliver(
        &mut self,
        session: &Session<H>,
        wanted: Wanted,
        largest: usize,
    ) -> Result<Option<Message>, Error> {
        // A piece waits for earlier pieces of the same message.
        let mut waiting: Vec<(usize, Tag)> = Vec::new();
        let mut at = 0;
        while let Some(piece) = self.pieces.get_mut(at) {
            let (from, tag) = (piece.from, piece.tag);
            if !wanted.takes(from, tag) || waiting.contains(&(from, tag)) {
                at += 1;
                continue;
            }
            if !piece.flight.advance(session) {
                waiting.push((from, tag));
                at += 1;
                continue;
            }
            let Some(mut piece) = self.pieces.remove(at) else { break };
            let bytes = piece.flight.land()?.pop().unwrap_or_default();
            let is_last = bytes.len() < largest;
            let bytes = match self.begun.remove(&(from, tag)) {
                Some(mut begun) => {
                    begun.extend(bytes);
                    begun
                }
                None => bytes,
            };
            if is_last {
                return Ok(Some(Message { from, tag, bytes }));
            }
            self.begun.insert((from, tag), bytes);
        }
        Ok(None)
    }
}
