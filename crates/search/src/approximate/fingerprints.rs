//! Hash compaction: a set of 64-bit fingerprints of states.

use super::{VisitedHashes, mixed};
use crate::visited::Halt;
use volvelle_control::{Control, Stop};

/// Slots of the smallest table.
const SMALLEST: usize = 1 << 12;

/// Open addressing; 0 is an empty slot. At most three quarters full.
pub struct Fingerprints {
    slots: Vec<u64>,
    count: u64,
}

impl Fingerprints {
    /// Without any.
    pub fn new() -> Self {
        Fingerprints { slots: vec![0; SMALLEST], count: 0 }
    }

    /// The probability that a state was omitted, because some other state has the same fingerprint.
    pub fn omission(&self) -> f64 {
        self.count as f64 / 2f64.powi(64)
    }

    fn enlarge(&mut self, control: &Control<'_>) -> Result<(), Halt> {
        let more = 2 * self.slots.len();
        // Both tables exist for a while.
        let bytes = 8 * (more + self.slots.len()) as u64;
        if control.limits.memory_bytes.is_some_and(|most| bytes > most) {
            return Err(Halt::Stopped(Stop::Memory));
        }
        let mut slots = Vec::new();
        slots.try_reserve_exact(more).map_err(|_| Halt::Stopped(Stop::Memory))?;
        slots.resize(more, 0);
        let old = std::mem::replace(&mut self.slots, slots);
        for number in old.into_iter().filter(|&number| number != 0) {
            let at = self.place(number);
            self.slots[at] = number;
        }
        Ok(())
    }

    /// The slot of a number, or the slot where it would be inserted.
    fn place(&self, number: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = mixed(number) as usize & mask;
        while self.slots[at] != 0 && self.slots[at] != number {
            at = (at + 1) & mask;
        }
        at
    }
}

impl VisitedHashes for Fingerprints {
    fn insert(&mut self, hash: u64, control: &Control<'_>) -> Result<bool, Halt> {
        let number = hash.max(1);
        let mut at = self.place(number);
        if self.slots[at] == number {
            return Ok(false);
        }
        if 4 * (self.count + 1) > 3 * self.slots.len() as u64 {
            self.enlarge(control)?;
            at = self.place(number);
        }
        self.slots[at] = number;
        self.count += 1;
        Ok(true)
    }

    fn bytes(&self) -> u64 {
        8 * self.slots.len() as u64
    }

    fn is_exhausted(&self) -> bool {
        false
    }
}
