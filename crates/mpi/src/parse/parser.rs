//! The parser: what should stand at the next token, and where to go on after an error.

use crate::lex::{Kind, T};
use crate::syntax::{DEEPEST, Name};
use volvelle_diagnostics::{Diagnostic, FileId, Fix, Span, codes};
use volvelle_syntax::{Cursor, Parse, Spelt, Token, around_cursor};

/// Something that could not be read, and has been reported.
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

pub(super) struct Parser<'t> {
    cursor: Cursor<'t, Kind>,
    /// The text has ended too early, which has been said once.
    ended: bool,
    pub diagnostics: Vec<Diagnostic>,
}

around_cursor!(Parser, Kind);

impl<'t> Parse<'t> for Parser<'t> {
    type Kind = Kind;
    type Error = Reported;
    const DEEPEST: u32 = DEEPEST;

    fn unexpected(&mut self, wanted: &str) -> Reported {
        let diagnostic = self.diagnostic(wanted);
        self.refuse(diagnostic)
    }

    fn too_deep(&mut self) -> Reported {
        let message = format!("this is nested more than {DEEPEST} levels deep");
        let diagnostic = Diagnostic::error(codes::PRIMITIVE_SYNTAX, message).at(self.span(), "");
        self.refuse(diagnostic.help("put a part of it into a procedure, or into a local of its own"))
    }

    fn missing(&mut self, kind: Kind) -> Reported {
        let sign = kind.spelling().unwrap_or_default();
        let mut diagnostic = self.diagnostic(&format!("`{sign}`"));
        if matches!(kind, T![";"] | T![")"] | T!["]"]) && self.number() > 0 {
            // At the end of a line nothing else is missing.
            let is_line = self.trivia().contains('\n') || self.at_end();
            let fix = Fix::behind(format!("add `{sign}`"), self.before(), sign);
            diagnostic = diagnostic
                .at(self.before(), format!("`{sign}` is missing behind this"))
                .fix(fix.certain_if(is_line && kind == T![";"]));
        }
        self.refuse(diagnostic)
    }
}

/// Whether a kind begins a declaration.
fn begins_item(kind: Kind) -> bool {
    matches!(
        kind,
        T!["const"]
            | T!["type"]
            | T!["shared"]
            | T!["private"]
            | T!["channel"]
            | T!["procedure"]
            | T!["process"]
    )
}

impl<'t> Parser<'t> {
    pub fn new(file: FileId, text: &'t str) -> Self {
        let mut diagnostics = Vec::new();
        let tokens = crate::lex::tokens(file, text, &mut diagnostics);
        Parser { cursor: Cursor::new(file, text, tokens), ended: false, diagnostics }
    }

    /// Whether a word is next, reserved or not.
    fn at_any_word(&self) -> bool {
        self.at(Kind::Name) || self.peek().is_word()
    }

    /// A message: something else should stand here.
    pub fn diagnostic(&self, expected: &str) -> Diagnostic {
        Diagnostic::error(codes::PRIMITIVE_SYNTAX, self.expected(expected)).at(self.span(), "")
    }

    pub fn refuse(&mut self, diagnostic: Diagnostic) -> Reported {
        if !self.ended {
            self.diagnostics.push(diagnostic);
        }
        self.ended |= self.at_end();
        Reported
    }

    /// Refuses what stands at a place.
    pub fn wrong(&mut self, message: impl Into<String>, span: Span, label: impl Into<String>) -> Reported {
        self.refuse(Diagnostic::error(codes::PRIMITIVE_SYNTAX, message).at(span, label))
    }

    /// A name that is declared or used.
    pub fn name(&mut self, expected: &str) -> Parsed<Name> {
        let (word, span) = (self.word(), self.span());
        if self.take(Kind::Name) {
            return Ok(Name { text: word.to_owned(), span });
        }
        if !self.peek().is_word() {
            return Err(self.unexpected(expected));
        }
        let message = format!("expected {expected}, found the keyword `{word}`");
        let diagnostic = Diagnostic::error(codes::PRIMITIVE_SYNTAX, message).at(span, "");
        Err(self.refuse(diagnostic.help(format!("choose another name, such as `{word}_`"))))
    }

    /// A message with the word that a misspelt one was perhaps meant to be.
    pub fn perhaps(&self, expected: &str, candidates: &[&'static str]) -> Diagnostic {
        let diagnostic = self.diagnostic(expected);
        if self.at_any_word() { diagnostic.misspelt(self.word(), candidates) } else { diagnostic }
    }

    /// Goes behind the next `;`, or to the `}` of the block around.
    pub fn skip_statement(&mut self) {
        let mut inside = 0_usize;
        while !self.at_end() {
            match self.peek() {
                T!["{"] => inside += 1,
                T!["}"] if inside == 0 => return,
                T!["}"] => inside -= 1,
                _ => {}
            }
            let token = self.advance();
            if inside == 0 && matches!(token.kind, T!["}"] | T![";"]) {
                return;
            }
        }
    }

    /// Goes to the next declaration from one that begins at a token.
    pub fn skip_item(&mut self, start: usize) {
        // It stands where the end of another one was expected.
        if self.number() > start && begins_item(self.peek()) {
            return;
        }
        let mut inside = 0_usize;
        while !self.at_end() {
            let before = self.number().checked_sub(1).map(|before| self.tokens()[before]);
            let is_behind = matches!(before, Some(Token { kind: T![";"] | T!["}"], .. }));
            match self.peek() {
                T!["{"] => inside += 1,
                T!["}"] => inside = inside.saturating_sub(1),
                // All but `shared` stand nowhere else.
                kind if is_behind && begins_item(kind) && (inside == 0 || kind != T!["shared"]) => return,
                _ => {}
            }
            self.advance();
        }
    }
}
