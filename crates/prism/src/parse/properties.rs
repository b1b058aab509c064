//! Property files: declarations and properties, with `;` between them or not.
//!
//! As in PRISM, semicolons may be left out: a property is read as long as possible. A property that cannot be
//! read costs only itself; the next one is found behind a `;`, or where a line starts like a property.

use crate::ast::{ExprKind, Name, Property, PropertyFile};
use crate::lex::{Keyword, TokenKind};
use crate::parse::cursor::Parser;
use crate::parse::frames::Mode;
use volvelle_diagnostics::{Diagnostic, Span, codes};

impl Parser<'_> {
    /// A whole property file.
    pub(super) fn property_file(&mut self, file: &mut PropertyFile) {
        while self.peek() != TokenKind::End {
            if self.take(TokenKind::Semicolon) || self.property_declaration(file) {
                continue;
            }
            let property = self.property();
            file.properties.push(property);
        }
    }

    /// Declarations, then one property and nothing else.
    pub(super) fn single_property(&mut self, file: &mut PropertyFile) {
        while self.peek() != TokenKind::End && self.property_declaration(file) {}
        if self.peek() == TokenKind::End {
            if self.errors == 0 {
                self.error(codes::PROPERTY_SYNTAX, self.span(), "there is no property", "");
            }
            return;
        }
        let property = self.property();
        file.properties.push(property);
        while self.take(TokenKind::Semicolon) {}
        if self.peek() != TokenKind::End {
            let _ = self.unexpected("the end of the property");
        }
    }

    /// One formula over runs, which all of them have to satisfy, and nothing else.
    pub(super) fn single_formula(&mut self, file: &mut PropertyFile) {
        let start = self.span();
        if self.peek() == TokenKind::End {
            if self.errors == 0 {
                self.error(codes::PROPERTY_SYNTAX, start, "there is no formula", "");
            }
            return;
        }
        let Ok(path) = self.expression(Mode::PATH) else { return };
        if self.peek() != TokenKind::End {
            let _ = self.unexpected("the end of the formula");
            return;
        }
        let span = start.to(self.last_span());
        if let Ok(body) = self.add(ExprKind::ForAll(path), span) {
            file.properties.push(Property { name: None, body, span });
            file.is_claim = true;
        }
    }

    /// A constant, formula or label; whether there was one. Wider than PRISM: formulas and labels of property files
    /// may use labels and operators of properties.
    fn property_declaration(&mut self, file: &mut PropertyFile) -> bool {
        match self.peek() {
            TokenKind::Keyword(Keyword::Const | Keyword::Rate | Keyword::Prob) => {
                file.constants.extend(self.constant().ok());
            }
            TokenKind::Keyword(Keyword::Formula) => file.formulas.extend(self.formula(Mode::PROPERTY).ok()),
            TokenKind::Keyword(Keyword::Label) => file.labels.extend(self.label(Mode::PROPERTY).ok()),
            _ => return false,
        }
        true
    }

    fn property(&mut self) -> Property {
        let before = self.last_span().end;
        self.reserved.clear();
        let name = self.property_name();
        let (first, mark) = (self.number(), self.exprs.len());
        let (errors, reported) = (self.errors, self.diagnostics.len());
        let start = self.span();
        let body = self.expression(Mode::PROPERTY).ok().filter(|_| self.property_ends());
        if body.is_none() {
            self.skip_property(first, reported);
        }
        let mut span = start;
        if self.number() > first {
            span = start.to(self.last_span());
        }
        let ends = matches!(self.peek(), TokenKind::Semicolon | TokenKind::End);
        let end = if ends { self.token().start } else { span.end };
        let unreadable = self.unreadable_in(Span { start: before, end, ..span });
        let body = match body {
            // A repaired text may not be the intended property.
            Some(body) if self.errors == errors && unreadable.is_none() => body,
            _ => {
                // Its diagnostics lie in its span.
                span.start = unreadable.map_or(span.start, |place| span.start.min(place.start));
                span.end = span.end.max(end);
                self.exprs.truncate(mark);
                self.exprs.add(ExprKind::Error, span, 0)
            }
        };
        while self.take(TokenKind::Semicolon) {}
        Property { name, body, span }
    }

    /// `"name":`
    fn property_name(&mut self) -> Option<Name> {
        if self.peek() != TokenKind::Quoted || self.ahead(1).kind != TokenKind::Colon {
            return None;
        }
        let name = self.quoted("the property").ok();
        self.advance();
        name
    }

    /// Whether a property may end before the next token; reports an error if not.
    fn property_ends(&mut self) -> bool {
        use TokenKind as T;
        let ends = match self.peek() {
            T::End | T::Semicolon | T::Quoted | T::Ident | T::Int | T::Real | T::LeftParen | T::Not => true,
            T::Keyword(Keyword::U | Keyword::W | Keyword::X | Keyword::F | Keyword::G) => {
                let text = self.text_of(self.token());
                self.report(
                    Diagnostic::error(
                        codes::PROPERTY_SYNTAX,
                        format!("temporal operator `{text}` outside of `P`, `R`, `T`, `A` and `E`"),
                    )
                    .at(self.span(), "")
                    .help("write a probability, as in `P=? [ a U b ]`"),
                );
                return false;
            }
            T::Keyword(_) => true,
            _ => false,
        };
        if !ends {
            let _ = self.unexpected("`;` after the property");
        }
        ends
    }

    /// Goes to the end of a property that started at token `first` and could not be read. Where the next one
    /// was taken for a part of it (`P=? [ F x`, and on the next line `R=? [ F x ]`), goes back and says so in
    /// place of what was said about the next one.
    fn skip_property(&mut self, first: usize, reported: usize) {
        use TokenKind as T;
        let failed = self.number();
        self.jump(first);
        loop {
            match self.peek() {
                T::End | T::Semicolon => return,
                _ if self.number() > first && self.starts_property() => break,
                _ => self.advance(),
            };
        }
        if self.number() > failed {
            return;
        }
        let next = self.span();
        let mut index = 0;
        self.diagnostics.retain(|diagnostic| {
            index += 1;
            let place = diagnostic.primary.as_ref().map_or(0, |label| label.span.start);
            index <= reported || place < next.start
        });
        let end = self.last_span().end;
        let place = Span { start: end, end, ..next };
        self.report(
            Diagnostic::error(codes::PROPERTY_SYNTAX, "the property is not finished")
                .at(place, "")
                .also(next, "the next one seems to start here"),
        );
    }

    /// Whether a line starts here that looks like a declaration or a property of its own.
    fn starts_property(&self) -> bool {
        use TokenKind as T;
        if !self.token().starts_line {
            return false;
        }
        match self.peek() {
            T::Quoted => self.ahead(1).kind == T::Colon,
            T::Keyword(Keyword::Const | Keyword::Formula | Keyword::Label | Keyword::Filter) => true,
            T::Keyword(Keyword::P | Keyword::R | Keyword::S) => {
                // An operator after an unfinished line continues it.
                matches!(
                    self.tokens()[self.number() - 1].kind,
                    T::RightBracket | T::RightParen | T::RightBrace | T::Ident | T::Int | T::Real | T::Quoted
                ) && matches!(self.ahead(1).kind, T::Eq | T::Lt | T::Le | T::Gt | T::Ge | T::LeftBrace)
            }
            T::Keyword(Keyword::Pmin | Keyword::Pmax | Keyword::Rmin | Keyword::Rmax) => {
                self.ahead(1).kind == T::Eq
            }
            _ => false,
        }
    }
}
