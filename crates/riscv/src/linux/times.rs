//! Time: an instruction takes a nanosecond, and sleep takes as long as it should.

use crate::hart::Hart;
use crate::memory::Memory;
use crate::world::Errno;

/// When every program begins: 13 September 2020, 12:26:40 UTC.
const BEGIN_S: u64 = 1_600_000_000;
const NS_PER_S: u64 = 1_000_000_000;
/// Clocks that count from the beginning of the program.
const MONOTONIC: [u64; 5] = [1, 2, 3, 4, 7];

/// The clock of a process.
#[derive(Clone, Debug, Default)]
pub struct Times {
    slept_ns: u64,
}

impl Times {
    fn since_beginning_ns(&self, hart: &Hart) -> u64 {
        hart.executed.saturating_add(self.slept_ns)
    }

    /// Seconds and nanoseconds of a clock.
    pub fn now(&self, clock: u64, hart: &Hart) -> (u64, u64) {
        let elapsed = self.since_beginning_ns(hart);
        let begin = if MONOTONIC.contains(&clock) { 0 } else { BEGIN_S };
        (begin + elapsed / NS_PER_S, elapsed % NS_PER_S)
    }

    /// Sleeps as a `struct timespec` says; `until`: up to that time of a clock.
    pub fn sleep(
        &mut self,
        until: Option<u64>,
        at: u64,
        hart: &Hart,
        memory: &mut Memory,
    ) -> Result<u64, Errno> {
        let mut bytes = [0; 16];
        if !memory.copy_out(at, &mut bytes, crate::elf::Permissions::READ) {
            return Err(Errno::FAULT);
        }
        let [seconds, nanoseconds] =
            [0, 8].map(|from| u64::from_le_bytes(bytes[from..from + 8].try_into().expect("eight bytes")));
        if nanoseconds >= NS_PER_S || seconds > i64::MAX as u64 {
            return Err(Errno::INVAL);
        }
        let wanted = seconds.saturating_mul(NS_PER_S).saturating_add(nanoseconds);
        let span = match until {
            None => wanted,
            Some(clock) => {
                let (s, ns) = self.now(clock, hart);
                wanted.saturating_sub(s.saturating_mul(NS_PER_S).saturating_add(ns))
            }
        };
        // Clocks end after 292 years; nobody sleeps for longer.
        self.slept_ns = self.slept_ns.saturating_add(span).min(i64::MAX as u64);
        Ok(0)
    }
}
