//! Signatures of branching bisimulation: sets of items, most of which differ little from others.
//!
//! A state inherits the signatures of those that its inert transitions lead to, and has few items of its own. A large component can have
//! hundreds of thousands of items, and as many states inherit them all; so a signature is a *root*, which is shared, with some more
//! items. Signatures are told apart by a hash that does not depend on the order of items, so that the hash of a union is known
//! without looking at what is inherited.

use super::splitting::Groups;
use super::strong::fold;
use std::cmp::Ordering;
use std::ops::Range;

/// Number of a signature in a store.
pub(super) type SignatureId = u32;

/// The signatures of the states of a round, and those that are kept with blocks.
#[derive(Debug, Default)]
pub(super) struct Signatures {
    items: Vec<u64>,
    all: Vec<Signature>,
    /// Added to all items before they are hashed.
    seed: u64,
}

/// A set of items.
#[derive(Clone, Debug)]
struct Signature {
    /// Sorted items, perhaps those of other signatures as well.
    root: Range<usize>,
    /// Further sorted items, none of which is in the root.
    more: Range<usize>,
    /// The sum of the hashes of all items.
    hash: u64,
}

impl Signature {
    fn len(&self) -> usize {
        self.root.len() + self.more.len()
    }
}

/// Room for the work on one signature.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    new: Vec<u64>,
}

impl Signatures {
    /// No signatures; hashes depend on the seed.
    pub fn new(seed: u64) -> Self {
        Signatures { seed, ..Signatures::default() }
    }

    /// The hash of a signature.
    pub fn hash(&self, signature: SignatureId) -> u64 {
        self.all[signature as usize].hash
    }

    /// The union of some items, sorted and without duplicates, with some signatures, in increasing order. It is one of them
    /// where that has all items, else a new one at the end.
    pub fn union(&mut self, own: &[u64], inherited: &[SignatureId], scratch: &mut Scratch) -> SignatureId {
        let base = inherited.iter().copied().max_by_key(|&id| (self.all[id as usize].len(), id));
        let new = &mut scratch.new;
        new.clear();
        let Some(base) = base else {
            let root = self.push(own);
            let end = root.end;
            return self.add(Signature { root, more: end..end, hash: self.sum(own) });
        };
        let of = self.all[base as usize].clone();
        new.extend(own.iter().filter(|&&item| !self.contains(&of, item)));
        for &other in inherited.iter().filter(|&&other| other != base) {
            let other = &self.all[other as usize];
            let more = &self.items[other.more.clone()];
            new.extend(more.iter().filter(|&&item| !self.contains(&of, item)));
            if other.root != of.root {
                let root = &self.items[other.root.clone()];
                new.extend(root.iter().filter(|&&item| !self.contains(&of, item)));
            }
        }
        if new.is_empty() {
            return base;
        }
        new.sort_unstable();
        new.dedup();
        let hash = of.hash.wrapping_add(self.sum(new));
        let more = self.merge(of.more.clone(), new);
        if more.len() <= of.root.len() / 8 + 8 {
            return self.add(Signature { root: of.root, more, hash });
        }
        // Many more items: a root of its own.
        let more: Vec<u64> = self.items.drain(more).collect();
        let root = self.merge(of.root, &more);
        let end = root.end;
        self.add(Signature { root, more: end..end, hash })
    }

    /// Removes the last signature, which was new and is not used.
    pub fn pop(&mut self) {
        if let Some(last) = self.all.pop() {
            let end = match last.more.is_empty() {
                true if last.root.end == self.items.len() => last.root.start,
                true => return,
                false => last.more.start,
            };
            self.items.truncate(end);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    fn contains(&self, signature: &Signature, item: u64) -> bool {
        self.items[signature.more.clone()].binary_search(&item).is_ok()
            || self.items[signature.root.clone()].binary_search(&item).is_ok()
    }

    fn sum(&self, items: &[u64]) -> u64 {
        items.iter().fold(0, |sum, &item| sum.wrapping_add(fold(fold(item.wrapping_add(self.seed)))))
    }

    fn push(&mut self, items: &[u64]) -> Range<usize> {
        let start = self.items.len();
        self.items.extend_from_slice(items);
        start..self.items.len()
    }

    /// The sorted union of items that are there with others, at the end.
    fn merge(&mut self, there: Range<usize>, others: &[u64]) -> Range<usize> {
        let start = self.items.len();
        self.items.reserve(there.len() + others.len());
        let (mut left, mut right) = (there.start, others.iter().copied().peekable());
        while left < there.end {
            let item = self.items[left];
            match right.peek().map_or(Ordering::Less, |other| item.cmp(other)) {
                Ordering::Less => {
                    self.items.push(item);
                    left += 1;
                }
                Ordering::Equal => left += 1,
                Ordering::Greater => self.items.extend(right.next()),
            }
        }
        self.items.extend(right);
        start..self.items.len()
    }

    fn add(&mut self, signature: Signature) -> SignatureId {
        self.all.push(signature);
        (self.all.len() - 1) as u32
    }

    /// Forgets signatures that are not among some, which get other numbers.
    pub fn keep(&mut self, some: &mut [SignatureId]) {
        let mut order: Vec<u32> = (0..some.len() as u32).filter(|&k| some[k as usize] != u32::MAX).collect();
        let place = |k: &u32| {
            let signature = &self.all[some[*k as usize] as usize];
            (signature.root.start, signature.root.end, some[*k as usize])
        };
        order.sort_unstable_by_key(place);
        let mut kept = Signatures::new(self.seed);
        // The last signature and root that were copied, and where they are now.
        let mut last: Option<(SignatureId, Range<usize>, Range<usize>)> = None;
        for k in order {
            let id = some[k as usize];
            let signature = &self.all[id as usize];
            let root = match &last {
                Some((same, ..)) if *same == id => {
                    some[k as usize] = (kept.all.len() - 1) as u32;
                    continue;
                }
                Some((_, root, now)) if *root == signature.root => now.clone(),
                _ => kept.push(&self.items[signature.root.clone()]),
            };
            let more = kept.push(&self.items[signature.more.clone()]);
            last = Some((id, signature.root.clone(), root.clone()));
            some[k as usize] = kept.add(Signature { root, more, hash: signature.hash });
        }
        *self = kept;
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (8 * self.items.capacity() + size_of::<Signature>() * self.all.capacity()) as u64
    }

    /// Items in all signatures.
    pub fn num_items(&self) -> usize {
        self.items.len()
    }
}

/// Groups of states of the same block whose signatures have the same hash.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Blocks and numbers of states.
    pub groups: Groups,
    /// The signature of each group.
    pub signatures: Vec<SignatureId>,
    hashes: Vec<u64>,
    /// 1 + a group; 0 is free. The length is a power of two.
    slots: Vec<u32>,
}

impl Table {
    pub fn clear(&mut self) {
        self.groups.clear();
        self.signatures.clear();
        self.hashes.clear();
        self.slots.clear();
        self.slots.resize(256, 0);
    }

    /// Notes a state of a block with a signature; gives its group, and whether that is new.
    pub fn add(&mut self, block: u32, signature: SignatureId, hash: u64) -> (u32, bool) {
        let mask = self.slots.len() - 1;
        let mut slot = fold(hash ^ u64::from(block)) as usize & mask;
        while let Some(group) = self.slots[slot].checked_sub(1) {
            if self.hashes[group as usize] == hash && self.groups.block[group as usize] == block {
                self.groups.count[group as usize] += 1;
                return (group, false);
            }
            slot = (slot + 1) & mask;
        }
        let group = self.groups.push(block);
        self.slots[slot] = group + 1;
        self.hashes.push(hash);
        self.signatures.push(signature);
        if 2 * self.hashes.len() > self.slots.len() {
            self.grow();
        }
        (group, true)
    }

    fn grow(&mut self) {
        let mask = 4 * self.slots.len() - 1;
        self.slots = vec![0; mask + 1];
        for (group, &hash) in (1u32..).zip(&self.hashes) {
            let mut slot = fold(hash ^ u64::from(self.groups.block[group as usize - 1])) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = group;
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (24 * self.hashes.capacity() + 4 * self.slots.len()) as u64
    }
}
