//! Sets of states as bits.

/// A set of numbers below a fixed length.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    /// The empty set of numbers below `len`.
    pub fn new(len: usize) -> Self {
        BitSet { words: vec![0; len.div_ceil(64)], len }
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

    /// Whether `i` is a member.
    pub fn contains(&self, i: usize) -> bool {
        debug_assert!(i < self.len);
        self.words[i / 64] >> (i % 64) & 1 != 0
    }

    /// Adds `i`; tells whether it was new.
    pub fn insert(&mut self, i: usize) -> bool {
        debug_assert!(i < self.len);
        let (word, bit) = (&mut self.words[i / 64], 1 << (i % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes `i`.
    pub fn remove(&mut self, i: usize) {
        self.words[i / 64] &= !(1 << (i % 64));
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

    /// Everything that is not a member.
    #[must_use]
    pub fn complement(&self) -> Self {
        BitSet::from_words(self.words.iter().map(|w| !w).collect(), self.len)
    }

    /// Keeps what is in both.
    pub fn intersect(&mut self, other: &BitSet) {
        debug_assert_eq!(self.len, other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
    }

    /// Adds what the other has.
    pub fn unite(&mut self, other: &BitSet) {
        debug_assert_eq!(self.len, other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    /// Removes what the other has.
    pub fn subtract(&mut self, other: &BitSet) {
        debug_assert_eq!(self.len, other.len);
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
    }

    /// The words, 64 members each.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}
