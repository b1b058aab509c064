//! Texts as numbers: the same text, the same number.

use rustc_hash::FxHashMap;
use volvelle_entity::entity;

entity!(
    /// A text that an [`Interner`] holds.
    Symbol
);

/// Holds each text once.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    numbers: FxHashMap<Box<str>, Symbol>,
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
        if let Some(&symbol) = self.numbers.get(text) {
            return symbol;
        }
        let symbol = Symbol::from_index(self.ends.len());
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).expect("texts of less than 4 GiB"));
        self.numbers.insert(text.into(), symbol);
        symbol
    }

    /// The number of a text that is already held.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.numbers.get(text).copied()
    }

    /// A text.
    pub fn text(&self, symbol: Symbol) -> &str {
        let at = symbol.index();
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    /// How many bytes are in use, about.
    pub fn bytes(&self) -> usize {
        2 * self.text.len() + 48 * self.ends.len()
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
