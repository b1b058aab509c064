//! The flag with which work is asked to stop.

use std::sync::atomic::{AtomicU8, Ordering};

const CANCELLED: u8 = 1;
const EXHAUSTED: u8 = 2;

/// Asked to stop from outside (a signal handler, another thread), or because the process has no more memory to take.
#[derive(Debug, Default)]
pub struct Cancel(AtomicU8);

impl Cancel {
    /// Creates a flag that is not raised.
    pub const fn new() -> Self {
        Cancel(AtomicU8::new(0))
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.fetch_or(CANCELLED, Ordering::Relaxed);
    }

    /// Takes the request back: what was to stop has stopped, and other work begins.
    pub fn resume(&self) {
        self.0.fetch_and(!CANCELLED, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) & CANCELLED != 0
    }

    /// Says whether the process holds more memory than it may.
    pub fn set_exhausted(&self, exhausted: bool) {
        match exhausted {
            true => self.0.fetch_or(EXHAUSTED, Ordering::Relaxed),
            false => self.0.fetch_and(!EXHAUSTED, Ordering::Relaxed),
        };
    }

    /// Whether it does.
    pub fn is_exhausted(&self) -> bool {
        self.0.load(Ordering::Relaxed) & EXHAUSTED != 0
    }
}
