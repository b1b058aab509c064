//! Signatures of branching bisimulation: sets of items, most of which differ little from others.
//!
//! A state inherits the signatures of those that its inert transitions lead to, and has few items of its own. A large component can have
//! hundreds of thousands of items, and as many states inherit them all; so a signature is a *root*, which is shared, with some more
//! items. Signatures are told apart by a hash that does not depend on the order of items, so that the hash of a union is known
//! without looking at what is inherited.

use super::splitting::Groups;
use super::strong::fold;
use rustc_hash::FxHashMap;
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

/// The union of signatures, which is not in the store yet if it is a new one.
#[derive(Debug)]
pub(super) enum Union {
    /// It is there.
    Known(SignatureId),
    /// It is new.
    New(New),
}

/// A signature whose items are in a [`Scratch`].
#[derive(Debug)]
pub(super) struct New {
    /// A root that is in the store, if it is that of another signature.
    root: Option<Range<usize>>,
    /// Items in the scratch: those that the root does not have, or all.
    items: Range<usize>,
    /// The hash of the signature.
    pub hash: u64,
}

/// Room for the work on signatures, and for the items of new ones.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    new: Vec<u64>,
    items: Vec<u64>,
    /// What large roots have that others have not, by the places where the roots begin.
    missing: FxHashMap<(usize, usize), Vec<u64>>,
    /// Items in `missing`.
    num_missing: usize,
}

/// Items of a root from which on it pays to know what others have not.
const LARGE: usize = if cfg!(test) { 2 } else { 64 };

/// Items that are known to be missing in roots, at most.
const MOST_MISSING: usize = if cfg!(test) { 1 << 5 } else { 1 << 20 };

impl Scratch {
    /// Forgets the items of all new signatures.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (8 * (self.new.capacity() + self.items.capacity() + self.num_missing) + 56 * self.missing.len())
            as u64
    }
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
    /// where that has all items.
    pub fn union(&self, own: &[u64], inherited: &[SignatureId], scratch: &mut Scratch) -> Union {
        let base = inherited.iter().copied().max_by_key(|&id| (self.all[id as usize].len(), id));
        let Scratch { new, items, missing, num_missing } = scratch;
        let start = items.len();
        let Some(base) = base else {
            items.extend_from_slice(own);
            return Union::New(New { root: None, items: start..items.len(), hash: self.sum(own) });
        };
        new.clear();
        let of = &self.all[base as usize];
        new.extend(own.iter().filter(|&&item| !self.contains(of, item)));
        for &other in inherited.iter().filter(|&&other| other != base) {
            let other = &self.all[other as usize];
            let more = &self.items[other.more.clone()];
            new.extend(more.iter().filter(|&&item| !self.contains(of, item)));
            if other.root == of.root {
                continue;
            }
            let root = &self.items[other.root.clone()];
            if root.len() < LARGE {
                new.extend(root.iter().filter(|&&item| !self.contains(of, item)));
                continue;
            }
            if *num_missing > MOST_MISSING {
                missing.clear();
                *num_missing = 0;
            }
            let in_root = missing.entry((other.root.start, of.root.start)).or_insert_with(|| {
                let base = &self.items[of.root.clone()];
                let list = difference(root, base);
                *num_missing += list.len() + 1;
                list
            });
            let more = &self.items[of.more.clone()];
            new.extend(in_root.iter().filter(|item| more.binary_search(item).is_err()));
        }
        if new.is_empty() {
            return Union::Known(base);
        }
        new.sort_unstable();
        new.dedup();
        let hash = of.hash.wrapping_add(self.sum(new));
        merge(&self.items[of.more.clone()], new, items);
        if items.len() - start <= of.root.len() / 8 + 8 {
            return Union::New(New { root: Some(of.root.clone()), items: start..items.len(), hash });
        }
        // Many more items: a root of its own.
        new.clear();
        new.extend(items.drain(start..));
        merge(&self.items[of.root.clone()], new, items);
        Union::New(New { root: None, items: start..items.len(), hash })
    }

    /// Puts a new signature into the store.
    pub fn insert(&mut self, new: New, scratch: &Scratch) -> SignatureId {
        let items = self.push(&scratch.items[new.items]);
        let end = items.end;
        self.add(match new.root {
            Some(root) => Signature { root, more: items, hash: new.hash },
            None => Signature { root: items, more: end..end, hash: new.hash },
        })
    }

    /// The union, which is put into the store if it is new.
    pub fn insert_union(
        &mut self,
        own: &[u64],
        inherited: &[SignatureId],
        scratch: &mut Scratch,
    ) -> SignatureId {
        scratch.clear();
        match self.union(own, inherited, scratch) {
            Union::Known(id) => id,
            Union::New(new) => self.insert(new, scratch),
        }
    }

    /// How many items a signature has.
    pub fn size(&self, signature: SignatureId) -> usize {
        self.all[signature as usize].len()
    }

    /// The items of a signature that many others share, as a place and a list; and its further ones.
    pub fn parts(&self, signature: SignatureId) -> ((usize, &[u64]), &[u64]) {
        let Signature { root, more, .. } = &self.all[signature as usize];
        ((root.start, &self.items[root.clone()]), &self.items[more.clone()])
    }

    /// The items of a signature, in no order.
    fn items(&self, signature: SignatureId) -> impl Iterator<Item = u64> + '_ {
        let Signature { root, more, .. } = &self.all[signature as usize];
        self.items[root.clone()].iter().chain(&self.items[more.clone()]).copied()
    }

    /// Whether two signatures have the same items.
    pub fn are_equal(&self, left: SignatureId, right: SignatureId) -> bool {
        let (of_left, of_right) = (&self.all[left as usize], &self.all[right as usize]);
        let items = |range: &Range<usize>| &self.items[range.clone()];
        left == right
            || (of_left.root == of_right.root && items(&of_left.more) == items(&of_right.more))
            || (of_left.len() == of_right.len() && self.items(left).all(|item| self.contains(of_right, item)))
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

/// What a sorted list has that another one has not.
fn difference(list: &[u64], other: &[u64]) -> Vec<u64> {
    let mut found = Vec::new();
    let mut rest = other;
    if list.len() < other.len() / 8 {
        for &item in list {
            rest = &rest[rest.partition_point(|&other| other < item)..];
            if rest.first() != Some(&item) {
                found.push(item);
            }
        }
        return found;
    }
    // Two places that go on without branches: which one does cannot be foreseen.
    let (mut left, mut right) = (0, 0);
    found.reserve(list.len() / 4);
    while left < list.len() && right < other.len() {
        let (a, b) = (list[left], other[right]);
        if a < b {
            found.push(a);
        }
        left += usize::from(a <= b);
        right += usize::from(b <= a);
    }
    found.extend_from_slice(&list[left..]);
    found
}

/// Appends the sorted union of two sorted lists.
pub(super) fn merge(left: &[u64], right: &[u64], to: &mut Vec<u64>) {
    to.reserve(left.len() + right.len());
    let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
    while let (Some(&a), Some(&b)) = (left.peek(), right.peek()) {
        to.push(a.min(b));
        if a <= b {
            left.next();
        }
        if b <= a {
            right.next();
        }
    }
    to.extend(left);
    to.extend(right);
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

    /// Notes a state of a block with a signature of some hash; gives its group. `signature` gives the signature where the group is new.
    pub fn add(&mut self, block: u32, hash: u64, signature: impl FnOnce() -> SignatureId) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = fold(hash ^ u64::from(block)) as usize & mask;
        while let Some(group) = self.slots[slot].checked_sub(1) {
            if self.hashes[group as usize] == hash && self.groups.block[group as usize] == block {
                self.groups.count[group as usize] += 1;
                return group;
            }
            slot = (slot + 1) & mask;
        }
        let group = self.groups.push(block);
        self.slots[slot] = group + 1;
        self.hashes.push(hash);
        self.signatures.push(signature());
        if 2 * self.hashes.len() > self.slots.len() {
            self.grow();
        }
        group
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
