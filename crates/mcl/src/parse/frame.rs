//! Reading tokens: of the text, of a macro's body, of an argument.

use super::{Failed, Parsed, Parser};
use crate::token::{Kind, Token, plain_word};
use volvelle_diagnostics::{Diagnostic, Span, codes};

/// A text with its tokens.
pub(super) struct TokenList<'t> {
    pub text: &'t str,
    pub tokens: Vec<Token>,
    pub is_library: bool,
}

/// A part of a list that is being read, and what names mean in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub list: usize,
    pub at: usize,
    pub end: usize,
    /// The call whose parameters are known here.
    pub call: Option<usize>,
    /// The innermost variable that is bound here.
    pub scope: Option<usize>,
    /// How many macros are known here: those that are defined before.
    pub macros: usize,
    /// The call in the text that led here.
    pub origin: Option<Span>,
}

impl Frame {
    pub fn outermost(list: usize, end: usize) -> Self {
        Frame { list, at: 0, end, call: None, scope: None, macros: 0, origin: None }
    }
}

impl Parser<'_> {
    /// The next token.
    pub(super) fn peek(&self) -> Kind {
        if self.at_end() { Kind::End } else { self.lists[self.frame.list].tokens[self.frame.at].kind }
    }

    /// The one behind the next.
    pub(super) fn peek_second(&self) -> Kind {
        let at = self.frame.at + 1;
        if at >= self.frame.end { Kind::End } else { self.lists[self.frame.list].tokens[at].kind }
    }

    pub(super) fn at_end(&self) -> bool {
        self.frame.at >= self.frame.end
    }

    /// The text of the next token; empty at the end.
    pub(super) fn word(&self) -> &str {
        if self.at_end() { "" } else { plain_word(self.text_at(self.frame.list, self.frame.at)) }
    }

    /// The text of the token behind the next.
    pub(super) fn second_word(&self) -> &str {
        match self.peek_second() {
            Kind::End => "",
            _ => plain_word(self.text_at(self.frame.list, self.frame.at + 1)),
        }
    }

    pub(super) fn text_at(&self, list: usize, at: usize) -> &str {
        let token = self.lists[list].tokens[at];
        &self.lists[list].text[token.start as usize..token.end as usize]
    }

    /// Goes on to the next token; gives the span of the one that was next.
    pub(super) fn advance(&mut self) -> Span {
        let span = self.here();
        self.frame.at = (self.frame.at + 1).min(self.frame.end);
        span
    }

    /// The place of the next token, in the text of the user: that of the call for bodies of the library.
    pub(super) fn here(&self) -> Span {
        self.span_at(self.frame.list, self.frame.at)
    }

    pub(super) fn span_at(&self, list: usize, at: usize) -> Span {
        let list = &self.lists[list];
        match (list.is_library, self.frame.origin) {
            (true, Some(origin)) => origin,
            (true, None) => Span::new(self.file, 0, 0),
            (false, _) => {
                let token = list.tokens[at];
                Span::new(self.file, token.start as usize, token.end as usize)
            }
        }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.peek() == Kind::Word && self.word() == word
    }

    /// Takes a keyword if it is next.
    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a sign if it is next.
    pub(super) fn accept(&mut self, sign: char) -> bool {
        let found = self.peek() == Kind::Sign(sign);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a sign that must be next.
    pub(super) fn expect(&mut self, sign: char) -> Parsed<()> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// Reports that something else was expected.
    pub(super) fn unexpected(&mut self, expected: &str) -> Failed {
        let found =
            if self.at_end() { "the end".to_owned() } else { format!("`{}`", self.word().escape_debug()) };
        let span = self.here();
        let mut diagnostic =
            Diagnostic::error(codes::FORMULA_SYNTAX, format!("expected {expected}, found {found}"))
                .at(span, "");
        if let (Some(origin), false) = (self.frame.origin, self.lists[self.frame.list].is_library) {
            diagnostic = diagnostic.also(origin, "expanded here");
        }
        self.diagnostics.push(diagnostic);
        Failed::Syntax
    }

    /// Parses inside brackets whose opening sign was taken, to the closing one. Where the inside is no formula, goes on behind the
    /// closing sign with a stand-in.
    pub(super) fn inside<T>(
        &mut self,
        close: char,
        parse: impl FnOnce(&mut Self) -> Parsed<T>,
        stand_in: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let result = parse(self).and_then(|found| self.expect(close).map(|()| found));
        match result {
            Err(Failed::Syntax) => {
                self.skip_to(close)?;
                stand_in(self)
            }
            other => other,
        }
    }

    /// Goes behind the sign that closes the current brackets.
    fn skip_to(&mut self, close: char) -> Parsed<()> {
        let mut depth = 0usize;
        while !self.at_end() {
            let kind = self.peek();
            self.advance();
            match kind {
                Kind::Sign(sign) if sign == close && depth == 0 => return Ok(()),
                Kind::Sign('(' | '[' | '{') => depth += 1,
                Kind::Sign(')' | ']' | '}') => depth = depth.checked_sub(1).ok_or(Failed::Syntax)?,
                _ => {}
            }
        }
        Err(Failed::Syntax)
    }
}
