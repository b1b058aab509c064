//! Reading tokens: of the text, of a macro's body, of an argument.

use super::{Failed, Parsed, Parser};
use crate::token::{Kind, T};
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_syntax::one_of;

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
        if self.at_end() { "" } else { self.text_at(self.frame.list, self.frame.at) }
    }

    pub(super) fn text_at(&self, list: usize, at: usize) -> &str {
        self.lists[list].tokens[at].text(self.lists[list].text)
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
            (false, _) => list.tokens[at].span(self.file),
        }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.peek() == Kind::Name && self.word() == word
    }

    pub(super) fn at(&self, kind: Kind) -> bool {
        self.peek() == kind
    }

    /// Takes a token of a kind if it is next.
    pub(super) fn accept(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token of a kind that must be next.
    pub(super) fn expect(&mut self, kind: Kind) -> Parsed<()> {
        if self.accept(kind) { Ok(()) } else { Err(self.unexpected(&one_of(&[kind]))) }
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
        close: Kind,
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
    fn skip_to(&mut self, close: Kind) -> Parsed<()> {
        let mut depth = 0usize;
        while !self.at_end() {
            let kind = self.peek();
            self.advance();
            match kind {
                kind if kind == close && depth == 0 => return Ok(()),
                T!["("] | T!["["] | T!["{"] => depth += 1,
                T![")"] | T!["]"] | T!["}"] => depth = depth.checked_sub(1).ok_or(Failed::Syntax)?,
                _ => {}
            }
        }
        Err(Failed::Syntax)
    }
}
