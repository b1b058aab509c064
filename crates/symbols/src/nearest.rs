//! What a name means where there is no tree: text with mistakes, or that nothing uses.

use crate::index::{Kind, Symbol, SymbolId};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::Span;

/// Symbols with one name beyond which none is looked for, so that a long text with many mistakes is read in a time that grows with its
/// length.
const MOST: usize = 64;

/// Symbols by name.
pub struct Nearest {
    by_name: FxHashMap<String, Vec<SymbolId>>,
    /// Of each symbol, where it can be named; `None` is everywhere.
    scopes: Vec<Option<Span>>,
    ignores_case: bool,
}

impl Nearest {
    /// Those of some symbols that `counts`.
    pub fn of(symbols: &[Symbol], ignores_case: bool, counts: impl Fn(&Symbol) -> bool) -> Self {
        let mut nearest = Nearest { by_name: FxHashMap::default(), scopes: Vec::new(), ignores_case };
        for (number, symbol) in symbols.iter().enumerate() {
            let is_local = matches!(
                symbol.kind,
                Kind::Variable
                    | Kind::Local
                    | Kind::Channel
                    | Kind::Parameter
                    | Kind::Location
                    | Kind::Gate
                    | Kind::Buffer
                    | Kind::Formula
            );
            let container = symbol.container.filter(|_| is_local);
            nearest.scopes.push(container.and_then(|container| symbols[container.index()].whole));
            if counts(symbol) {
                let id = SymbolId(number as u32);
                nearest.by_name.entry(nearest.key(&symbol.name)).or_default().push(id);
            }
        }
        nearest
    }

    fn key(&self, name: &str) -> String {
        if self.ignores_case { name.to_ascii_uppercase() } else { name.to_owned() }
    }

    /// The symbol of a name with the smallest scope around a place; or the only one of that name.
    pub fn get(&self, span: Span, name: &str) -> Option<SymbolId> {
        let known = self.by_name.get(&self.key(name)).filter(|known| known.len() <= MOST)?;
        let size = |id: &SymbolId| match self.scopes[id.index()] {
            None => Some(u32::MAX),
            Some(scope) => {
                let is_around = scope.file == span.file && scope.start <= span.start && span.end <= scope.end;
                is_around.then_some(scope.end - scope.start)
            }
        };
        let smallest = known.iter().filter_map(size).min();
        let mut found = known.iter().filter(|&id| size(id) == smallest);
        found.next().filter(|_| found.next().is_none()).copied()
    }
}
