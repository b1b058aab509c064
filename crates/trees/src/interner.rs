//! Texts as numbers: the same text, the same number.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use volvelle_entity::entity;

entity!(
    /// A text that an [`Interner`] holds.
    Symbol
);

/// Holds each text once.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    /// Texts and their hashes.
    numbers: HashTable<(u64, Symbol)>,
    /// All texts, one behind the other.
    text: String,
    /// Where each one ends.
    ends: Vec<u32>,
}

impl Interner {
    /// Holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a text.
    ///
    /// # Panics
    /// Where all texts together are larger than 4 GiB.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = FxBuildHasher.hash_one(text);
        if let Some(symbol) = self.find(hash, text) {
            return symbol;
        }
        let symbol = Symbol::from_index(self.ends.len());
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).expect("texts of less than 4 GiB"));
        self.numbers.insert_unique(hash, (hash, symbol), |known| known.0);
        symbol
    }

    /// The number of a text that is already held.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(FxBuildHasher.hash_one(text), text)
    }

    fn find(&self, hash: u64, text: &str) -> Option<Symbol> {
        let is = |&(known, symbol): &(u64, Symbol)| known == hash && self.text(symbol) == text;
        self.numbers.find(hash, is).map(|&(_, symbol)| symbol)
    }

    /// A text.
    pub fn text(&self, symbol: Symbol) -> &str {
        let at = symbol.index();
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    /// How many bytes are in use, about.
    pub fn bytes(&self) -> usize {
        self.text.len() + 32 * self.ends.len()
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}
