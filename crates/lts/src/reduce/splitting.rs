//! How blocks split, once the changed states of a round are in groups of equal signatures.

use super::blocks::Blocks;
use super::parallel;
use std::ops::Range;

/// Groups of states with equal signatures, each within a block.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The block of the states of each group.
    pub block: Vec<u32>,
    /// How many states each has.
    pub count: Vec<u32>,
}

impl Shard {
    pub fn clear(&mut self) {
        self.groups.clear();
        self.members.clear();
    }
}

impl Groups {
    pub fn clear(&mut self) {
        self.block.clear();
        self.count.clear();
    }

    /// A new group of one state.
    pub fn push(&mut self, block: u32) -> u32 {
        self.block.push(block);
        self.count.push(1);
        (self.block.len() - 1) as u32
    }
}

/// Groups that one thread found, with their states.
#[derive(Debug, Default)]
pub(super) struct Shard {
    /// Those without states are left alone: their signature is that of the other states of their block.
    pub groups: Groups,
    /// States and their groups.
    pub members: Vec<(u32, u32)>,
}

/// What became of a group, or of those states of a block that are in none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    /// The block that they were in.
    pub block: u32,
    /// The block that they are in.
    pub now: u32,
    /// The shard of the group, and its number there. [`NO_GROUP`]: the states of the block whose signatures did not change.
    pub shard: u32,
    pub group: u32,
    /// The first of their places.
    place: u32,
    count: u32,
    /// Where the states stand in the shard.
    start: u32,
    /// Whether all states of the block move, so that no other is in the way.
    is_whole: bool,
    /// Whether the next one is of another block.
    is_last: bool,
    /// Whether the block is one group, and stays as it is.
    is_alone: bool,
}

/// Those states of a block that are in no group.
pub(super) const NO_GROUP: u32 = u32::MAX;

/// Splits blocks into groups, which belong to one shard each. Gives, in several lists, what became of groups that have states; of the
/// states that are in none only where these are a new block.
///
/// The states of a block whose signatures did not change are a group of their own, since each changed signature contains a block that was
/// new after the last round. The largest group of a block keeps its number.
pub(super) fn split(blocks: &mut Blocks, shards: &[Shard], round: u32, threads: usize) -> Vec<Vec<Move>> {
    let members = shards.iter().map(|shard| shard.members.len()).sum();
    let threads = parallel::threads_for(threads, members);
    let sorted = parallel::tasks(threads, shards.len(), |shard| Sorted::new(&shards[shard]));
    // Threads plan for blocks of consecutive numbers.
    let size = blocks.len().div_ceil(threads) as u32;
    let of_range = |range: usize| plan(blocks, &sorted, range as u32 * size..(range as u32 + 1) * size);
    let plans = parallel::tasks(threads, threads, of_range);
    let counts: Vec<u32> =
        plans.iter().map(|plan| plan.iter().filter(|of| of.now == NEW).count() as u32).collect();
    let rooms = blocks.make_room(size as usize, &counts, round);
    let numbered = parallel::each(plans.into_iter().zip(rooms).collect(), |(mut moves, mut room)| {
        for of in moves.iter_mut().filter(|of| of.now == NEW) {
            of.now = room.split_off(of.block, of.place, of.count);
        }
        let pieces = pieces(&moves, threads);
        (moves, pieces)
    });
    let (plans, pieces): (Vec<_>, Vec<_>) = numbered.into_iter().unzip();
    let pieces = plans.iter().zip(pieces);
    let pieces: Vec<&[Move]> =
        pieces.flat_map(|(moves, pieces)| pieces.into_iter().map(|piece| &moves[piece])).collect();
    let blocks = &*blocks;
    parallel::tasks(threads, pieces.len(), |piece| carry_out(blocks, &sorted, pieces[piece]));
    plans
}

/// A block that has no number yet.
const NEW: u32 = u32::MAX;

/// The states of a shard, those of a group together.
struct Sorted {
    states: Vec<u32>,
    /// Groups that have states, by their blocks.
    groups: Vec<Group>,
}

#[derive(Clone, Copy)]
struct Group {
    /// Its block and its number.
    key: u64,
    /// Where its states stand, and how many there are.
    start: u32,
    count: u32,
}

impl Group {
    fn block(&self) -> u32 {
        (self.key >> 32) as u32
    }
}

impl Sorted {
    fn new(shard: &Shard) -> Self {
        let Groups { block, count } = &shard.groups;
        let (mut starts, mut groups) = (Vec::with_capacity(count.len()), Vec::with_capacity(count.len()));
        let mut end = 0;
        for ((group, &block), &count) in (0u64..).zip(block).zip(count) {
            starts.push(end);
            if count > 0 {
                groups.push(Group { key: u64::from(block) << 32 | group, start: end, count });
            }
            end += count;
        }
        let mut states = vec![0; end as usize];
        for &(state, group) in &shard.members {
            if count[group as usize] > 0 {
                let place = &mut starts[group as usize];
                states[*place as usize] = state;
                *place += 1;
            }
        }
        groups.sort_unstable_by_key(|group| group.key);
        Sorted { states, groups }
    }
}

/// Says where the groups of some blocks go.
fn plan(blocks: &Blocks, sorted: &[Sorted], range: Range<u32>) -> Vec<Move> {
    let of_shard = |sorted: &'_ Sorted| {
        let from = sorted.groups.partition_point(|group| group.block() < range.start);
        from..sorted.groups.partition_point(|group| group.block() < range.end)
    };
    let mut next: Vec<Range<usize>> = sorted.iter().map(of_shard).collect();
    let mut moves = Vec::with_capacity(next.iter().map(Range::len).sum());
    let mut of_block: Vec<(u32, Group)> = Vec::new();
    loop {
        let firsts = sorted.iter().zip(&next).filter(|(_, next)| !next.is_empty());
        let Some(block) = firsts.map(|(sorted, next)| sorted.groups[next.start].block()).min() else {
            return moves;
        };
        of_block.clear();
        for ((shard, sorted), next) in (0u32..).zip(sorted).zip(&mut next) {
            while next.start < next.end && sorted.groups[next.start].block() == block {
                of_block.push((shard, sorted.groups[next.start]));
                next.start += 1;
            }
        }
        plan_block(blocks, block, &mut of_block, &mut moves);
    }
}

fn plan_block(blocks: &Blocks, block: u32, groups: &mut [(u32, Group)], moves: &mut Vec<Move>) {
    let (changed, size) = (groups.iter().map(|(_, group)| group.count).sum::<u32>(), blocks.size(block));
    let (unchanged, is_whole) = (size - changed, changed == size);
    // The largest stands last of the groups, so that what is split off is always at an end.
    let last = groups.len() - 1;
    let largest = (0..=last).max_by_key(|&k| (groups[k].1.count, std::cmp::Reverse(k))).unwrap_or(last);
    groups[largest..].rotate_left(1);
    let keeps = groups[last].1.count > unchanged;
    let mut place = blocks.start(block);
    for (k, &(shard, Group { key, start, count })) in groups.iter().enumerate() {
        let now = if k == last && keeps { block } else { NEW };
        moves.push(Move {
            block,
            now,
            shard,
            group: key as u32,
            place,
            count,
            start,
            is_whole,
            is_last: k == last && (is_whole || !keeps),
            is_alone: is_whole && last == 0,
        });
        place += count;
    }
    if keeps && unchanged > 0 {
        moves.push(Move {
            block,
            now: NEW,
            shard: 0,
            group: NO_GROUP,
            place,
            count: unchanged,
            start: 0,
            is_whole,
            is_last: true,
            is_alone: false,
        });
    }
}

/// States that a thread moves at a time.
const PIECE: u32 = if cfg!(test) { 1 } else { 1 << 12 };

/// Moves that one thread makes. Those of a block of which some states stay are together.
fn pieces(moves: &[Move], threads: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let least = if threads == 1 { u32::MAX } else { PIECE };
    let (mut start, mut weight) = (0, 0);
    for (k, of) in moves.iter().enumerate() {
        weight += of.count;
        if (of.is_whole || of.is_last) && (weight >= least || k + 1 == moves.len()) {
            pieces.push(start..k + 1);
            (start, weight) = (k + 1, 0);
        }
    }
    pieces
}

/// Moves states.
fn carry_out(blocks: &Blocks, sorted: &[Sorted], moves: &[Move]) {
    for of in moves {
        if of.group == NO_GROUP {
            blocks.at(of.place, of.count).for_each(|state| blocks.assign(state, of.now));
            continue;
        }
        if of.is_alone {
            continue;
        }
        let start = of.start as usize;
        let states = &sorted[of.shard as usize].states[start..start + of.count as usize];
        for (place, &state) in (of.place..).zip(states) {
            if of.is_whole {
                blocks.put(state, place);
            } else {
                blocks.exchange(state, place);
            }
            if of.now != of.block {
                blocks.assign(state, of.now);
            }
        }
    }
}
