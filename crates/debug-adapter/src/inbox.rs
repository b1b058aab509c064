//! What the client has sent and the server has not yet answered.
//!
//! A thread reads, so that a request to stop is known while a run goes on: as long as one waits, the flag of the run is raised.

use crate::protocol::{self, Request};
use std::collections::VecDeque;
use std::io::{BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use volvelle_control::Cancel;
use volvelle_messages::Received;

/// How long the work of a client that is gone may take to stop.
const GRACE: Duration = Duration::from_millis(800);

/// How often it looks for signals while nothing comes.
const LOOKS: Duration = Duration::from_millis(200);

/// Something that came.
#[derive(Debug)]
pub enum Arrival {
    /// A request.
    Request(Request),
    /// Something that is none, with the reason.
    NoMessage(String),
    /// Nothing more will come; with the reason, if it is not that the client is gone.
    End(Option<String>),
}

impl Arrival {
    fn interrupts(&self) -> bool {
        match self {
            Arrival::Request(request) => request.interrupts(),
            Arrival::NoMessage(_) => false,
            Arrival::End(_) => true,
        }
    }
}

/// The messages that wait.
pub struct Inbox {
    waiting: Mutex<VecDeque<Arrival>>,
    arrived: Condvar,
    cancel: &'static Cancel,
}

impl Inbox {
    /// Begins to read. Where the client goes away and the work does not stop, `abandon` is called.
    pub fn of(input: impl Read + Send + 'static, cancel: &'static Cancel, abandon: fn()) -> Arc<Self> {
        let inbox = Arc::new(Inbox { waiting: Mutex::default(), arrived: Condvar::new(), cancel });
        let filled = Arc::clone(&inbox);
        // It ends with the stream, or with the process.
        thread::spawn(move || {
            filled.fill(BufReader::new(input));
            thread::sleep(GRACE);
            abandon();
        });
        inbox
    }

    fn fill(&self, input: BufReader<impl Read>) {
        let mut reason = None;
        volvelle_messages::receive(input, |received| {
            match received {
                Received::Message(bytes) => match protocol::read(&bytes) {
                    Ok(Some(request)) => self.push(Arrival::Request(request)),
                    Ok(None) => {}
                    Err(why) => self.push(Arrival::NoMessage(why)),
                },
                Received::NoMessage { why, is_broken: true } => reason = Some(why),
                Received::NoMessage { why, is_broken: false } => self.push(Arrival::NoMessage(why)),
            }
            true
        });
        self.push(Arrival::End(reason));
    }

    fn push(&self, arrival: Arrival) {
        let mut waiting = self.waiting();
        if arrival.interrupts() {
            self.cancel.cancel();
        }
        waiting.push_back(arrival);
        self.arrived.notify_one();
    }

    /// The next message, for which it waits. Nothing more comes where the flag is raised by something else: a signal to the process.
    pub fn next(&self) -> Arrival {
        let mut waiting = self.waiting();
        loop {
            if self.cancel.is_cancelled() && !waiting.iter().any(Arrival::interrupts) {
                return Arrival::End(None);
            }
            let Some(next) = waiting.pop_front() else {
                let woken = self.arrived.wait_timeout(waiting, LOOKS);
                waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            };
            if !waiting.iter().any(Arrival::interrupts) {
                self.cancel.resume();
            }
            return next;
        }
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Arrival>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
