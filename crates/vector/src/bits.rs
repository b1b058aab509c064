//! Sets of small numbers, as bits.

/// A set of numbers below a size that is fixed when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits(Box<[u64]>);

impl Bits {
    /// The empty set, with room for numbers below `size`.
    pub(crate) fn none(size: usize) -> Self {
        Bits(vec![0; size.div_ceil(64)].into())
    }

    /// All numbers below `size` (and possibly some more that nobody asks for).
    pub(crate) fn all(size: usize) -> Self {
        Bits(vec![!0; size.div_ceil(64)].into())
    }

    pub(crate) fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }

    pub(crate) fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub(crate) fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    pub(crate) fn add(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub(crate) fn keep(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    pub(crate) fn subtract(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    /// The members, ascending, below `size`.
    pub(crate) fn members(&self, size: usize) -> impl Iterator<Item = usize> + '_ {
        (0..size).filter(|&i| self.contains(i))
    }
}
