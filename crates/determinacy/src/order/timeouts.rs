//! `timeout`: steps that are possible only where nothing else is.
//!
//! On the path, such a step is taken where no process can move without it. Under another schedule, it could
//! happen earlier if all processes were stuck before they took all earlier steps of the path. They are not:
//!
//! Suppose that some of these steps are missing, and take the one that is earliest on the path. All steps
//! before it have been taken. An event that comes later on the path and writes a cell of its guards has it in
//! its past, and so has not been taken. So the cells have the values that they have on the path, and the step
//! is possible; for a handshake, both processes are there.
//!
//! A window of handshakes whose partners may be exchanged ([`crate::windows`]) needs more. The earliest
//! missing step may belong to a client in whose place the server has met another one. Then the server must
//! reach its next handshake of the window to meet that client: between two handshakes of a window it must
//! neither wait nor meet any other process. Then its next step is possible, since its past had happened at
//! the handshake before. Conversely, when a server is at a handshake of a window, a client can come: of those
//! that it has not met, take the one that is earliest on the path. Following the chain of waiting in this way
//! leads to ever earlier steps, and so to one that is possible.
//!
//! So a `timeout` can happen only when all steps before it on the path have been taken: they are its past.

use super::known::Last;
use super::{Known, Order};
use crate::clock::{self, Clock};
use crate::refusal::Refusal;

impl Known {
    /// Records a handshake of two processes in a window of a class.
    pub(super) fn met(&mut self, class: u32, window: u32, sides: [u32; 2]) {
        for side in sides {
            let clock = self.clocks[side as usize].clone();
            self.last_handshakes[side as usize] = Some(Last { class, window, clock });
        }
    }

    /// Records whether a server may have waited between the previous handshake of a window and this one.
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
    /// Adds the past of a `timeout`: everything so far.
    pub(super) fn timeout(&self, clock: &mut Clock) {
        for other in &self.known.clocks {
            clock::join(clock, other);
        }
    }

    /// If the program has `timeout`s, no process may get stuck earlier under another schedule.
    pub(super) fn is_never_stuck(&self) -> Result<(), Refusal> {
        match self.compiled.has_timeout && self.known.may_block {
            true => Err(Refusal::Waiting { origin: self.origin }),
            false => Ok(()),
        }
    }
}
