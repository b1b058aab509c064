//! Sets of small numbers, one bit each.

/// A set of numbers below a bound. The bound is fixed, unless [`BitSet::insert_growing`] raises it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    /// The empty set of numbers below `len`.
    pub fn new(len: usize) -> Self {
        BitSet { words: vec![0; len.div_ceil(64)], len }
    }

    /// The set of these of the numbers below `len`.
    ///
    /// # Panics
    /// A member is not below `len`.
    pub fn of(len: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = BitSet::new(len);
        for member in members {
            set.insert(member);
        }
        set
    }

    /// All numbers below `len`.
    pub fn full(len: usize) -> Self {
        let mut set = BitSet { words: vec![!0; len.div_ceil(64)], len };
        set.trim();
        set
    }

    /// From 64 members a word, lowest bit first; bits at and beyond `len` are dropped.
    pub fn from_words(mut words: Vec<u64>, len: usize) -> Self {
        words.resize(len.div_ceil(64), 0);
        let mut set = BitSet { words, len };
        set.trim();
        set
    }

    fn trim(&mut self) {
        if !self.len.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }

    /// The bound of the members, not their count.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no member is possible (`len() == 0`).
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether `i` is a member. Nothing at or beyond the bound is.
    #[inline]
    pub fn contains(&self, i: usize) -> bool {
        self.words.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 != 0)
    }

    /// Adds `i`, which is below the bound; returns whether it was new.
    #[inline]
    pub fn insert(&mut self, i: usize) -> bool {
        debug_assert!(i < self.len);
        let (word, bit) = (&mut self.words[i / 64], 1 << (i % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Adds `i`, raising the bound where needed; returns whether it was new. The bound grows by at least a half,
    /// so that a series of insertions takes linear time.
    #[inline]
    pub fn insert_growing(&mut self, i: usize) -> bool {
        if i >= self.len {
            let least = (i / 64 + 1).next_multiple_of(64);
            self.words.resize(least.max(self.words.len() * 3 / 2), 0);
            self.len = 64 * self.words.len();
        }
        self.insert(i)
    }

    /// Removes `i`, if it is a member.
    #[inline]
    pub fn remove(&mut self, i: usize) {
        if let Some(word) = self.words.get_mut(i / 64) {
            *word &= !(1 << (i % 64));
        }
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Number of members.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Members in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| i * 64 + w.trailing_zeros() as usize)
        })
    }

    /// The complement.
    #[must_use]
    pub fn complement(&self) -> Self {
        BitSet::from_words(self.words.iter().map(|w| !w).collect(), self.len)
    }

    /// Intersects with another set.
    pub fn intersect(&mut self, other: &BitSet) {
        debug_assert_eq!(self.len, other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
    }

    /// Adds the members of another set.
    pub fn unite(&mut self, other: &BitSet) {
        debug_assert_eq!(self.len, other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    /// Removes the members of another set.
    pub fn subtract(&mut self, other: &BitSet) {
        debug_assert_eq!(self.len, other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
    }

    /// The words, 64 members each.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Whether two sets have a member in common.
    pub fn intersects(&self, other: &BitSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        8 * self.words.capacity() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::BitSet;
    use std::collections::BTreeSet;
    use volvelle_random::Random;

    fn agree(set: &BitSet, model: &BTreeSet<usize>) {
        assert!(set.iter().eq(model.iter().copied()));
        assert!((0..set.len() + 70).all(|i| set.contains(i) == model.contains(&i)));
        assert_eq!(set.count(), model.len());
    }

    /// Every operation against ordered sets, for bounds around whole words.
    #[test]
    fn operations_agree_with_ordered_sets() {
        let mut random = Random(1);
        for len in [0, 1, 63, 64, 65, 128, 200] {
            let mut sample = || {
                let (mut set, mut model) = (BitSet::new(len), BTreeSet::new());
                for _ in 0..len {
                    let i = random.below(len);
                    if random.one_in(3) {
                        set.remove(i);
                        model.remove(&i);
                    } else {
                        assert_eq!(set.insert(i), model.insert(i));
                    }
                }
                agree(&set, &model);
                (set, model)
            };
            let ((a, in_a), (b, in_b)) = (sample(), sample());
            let everything: BTreeSet<usize> = (0..len).collect();
            agree(&BitSet::full(len), &everything);
            agree(&a.complement(), &(&everything - &in_a));
            assert_eq!(a.intersects(&b), !in_a.is_disjoint(&in_b));
            let apply = |change: fn(&mut BitSet, &BitSet)| {
                let mut set = a.clone();
                change(&mut set, &b);
                set
            };
            agree(&apply(BitSet::intersect), &(&in_a & &in_b));
            agree(&apply(BitSet::unite), &(&in_a | &in_b));
            agree(&apply(BitSet::subtract), &(&in_a - &in_b));
            assert_eq!(BitSet::from_words(a.words().to_vec(), len), a);
        }
    }

    #[test]
    fn the_bound_grows() {
        let mut random = Random(3);
        let (mut set, mut model) = (BitSet::default(), BTreeSet::new());
        for _ in 0..20_000 {
            let i = if random.one_in(4) { random.below(3_000_000) } else { random.below(3000) };
            if random.one_in(3) {
                set.remove(i);
                model.remove(&i);
            } else {
                assert_eq!(set.insert_growing(i), model.insert(i));
            }
            assert_eq!(set.contains(i), model.contains(&i));
        }
        assert!((0..4_000_000).all(|i| set.contains(i) == model.contains(&i)));
        assert!(set.bytes() >= 3_000_000 / 8 * 9 / 10);
    }
}
