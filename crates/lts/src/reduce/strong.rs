//! Strong bisimulation by signature refinement.
//!
//! The signature of a state is the set of pairs of a label and the block that a transition with it leads to (Blom and Orzan, *Distributed
//! branching bisimulation reduction of state spaces*, ENTCS 89(1), 2003, doi:10.1016/S1571-0661(05)80099-4). In each round, only states
//! are looked at that have a transition to a state that changed its block in the round before, and of the parts of a block all but the
//! largest get new numbers; so a state is looked at O(log n) times for each of its transitions.
//!
//! Signatures are compared by hashes of 64 bits. Equal signatures have equal hashes, so that no two bisimilar states are separated; that
//! states of one block have equal signatures in the end is verified, and if it does not hold, hashes were equal by chance, and
//! the work is done again with other hashes. The result is exact.

use super::blocks::Blocks;
use super::incoming::Incoming;
use super::marks::{Marks, Moved};
use super::parallel;
use super::splitting::{Groups, Shard, split};
use super::weights::Items;
use std::ops::Range;
use std::sync::OnceLock;
use volvelle_control::{Control, Stop};
use volvelle_space::Lts;

/// If at least one of so many states moved, a look at all transitions in their order is faster than one at the transitions that lead to
/// states that moved, which are all over memory.
pub(super) const DENSE: usize = 16;

/// Multiplier of hashes: 2^64 divided by the golden ratio, made odd.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The coarsest strong bisimulation. With weights, labels that have them count by their sums.
pub(super) fn refine(lts: &Lts, items: &Items, control: &Control<'_>) -> Result<Blocks, Stop> {
    let system = System { lts, items, incoming: OnceLock::new() };
    for seed in 0u64.. {
        let blocks = with_seed(&system, seed.wrapping_mul(MULTIPLIER), control)?;
        if is_stable(lts, items, &blocks, control.threads) {
            return Ok(blocks);
        }
    }
    unreachable!("some seed has no collision")
}

/// The system that is reduced.
struct System<'a> {
    lts: &'a Lts,
    items: &'a Items,
    /// Sources of transitions, once they are needed.
    incoming: OnceLock<Incoming>,
}

fn with_seed(system: &System<'_>, seed: u64, control: &Control<'_>) -> Result<Blocks, Stop> {
    let &System { lts, items, .. } = system;
    let states = lts.num_states();
    let mut blocks = Blocks::one(states);
    let mut marks = Marks::new(states);
    let mut changed: Vec<u32> = (0..states as u32).collect();
    let mut hashes: Vec<u64> = Vec::new();
    // The memory of the groups of a round is that of the next.
    let mut found: Vec<Shard> = Vec::new();
    for round in 1.. {
        control.check()?;
        blocks.report(round, control);
        let incoming = system.incoming.get().map_or(0, Incoming::bytes);
        control.check_memory(blocks.bytes() + incoming + lts.bytes() + 24 * states as u64)?;
        hashes.clear();
        hashes.resize(changed.len(), 0);
        parallel::parts_mut(control.threads, &mut hashes, |start, part| {
            let mut scratch = Vec::new();
            for (hash, &state) in part.iter_mut().zip(&changed[start..]) {
                *hash = signature_hash(lts, items, &blocks, state, seed, &mut scratch);
            }
        });
        let shards = parallel::threads_for(control.threads, changed.len());
        found.resize_with(shards, Shard::default);
        found = parallel::each(found.into_iter().enumerate().collect(), |(shard, own)| {
            group(&blocks, &changed, &hashes, shard, shards, own)
        });
        let first_new = blocks.len() as u32;
        split(&mut blocks, &found, round, control.threads);
        if first_new as usize == blocks.len() {
            return Ok(blocks);
        }
        changed = changed_after(system, &blocks, &mut marks, first_new, control.threads);
    }
    unreachable!("each round has new blocks, of which there are finitely many")
}

/// The states whose signatures change because others moved to blocks from some number on, in increasing order.
fn changed_after(
    system: &System<'_>,
    blocks: &Blocks,
    marks: &mut Marks,
    first_new: u32,
    threads: usize,
) -> Vec<u32> {
    let lts = system.lts;
    let new = first_new..blocks.len() as u32;
    marks.settle(blocks, new.clone(), threads);
    let count: u64 = new.clone().map(|block| u64::from(blocks.size(block))).sum();
    let states = lts.num_states();
    if count as usize > states / DENSE {
        let moved = Moved::new(blocks, first_new, states, threads);
        let marks = &*marks;
        let changes = |state: &u32| {
            !marks.is_settled(*state) && lts.outgoing(*state).iter().any(|edge| moved.contains(edge.target))
        };
        let of = |range: Range<usize>| (range.start as u32..range.end as u32).filter(changes).collect();
        return parallel::joined(parallel::ranges(threads, states, of));
    }
    let moved: Vec<u32> = new.flat_map(|block| blocks.members(block)).collect();
    let incoming = system.incoming.get_or_init(|| Incoming::new(lts, |_| true, threads));
    let next = parallel::ranges(threads, moved.len(), |range| {
        let mut next = Vec::new();
        for &state in &moved[range] {
            next.extend(incoming.of(state).iter().filter(|&&source| marks.insert(source)));
        }
        next
    });
    let mut changed = parallel::joined(next);
    // States that stand together have their transitions together.
    marks.sort(&mut changed);
    marks.clear(&changed);
    changed
}

/// A hash of the signature of a state.
fn signature_hash(
    lts: &Lts,
    items: &Items,
    blocks: &Blocks,
    state: u32,
    seed: u64,
    scratch: &mut Vec<u64>,
) -> u64 {
    signature(lts, items, blocks, state, scratch);
    scratch.iter().fold(seed ^ scratch.len() as u64, |hash, &item| fold(hash ^ item))
}

/// The signature of a state, sorted and without duplicates.
fn signature(lts: &Lts, items: &Items, blocks: &Blocks, state: u32, scratch: &mut Vec<u64>) {
    scratch.clear();
    items.push(lts, blocks, state, |_| true, scratch);
    sort(scratch);
    scratch.dedup();
}

/// Sorts a few numbers; many are left to the library.
#[inline]
pub(super) fn sort<T: Copy + Ord>(items: &mut [T]) {
    if items.len() > 24 {
        return items.sort_unstable();
    }
    for end in 1..items.len() {
        let item = items[end];
        let mut place = end;
        while place > 0 && items[place - 1] > item {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = item;
    }
}

/// Both halves of a product, on top of each other.
#[inline]
pub(super) fn fold(value: u64) -> u64 {
    let product = u128::from(value ^ 0x2545_f491_4f6c_dd1d) * u128::from(MULTIPLIER);
    (product as u64) ^ (product >> 64) as u64
}

/// Groups those states whose hashes belong to a shard.
fn group(
    blocks: &Blocks,
    changed: &[u32],
    hashes: &[u64],
    shard: usize,
    shards: usize,
    mut found: Shard,
) -> Shard {
    let mut table = Table::new();
    found.clear();
    found.members.reserve(changed.len() / shards + 1);
    // Which states belong to the shard cannot be foreseen: they are picked without branches.
    let mut own = [0u32; 256];
    for (states, hashes) in changed.chunks(own.len()).zip(hashes.chunks(own.len())) {
        let mut count = 0;
        for (k, &hash) in (0u32..).zip(hashes) {
            own[count] = k;
            count += usize::from(((hash >> 32) * shards as u64) >> 32 == shard as u64);
        }
        for &k in &own[..count] {
            let (state, hash) = (states[k as usize], hashes[k as usize]);
            let group = table.find(hash, blocks.of(state), &mut found.groups);
            found.members.push((state, group));
        }
    }
    found
}

/// Groups by hash and block: open addressing with numbers of groups.
struct Table {
    /// 1 + a group; 0 is free. The length is a power of two.
    slots: Vec<u32>,
    /// Hashes of groups.
    hashes: Vec<u64>,
}

impl Table {
    fn new() -> Self {
        Table { slots: vec![0; 256], hashes: Vec::new() }
    }

    fn find(&mut self, hash: u64, block: u32, groups: &mut Groups) -> u32 {
        let mut slot = self.first(hash, block);
        loop {
            match self.slots[slot] {
                0 => break,
                found => {
                    let group = found - 1;
                    if self.hashes[group as usize] == hash && groups.block[group as usize] == block {
                        groups.count[group as usize] += 1;
                        return group;
                    }
                }
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let group = groups.push(block);
        self.hashes.push(hash);
        self.slots[slot] = group + 1;
        if 2 * self.hashes.len() > self.slots.len() {
            self.grow(groups);
        }
        group
    }

    fn first(&self, hash: u64, block: u32) -> usize {
        fold(hash ^ u64::from(block)) as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self, groups: &Groups) {
        self.slots = vec![0; 4 * self.slots.len()];
        for (group, &hash) in (1u32..).zip(&self.hashes) {
            let mut slot = self.first(hash, groups.block[group as usize - 1]);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = group;
        }
    }
}

/// Whether the states of each block have equal signatures.
fn is_stable(lts: &Lts, items: &Items, blocks: &Blocks, threads: usize) -> bool {
    let states = lts.num_states();
    let mut first = vec![u32::MAX; blocks.len()];
    for state in (0..states as u32).rev() {
        first[blocks.of(state) as usize] = state;
    }
    let agree = parallel::ranges(threads, states, |range| {
        let (mut own, mut of_first) = (Vec::new(), Vec::new());
        range.into_iter().all(|state| {
            let state = state as u32;
            let block = blocks.of(state);
            let first = first[block as usize];
            first == state || {
                signature(lts, items, blocks, state, &mut own);
                signature(lts, items, blocks, first, &mut of_first);
                own == of_first
            }
        })
    });
    agree.into_iter().all(|agrees| agrees)
}
