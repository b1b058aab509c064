//! Sets of kinds of tokens.

use super::model::TokenKind;

/// A set of kinds of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(Vec<u64>);

impl Kinds {
    /// The set of one kind.
    pub fn one(kind: TokenKind) -> Self {
        let mut set = Kinds::default();
        set.insert(kind);
        set
    }

    pub fn insert(&mut self, kind: TokenKind) {
        let at = usize::from(kind) / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (kind % 64);
    }

    #[inline]
    pub fn contains(&self, kind: TokenKind) -> bool {
        self.0.get(usize::from(kind) / 64).is_some_and(|word| word >> (kind % 64) & 1 == 1)
    }

    /// Adds another set; gives whether that changes anything.
    pub fn add(&mut self, other: &Kinds) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut is_new = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            is_new |= *other & !*word != 0;
            *word |= other;
        }
        is_new
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The kinds of the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = TokenKind> + '_ {
        let bits = |at: usize| (0..64).map(move |bit| (at * 64 + bit) as TokenKind);
        (0..self.0.len()).flat_map(bits).filter(|kind| self.contains(*kind))
    }
}
