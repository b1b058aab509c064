//! How blocks split, once the changed states of a round are in groups of equal signatures.

use super::blocks::Blocks;

/// Groups of states with equal signatures, each within a block.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The block of the states of each group.
    pub block: Vec<u32>,
    /// How many states each has.
    pub count: Vec<u32>,
}

impl Groups {
    pub fn len(&self) -> usize {
        self.block.len()
    }

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

/// What became of the blocks.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// The block that each group is now.
    pub of_group: Vec<u32>,
    /// Blocks that are new, of whatever states.
    pub new: Vec<u32>,
    /// New blocks of states whose signatures did not change.
    pub rests: Vec<u32>,
}

/// Splits blocks into groups. `members` are the states of groups, with their groups; groups without states are those whose signature is
/// that of the other states of their block.
///
/// The states of a block whose signatures did not change are a group of their own, since each changed signature contains a block that was
/// new after the last round. The largest group of a block keeps its number.
pub(super) fn split<'m>(
    blocks: &mut Blocks,
    groups: &Groups,
    members: impl Iterator<Item = (u32, u32)> + 'm,
    round: u32,
) -> Split {
    let mut order: Vec<u32> = (0..groups.len() as u32).filter(|&g| groups.count[g as usize] > 0).collect();
    order.sort_unstable_by_key(|&group| (groups.block[group as usize], group));
    let same = |a: &u32, b: &u32| groups.block[*a as usize] == groups.block[*b as usize];
    let count = |group: u32| groups.count[group as usize];
    // Places for the states of each group; none where the block stays as it is.
    let mut next = vec![u32::MAX; groups.len()];
    for of_block in order.chunk_by(same) {
        let block = groups.block[of_block[0] as usize];
        let changed: u32 = of_block.iter().map(|&group| count(group)).sum();
        if of_block.len() == 1 && changed == blocks.size(block) {
            continue;
        }
        // The largest stands last of the groups, so that what is split off is always at an end.
        let largest = largest(of_block, count);
        let mut place = blocks.start(block);
        for &group in of_block.iter().filter(|&&group| group != largest).chain([&largest]) {
            next[group as usize] = place;
            place += count(group);
        }
    }
    for (state, group) in members {
        let place = next[group as usize];
        if place != u32::MAX && count(group) > 0 {
            blocks.place(state, place);
            next[group as usize] += 1;
        }
    }
    let mut split = Split { of_group: groups.block.clone(), ..Split::default() };
    for of_block in order.chunk_by(same) {
        if next[of_block[0] as usize] == u32::MAX {
            continue;
        }
        let block = groups.block[of_block[0] as usize];
        let largest = largest(of_block, count);
        let changed: u32 = of_block.iter().map(|&group| count(group)).sum();
        let (start, unchanged) = (blocks.start(block), blocks.size(block) - changed);
        let keeps = count(largest) > unchanged;
        let mut place = start;
        for &group in of_block.iter().filter(|&&group| group != largest).chain([&largest]) {
            if group != largest || !keeps {
                let new = blocks.split_off(block, place, count(group), round);
                split.of_group[group as usize] = new;
                split.new.push(new);
            }
            place += count(group);
        }
        if keeps && unchanged > 0 {
            let new = blocks.split_off(block, place, unchanged, round);
            split.new.push(new);
            split.rests.push(new);
        }
    }
    split
}

/// The largest of some groups, the first of several.
fn largest(groups: &[u32], count: impl Fn(u32) -> u32) -> u32 {
    let largest = groups.iter().copied().max_by_key(|&group| (count(group), std::cmp::Reverse(group)));
    largest.expect("there is a group")
}
