//! The index that maps packed states to their numbers.

use super::states::StateTable;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use volvelle_store::{hash, prefetch, zeroed};

/// Stands for a state that a look-up did not find.
pub const UNKNOWN: u32 = u32::MAX;

/// Most states that can be numbered.
pub const MAX_STATES: usize = u32::MAX as usize - 1;

/// Packed domains up to this many bits (1 MiB) are indexed directly from the start.
const DIRECT_BITS: u32 = 18;

/// Tables from this many slots on grow by halves too.
const LARGE: usize = 1 << 23;

/// Slots of the smallest table, as a power of two.
const FIRST_LOG2: u32 = 14;

/// Successors that one round of prefetching covers.
const ROUND: usize = 64;

/// An index over the states of one table.
pub enum Index {
    /// An array over all valuations of a one-word layout: number + 1, or 0. Used if it takes no more memory
    /// than a table: for narrow states at once, for others once there are enough.
    Direct(Box<[AtomicU32]>),
    /// Open addressing with linear probing.
    Hashed(Table),
}

/// Slots of fingerprint (high half) and number + 1 (low half); 0 is free.
pub struct Table {
    slots: Box<[AtomicU64]>,
    /// Bits of a packed state, if it is one word.
    domain: Option<u32>,
}

impl Table {
    fn new(slots: usize, domain: Option<u32>) -> Self {
        Table { slots: zeroed(slots), domain }
    }

    /// The number of slots for `states` states. Linear probing stays within one or two cache lines up to
    /// three quarters full. Large tables also grow by halves, since both tables exist while one is filled
    /// from the other.
    fn size_for(states: usize) -> usize {
        let least = states * 4 / 3 + 1;
        let power = least.next_power_of_two().max(1 << FIRST_LOG2);
        if power >= LARGE && power / 4 * 3 >= least { power / 4 * 3 } else { power }
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn next(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() { 0 } else { slot + 1 }
    }

    #[inline(always)]
    fn entry(hash: u64, index: usize) -> u64 {
        hash << 32 | (index as u64 + 1)
    }

    /// The number of a state, or the free slot at which its probe sequence ends.
    #[inline(always)]
    fn probe(&self, states: &StateTable, state: &[u64], hash: u64) -> Result<u32, usize> {
        let fingerprint = hash << 32;
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at].load(Ordering::Acquire);
            if slot == 0 {
                return Err(at);
            }
            if slot & !0xffff_ffff == fingerprint {
                let index = (slot as u32 - 1) as usize;
                // SAFETY: the slot was read with acquire ordering, and stored after the state was written.
                if unsafe { states.get_published(index) } == state {
                    return Ok(index as u32);
                }
            }
            at = self.next(at);
        }
    }

    /// Enters a state that is not there.
    fn enter(&self, hash: u64, index: usize) {
        let mut at = self.home(hash);
        while self.slots[at].load(Ordering::Relaxed) != 0 {
            at = self.next(at);
        }
        self.slots[at].store(Self::entry(hash, index), Ordering::Release);
    }
}

impl Index {
    /// An empty index for states of `words` words with `bits` bits in use.
    pub fn new(words: usize, bits: u32) -> Self {
        if words == 1 && bits <= DIRECT_BITS {
            Index::Direct(zeroed(1 << bits))
        } else {
            Index::Hashed(Table::new(1 << FIRST_LOG2, (words == 1).then_some(bits)))
        }
    }

    /// Bytes held. A direct index may hold less, since its pages are only taken when touched.
    pub fn bytes(&self) -> u64 {
        match self {
            Index::Direct(slots) => 4 * slots.len() as u64,
            Index::Hashed(table) => 8 * table.slots.len() as u64,
        }
    }

    /// Looks up many packed states at once; [`UNKNOWN`] if a state is missing (or is just being inserted).
    /// `numbers` gets one number per state.
    pub fn look_up(&self, states: &StateTable, packed: &[u64], numbers: &mut Vec<u32>) {
        numbers.clear();
        match self {
            Index::Direct(slots) => {
                // 0 − 1 wraps to UNKNOWN.
                let number = |&word: &u64| slots[word as usize].load(Ordering::Acquire).wrapping_sub(1);
                numbers.extend(packed.iter().map(number));
            }
            Index::Hashed(table) => match states.words() {
                1 => look_up_hashed::<1>(table, states, packed, numbers),
                2 => look_up_hashed::<2>(table, states, packed, numbers),
                3 => look_up_hashed::<3>(table, states, packed, numbers),
                _ => look_up_hashed::<0>(table, states, packed, numbers),
            },
        }
    }

    /// Looks up many packed states, and inserts missing ones in order. `numbers` gets one number per state;
    /// elements already known on entry (not [`UNKNOWN`]) are kept. `limit` is the total number of states
    /// allowed. Returns `false` at the first state without room, with everything before it done.
    ///
    /// [`Index::reserve`] must have made room for all of them.
    ///
    /// # Safety
    /// Only one thread at a time.
    pub unsafe fn find_or_insert(
        &self,
        states: &StateTable,
        packed: &[u64],
        numbers: &mut [u32],
        limit: usize,
    ) -> bool {
        match self {
            Index::Direct(slots) => {
                for (&word, number) in packed.iter().zip(numbers) {
                    if *number != UNKNOWN {
                        continue;
                    }
                    let slot = &slots[word as usize];
                    let known = slot.load(Ordering::Relaxed);
                    if known != 0 {
                        *number = known - 1;
                        continue;
                    }
                    if states.len() >= limit {
                        return false;
                    }
                    // SAFETY: one thread at a time, as the caller promises.
                    *number = unsafe { states.push(&[word]) } as u32;
                    slot.store(*number + 1, Ordering::Release);
                }
                true
            }
            // SAFETY: as the caller promises.
            Index::Hashed(table) => unsafe {
                match states.words() {
                    1 => insert_hashed::<1>(table, states, packed, numbers, limit),
                    2 => insert_hashed::<2>(table, states, packed, numbers, limit),
                    3 => insert_hashed::<3>(table, states, packed, numbers, limit),
                    _ => insert_hashed::<0>(table, states, packed, numbers, limit),
                }
            },
        }
    }

    /// Bytes of the larger index needed for `needed` states; `None` if this one has room for them.
    pub fn growth_bytes(&self, needed: usize) -> Option<u64> {
        let Index::Hashed(table) = self else { return None };
        if needed * 4 <= table.slots.len() * 3 {
            return None;
        }
        Some(8 * Table::size_for(needed) as u64)
    }

    /// A larger index with the same content, if this one has no room for `more` further states.
    pub fn reserve(&self, states: &StateTable, more: usize) -> Option<Index> {
        let Index::Hashed(table) = self else { return None };
        let needed = states.len() + more;
        if needed * 4 <= table.slots.len() * 3 {
            return None;
        }
        let size = Table::size_for(needed);
        if let Some(bits) = table.domain
            && bits < 40
            && 1 << bits <= 2 * size
        {
            // An array over the whole domain takes no more memory than the table would.
            return Some(Index::Direct(direct(states, bits)));
        }
        let larger = Table::new(size, table.domain);
        let width = states.words();
        let mut first = 0;
        let mut hashes = [0u64; ROUND];
        while first < states.len() {
            let run = states.run(first, ROUND);
            let count = run.len() / width;
            for (h, state) in hashes.iter_mut().zip(run.chunks_exact(width)) {
                *h = hash(state);
                prefetch(&raw const larger.slots[larger.home(*h)]);
            }
            for (i, &h) in hashes[..count].iter().enumerate() {
                larger.enter(h, first + i);
            }
            first += count;
        }
        Some(Index::Hashed(larger))
    }
}

/// A direct index over `bits` bits with the states there are.
fn direct(states: &StateTable, bits: u32) -> Box<[AtomicU32]> {
    let slots: Box<[AtomicU32]> = zeroed(1 << bits);
    let mut first = 0;
    while first < states.len() {
        let run = states.run(first, usize::MAX);
        for (i, &word) in run.iter().enumerate() {
            slots[word as usize].store((first + i + 1) as u32, Ordering::Relaxed);
        }
        first += run.len();
    }
    slots
}

#[inline(always)]
fn width<const W: usize>(words: usize) -> usize {
    if W == 0 { words } else { W }
}

/// Prefetches the states that the home slots of some hashes point at.
#[inline(always)]
fn prefetch_states(table: &Table, states: &StateTable, hashes: &[u64]) {
    for &h in hashes {
        let slot = table.slots[table.home(h)].load(Ordering::Acquire);
        if slot != 0 && slot >> 32 == h & 0xffff_ffff {
            // SAFETY: the slot was read with acquire ordering, and stored after the state was written.
            prefetch(unsafe { states.address((slot as u32 - 1) as usize) });
        }
    }
}

fn look_up_hashed<const W: usize>(
    table: &Table,
    states: &StateTable,
    packed: &[u64],
    numbers: &mut Vec<u32>,
) {
    let w = width::<W>(states.words());
    let mut hashes = [0u64; ROUND];
    for round in packed.chunks(ROUND * w) {
        for (h, state) in hashes.iter_mut().zip(round.chunks_exact(w)) {
            *h = hash(state);
            prefetch(&raw const table.slots[table.home(*h)]);
        }
        prefetch_states(table, states, &hashes[..round.len() / w]);
        for (state, &h) in round.chunks_exact(w).zip(&hashes) {
            numbers.push(table.probe(states, state, h).unwrap_or(UNKNOWN));
        }
    }
}

/// # Safety
/// One thread at a time.
unsafe fn insert_hashed<const W: usize>(
    table: &Table,
    states: &StateTable,
    packed: &[u64],
    numbers: &mut [u32],
    limit: usize,
) -> bool {
    let w = width::<W>(states.words());
    let mut hashes = [0u64; ROUND];
    let mut places = [0usize; ROUND];
    let mut next = 0;
    while next < numbers.len() {
        // The next round of states without a number.
        let mut count = 0;
        while next < numbers.len() && count < ROUND {
            if numbers[next] == UNKNOWN {
                hashes[count] = hash(&packed[next * w..(next + 1) * w]);
                prefetch(&raw const table.slots[table.home(hashes[count])]);
                places[count] = next;
                count += 1;
            }
            next += 1;
        }
        prefetch_states(table, states, &hashes[..count]);
        for (&place, &h) in places[..count].iter().zip(&hashes) {
            let state = &packed[place * w..(place + 1) * w];
            match table.probe(states, state, h) {
                Ok(known) => numbers[place] = known,
                Err(free) => {
                    if states.len() >= limit {
                        return false;
                    }
                    // SAFETY: one thread at a time, as the caller promises.
                    let index = unsafe { states.push(state) };
                    table.slots[free].store(Table::entry(h, index), Ordering::Release);
                    numbers[place] = index as u32;
                }
            }
        }
    }
    true
}
