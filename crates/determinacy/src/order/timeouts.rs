//! `timeout`: steps that are possible only where nothing else is.
//!
//! On the path, such a step is taken where no process can move without it, and one can with it. Under another schedule, it could
//! happen earlier if all processes were stuck before they have taken all steps of the path that come before it. They are not:
//!
//! Let some of these steps be missing, and look at the earliest of them on the path. The steps before it have all been taken. What comes
//! after it on the path and writes a cell that its guards read has it in its past, and has not been taken. So the cells have the
//! values that they have on the path, and the step is possible; for a handshake, both processes are there.
//!
//! This is not so simple in a window of handshakes whose partners may be exchanged ([`crate::windows`]): the earliest step that is
//! missing may be that of a client in whose place the server has met another one. Then the server must come to its next handshake
//! of the window, where it can meet the client: it must not wait for anything between two handshakes of a window, nor meet anybody else.
//! Then its next step is possible, since all that must have happened before it had happened at the handshake before. And where a
//! server is at a handshake of a window, one of its clients can come: of those it has not met, take the one that comes earliest on the path.
//! Following what each process waits for in this way leads to ever earlier steps, and so to one that is possible.
//!
//! So nothing but a `timeout` is possible only where all steps before it on the path have been taken: they are its necessary past.

use super::known::Last;
use super::{Known, Order};
use crate::clock::{self, Clock};
use crate::refusal::Refusal;

impl Known {
    /// Notes a handshake of two processes, of a class and a window of it.
    pub(super) fn met(&mut self, class: u32, window: u32, sides: [u32; 2]) {
        for side in sides {
            let clock = self.clocks[side as usize].clone();
            self.last_handshakes[side as usize] = Some(Last { class, window, clock });
        }
    }

    /// Notes whether a server comes to a handshake of a window without waiting since the one before.
    pub(super) fn comes(&mut self, class: u32, window: u32, server: u32, arrival: &Clock) {
        let is_free = self.last_handshakes[server as usize].as_ref().is_some_and(|last| {
            let is_known =
                |(process, (now, then)): (usize, (&u32, &u32))| process == server as usize || now == then;
            (last.class, last.window) == (class, window)
                && arrival.iter().zip(last.clock.iter()).enumerate().all(is_known)
        });
        self.may_block |= !is_free;
    }
}

impl Order<'_, '_> {
    /// Adds the past of a step that is possible only where nothing else is.
    pub(super) fn timeout(&self, clock: &mut Clock) {
        for other in &self.known.clocks {
            clock::join(clock, other);
        }
    }

    /// Processes must not get stuck under another schedule where a `timeout` would make something possible.
    pub(super) fn is_never_stuck(&self) -> Result<(), Refusal> {
        match self.compiled.has_timeout && self.known.may_block {
            true => Err(Refusal::Waiting { origin: self.origin }),
            false => Ok(()),
        }
    }
}
