//! The bus that sends values of registers to other cores.

use super::flight::Flying;
use crate::limits::MOST_IN_FLIGHT;
use std::collections::VecDeque;

/// For each register, the number of the last instruction that wrote it, from 1; 0 for none.
type Writers = [u64; 256];

/// What an instruction does with the bus.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// When its value is on the bus; 0 if no instruction asked for it.
    sent: u64,
    /// The number of the first instruction that asked for it.
    reader: u64,
    /// The previous writer of its destination.
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

/// A bus with a limited number of places per cycle. A value takes a place once it is complete and the first
/// task that reads it is on another core; then all cores know it. A value that retired before that task came
/// to its core needs no place. If there are too few places, the oldest reader goes first.
#[derive(Clone, Debug)]
pub(super) struct Bus {
    places: Places,
    writers: Box<Writers>,
    /// Instructions in flight, and some older ones whose values may not have arrived yet.
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

    /// An instruction gets into flight; `begin` is the cycle in which its core took its task.
    pub fn add(&mut self, number: u64, begin: u64) {
        if self.entries.is_empty() {
            self.base = number;
        }
        self.entries.push(Entry { begin, ..Entry::default() });
    }

    /// From now on, nothing uses the bus before the cycle `floor`.
    pub fn raise(&mut self, floor: u64) {
        self.places.raise(floor);
    }

    /// The cycle in which a register's value, written by another core, is on the bus; 0 if it need not be
    /// sent. The reader comes after the `older` instructions in flight, whose first has the number `first`.
    /// Everything up to `now` is final.
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

    /// Undoes all requests after the cycle `now` by instructions in flight from the place `from` on.
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

    /// Removes the oldest instructions, of which the first has the number `first`.
    pub fn remove(&mut self, leaving: &[Flying], first: u64) {
        let place = (first - self.base) as usize;
        for (entry, flying) in self.entries[place..].iter_mut().zip(leaving) {
            (entry.complete, entry.retire) = (flying.complete, flying.retire);
        }
        if place + leaving.len() == self.entries.len() {
            // Nothing is in flight: whatever comes is younger than all entries.
            self.entries.clear();
        } else if place > MOST_IN_FLIGHT {
            self.entries.drain(..MOST_IN_FLIGHT);
            self.base += MOST_IN_FLIGHT as u64;
        }
    }
}
