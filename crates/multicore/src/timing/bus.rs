//! The bus on which values of registers go to other cores.

use super::flight::Flying;
use crate::machine::MOST_IN_FLIGHT;
use std::collections::VecDeque;

/// Numbers of the last instructions that wrote each register, from 1; 0: none.
type Writers = [u64; 256];

/// What an instruction has to do with the bus.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// When its value is on the bus; 0: it was not asked for.
    sent: u64,
    /// The number of the instruction that asked for it first.
    reader: u64,
    /// Who wrote its destination before.
    overwritten: u64,
    /// When its core took its task.
    begin: u64,
    /// When it completed and retired, once it is not in flight any more.
    complete: u64,
    retire: u64,
}

/// Places of cycles that are taken.
#[derive(Clone, Debug)]
struct Places {
    each: u32,
    /// From the cycle `floor` on.
    taken: VecDeque<u32>,
    floor: u64,
}

impl Places {
    /// Takes one in the first cycle from `earliest` on that has one.
    fn take(&mut self, earliest: u64) -> u64 {
        let mut at = (earliest - self.floor) as usize;
        while self.taken.get(at).is_some_and(|&taken| taken == self.each) {
            at += 1;
        }
        if at >= self.taken.len() {
            self.taken.resize(at + 1, 0);
        }
        self.taken[at] += 1;
        self.floor + at as u64
    }

    fn give(&mut self, cycle: u64) {
        self.taken[(cycle - self.floor) as usize] -= 1;
    }

    fn raise(&mut self, floor: u64) {
        let old = (floor - self.floor).min(self.taken.len() as u64);
        self.taken.drain(..old as usize);
        self.floor = floor;
    }
}

/// A bus with so many places per cycle. A value takes one of them when it is complete, and the first task on another core is there that
/// reads it; then all cores know it. What had retired before that task came to its core needs no place. Where there are too few places,
/// the oldest reader goes first.
#[derive(Clone, Debug)]
pub(super) struct Bus {
    places: Places,
    writers: Box<Writers>,
    /// Instructions in flight, and some older ones: their values may still be on their way.
    entries: Vec<Entry>,
    /// The number of the first entry.
    base: u64,
}

impl Bus {
    /// A bus with `places` per cycle, at least 1.
    pub fn new(places: u32) -> Self {
        let places = Places { each: places, taken: VecDeque::new(), floor: 0 };
        Bus { places, writers: Box::new([0; 256]), entries: Vec::new(), base: 0 }
    }

    /// An instruction of a number comes into flight, whose core took its task in a cycle.
    pub fn add(&mut self, number: u64, begin: u64) {
        if self.entries.is_empty() {
            self.base = number;
        }
        self.entries.push(Entry { begin, ..Entry::default() });
    }

    /// Nothing goes over the bus before a cycle any more.
    pub fn raise(&mut self, floor: u64) {
        self.places.raise(floor);
    }

    /// The cycle in which the value of a register is on the bus that another core wrote, for the instruction behind the `older` ones in
    /// flight, of which the first has the number `first`; 0: it need not be there. All up to `now` is as it will be.
    pub fn send(&mut self, register: u8, older: &[Flying], first: u64, now: u64) -> u64 {
        let reader = first + older.len() as u64;
        let begin = self.entries[(reader - self.base) as usize].begin;
        let Some(writer) = self.writers[usize::from(register)].checked_sub(1) else { return 0 };
        let Some(entry) = writer.checked_sub(self.base) else { return 0 };
        let entry = &mut self.entries[entry as usize];
        let (complete, retire) = match writer.checked_sub(first) {
            Some(place) => (older[place as usize].complete, older[place as usize].retire),
            None => (entry.complete, entry.retire),
        };
        if retire < begin {
            return 0;
        }
        if entry.sent == 0 {
            entry.sent = self.places.take(complete.max(begin).max(now + 1));
            entry.reader = reader;
        }
        entry.sent
    }

    /// The instruction of a number writes a register.
    pub fn write(&mut self, number: u64, register: u8) {
        let writer = &mut self.writers[usize::from(register)];
        self.entries[(number - self.base) as usize].overwritten = *writer;
        *writer = number + 1;
    }

    /// Undoes all that instructions from `from` on in flight asked for behind the cycle `now`.
    pub fn undo(&mut self, from: usize, flying: &[Flying], now: u64, first: u64) {
        let place = (first - self.base) as usize;
        for (entry, flying) in self.entries[place + from..].iter().zip(&flying[from..]).rev() {
            self.writers[usize::from(flying.destination)] = entry.overwritten;
        }
        for entry in &mut self.entries {
            if entry.sent > now && entry.reader >= first + from as u64 {
                self.places.give(entry.sent);
                entry.sent = 0;
            }
        }
    }

    /// The youngest instructions leave, which were undone.
    pub fn forget(&mut self, count: usize) {
        self.entries.truncate(self.entries.len() - count);
    }

    /// The oldest instructions leave, of which the first has the number `first`.
    pub fn remove(&mut self, leaving: &[Flying], first: u64) {
        let place = (first - self.base) as usize;
        for (entry, flying) in self.entries[place..].iter_mut().zip(leaving) {
            (entry.complete, entry.retire) = (flying.complete, flying.retire);
        }
        if place + leaving.len() == self.entries.len() {
            // Nothing is in flight: what comes is behind all of them.
            self.entries.clear();
        } else if place > MOST_IN_FLIGHT {
            self.entries.drain(..MOST_IN_FLIGHT);
            self.base += MOST_IN_FLIGHT as u64;
        }
    }
}
