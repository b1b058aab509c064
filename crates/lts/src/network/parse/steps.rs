//! Steps of the parser that know tokens, and no operators.

use super::NetworkText;
use super::token::{Kind, T, tokens, unquoted};
use crate::network::{Gate, Node, NodeId, Together};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use volvelle_diagnostics::{Diagnostic, FileId, Fix, Near, Span, codes, nearest};
use volvelle_labels::BadPattern;
use volvelle_syntax::{Cursor, Spelt, Token, around_cursor, one_of};

/// A parser of networks.
pub(super) struct Parser<'t> {
    cursor: Cursor<'t, Kind>,
    /// Operators around the place.
    pub depth: u32,
    /// Whether `||` ends what is read: it separates operands.
    pub is_in_par: bool,
    pub parsed: NetworkText,
    pub diagnostics: Vec<Diagnostic>,
    /// The token at which the last error was found: what follows from it is not told.
    last_error: Option<usize>,
}

around_cursor!(Parser, Kind);

impl<'t> Parser<'t> {
    pub fn new(file: FileId, text: &'t str, parsed: NetworkText) -> Self {
        let mut diagnostics = Vec::new();
        let cursor = Cursor::new(file, text, tokens(file, text, &mut diagnostics));
        Parser { cursor, depth: 0, is_in_par: false, parsed, diagnostics, last_error: None }
    }

    /// Takes a token, described by its spelling.
    pub fn require(&mut self, kind: Kind) {
        self.require_as(kind, &one_of(&[kind]));
    }

    pub fn require_as(&mut self, kind: Kind, what: &str) {
        self.correct(&[kind]);
        if !self.take(kind) {
            self.wrong(what);
        }
    }

    /// The word that was meant by a name where one of some words stands.
    fn meant(&self, token: Token<Kind>, words: &[Kind]) -> Option<(Kind, Near<&'static str>)> {
        let words = || words.iter().filter(|word| word.is_word());
        let is_name = token.kind == Kind::Name;
        let near =
            is_name.then(|| nearest(self.text_of(token), words().filter_map(|word| word.spelling())))??;
        words().find(|word| word.spelling() == Some(near.name)).map(|word| (*word, near))
    }

    /// Reads a name as the word that was meant, where one of some words stands, and reports it.
    pub fn correct(&mut self, words: &[Kind]) {
        self.correct_ahead(0, words);
    }

    /// The same for the token so many places behind the next one.
    fn correct_ahead(&mut self, count: usize, words: &[Kind]) {
        let token = self.ahead(count);
        let Some((kind, near)) = self.meant(token, words) else { return };
        let (span, text) = (token.span(self.file), self.text_of(token));
        let fix = Fix::instead(span, text, near.name).certain_if(near.is_certain);
        let message = format!("`{text}` is not expected here");
        let label = format!("did you mean `{}`?", near.name);
        self.diagnostics.push(Diagnostic::error(codes::NETWORK_SYNTAX, message).at(span, label).fix(fix));
        let number = self.number() + count;
        self.read_as(number, kind);
    }

    /// Takes `end` and the word behind it.
    pub fn end(&mut self, word: Kind, what: &str) {
        self.correct(&[T!["end"]]);
        if self.take(T!["end"]) {
            self.require(word);
        } else {
            self.wrong(what);
        }
    }

    /// The same if it is there: an `end` of another word belongs to an operator around this one.
    pub fn optional_end(&mut self, word: Kind) {
        let is_end = |token: Token<Kind>| token.is(T!["end"]) || self.meant(token, &[T!["end"]]).is_some();
        let is_word = |token: Token<Kind>| token.is(word) || self.meant(token, &[word]).is_some();
        // Of two words one may be misspelt.
        let is_here = self.at(T!["end"]) || self.ahead(1).is(word);
        if is_here && is_end(self.ahead(0)) && is_word(self.ahead(1)) {
            self.correct(&[T!["end"]]);
            self.correct_ahead(1, &[word]);
        }
        if self.at(T!["end"]) && self.ahead(1).is(word) {
            self.advance();
            self.advance();
        }
    }

    /// A gate or a text in quotes. Without one nothing is taken.
    pub fn label(&mut self) -> Option<(String, Span)> {
        let text = match self.peek() {
            Kind::Text => unquoted(self.word()),
            Kind::Name => self.word().to_owned(),
            _ => {
                self.wrong("a gate, or a label in double quotes");
                return None;
            }
        };
        Some((text, self.advance().span(self.file)))
    }

    /// Labels with commas between them.
    pub fn labels(&mut self) -> Vec<(String, Span)> {
        let mut found: Vec<_> = self.label().into_iter().collect();
        while self.take(T![","]) {
            found.extend(self.label());
        }
        found
    }

    /// Whether the next tokens are a list of labels with this token behind it.
    pub fn list_ends_with(&self, kind: Kind) -> bool {
        let mut at = 0;
        while matches!(self.ahead(at).kind, Kind::Text | Kind::Name) {
            match self.ahead(at + 1).kind {
                T![","] => at += 2,
                next => return next == kind || self.meant(self.ahead(at + 1), &[kind]).is_some(),
            }
        }
        false
    }

    /// Reports that something else stands here.
    pub fn wrong(&mut self, what: &str) {
        let found = match self.at_end() {
            true => "the text ends here".to_owned(),
            false => format!("{} is not expected here", self.found()),
        };
        let diagnostic = Diagnostic::error(codes::NETWORK_SYNTAX, found).at(self.span(), "");
        self.error(diagnostic.help(format!("write {what}")));
    }

    /// Reports an error, if there is none yet at this token.
    pub fn error(&mut self, diagnostic: Diagnostic) {
        let here = Some(self.number());
        if std::mem::replace(&mut self.last_error, here) != here {
            self.diagnostics.push(diagnostic);
        }
    }

    pub fn bad_pattern(&mut self, error: &BadPattern, place: Span) {
        self.diagnostics.push(
            Diagnostic::error(codes::LABEL_PATTERN, error.to_string())
                .at(place, "")
                .help("labels in double quotes are regular expressions here: put a backslash before `(`, `*`, `.` and the like"),
        );
    }

    /// Goes to the end, where nothing is told any more.
    pub fn give_up(&mut self) {
        self.skip_to(&[]);
        self.last_error = Some(self.number());
    }

    pub fn node(&mut self, node: Node, place: Span) -> NodeId {
        self.parsed.network.nodes.push(node);
        self.parsed.places.push(place);
        self.parsed.places.len() - 1
    }

    pub fn parallel(
        &mut self,
        operands: Vec<NodeId>,
        together: Together,
        named: Vec<(String, Span)>,
        place: Span,
    ) -> NodeId {
        let node = self.node(Node::Parallel { operands, together }, place);
        self.parsed.gates.extend(named.into_iter().map(|(text, span)| (node, text, span)));
        node
    }
}

/// The gates of a composition of `count` operands: common ones, on which all synchronise, and those of some operands.
pub(super) fn gates(
    count: usize,
    common: &[(String, Span)],
    interfaces: &[Vec<(String, Span)>],
) -> Vec<Gate> {
    let mut found: Vec<Gate> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for (text, _) in common {
        if let Entry::Vacant(new) = places.entry(text) {
            new.insert(found.len());
            found.push(Gate { text: text.clone(), operands: (0..count).collect() });
        }
    }
    let num_common = found.len();
    for (operand, interface) in interfaces.iter().enumerate() {
        for (text, _) in interface {
            let place = *places.entry(text).or_insert(found.len());
            if place == found.len() {
                found.push(Gate { text: text.clone(), operands: vec![operand] });
            } else if place >= num_common && found[place].operands.last() != Some(&operand) {
                found[place].operands.push(operand);
            }
        }
    }
    found
}
