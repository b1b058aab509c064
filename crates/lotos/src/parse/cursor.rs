//! The tokens of a text, taken from the front, and the tree under construction.

use crate::lex::{Kind, Token};
use crate::syntax::{Name, Parameter, Tree};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// The tree, or an error that was pushed.
pub(super) type Parsed<T> = Result<T, Reported>;

/// An error was pushed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// How deep behaviours, values and processes may nest. Sequences of actions and lists of alternatives do not nest.
pub(super) const DEEPEST: usize = 400;

/// Errors beyond which reading ends: what follows has no meaning any more.
const MOST_ERRORS: usize = 50;

const KEYWORDS: &[&str] = &[
    "ACCEPT",
    "ACTUALIZEDBY",
    "ANY",
    "BEHAVIOR",
    "BEHAVIOUR",
    "CHOICE",
    "ENDLIB",
    "ENDPROC",
    "ENDSPEC",
    "ENDTYPE",
    "EQNS",
    "EXIT",
    "FOR",
    "FORALL",
    "FORMALEQNS",
    "FORMALOPNS",
    "FORMALSORTS",
    "HIDE",
    "IN",
    "IS",
    "LET",
    "LIBRARY",
    "NOEXIT",
    "OF",
    "OFSORT",
    "OPNNAMES",
    "OPNS",
    "PAR",
    "PROCESS",
    "RENAMEDBY",
    "SORTNAMES",
    "SORTS",
    "SPECIFICATION",
    "STOP",
    "TYPE",
    "USING",
    "WHERE",
];

/// Signs that are no operations.
const RESERVED: &[&str] = &["=", "=>", "->", ">>", ":", ";", ",", ":=", "!", "?", "_"];

pub(super) struct Cursor {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    /// Nesting of the values made so far.
    pub value_depth: Vec<usize>,
    pub tree: Tree,
    pub diagnostics: Vec<Diagnostic>,
}

impl Cursor {
    pub fn new(tokens: Vec<Token>, diagnostics: Vec<Diagnostic>) -> Self {
        let tree = Tree::default();
        Cursor { tokens, next: 0, depth: 0, value_depth: Vec::new(), tree, diagnostics }
    }

    pub fn peek(&self) -> &Token {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub fn peek_second(&self) -> &Token {
        &self.tokens[(self.next + 1).min(self.tokens.len() - 1)]
    }

    /// The text of the token that many tokens ahead; empty at the end.
    pub fn ahead(&self, count: usize) -> &str {
        self.tokens[(self.next + count).min(self.tokens.len() - 1)].text()
    }

    /// The words of directives behind the last token.
    pub fn directive(&self) -> Vec<String> {
        self.next.checked_sub(1).map_or(Vec::new(), |last| self.tokens[last].directive.clone())
    }

    pub fn here(&self) -> Span {
        self.peek().span
    }

    /// The place from a token to the last one taken.
    pub fn since(&self, first: Span) -> Span {
        let last = self.next.checked_sub(1).map_or(first, |last| self.tokens[last].span);
        if last.start < first.start { first } else { first.to(last) }
    }

    pub fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    pub fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn at(&self, sign: &str) -> bool {
        matches!(&self.peek().kind, Kind::Sign(s) if s == sign)
    }

    pub fn at_word(&self, word: &str) -> bool {
        matches!(&self.peek().kind, Kind::Word(w) if w == word)
    }

    pub fn take(&mut self, sign: &str) -> bool {
        let found = self.at(sign);
        if found {
            self.advance();
        }
        found
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    pub fn keyword(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) {
            return Ok(());
        }
        self.expected(&format!("`{}`", word.to_ascii_lowercase()))
    }

    pub fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let diagnostic = self.unexpected(what);
        self.error(diagnostic)
    }

    /// What is there is something else.
    pub fn unexpected(&self, what: &str) -> Diagnostic {
        let text = self.peek().text();
        let found = match &self.peek().kind {
            Kind::End => "the text ends".to_owned(),
            // Keywords as they are written most often.
            _ if KEYWORDS.contains(&text) => format!("there is `{}`", text.to_ascii_lowercase()),
            _ => format!("there is `{text}`"),
        };
        Diagnostic::error(codes::LOTOS_SYNTAX, format!("expected {what}, but {found}")).at(self.here(), "")
    }

    pub fn error<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() > MOST_ERRORS {
            self.next = self.tokens.len() - 1;
        }
        Err(Reported)
    }

    pub fn too_deep<T>(&mut self) -> Parsed<T> {
        let message = format!("this is nested more than {DEEPEST} levels deep");
        let diagnostic = Diagnostic::error(codes::LOTOS_SYNTAX, message).at(self.here(), "");
        self.error(diagnostic.help("name a part of it: make it a process or an operation of its own"))
    }

    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn deeper(&mut self) {
        self.depth += 1;
    }

    pub fn shallower(&mut self) {
        self.depth -= 1;
    }

    /// Runs a part of the parser one level deeper.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.too_deep();
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Runs a part of the parser; behind an error, skips to one of these words.
    pub fn recovering<T>(&mut self, words: &[&str], read: impl FnOnce(&mut Self) -> Parsed<T>) -> Option<T> {
        let depth = self.depth;
        let read = read(self).ok();
        self.depth = depth;
        if read.is_none() {
            self.skip_to(words);
        }
        read
    }

    /// Skips to one of these words, or to the next word that ends or begins a definition.
    pub fn skip_to(&mut self, words: &[&str]) {
        const BORDERS: &[&str] = &["ENDPROC", "ENDTYPE", "ENDSPEC", "ENDLIB", "PROCESS", "TYPE"];
        while !self.at_end() {
            let at = |list: &[&str]| list.iter().any(|word| self.at_word(word));
            if at(words) || at(BORDERS) {
                return;
            }
            self.advance();
        }
    }

    /// Whether the next token may be a name.
    pub fn at_name(&self) -> bool {
        matches!(&self.peek().kind, Kind::Word(word) if !KEYWORDS.contains(&word.as_str()))
    }

    /// Whether the next token may be the name of an operation.
    pub fn at_operation(&self) -> bool {
        let is_bracket = |sign: &str| sign.contains(['[', ']', '(', ')', '|']);
        match &self.peek().kind {
            Kind::Sign(sign) => !RESERVED.contains(&sign.as_str()) && !is_bracket(sign),
            _ => self.at_name(),
        }
    }

    /// A gate in a list may have the name of a keyword: `[IN, OUT]`.
    fn at_listed_gate(&self) -> bool {
        let follows = self.peek_second().text();
        matches!(self.peek().kind, Kind::Word(_)) && [",", "]", "]|", "IN"].contains(&follows)
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let is_name = self.at_name() || (what == "a gate" && self.at_listed_gate());
        if !is_name {
            return self.expected(what);
        }
        let token = self.advance();
        Ok(Name { text: token.text().to_owned(), span: token.span })
    }

    /// A name, or special characters.
    pub fn operation_name(&mut self) -> Parsed<Name> {
        if !self.at_operation() {
            return self.expected("the name of an operation");
        }
        let token = self.advance();
        Ok(Name { text: token.text().to_owned(), span: token.span })
    }

    /// Names between commas.
    pub fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.take(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// `x, y : S, z : T`
    pub fn variables(&mut self) -> Parsed<Vec<Parameter>> {
        let mut all = Vec::new();
        loop {
            let names = self.names("a variable")?;
            self.sign(":")?;
            let sort = self.name("a sort")?;
            all.extend(names.into_iter().map(|name| Parameter { name, sort: sort.clone() }));
            if !self.take(",") {
                return Ok(all);
            }
        }
    }

    /// `(x, y : S)`, or nothing.
    pub fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        if !self.take("(") {
            return Ok(Vec::new());
        }
        let all = self.variables()?;
        self.sign(")")?;
        Ok(all)
    }
}
