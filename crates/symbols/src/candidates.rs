//! Candidates, and how they are collected.

use crate::index::{Index, Kind, Symbol, SymbolId, TokenKind};
use crate::place::text_of;
use std::borrow::Cow;
use volvelle_diagnostics::{FileId, Span};

/// What may stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion<'a> {
    /// The part of the text that a candidate takes the place of: the word at the place, or nothing.
    pub replaces: Span,
    /// What may stand there; each text once, in the order in which it fits.
    pub candidates: Vec<Candidate<'a>>,
    /// Whether there are more of them, which fit less, or do not begin with what is typed.
    pub is_incomplete: bool,
}

/// Something that may stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// What people see, and what is compared with what they type.
    pub shown: Cow<'a, str>,
    /// What is written, with `$1`, `$2`, … where people go on writing, or `${1:name}` with a text that they replace, and `$0` where the
    /// last of these is. A dollar sign is none.
    pub written: Cow<'a, str>,
    /// The symbol that it names; `None` for words and forms of the language.
    pub symbol: Option<SymbolId>,
    /// How well it fits.
    pub fit: Fit,
}

/// How well a candidate fits its place; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fit {
    /// Of the kind and type that is wanted.
    Best,
    /// Of a type from which one that is wanted can be made.
    Good,
    /// It may stand there, though seldom.
    Possible,
}

/// Candidates under construction.
pub struct Found<'a> {
    /// The names.
    pub index: &'a Index,
    /// What was found so far.
    pub candidates: Vec<Candidate<'a>>,
}

impl<'a> Found<'a> {
    /// None yet.
    pub fn new(index: &'a Index) -> Self {
        Found { index, candidates: Vec::new() }
    }

    /// Words of the language, each as it is written.
    pub fn words(&mut self, fit: Fit, words: &[&'a str]) {
        for &word in words {
            self.form(fit, word, word);
        }
    }

    /// A form of the language: what is shown, and what is written.
    pub fn form(&mut self, fit: Fit, shown: impl Into<Cow<'a, str>>, written: impl Into<Cow<'a, str>>) {
        let (shown, written) = (shown.into(), written.into());
        self.candidates.push(Candidate { shown, written, symbol: None, fit });
    }

    /// The symbols of some kinds, each with how well it fits, if it does.
    pub fn names(&mut self, fit: impl Fn(SymbolId, &'a Symbol) -> Option<Fit>) {
        self.named(fit, |symbol| escaped(&symbol.name));
    }

    /// The same in another form: what is written for a symbol.
    pub fn named(
        &mut self,
        fit: impl Fn(SymbolId, &'a Symbol) -> Option<Fit>,
        written: impl Fn(&'a Symbol) -> Cow<'a, str>,
    ) {
        for (number, symbol) in self.index.symbols.iter().enumerate() {
            let id = SymbolId(number as u32);
            if symbol.name.is_empty() {
                continue;
            }
            if let Some(fit) = fit(id, symbol) {
                let shown = Cow::Borrowed(symbol.name.as_str());
                self.candidates.push(Candidate { shown, written: written(symbol), symbol: Some(id), fit });
            }
        }
    }

    /// Names of the text that no symbol has: what declares them cannot be read while something is typed.
    pub fn other_names(&mut self, file: FileId, text: &'a str) {
        let index = self.index;
        let tokens = index.tokens_of(file);
        // Occurrences stand in the same order.
        let mut named = index.occurrences_of(file).iter().peekable();
        for token in tokens.iter().filter(|token| matches!(token.kind, TokenKind::Name(_))) {
            while named.next_if(|one| one.span.start < token.span.start).is_some() {}
            if named.peek().is_none_or(|one| one.span != token.span) {
                let name = text_of(text, token);
                self.form(Fit::Possible, name, escaped(name));
            }
        }
    }

    /// What fits here, but not as well as the rest.
    pub fn below(&mut self, find: impl FnOnce(&mut Self)) {
        let before = self.candidates.len();
        find(self);
        for candidate in &mut self.candidates[before..] {
            candidate.fit = candidate.fit.max(Fit::Good);
        }
    }

    /// All symbols of some kinds.
    pub fn of_kinds(&mut self, fit: Fit, kinds: &[Kind]) {
        self.names(|_, symbol| kinds.contains(&symbol.kind).then_some(fit));
    }
}

/// A text without places to go on writing.
pub fn escaped(text: &str) -> Cow<'_, str> {
    match text.contains(['\\', '$', '}']) {
        true => Cow::Owned(text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")),
        false => Cow::Borrowed(text),
    }
}
