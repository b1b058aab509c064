//! Signatures of branching bisimulation: sorted lists of items.

use super::splitting::Groups;
use super::strong::fold;

/// The distinct signatures of the states of a round, each within a block.
#[derive(Debug, Default)]
pub(super) struct Signatures {
    /// Blocks and numbers of states.
    pub groups: Groups,
    /// Their items.
    pub spans: Spans,
    hashes: Vec<u64>,
    /// 1 + a group; 0 is free. The length is a power of two.
    slots: Vec<u32>,
}

/// Lists of items, one after the other.
#[derive(Debug, Default)]
pub(super) struct Spans {
    items: Vec<u64>,
    /// Where each list ends.
    ends: Vec<usize>,
}

impl Spans {
    /// A list.
    pub fn items(&self, list: u32) -> &[u64] {
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.items[start..self.ends[list as usize]]
    }
}

impl Signatures {
    pub fn clear(&mut self) {
        self.groups.clear();
        self.spans.items.clear();
        self.spans.ends.clear();
        self.hashes.clear();
        self.slots.clear();
        self.slots.resize(256, 0);
    }

    /// Notes a state of a block with a signature, which is sorted and without duplicates; gives its group.
    pub fn add(&mut self, block: u32, signature: &[u64]) -> u32 {
        let hash = signature.iter().fold(u64::from(block), |hash, &item| fold(hash ^ item));
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while let Some(group) = self.slots[slot].checked_sub(1) {
            let is_same = self.hashes[group as usize] == hash
                && self.groups.block[group as usize] == block
                && self.spans.items(group) == signature;
            if is_same {
                self.groups.count[group as usize] += 1;
                return group;
            }
            slot = (slot + 1) & mask;
        }
        let group = self.groups.push(block);
        self.slots[slot] = group + 1;
        self.hashes.push(hash);
        self.spans.items.extend_from_slice(signature);
        self.spans.ends.push(self.spans.items.len());
        if 2 * self.hashes.len() > self.slots.len() {
            self.grow();
        }
        group
    }

    /// Notes another state with the signature of a group.
    pub fn add_to(&mut self, group: u32) -> u32 {
        self.groups.count[group as usize] += 1;
        group
    }

    fn grow(&mut self) {
        let mask = 4 * self.slots.len() - 1;
        self.slots = vec![0; mask + 1];
        for (group, &hash) in (1u32..).zip(&self.hashes) {
            let mut slot = hash as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = group;
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (8 * self.spans.items.len() + 32 * self.hashes.len()) as u64
    }
}

/// Signatures that are kept with blocks.
#[derive(Debug, Default)]
pub(super) struct Kept {
    items: Vec<u64>,
    /// By block: where its items begin, and how many there are; `usize::MAX` for blocks without a signature.
    of_block: Vec<(usize, u32)>,
    /// Items of all blocks; the others are those of signatures that were replaced.
    live: usize,
}

/// Items without use that do not matter.
const SLACK: usize = 1 << 16;

impl Kept {
    /// The signature of the states of a block that did not change.
    pub fn of(&self, block: u32) -> Option<&[u64]> {
        let &(start, len) = self.of_block.get(block as usize)?;
        (start != usize::MAX).then(|| &self.items[start..start + len as usize])
    }

    /// Keeps a signature.
    pub fn set(&mut self, block: u32, signature: &[u64]) {
        let start = self.items.len();
        self.items.extend_from_slice(signature);
        self.point(block, (start, signature.len() as u32));
    }

    /// Keeps the signature of a block for another one.
    pub fn copy(&mut self, from: u32, to: u32) {
        if let Some(&(start, len)) = self.of_block.get(from as usize)
            && start != usize::MAX
        {
            self.items.extend_from_within(start..start + len as usize);
            self.point(to, (self.items.len() - len as usize, len));
        }
    }

    fn point(&mut self, block: u32, place: (usize, u32)) {
        if self.of_block.len() <= block as usize {
            self.of_block.resize(block as usize + 1, (usize::MAX, 0));
        }
        let old = std::mem::replace(&mut self.of_block[block as usize], place);
        self.live = self.live + place.1 as usize - old.1 as usize;
        if self.items.len() > 2 * self.live + SLACK {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let mut items = Vec::with_capacity(self.live + SLACK / 4);
        for (start, len) in self.of_block.iter_mut().filter(|(start, _)| *start != usize::MAX) {
            let place = items.len();
            items.extend_from_slice(&self.items[*start..*start + *len as usize]);
            *start = place;
        }
        self.items = items;
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (8 * self.items.capacity() + 16 * self.of_block.len()) as u64
    }
}
