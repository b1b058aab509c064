//! For languages whose trees have no places: the tokens of a text, and symbols by name.

use crate::builder::{Builder, Declared};
use crate::index::{Kind, Role, SymbolId};
use crate::pieces::{Class, Piece};
use rustc_hash::FxHashMap;
use volvelle_diagnostics::{FileId, Span};

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'t> {
    pub span: Span,
    pub class: Class,
    pub shown: &'t str,
}

impl<'t> Word<'t> {
    /// The name that it is, without quotes; `None` for what is no name, or has escapes.
    pub fn name(&self) -> Option<&'t str> {
        match self.class {
            Class::Name => Some(self.shown),
            Class::Text => {
                let inside = self.shown.strip_prefix('"')?.strip_suffix('"')?;
                (!inside.is_empty() && !inside.contains('\\') && inside.trim() == inside).then_some(inside)
            }
            _ => None,
        }
    }
}

/// The name in a token, with or without quotes.
pub(crate) fn without_quotes(shown: &str) -> &str {
    shown.strip_prefix('"').and_then(|inside| inside.strip_suffix('"')).unwrap_or(shown)
}

/// The tokens of a text, without comments.
pub(crate) fn words<'t>(file: FileId, text: &'t str, pieces: &[Piece]) -> Vec<Word<'t>> {
    let tokens = pieces.iter().filter(|piece| piece.class != Class::Comment);
    let word = |piece: &Piece| {
        let shown = &text[piece.start as usize..piece.end as usize];
        Word { span: Span { file, start: piece.start, end: piece.end }, class: piece.class, shown }
    };
    tokens.map(word).collect()
}

/// The text of a token; empty behind the last.
pub(crate) fn shown<'t>(words: &[Word<'t>], at: usize) -> &'t str {
    words.get(at).map_or("", |word| word.shown)
}

/// Symbols by kind and name; of equal names the first.
#[derive(Default)]
pub(crate) struct Known<'t> {
    symbols: FxHashMap<(Kind, &'t str), SymbolId>,
}

impl<'t> Known<'t> {
    pub fn get(&self, kind: Kind, name: &str) -> Option<SymbolId> {
        self.symbols.get(&(kind, name)).copied()
    }

    /// A symbol that the language has.
    pub fn built_in(&mut self, builder: &mut Builder<'_>, kind: Kind, name: &'t str, detail: &str) {
        let id = builder.built_in(name, kind, detail);
        self.symbols.entry((kind, name)).or_insert(id);
    }

    /// Adds the symbol that a token names, declared in a part of the text.
    pub fn declare(
        &mut self,
        builder: &mut Builder<'_>,
        kind: Kind,
        word: Word<'t>,
        whole: Span,
        container: Option<SymbolId>,
    ) -> Option<SymbolId> {
        let name = word.name()?;
        let detail = builder.one_line(whole);
        let id = builder.declare(Declared { name, kind, span: word.span, whole, detail, container });
        Some(*self.symbols.entry((kind, name)).or_insert(id))
    }

    /// The same, and of equal names the one that is added last counts.
    pub fn define(&mut self, builder: &mut Builder<'_>, kind: Kind, word: Word<'t>, whole: Span) {
        if let Some(name) = word.name() {
            self.symbols.remove(&(kind, name));
            self.declare(builder, kind, word, whole, None);
        }
    }

    /// The token refers to a symbol, if there is one.
    pub fn refer(&self, builder: &mut Builder<'_>, kind: Kind, word: Word<'t>, role: Role) {
        if let Some(id) = word.name().and_then(|name| self.get(kind, name)) {
            builder.refer(word.span, id, role);
        }
    }

    /// The same for what needs no declaration: the first token that names it declares it.
    pub fn mention(&mut self, builder: &mut Builder<'_>, kind: Kind, word: Word<'t>) {
        match word.name().map(|name| self.get(kind, name)) {
            Some(None) => drop(self.declare(builder, kind, word, word.span, None)),
            Some(Some(id)) => builder.refer(word.span, id, Role::Reads),
            None => {}
        }
    }
}

/// The part from a token to another one of its text, both included.
pub(crate) fn between(words: &[Word<'_>], first: usize, last: usize) -> Span {
    words[first].span.to(words[last.max(first).min(words.len() - 1)].span)
}
