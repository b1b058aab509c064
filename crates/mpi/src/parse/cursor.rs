//! A place in the tokens of a program: what stands there, what should stand there, and where to go on after an error.

use super::KEYWORDS;
use crate::lex::{Kind, Token};
use crate::syntax::{DEEPEST, Name};
use volvelle_diagnostics::{Diagnostic, Span, codes, suggest};

/// Something that could not be read, and has been reported.
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

/// Words that begin a declaration.
const ITEMS: [&str; 7] = ["const", "type", "shared", "private", "channel", "procedure", "process"];

pub(super) struct Cursor<'a> {
    pub text: &'a str,
    tokens: Vec<Token>,
    /// Number of the token that comes next; the last one stays next for ever.
    at: usize,
    /// Statements and expressions around this place.
    depth: u32,
    /// The text has ended too early, which has been said once.
    ended: bool,
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, tokens: Vec<Token>, diagnostics: Vec<Diagnostic>) -> Self {
        Cursor { text, tokens, at: 0, depth: 0, ended: false, diagnostics }
    }

    pub fn token(&self) -> Token {
        self.tokens[self.at]
    }

    /// The number of the next token.
    pub fn number(&self) -> usize {
        self.at
    }

    pub fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    pub fn advance(&mut self) -> Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// The text under a span.
    pub fn under(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The next token, if it is a word.
    pub fn word(&self) -> Option<&'a str> {
        (self.token().kind == Kind::Word).then(|| self.under(self.token().span))
    }

    pub fn at_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    pub fn at_sign(&self, sign: &str) -> bool {
        matches!(self.token().kind, Kind::Sign(s) if s == sign)
    }

    /// Whether the token after the next one is a sign.
    pub fn then_sign(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at + 1), Some(Token { kind: Kind::Sign(s), .. }) if *s == sign)
    }

    /// Whether the token after the next one begins an expression.
    pub fn then_operand(&self) -> bool {
        let Some(token) = self.tokens.get(self.at + 1) else { return false };
        matches!(token.kind, Kind::Word | Kind::Number(_) | Kind::Sign("("))
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        let there = self.at_word(word);
        if there {
            self.advance();
        }
        there
    }

    pub fn take(&mut self, sign: &str) -> bool {
        let there = self.at_sign(sign);
        if there {
            self.advance();
        }
        there
    }

    /// The place of the token before the next one.
    pub fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// From a place to the last token that was read.
    pub fn since(&self, start: Span) -> Span {
        start.to(self.before())
    }

    fn found(&self) -> String {
        match self.token().kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.under(self.token().span)),
        }
    }

    /// A message: something else should stand here.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.found());
        Diagnostic::error(codes::PRIMITIVE_SYNTAX, message).at(self.token().span, "")
    }

    pub fn expected<T>(&mut self, expected: &str) -> Parsed<T> {
        let diagnostic = self.unexpected(expected);
        self.refuse(diagnostic)
    }

    pub fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        if !self.ended {
            self.diagnostics.push(diagnostic);
        }
        self.ended |= self.at_end();
        Err(Reported)
    }

    pub fn sign(&mut self, sign: &'static str) -> Parsed<Span> {
        if self.at_sign(sign) {
            return Ok(self.advance().span);
        }
        let mut diagnostic = self.unexpected(&format!("`{sign}`"));
        if matches!(sign, ";" | ")" | "]") && self.at > 0 {
            let found = self.found();
            let before = self.before();
            diagnostic =
                Diagnostic::error(codes::PRIMITIVE_SYNTAX, format!("expected `{sign}`, found {found}"))
                    .at(before, format!("`{sign}` is missing behind this"));
        }
        self.refuse(diagnostic)
    }

    pub fn keyword(&mut self, word: &'static str) -> Parsed<Span> {
        if self.at_word(word) { Ok(self.advance().span) } else { self.expected(&format!("`{word}`")) }
    }

    /// A name that is declared or used.
    pub fn name(&mut self, expected: &str) -> Parsed<Name> {
        match self.word() {
            Some(word) if !KEYWORDS.contains(&word) => {
                Ok(Name { text: word.to_owned(), span: self.advance().span })
            }
            Some(word) => {
                let message = format!("expected {expected}, found the keyword `{word}`");
                let span = self.token().span;
                self.refuse(
                    Diagnostic::error(codes::PRIMITIVE_SYNTAX, message)
                        .at(span, "")
                        .help(format!("choose another name, such as `{word}_`")),
                )
            }
            None => self.expected(expected),
        }
    }

    /// A keyword that a misspelt word was perhaps meant to be.
    pub fn meant(&self, candidates: &[&'static str]) -> Option<&'static str> {
        suggest(self.word()?, candidates.iter().copied())
    }

    /// Reads something that is nested in what is being read.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.too_deep();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reports a depth, of which `depth` levels are not on the stack.
    pub fn check_depth(&mut self, depth: u32) -> Parsed<()> {
        if self.depth + depth > DEEPEST { self.too_deep() } else { Ok(()) }
    }

    fn too_deep<T>(&mut self) -> Parsed<T> {
        let span = self.token().span;
        self.refuse(
            Diagnostic::error(
                codes::PRIMITIVE_SYNTAX,
                format!("this is nested more than {DEEPEST} levels deep"),
            )
            .at(span, "")
            .help("put a part of it into a procedure, or into a local of its own"),
        )
    }

    /// Goes behind the next `;`, or to the `}` of the block around.
    pub fn skip_statement(&mut self) {
        let mut inside = 0_usize;
        loop {
            match self.token().kind {
                Kind::End => return,
                Kind::Sign("{") => inside += 1,
                Kind::Sign("}") if inside == 0 => return,
                Kind::Sign("}") => {
                    inside -= 1;
                    if inside == 0 {
                        self.advance();
                        return;
                    }
                }
                Kind::Sign(";") if inside == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Goes to the next declaration from one that begins at a token.
    pub fn skip_item(&mut self, start: usize) {
        // It stands where the end of another one was expected.
        if self.at > start && self.word().is_some_and(|word| ITEMS.contains(&word)) {
            return;
        }
        let mut inside = 0_usize;
        loop {
            let behind = matches!(self.tokens[self.at.saturating_sub(1)].kind, Kind::Sign(";" | "}"));
            match self.token().kind {
                Kind::End => return,
                Kind::Sign("{") => inside += 1,
                Kind::Sign("}") => inside = inside.saturating_sub(1),
                Kind::Word if inside == 0 && behind && self.word().is_some_and(|w| ITEMS.contains(&w)) => {
                    return;
                }
                // These stand nowhere else.
                Kind::Word if self.word().is_some_and(|w| ITEMS.contains(&w) && w != "shared") && behind => {
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// What begins a declaration.
    pub fn meant_item(&self) -> Option<&'static str> {
        self.meant(&ITEMS)
    }
}
