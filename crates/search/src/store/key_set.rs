//! A set of 64-bit keys with a number each: insertion by compare-and-swap, keys in the order of their numbers.
//!
//! Keys lie in one array, 8 bytes each. The table over it has slots of 4 bytes. Their low bits hold the
//! number plus 1, with as many bits as the largest number needs; the rest is a fingerprint of the hash, so
//! that most probes of a wrong slot do not touch the key. Linear probing, at most three quarters full: 8 +
//! 5.3 to 8 bytes per key.
//!
//! Each worker has a *lane*: its own block of numbers, so that no counter is shared. A lane uses up a block
//! before it takes the next, so the numbers without a key ("holes") are the rests of the current blocks.
//!
//! A key is written before the slot that publishes its number (release), and read after the slot (acquire).
//! No thread waits for another. If no block is left, [`Full`] is returned, and a caller with exclusive access
//! calls [`KeySet::grow`].

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use volvelle_store::{Growing, hash, prefetch, zeroed};

/// Most numbers that a set gives out.
pub const MAX_NUMBERS: u64 = u32::MAX as u64 - 1;

/// Keys that one round of prefetching covers.
const ROUND: usize = 64;

/// Tables from this many slots on grow by halves.
const LARGE: u64 = 1 << 26;

/// Slots of the smallest table.
const SMALLEST: u64 = 16;

/// Largest block of numbers.
const LARGEST_BLOCK: u64 = 1024;

/// Keys from which on several threads fill a new table.
const WORTH_THREADS: u64 = 1 << 20;

/// No number is left: call [`KeySet::grow`] before trying the insertion again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The numbers that one worker may assign next. It has its own cache lines, since they are fetched in pairs.
#[repr(align(128))]
#[derive(Default)]
struct Lane {
    next: AtomicU32,
    end: AtomicU32,
}

/// A set of keys with numbers.
pub struct KeySet {
    slots: Box<[AtomicU32]>,
    /// Low bits of a slot that hold the number plus 1.
    number_bits: u32,
    keys: Growing,
    /// Numbers that may be given out before the table is too full.
    limit: u64,
    /// Numbers that a lane takes at once.
    block: u64,
    /// Numbers given to lanes.
    allotted: AtomicU64,
    lanes: Box<[Lane]>,
}

impl std::fmt::Debug for KeySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeySet({} keys, {} slots)", self.len(), self.slots.len())
    }
}

/// Slots for at least `numbers` numbers.
fn slots_for(numbers: u64) -> u64 {
    let least = numbers * 4 / 3 + 2;
    let power = least.next_power_of_two().max(SMALLEST);
    if power >= LARGE && power / 4 * 3 >= least { power / 4 * 3 } else { power }
}

fn limit_of(slots: u64) -> u64 {
    (slots * 3 / 4).min(MAX_NUMBERS)
}

/// Number of slots of the next larger table; `None` if it would provide no more numbers.
fn next_size(limit: u64, block: u64) -> Option<u64> {
    let slots = slots_for(limit + 1);
    (limit_of(slots) >= limit + block).then_some(slots)
}

impl KeySet {
    /// An empty set for the given number of lanes (workers).
    pub fn new(lanes: usize) -> Self {
        let lanes: Box<[Lane]> = (0..lanes.max(1)).map(|_| Lane::default()).collect();
        let slots = slots_for(2 * lanes.len() as u64);
        let limit = limit_of(slots);
        let mut set = KeySet {
            slots: zeroed(slots as usize),
            number_bits: 0,
            keys: Growing::new(limit as usize),
            limit,
            block: 0,
            allotted: AtomicU64::new(0),
            lanes,
        };
        set.divide();
        set
    }

    /// Sets the values that depend on the number of slots.
    fn divide(&mut self) {
        self.limit = limit_of(self.slots.len() as u64);
        self.number_bits = u64::BITS - self.limit.leading_zeros();
        let lanes = self.lanes.len() as u64;
        self.block = (self.limit / (16 * lanes)).clamp(1, LARGEST_BLOCK);
    }

    /// Keys in the set.
    pub fn len(&self) -> u64 {
        let holes: u64 = self.holes().map(|hole| u64::from(hole.end - hole.start)).sum();
        self.allotted.load(Ordering::Relaxed).saturating_sub(holes)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Numbers given to lanes, holes included.
    pub fn allotted(&self) -> u64 {
        self.allotted.load(Ordering::Relaxed)
    }

    /// For each lane the numbers that it holds and has not used.
    pub fn holes(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        self.lanes.iter().map(|lane| {
            let next = lane.next.load(Ordering::Relaxed);
            next..lane.end.load(Ordering::Relaxed).max(next)
        })
    }

    /// Bytes held: slots, and keys up to the last assigned number (later pages are untouched).
    pub fn bytes(&self) -> u64 {
        let fixed = size_of::<KeySet>() + self.lanes.len() * size_of::<Lane>();
        fixed as u64 + 4 * self.slots.len() as u64 + 8 * self.allotted()
    }

    /// Whether there is no block left for some lane.
    pub fn is_full(&self) -> bool {
        self.allotted() + self.block > self.limit
    }

    /// Additional bytes needed to grow; `None` if there are no more numbers.
    pub fn growth_bytes(&self) -> Option<u64> {
        let slots = next_size(self.limit, self.block)?;
        Some(4 * (slots - self.slots.len() as u64))
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn mask(&self) -> u32 {
        ((1u64 << self.number_bits) - 1) as u32
    }

    /// The fingerprint part of a slot.
    #[inline(always)]
    fn fingerprint(&self, hash: u64) -> u32 {
        (hash << self.number_bits) as u32
    }

    /// Prefetches the slot of a key; returns its hash for the calls that follow.
    #[inline(always)]
    fn prefetch_slot(&self, key: u64) -> u64 {
        let hash = hash(&[key]);
        prefetch(self.slots[self.home(hash)..].as_ptr());
        hash
    }

    /// Prefetches the key to which the slot of a hash points, if its fingerprint matches.
    #[inline(always)]
    fn prefetch_key(&self, hash: u64) {
        let slot = self.slots[self.home(hash)].load(Ordering::Relaxed);
        if slot != 0 && slot & !self.mask() == self.fingerprint(hash) {
            self.prefetch_number((slot & self.mask()) - 1);
        }
    }

    /// Prefetches the key of a number.
    #[inline(always)]
    pub(super) fn prefetch_number(&self, number: u32) {
        if let Some(key) = self.keys.get(number as usize) {
            prefetch(key);
        }
    }

    /// The number of a key, which is inserted if it is missing. Only one thread at a time may use a lane.
    #[inline(always)]
    fn find_or_insert_hashed(&self, lane: usize, key: u64, hash: u64) -> Result<u32, Full> {
        let fingerprint = self.fingerprint(hash);
        let mask = self.mask();
        let mut at = self.home(hash);
        loop {
            let mut slot = self.slots[at].load(Ordering::Acquire);
            if slot == 0 {
                let number = self.next_number(lane)?;
                self.keys[number as usize].store(key, Ordering::Relaxed);
                let entry = fingerprint | (number + 1);
                match self.slots[at].compare_exchange(0, entry, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        self.lanes[lane].next.store(number + 1, Ordering::Relaxed);
                        return Ok(number);
                    }
                    // Another worker was faster, perhaps with the same key. The lane keeps the number.
                    Err(other) => slot = other,
                }
            }
            if slot & !mask == fingerprint {
                let number = (slot & mask) - 1;
                if self.key(number) == key {
                    return Ok(number);
                }
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    /// The number that a lane assigns next; it stays available.
    #[inline(always)]
    fn next_number(&self, lane: usize) -> Result<u32, Full> {
        let lane = &self.lanes[lane];
        let next = lane.next.load(Ordering::Relaxed);
        if next < lane.end.load(Ordering::Relaxed) { Ok(next) } else { self.next_block(lane) }
    }

    #[cold]
    fn next_block(&self, lane: &Lane) -> Result<u32, Full> {
        let take = |allotted: u64| (allotted + self.block <= self.limit).then_some(allotted + self.block);
        let first =
            self.allotted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_err(|_| Full)?;
        lane.next.store(first as u32, Ordering::Relaxed);
        lane.end.store((first + self.block) as u32, Ordering::Relaxed);
        Ok(first as u32)
    }

    /// The numbers of many keys, inserting missing ones. Only one thread at a time may use a lane. `numbers`
    /// gets the numbers of the keys; with [`Full`], those before the first key without room.
    pub fn find_or_insert(&self, lane: usize, keys: &[u64], numbers: &mut Vec<u32>) -> Result<(), Full> {
        let mut hashes = [0u64; ROUND];
        while numbers.len() < keys.len() {
            let round = &keys[numbers.len()..keys.len().min(numbers.len() + ROUND)];
            for (hash, &key) in hashes.iter_mut().zip(round) {
                *hash = self.prefetch_slot(key);
            }
            for &hash in &hashes[..round.len()] {
                self.prefetch_key(hash);
            }
            for (&key, &hash) in round.iter().zip(&hashes) {
                numbers.push(self.find_or_insert_hashed(lane, key, hash)?);
            }
        }
        Ok(())
    }

    /// The key of a number that was given out; anything for another.
    #[inline(always)]
    pub(super) fn key(&self, number: u32) -> u64 {
        self.keys[number as usize].load(Ordering::Relaxed)
    }

    /// The key of a number, if it was assigned. Slower than it looks, since it checks the lanes.
    pub fn get(&self, number: u32) -> Option<u64> {
        let given = u64::from(number) < self.allotted() && !self.holes().any(|hole| hole.contains(&number));
        given.then(|| self.key(number))
    }

    /// The numbers that have keys, in ascending runs.
    fn runs(&self) -> Vec<Range<u32>> {
        let mut holes: Vec<Range<u32>> = self.holes().filter(|hole| !hole.is_empty()).collect();
        holes.sort_by_key(|hole| hole.start);
        let mut runs = Vec::with_capacity(holes.len() + 1);
        let mut at = 0;
        for hole in holes {
            runs.push(at..hole.start);
            at = hole.end;
        }
        runs.push(at..self.allotted() as u32);
        runs
    }

    /// Enlarges the table. `false` if there are no more numbers; then nothing changes. Up to `threads`
    /// threads help.
    pub fn grow(&mut self, threads: usize) -> bool {
        let Some(size) = next_size(self.limit, self.block) else { return false };
        // The old table first, so that they are not both there.
        self.slots = Box::default();
        self.slots = zeroed(size as usize);
        self.divide();
        self.keys.grow(self.limit as usize);
        self.fill_all(threads);
        true
    }

    /// Replaces each key by another one; different keys must stay different. Numbers stay the same. Up to
    /// `threads` threads help.
    pub(super) fn replace_keys(&mut self, threads: usize, mut replace: impl FnMut(u64) -> u64) {
        for number in self.runs().into_iter().flatten() {
            let key = &self.keys[number as usize];
            key.store(replace(key.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
        for slot in &mut self.slots {
            *slot.get_mut() = 0;
        }
        self.fill_all(threads);
    }

    /// Fills an empty table. `threads` may help.
    fn fill_all(&self, threads: usize) {
        let runs = self.runs();
        let count = self.len();
        let threads = if count < WORTH_THREADS { 1 } else { threads.max(1) };
        if threads == 1 {
            return runs.into_iter().for_each(|run| self.fill(run));
        }
        let share = (count.div_ceil(threads as u64) as u32).max(1);
        std::thread::scope(|scope| {
            for run in runs {
                let mut at = run.start;
                while at < run.end {
                    let end = run.end.min(at.saturating_add(share));
                    scope.spawn(move || self.fill(at..end));
                    at = end;
                }
            }
        });
    }

    /// Enters keys that have numbers and no slots.
    fn fill(&self, run: Range<u32>) {
        let mut hashes = [0u64; ROUND];
        let mut at = run.start;
        while at < run.end {
            let count = (run.end - at).min(ROUND as u32);
            for i in 0..count {
                hashes[i as usize] = self.prefetch_slot(self.key(at + i));
            }
            for i in 0..count {
                self.enter(hashes[i as usize], at + i);
            }
            at += count;
        }
    }

    fn enter(&self, hash: u64, number: u32) {
        let entry = self.fingerprint(hash) | (number + 1);
        let mut at = self.home(hash);
        loop {
            let slot = &self.slots[at];
            if slot.load(Ordering::Relaxed) == 0
                && slot.compare_exchange(0, entry, Ordering::Release, Ordering::Relaxed).is_ok()
            {
                return;
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes go up to nearly all numbers, by factors that waste little, and then end.
    #[test]
    fn sizes_end_where_numbers_do() {
        let mut slots = SMALLEST;
        let mut count = 0;
        while let Some(next) = next_size(limit_of(slots), LARGEST_BLOCK.min(limit_of(slots) / 16)) {
            assert!(next > slots && next <= 2 * slots);
            assert!(slots < LARGE || next * 2 <= slots * 3);
            // The number plus 1 fits into a slot.
            assert!(limit_of(next) <= u64::from(u32::MAX));
            slots = next;
            count += 1;
        }
        assert_eq!(limit_of(slots), MAX_NUMBERS);
        assert!((20..60).contains(&count), "{count}");
    }
}
