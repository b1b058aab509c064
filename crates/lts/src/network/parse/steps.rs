//! Steps of the parser that know tokens, and no operators.

use super::NetworkText;
use super::token::{Kind, Token, unquoted};
use crate::network::{Gate, Node, NodeId, Together};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};
use volvelle_labels::BadPattern;

/// Words that are no gates.
const KEYWORDS: [&str; 20] = [
    "par",
    "in",
    "end",
    "hide",
    "all",
    "but",
    "rename",
    "root",
    "leaf",
    "node",
    "smart",
    "reduction",
    "of",
    "strong",
    "branching",
    "divbranching",
    "weak",
    "stochastic",
    "label",
    "gate",
];

/// A parser of networks.
pub(super) struct Parser<'t> {
    file: FileId,
    text: &'t str,
    pub tokens: Vec<Token>,
    /// The next token.
    pub at: usize,
    /// Operators around the place.
    pub depth: u32,
    /// Whether `||` ends what is read: it separates operands.
    pub is_in_par: bool,
    pub parsed: NetworkText,
    pub diagnostics: Vec<Diagnostic>,
    /// The token at which the last error was found: what follows from it is not told.
    last_error: Option<usize>,
}

impl<'t> Parser<'t> {
    pub fn new(
        file: FileId,
        text: &'t str,
        tokens: Vec<Token>,
        parsed: NetworkText,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let (at, depth, is_in_par, last_error) = (0, 0, false, None);
        Parser { file, text, tokens, at, depth, is_in_par, parsed, diagnostics, last_error }
    }

    pub fn peek(&self) -> Kind {
        self.tokens[self.at].kind
    }

    /// The text of the next token.
    pub fn word(&self) -> &'t str {
        let Token { start, end, .. } = self.tokens[self.at];
        &self.text[start as usize..end as usize]
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.peek() == Kind::Word && self.word() == word
    }

    pub fn span(&self) -> Span {
        let Token { start, end, .. } = self.tokens[self.at];
        Span::new(self.file, start as usize, end as usize)
    }

    pub fn take(&mut self, kind: Kind, what: &str) {
        if self.peek() == kind {
            self.at += 1;
        } else {
            self.expected(what);
        }
    }

    pub fn take_word(&mut self, word: &str) {
        if self.is_word(word) {
            self.at += 1;
        } else {
            self.expected(&format!("`{word}`"));
        }
    }

    /// Takes `end` and the word behind it.
    pub fn end(&mut self, word: &str, what: &str) {
        if self.is_word("end") {
            self.at += 1;
            self.take_word(word);
        } else {
            self.expected(what);
        }
    }

    pub fn optional_end(&mut self, word: &str) {
        if !self.is_word("end") {
            return;
        }
        self.at += 1;
        if self.is_word(word) {
            self.at += 1;
        } else {
            // It belongs to an operator around this one.
            self.at -= 1;
        }
    }

    /// A gate or a text in quotes. Without one nothing is taken.
    pub fn label(&mut self) -> Option<(String, Span)> {
        let span = self.span();
        let text = match self.peek() {
            Kind::Text => unquoted(self.word()),
            Kind::Word if !KEYWORDS.contains(&self.word()) => self.word().to_owned(),
            _ => {
                self.expected("a gate, or a label in double quotes");
                return None;
            }
        };
        self.at += 1;
        Some((text, span))
    }

    /// Labels with commas between them.
    pub fn labels(&mut self) -> Vec<(String, Span)> {
        let mut found: Vec<_> = self.label().into_iter().collect();
        while self.peek() == Kind::Sign(",") {
            self.at += 1;
            found.extend(self.label());
        }
        found
    }

    /// Whether the next tokens are a list of labels with this token behind it.
    pub fn list_ends_with(&self, kind: Kind, text: &str) -> bool {
        let mut at = self.at;
        let text_of = |token: &Token| &self.text[token.start as usize..token.end as usize];
        loop {
            let token = &self.tokens[at];
            let is_label =
                token.kind == Kind::Text || token.kind == Kind::Word && !KEYWORDS.contains(&text_of(token));
            // Behind a label there is another token, at least the end.
            match (is_label, self.tokens.get(at + 1)) {
                (true, Some(next)) if next.kind == Kind::Sign(",") => at += 2,
                (true, Some(next)) => return next.kind == kind && text_of(next) == text,
                _ => return false,
            }
            if at >= self.tokens.len() {
                return false;
            }
        }
    }

    /// Reports that something else stands here.
    pub fn expected(&mut self, what: &str) {
        let found = match self.peek() {
            Kind::End => "the text ends here".to_owned(),
            _ => format!("`{}` is not expected here", self.word()),
        };
        let span = self.span();
        let diagnostic = Diagnostic::error(codes::NETWORK_SYNTAX, found).at(span, "");
        self.error(diagnostic.help(format!("write {what}")));
    }

    /// Reports an error, if there is none yet at this token.
    pub fn error(&mut self, diagnostic: Diagnostic) {
        if self.last_error.replace(self.at) != Some(self.at) {
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
        self.at = self.tokens.len() - 1;
        self.last_error = Some(self.at);
    }

    /// Goes on to where an operand ends.
    pub fn skip(&mut self) {
        loop {
            match self.peek() {
                Kind::End | Kind::Sign("||" | "|||" | "|[" | ")") => return,
                Kind::Word if self.word() == "end" => return,
                _ => self.at += 1,
            }
        }
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
