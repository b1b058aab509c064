//! What names mean at a place of a walk through a tree.

use crate::index::SymbolId;
use rustc_hash::FxHashMap;

/// Names with their symbols, and what they meant before, to be taken back.
#[derive(Default)]
pub struct Scope<'m> {
    now: FxHashMap<&'m str, SymbolId>,
    before: Vec<(&'m str, Option<SymbolId>)>,
}

impl<'m> Scope<'m> {
    /// What a name means now.
    pub fn get(&self, name: &str) -> Option<SymbolId> {
        self.now.get(name).copied()
    }

    /// From here on a name means a symbol.
    pub fn enter(&mut self, name: &'m str, symbol: SymbolId) {
        let before = self.now.insert(name, symbol);
        self.before.push((name, before));
    }

    /// The place to which [`Scope::leave`] goes back.
    pub fn mark(&self) -> usize {
        self.before.len()
    }

    /// Names mean what they meant at a mark.
    pub fn leave(&mut self, mark: usize) {
        for (name, before) in self.before.drain(mark..).rev() {
            match before {
                Some(symbol) => self.now.insert(name, symbol),
                None => self.now.remove(name),
            };
        }
    }
}
