//! A partition of numbered elements whose blocks can be split (the refinable partition of Valmari and Lehtinen,
//! *Efficient minimization of DFAs with partial transition functions*, STACS 2008).
//!
//! Blocks are ranges of one array. Splitting costs as much as the parts that get a new number; the largest part keeps
//! the old one, so that an element changes its block at most log2(n) times.

use std::ops::Range;

/// A partition of `0..n`.
#[derive(Clone, Debug)]
pub struct Partition {
    elements: Vec<u32>,
    /// The place of each element in `elements`.
    place: Vec<u32>,
    block: Vec<u32>,
    ranges: Vec<Range<u32>>,
}

impl Partition {
    /// Elements with the same key share a block; keys are `0..blocks`, each of them used.
    pub fn new(keys: &[u32], blocks: usize) -> Self {
        let mut ends = vec![0u32; blocks + 1];
        for &key in keys {
            ends[key as usize + 1] += 1;
        }
        for b in 0..blocks {
            ends[b + 1] += ends[b];
        }
        let ranges = ends.windows(2).map(|w| w[0]..w[1]).collect();
        let (mut elements, mut place) = (vec![0; keys.len()], vec![0; keys.len()]);
        for (element, &key) in keys.iter().enumerate() {
            let at = &mut ends[key as usize];
            elements[*at as usize] = element as u32;
            place[element] = *at;
            *at += 1;
        }
        Partition { elements, place, block: keys.to_vec(), ranges }
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The block of an element.
    pub fn of(&self, element: usize) -> u32 {
        self.block[element]
    }

    /// The elements of a block.
    pub fn members(&self, block: u32) -> &[u32] {
        let range = &self.ranges[block as usize];
        &self.elements[range.start as usize..range.end as usize]
    }

    /// Splits a block into what `groups` lists and the rest. `groups` are distinct elements of the block with keys; those
    /// of one key stand together. The largest part keeps the number of the block, the others get new ones, which are
    /// returned.
    pub fn split<K: PartialEq>(&mut self, block: u32, groups: &[(K, u32)]) -> Range<u32> {
        let Range { start, end } = self.ranges[block as usize];
        let rest = start..end - groups.len() as u32;
        for (back, (_, element)) in groups.iter().rev().enumerate() {
            self.put(*element, end - 1 - back as u32);
        }
        let mut parts = if rest.is_empty() { Vec::new() } else { vec![rest.clone()] };
        let mut at = rest.end;
        for group in groups.chunk_by(|a, b| a.0 == b.0) {
            parts.push(at..at + group.len() as u32);
            at += group.len() as u32;
        }
        let largest = (0..parts.len()).max_by_key(|&i| (parts[i].len(), usize::MAX - i)).unwrap_or(0);
        let first_new = self.ranges.len() as u32;
        for (i, part) in parts.into_iter().enumerate() {
            if i == largest {
                self.ranges[block as usize] = part;
                continue;
            }
            let number = self.ranges.len() as u32;
            for &element in &self.elements[part.start as usize..part.end as usize] {
                self.block[element as usize] = number;
            }
            self.ranges.push(part);
        }
        first_new..self.ranges.len() as u32
    }

    /// Exchanges an element with the one at a place.
    fn put(&mut self, element: u32, place: u32) {
        let (from, other) = (self.place[element as usize], self.elements[place as usize]);
        self.elements.swap(from as usize, place as usize);
        self.place[element as usize] = place;
        self.place[other as usize] = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_keep_everything_in_place() {
        let mut partition = Partition::new(&[0, 1, 0, 0, 0, 0], 2);
        assert_eq!(partition.split(0, &[('a', 0), ('a', 5), ('b', 3)]), 2..4);
        let mut blocks: Vec<Vec<u32>> = (0..4).map(|b| partition.members(b).to_vec()).collect();
        blocks.iter_mut().for_each(|b| b.sort_unstable());
        // The rest and the group `a` are as large as each other: the rest comes first.
        assert_eq!(blocks, [vec![2, 4], vec![1], vec![0, 5], vec![3]]);
        for b in 0..4 {
            assert!(partition.members(b).iter().all(|&e| partition.of(e as usize) == b));
        }
        assert!(partition.split(3, &[((), 3)]).is_empty());
        assert_eq!(partition.split(2, &[((), 0)]), 4..5);
        assert_eq!(partition.len(), 5);
    }
}
