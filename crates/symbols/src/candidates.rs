//! Candidates, and how they are collected.

use crate::index::{Index, Kind, Symbol, SymbolId, TokenKind};
use crate::place::text_of;
use volvelle_diagnostics::{FileId, Span};

/// What may stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The part of the text that a candidate takes the place of: the word at the place, or nothing.
    pub replaces: Span,
    /// What may stand there; each text once, in the order in which it fits.
    pub candidates: Vec<Candidate>,
}

/// Something that may stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What people see, and what is compared with what they type.
    pub shown: String,
    /// What is written, with `$1`, `$2`, … where people go on writing, or `${1:name}` with a text that they replace, and `$0` where the
    /// last of these is. A dollar sign is none.
    pub written: String,
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
    pub candidates: Vec<Candidate>,
}

impl<'a> Found<'a> {
    /// None yet.
    pub fn new(index: &'a Index) -> Self {
        Found { index, candidates: Vec::new() }
    }

    /// Words of the language, each as it is written.
    pub fn words(&mut self, fit: Fit, words: &[&str]) {
        for word in words {
            self.form(fit, word, word);
        }
    }

    /// A form of the language: what is shown, and what is written.
    pub fn form(&mut self, fit: Fit, shown: &str, written: &str) {
        let (shown, written) = (shown.to_owned(), written.to_owned());
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
        written: impl Fn(&'a Symbol) -> String,
    ) {
        for (number, symbol) in self.index.symbols.iter().enumerate() {
            let id = SymbolId(number as u32);
            if symbol.name.is_empty() {
                continue;
            }
            if let Some(fit) = fit(id, symbol) {
                let shown = symbol.name.clone();
                self.candidates.push(Candidate { shown, written: written(symbol), symbol: Some(id), fit });
            }
        }
    }

    /// Names of the text that no symbol has: what declares them cannot be read while something is typed.
    pub fn other_names(&mut self, file: FileId, text: &str) {
        let names = self.index.tokens.iter().filter(|token| token.span.file == file);
        for token in names.filter(|token| matches!(token.kind, TokenKind::Name(_))) {
            if self.index.at(file, token.span.start).is_none_or(|found| found.span != token.span) {
                let name = text_of(text, token);
                self.form(Fit::Possible, name, &escaped(name));
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
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}
