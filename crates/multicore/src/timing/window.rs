//! Reorder buffers limit the instructions of a core between fetch and retirement.

use super::flight::Flying;
use crate::machine::Core;
use std::collections::VecDeque;

/// The state of a core's fetch.
#[derive(Clone, Copy, Debug, Default)]
struct Stand {
    cycle: u64,
    used: u32,
}

/// The buffer of a core.
#[derive(Clone, Debug, Default)]
struct Window {
    stand: Stand,
    /// The cycle in which fetching begins anew, until the next instruction comes.
    begin: Option<u64>,
    /// Numbers of its last instructions, as many as the buffer holds.
    last: VecDeque<u64>,
}

/// An instruction in a buffer.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The cycle in which its core began anew with it, if it did.
    begin: Option<u64>,
    /// The state of its core's fetch before it.
    before: Stand,
    /// The number of the instruction whose place it takes.
    frees: Option<u64>,
    /// From which cycle on that place is free.
    free: u64,
}

/// The buffers of all cores.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    size: usize,
    cores: Vec<Window>,
    /// By place in flight.
    entries: Vec<Entry>,
}

impl Windows {
    /// Buffers of `size` instructions, at least 1.
    pub fn new(size: u32, cores: usize) -> Self {
        Windows { size: size as usize, cores: vec![Window::default(); cores], entries: Vec::new() }
    }

    /// A core begins anew in a cycle.
    pub fn begin(&mut self, core: usize, cycle: u64) {
        self.cores[core].begin = Some(cycle);
    }

    /// An instruction comes into flight.
    pub fn add(&mut self, core: u8, number: u64) {
        let Window { last, begin, .. } = &mut self.cores[usize::from(core)];
        let begin = begin.take();
        let frees = if last.len() == self.size { last.pop_front() } else { None };
        last.push_back(number);
        self.entries.push(Entry { begin, before: Stand::default(), frees, free: 0 });
    }

    /// Finds the cycle in which the instruction at a place in flight is fetched. `first` is the number of the
    /// first instruction in flight. Older ones have their cycles.
    pub fn fetch(&mut self, at: usize, flying: &mut [Flying], first: u64, core: &Core) {
        let entry = &mut self.entries[at];
        let Stand { cycle, used } = &mut self.cores[usize::from(flying[at].core)].stand;
        if let Some(begin) = entry.begin {
            (*cycle, *used) = (begin, 0);
        }
        entry.before = Stand { cycle: *cycle, used: *used };
        if *used == core.width {
            (*cycle, *used) = (*cycle + 1, 0);
        }
        let stall = u64::from(flying[at].stall);
        if stall > 0 {
            (*cycle, *used) = (*cycle + stall, 0);
        }
        // An instruction that is not in flight any more keeps its cycle. If it belongs to the time before the
        // core began, it does not matter.
        if let Some(place) = entry.frees.and_then(|number| number.checked_sub(first)) {
            entry.free = flying[place as usize].retire + 1;
        }
        let free = entry.free;
        if free > *cycle {
            (*cycle, *used) = (free, 0);
        }
        *used += 1;
        flying[at].fetch = *cycle;
    }

    /// Restores the state of fetch before the instruction at a place in flight. Younger ones were undone
    /// before.
    pub fn undo(&mut self, at: usize, core: u8) {
        self.cores[usize::from(core)].stand = self.entries[at].before;
    }

    /// Removes the youngest instructions. All others have retired before any that follow.
    pub fn forget(&mut self, count: usize) {
        self.entries.truncate(self.entries.len() - count);
        self.cores.iter_mut().for_each(|core| core.last.clear());
    }

    /// The oldest instructions leave.
    pub fn remove(&mut self, count: usize) {
        self.entries.drain(..count);
    }
}
