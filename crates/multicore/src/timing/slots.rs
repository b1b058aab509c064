//! Units of a core, cycle by cycle.

use crate::machine::Core;

/// The units used in a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    cycle: u64,
    /// Instructions that issue.
    issued: u16,
    /// Of these, those that access memory.
    memory: u16,
}

/// Cycles of a core in which instructions issue: a hash table by cycle.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    core: Core,
    entries: Vec<Entry>,
    used: usize,
    /// Entries of earlier cycles are empty.
    floor: u64,
}

/// Entries at first.
const FEWEST: usize = 128;

impl Slots {
    pub fn new(core: Core) -> Self {
        Slots { core, entries: vec![Entry::default(); FEWEST], used: 0, floor: 1 }
    }

    /// Discards all entries: from now on, cycles begin at `floor`.
    #[inline]
    pub fn start(&mut self, floor: u64) {
        self.floor = floor;
        self.used = 0;
    }

    /// Discards all entries, in whatever cycle.
    pub fn clear(&mut self) {
        self.entries.fill(Entry::default());
        self.used = 0;
    }

    /// The place of a cycle, which may be empty.
    #[inline]
    fn place(&self, cycle: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = cycle as usize & mask;
        while self.entries[at].cycle != cycle && self.entries[at].cycle >= self.floor {
            at = (at + 1) & mask;
        }
        at
    }

    /// Takes a unit in the first cycle from `earliest` on in which there is one.
    #[inline]
    pub fn take(&mut self, earliest: u64, is_memory: bool) -> u64 {
        let mut cycle = earliest;
        loop {
            let at = self.place(cycle);
            let mut entry = self.entries[at];
            if entry.cycle != cycle {
                entry = Entry { cycle, issued: 0, memory: 0 };
                self.used += 1;
            }
            let of_kind = if is_memory { entry.memory } else { entry.issued - entry.memory };
            let units = if is_memory { self.core.load_store } else { self.core.alus };
            if u32::from(entry.issued) < self.core.width && u32::from(of_kind) < units {
                entry.issued += 1;
                entry.memory += u16::from(is_memory);
                self.entries[at] = entry;
                if self.used * 2 > self.entries.len() {
                    self.grow();
                }
                return cycle;
            }
            cycle += 1;
        }
    }

    /// Gives a unit back.
    #[inline]
    pub fn give(&mut self, cycle: u64, is_memory: bool) {
        let at = self.place(cycle);
        self.entries[at].issued -= 1;
        self.entries[at].memory -= u16::from(is_memory);
    }

    /// Discards cycles in which nothing issues any more; doubles the table if these are few.
    #[cold]
    fn grow(&mut self) {
        let floor = self.floor;
        let live: Vec<Entry> =
            self.entries.iter().copied().filter(|entry| entry.cycle >= floor && entry.issued > 0).collect();
        let mut size = self.entries.len();
        if live.len() * 4 > size {
            size *= 2;
        }
        self.entries.clear();
        self.entries.resize(size, Entry::default());
        self.used = live.len();
        for entry in live {
            let at = self.place(entry.cycle);
            self.entries[at] = entry;
        }
    }
}
