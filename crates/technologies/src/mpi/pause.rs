//! Waiting without blocking others: the longer the wait, the more processor time is left to them.

use std::time::Duration;

/// The state of a wait.
#[derive(Default)]
pub(super) struct Pause {
    turns: u32,
}

impl Pause {
    /// Turns in which a message within the machine usually arrives.
    const SPINS: u32 = 100;
    /// Number of rounds in which other threads run first; a few hundredths of a second in all.
    const YIELDS: u32 = 50_000;
    /// Short enough to keep messages flowing if the library moves them in pieces, one with each call.
    const SLEEP: Duration = Duration::from_micros(50);

    /// Waits a moment.
    pub(super) fn wait(&mut self) {
        self.turns = self.turns.saturating_add(1);
        if self.turns <= Self::SPINS {
            std::hint::spin_loop();
        } else if self.turns <= Self::YIELDS {
            std::thread::yield_now();
        } else {
            std::thread::sleep(Self::SLEEP);
        }
    }

    /// Whether it is time to check if the awaited ranks still exist.
    pub(super) fn is_long(&self) -> bool {
        self.turns > Self::SPINS && self.turns.is_multiple_of(64)
    }
}
