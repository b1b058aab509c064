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

/// What became of the blocks.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// By shard, and group of it: the block that the group is now.
    pub of_group: Vec<Vec<u32>>,
    /// Blocks that are new, of whatever states: those from this number on.
    pub first_new: u32,
    /// New blocks of states whose signatures did not change.
    pub rests: Vec<u32>,
}

/// Where the states of a group go.
struct Move {
    shard: u32,
    /// `u32::MAX`: those states of the block that are in no group.
    group: u32,
    /// The first of their places.
    place: u32,
    count: u32,
    /// The block that they are now; `u32::MAX`: the one that they were.
    new: u32,
    /// Whether all states of the block move, so that no other is in the way.
    is_whole: bool,
    /// Whether the next one is of another block.
    is_last: bool,
}

/// Splits blocks into groups, which belong to one shard each.
///
/// The states of a block whose signatures did not change are a group of their own, since each changed signature contains a block that was
/// new after the last round. The largest group of a block keeps its number.
pub(super) fn split(blocks: &mut Blocks, shards: &[Shard], round: u32, threads: usize) -> Split {
    let in_parallel = if parallel::threads_for(threads, members_of(shards)) > 1 { threads } else { 1 };
    let sorted = parallel::tasks(in_parallel, shards.len(), |shard| Sorted::new(&shards[shard]));
    // Block, shard, group: shards are in order already, which the library makes use of.
    let mut order: Vec<(u32, u32, u32)> = Vec::with_capacity(sorted.iter().map(|of| of.order.len()).sum());
    for (shard, of) in (0u32..).zip(&sorted) {
        order.extend(of.order.iter().map(|&key| ((key >> 32) as u32, shard, key as u32)));
    }
    if shards.len() > 1 {
        order.sort();
    }
    let mut split = Split {
        of_group: shards.iter().map(|shard| shard.groups.block.clone()).collect(),
        first_new: blocks.len() as u32,
        rests: Vec::new(),
    };
    let moves = plan(blocks, shards, &order, round, &mut split);
    drop(order);
    carry_out(blocks, &sorted, &moves, in_parallel);
    split
}

fn members_of(shards: &[Shard]) -> usize {
    shards.iter().map(|shard| shard.members.len()).sum()
}

/// The states of a shard, those of a group together.
struct Sorted {
    /// Where the states of each group begin.
    starts: Vec<u32>,
    states: Vec<u32>,
    /// Groups that have states, by their blocks: block and group.
    order: Vec<u64>,
}

impl Sorted {
    fn new(shard: &Shard) -> Self {
        let Groups { block, count } = &shard.groups;
        let mut starts = Vec::with_capacity(count.len());
        let mut end = 0;
        for count in count {
            starts.push(end);
            end += count;
        }
        let mut states = vec![0; end as usize];
        // Offsets serve as places to write, and are moved back afterwards.
        for &(state, group) in &shard.members {
            if count[group as usize] > 0 {
                states[starts[group as usize] as usize] = state;
                starts[group as usize] += 1;
            }
        }
        starts.iter_mut().zip(count).for_each(|(start, count)| *start -= count);
        let with_states = (0u32..).zip(block).filter(|&(group, _)| count[group as usize] > 0);
        let mut order: Vec<u64> =
            with_states.map(|(group, &block)| u64::from(block) << 32 | u64::from(group)).collect();
        order.sort_unstable();
        Sorted { starts, states, order }
    }

    fn of(&self, group: u32, count: u32) -> &[u32] {
        let start = self.starts[group as usize] as usize;
        &self.states[start..start + count as usize]
    }
}

/// Makes the new blocks, and says which states they have.
fn plan(
    blocks: &mut Blocks,
    shards: &[Shard],
    order: &[(u32, u32, u32)],
    round: u32,
    split: &mut Split,
) -> Vec<Move> {
    let count = |&(_, shard, group): &(u32, u32, u32)| shards[shard as usize].groups.count[group as usize];
    let mut moves = Vec::new();
    for of_block in order.chunk_by(|a, b| a.0 == b.0) {
        let block = of_block[0].0;
        let (changed, size) = (of_block.iter().map(count).sum::<u32>(), blocks.size(block));
        if of_block.len() == 1 && changed == size {
            continue;
        }
        // The largest stands last of the groups, so that what is split off is always at an end.
        let largest = (0..of_block.len()).max_by_key(|&k| (count(&of_block[k]), std::cmp::Reverse(k)));
        let largest = largest.expect("there is a group");
        let (unchanged, is_whole) = (size - changed, changed == size);
        let keeps = count(&of_block[largest]) > unchanged;
        let mut place = blocks.start(block);
        let last = of_block[largest];
        for (k, of) in of_block.iter().enumerate().filter(|&(k, _)| k != largest).chain([(largest, &last)]) {
            let (&(_, shard, group), count) = (of, count(of));
            let mut new = u32::MAX;
            if k != largest || !keeps {
                new = blocks.split_off(block, place, count, round);
                split.of_group[shard as usize][group as usize] = new;
            }
            moves.push(Move { shard, group, place, count, new, is_whole, is_last: false });
            place += count;
        }
        if keeps && unchanged > 0 {
            let new = blocks.split_off(block, place, unchanged, round);
            split.rests.push(new);
            let group = u32::MAX;
            moves.push(Move { shard: 0, group, place, count: unchanged, new, is_whole, is_last: false });
        }
        if let Some(last) = moves.last_mut() {
            last.is_last = true;
        }
    }
    moves
}

/// States that a thread moves at a time.
const PIECE: u32 = if cfg!(test) { 1 } else { 1 << 12 };

/// Moves the states. Those of a block of which some stay are moved by one thread.
fn carry_out(blocks: &Blocks, sorted: &[Sorted], moves: &[Move], threads: usize) {
    if threads == 1 {
        return carry_out_some(blocks, sorted, moves);
    }
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let (mut start, mut weight) = (0, 0);
    for (k, of) in moves.iter().enumerate() {
        weight += of.count;
        if (of.is_whole || of.is_last) && (weight >= PIECE || k + 1 == moves.len()) {
            pieces.push(start..k + 1);
            (start, weight) = (k + 1, 0);
        }
    }
    parallel::tasks(threads, pieces.len(), |piece| {
        carry_out_some(blocks, sorted, &moves[pieces[piece].clone()]);
    });
}

fn carry_out_some(blocks: &Blocks, sorted: &[Sorted], moves: &[Move]) {
    for &Move { shard, group, place, count, new, is_whole, .. } in moves {
        if group == u32::MAX {
            blocks.at(place, count).for_each(|state| blocks.assign(state, new));
            continue;
        }
        let states = sorted[shard as usize].of(group, count);
        for (place, &state) in (place..).zip(states) {
            if is_whole {
                blocks.put(state, place);
            } else {
                blocks.exchange(state, place);
            }
            if new != u32::MAX {
                blocks.assign(state, new);
            }
        }
    }
}
